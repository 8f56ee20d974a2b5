// TensorFlow's side: the operators' declarations, their kernels' class, and the CPU.
#define EIGEN_USE_THREADS
#include "outer.h"

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "unsupported/Eigen/CXX11/Tensor"

using tensorflow::OpKernelConstruction;
using tensorflow::OpKernelContext;
using tensorflow::TensorShape;
using tensorflow::errors::InvalidArgument;
using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

using CPU = Eigen::ThreadPoolDevice;
using GPU = Eigen::GpuDevice;

// ---------------------------------------------- what the operators are

REGISTER_OP("MinigradOuter")
    .Attr("T: {half, float, double}")
    .Attr("scale: float = 1.0")
    .Input("a: T")
    .Input("b: T")
    .Output("y: T")
    .SetShapeFn([](InferenceContext* c) {
        ShapeHandle a, b;
        DimensionHandle batch;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
        TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
        TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, 0), c->Dim(b, 0), &batch));
        c->set_output(0, c->MakeShape({batch, c->Dim(a, 1), c->Dim(b, 1)}));
        return absl::OkStatus();
    })
    .Doc("y[i, m, n] = scale * a[i, m] * b[i, n]");

REGISTER_OP("MinigradOuterGrad")
    .Attr("T: {half, float, double}")
    .Attr("scale: float = 1.0")
    .Input("dy: T")
    .Input("a: T")
    .Input("b: T")
    .Output("da: T")
    .Output("db: T")
    .SetShapeFn([](InferenceContext* c) {
        c->set_output(0, c->input(1));
        c->set_output(1, c->input(2));
        return absl::OkStatus();
    });

// ---------------------------------------------- what runs, on whatever device

namespace {

// Sizes of inputs number a and b; the context has an error where they do not fit.
bool sizes_of(OpKernelContext* context, int a, int b, Sizes* s) {
    const TensorShape &left = context->input(a).shape(), &right = context->input(b).shape();
    if (left.dims() != 2 || right.dims() != 2 || left.dim_size(0) != right.dim_size(0)) {
        context->CtxFailure(InvalidArgument("a and b must be (B, M) and (B, N), are ",
                                            left.DebugString(), " and ",
                                            right.DebugString()));
        return false;
    }
    *s = {left.dim_size(0), left.dim_size(1), right.dim_size(1)};
    return true;
}

}  // namespace

template <typename Device, typename T>
class OuterOp : public tensorflow::OpKernel {
  public:
    explicit OuterOp(OpKernelConstruction* context) : OpKernel(context) {
        OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
    }

    void Compute(OpKernelContext* context) override {
        Sizes s;
        if (!sizes_of(context, 0, 1, &s)) return;
        tensorflow::Tensor* y = nullptr;
        OP_REQUIRES_OK(context, context->allocate_output(0, {s.B, s.M, s.N}, &y));
        if (y->NumElements() == 0) return;
        Outer<Device, T>::run(context->eigen_device<Device>(), s, scale_,
                              context->input(0).flat<T>().data(),
                              context->input(1).flat<T>().data(), y->flat<T>().data());
    }

  private:
    float scale_;
};

template <typename Device, typename T>
class OuterGradOp : public tensorflow::OpKernel {
  public:
    explicit OuterGradOp(OpKernelConstruction* context) : OpKernel(context) {
        OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
    }

    void Compute(OpKernelContext* context) override {
        Sizes s;
        if (!sizes_of(context, 1, 2, &s)) return;
        const tensorflow::Tensor& dy = context->input(0);
        OP_REQUIRES(context, dy.shape() == TensorShape({s.B, s.M, s.N}),
                    InvalidArgument("dy is ", dy.shape().DebugString()));
        tensorflow::Tensor *da = nullptr, *db = nullptr;
        OP_REQUIRES_OK(context, context->allocate_output(0, {s.B, s.M}, &da));
        OP_REQUIRES_OK(context, context->allocate_output(1, {s.B, s.N}, &db));
        OuterGrad<Device, T>::run(context->eigen_device<Device>(), s, scale_,
                                  dy.flat<T>().data(), context->input(1).flat<T>().data(),
                                  context->input(2).flat<T>().data(),
                                  da->flat<T>().data(), db->flat<T>().data());
    }

  private:
    float scale_;
};

// ---------------------------------------------- the CPU's part

template <typename T>
struct Outer<CPU, T> {
    static void run(const CPU&, Sizes s, float scale, const T* a, const T* b, T* y) {
        for (int64_t row = 0; row < s.B * s.M; row++)
            for (int64_t n = 0; n < s.N; n++)
                y[row * s.N + n] = T(scale) * a[row] * b[row / s.M * s.N + n];
    }
};

template <typename T>
struct OuterGrad<CPU, T> {
    using acc_t = std::conditional_t<std::is_same_v<T, double>, double, float>;

    static void run(const CPU&, Sizes s, float scale, const T* dy, const T* a, const T* b,
                    T* da, T* db) {
        for (int64_t row = 0; row < s.B * s.M; row++) {
            acc_t sum = 0;
            for (int64_t n = 0; n < s.N; n++)
                sum += acc_t(dy[row * s.N + n]) * acc_t(b[row / s.M * s.N + n]);
            da[row] = T(scale * sum);
        }
        for (int64_t i = 0; i < s.B * s.N; i++) {
            acc_t sum = 0;
            for (int64_t m = 0, row = i / s.N * s.M; m < s.M; m++, row++)
                sum += acc_t(dy[row * s.N + i % s.N]) * acc_t(a[row]);
            db[i] = T(scale * sum);
        }
    }
};

// ---------------------------------------------- which kernel is whose

#define REGISTER(device, name, T)                                                       \
    REGISTER_KERNEL_BUILDER(                                                            \
        Name("MinigradOuter").Device(name).TypeConstraint<T>("T"), OuterOp<device, T>); \
    REGISTER_KERNEL_BUILDER(                                                            \
        Name("MinigradOuterGrad").Device(name).TypeConstraint<T>("T"),                  \
        OuterGradOp<device, T>);

REGISTER(CPU, tensorflow::DEVICE_CPU, Eigen::half)
REGISTER(CPU, tensorflow::DEVICE_CPU, float)
REGISTER(CPU, tensorflow::DEVICE_CPU, double)
#ifdef GOOGLE_CUDA  // Outer<GPU, T> is in outer.cu.cc
extern template struct Outer<GPU, float>;
extern template struct Outer<GPU, double>;
extern template struct OuterGrad<GPU, float>;
extern template struct OuterGrad<GPU, double>;
REGISTER(GPU, tensorflow::DEVICE_GPU, float)
REGISTER(GPU, tensorflow::DEVICE_GPU, double)
#endif
