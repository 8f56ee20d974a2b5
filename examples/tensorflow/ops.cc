// TensorFlow's side: the operators' declarations, their kernels' class, and the CPU.
#define EIGEN_USE_THREADS
#include "ops.h"

#include <cmath>

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

REGISTER_OP("MinigradAdd")
    .Attr("T: {half, float, double}")
    .Input("a: T")
    .Input("b: T")
    .Output("y: T")
    .SetShapeFn(tensorflow::shape_inference::MergeBothInputsShapeFn)
    .Doc("a + b, of one shape");

// Inputs number x and x + 1: of (..., N) and (N); the output is like the first.
template <int x>
absl::Status bias_shape(InferenceContext* c) {
    ShapeHandle all, bias;
    DimensionHandle size;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(x), 1, &all));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(x + 1), 1, &bias));
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(all, -1), c->Dim(bias, 0), &size));
    c->set_output(0, all);
    return absl::OkStatus();
}

REGISTER_OP("MinigradBiasGelu")
    .Attr("T: {half, float, double}")
    .Input("x: T")
    .Input("bias: T")
    .Output("y: T")
    .SetShapeFn(bias_shape<0>)
    .Doc("gelu(x + bias)");

REGISTER_OP("MinigradBiasGeluGrad")
    .Attr("T: {half, float, double}")
    .Input("dy: T")
    .Input("x: T")
    .Input("bias: T")
    .Output("dx: T")
    .SetShapeFn(bias_shape<1>);

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

template <typename Device, typename T>
class AddOp : public tensorflow::OpKernel {
  public:
    using OpKernel::OpKernel;

    void Compute(OpKernelContext* context) override {
        const tensorflow::Tensor &a = context->input(0), &b = context->input(1);
        OP_REQUIRES(context, a.shape() == b.shape(),
                    InvalidArgument("a is ", a.shape().DebugString(), ", b is ",
                                    b.shape().DebugString()));
        tensorflow::Tensor* y = nullptr;
        OP_REQUIRES_OK(context, context->allocate_output(0, a.shape(), &y));
        if (y->NumElements() == 0) return;
        Add<Device, T>::run(context->eigen_device<Device>(), a.flat<T>().data(),
                            b.flat<T>().data(), y->flat<T>().data(), y->NumElements());
    }
};

// x: which of the inputs is x; 1 if dy comes first.
template <typename Device, typename T, int x>
class BiasGeluOp : public tensorflow::OpKernel {
  public:
    using OpKernel::OpKernel;

    void Compute(OpKernelContext* context) override {
        const TensorShape &shape = context->input(x).shape(),
                          &bias = context->input(x + 1).shape();
        OP_REQUIRES(context,
                    shape.dims() > 0 && bias.dims() == 1 &&
                        bias.dim_size(0) == shape.dim_size(shape.dims() - 1),
                    InvalidArgument("bias must have x's last size, ",
                                    shape.DebugString(), "; it is ",
                                    bias.DebugString()));
        OP_REQUIRES(context, context->input(0).shape() == shape,
                    InvalidArgument("dy is ", context->input(0).shape().DebugString()));
        tensorflow::Tensor* y = nullptr;
        OP_REQUIRES_OK(context, context->allocate_output(0, shape, &y));
        if (y->NumElements() == 0) return;
        const T* dy = x ? context->input(0).flat<T>().data() : nullptr;
        BiasGelu<Device, T>::run(context->eigen_device<Device>(), dy,
                                 context->input(x).flat<T>().data(),
                                 context->input(x + 1).flat<T>().data(),
                                 y->flat<T>().data(), bias.dim_size(0),
                                 y->NumElements());
    }
};

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
using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
struct Add<CPU, T> {
    static void run(const CPU&, const T* a, const T* b, T* y, int64_t n) {
        for (int64_t i = 0; i < n; i++) y[i] = a[i] + b[i];
    }
};

template <typename T>
struct BiasGelu<CPU, T> {
    using acc_t = wide<T>;

    static void run(const CPU&, const T* dy, const T* x, const T* bias, T* y, int64_t N,
                    int64_t n) {
        for (int64_t i = 0; i < n; i++) {
            acc_t u = acc_t(x[i]) + acc_t(bias[i % N]);
            acc_t share = acc_t(0.5) * (1 + std::erf(u * acc_t(0.70710678118654752)));
            acc_t density = acc_t(0.39894228040143268) * std::exp(u * u * acc_t(-0.5));
            y[i] = T(dy ? acc_t(dy[i]) * (share + u * density) : u * share);
        }
    }
};

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
    using acc_t = wide<T>;

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

#define KERNEL(name, place, T, ...) \
    REGISTER_KERNEL_BUILDER(        \
        Name(name).Device(place).TypeConstraint<T>("T"), __VA_ARGS__);
#define REGISTER(device, place, T)                                     \
    KERNEL("MinigradAdd", place, T, AddOp<device, T>)                  \
    KERNEL("MinigradBiasGelu", place, T, BiasGeluOp<device, T, 0>)     \
    KERNEL("MinigradBiasGeluGrad", place, T, BiasGeluOp<device, T, 1>) \
    KERNEL("MinigradOuter", place, T, OuterOp<device, T>)              \
    KERNEL("MinigradOuterGrad", place, T, OuterGradOp<device, T>)

REGISTER(CPU, tensorflow::DEVICE_CPU, Eigen::half)
REGISTER(CPU, tensorflow::DEVICE_CPU, float)
REGISTER(CPU, tensorflow::DEVICE_CPU, double)
#ifdef GOOGLE_CUDA  // run is in ops.cu.cc
#define ELSEWHERE(T)                         \
    extern template struct Add<GPU, T>;      \
    extern template struct BiasGelu<GPU, T>; \
    extern template struct Outer<GPU, T>;    \
    extern template struct OuterGrad<GPU, T>;
ELSEWHERE(float)
ELSEWHERE(double)
REGISTER(GPU, tensorflow::DEVICE_GPU, float)
REGISTER(GPU, tensorflow::DEVICE_GPU, double)
#endif
