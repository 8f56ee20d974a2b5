// The operators on a GPU: from tensors to a launch of each kernel of kernels.cuh.
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include "kernels.cuh"

using at::Tensor;

namespace {

// The launches of an operator go to the device where its tensors lie, and into the
// stream that the caller has chosen there. Nothing here waits for them.
struct Place {
    explicit Place(const Tensor& x)
        : guard(x.device()), stream(c10::cuda::getCurrentCUDAStream()) {}
    c10::cuda::CUDAGuard guard;
    c10::cuda::CUDAStream stream;
};

int64_t blocks(int64_t threads) { return (threads + 255) / 256; }

// May a thread do V neighbors at once? Rows must not be shared, addresses must fit.
template <typename scalar_t>
bool in_packs(int64_t N, std::initializer_list<const void*> places) {
    bool fits = N % (16 / sizeof(scalar_t)) == 0;
    for (const void* p : places) fits = fits && (uintptr_t)p % 16 == 0;
    return fits;
}

}  // namespace

#define DISPATCH AT_DISPATCH_FLOATING_TYPES_AND_HALF
#define LAUNCH(kernel, threads, place, ...)                                        \
    if ((threads) > 0) {                                                           \
        kernel<<<blocks(threads), 256, 0, place.stream>>>(__VA_ARGS__);            \
        C10_CUDA_KERNEL_LAUNCH_CHECK();                                            \
    }

Tensor add_cuda(const Tensor& a, const Tensor& b) {
    Place place(a);
    Tensor y = at::empty_like(a);
    DISPATCH(a.scalar_type(), "add_cuda", [&] {
        LAUNCH(add_kernel<scalar_t>, y.numel(), place, a.const_data_ptr<scalar_t>(),
               b.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), y.numel());
    });
    return y;
}

Tensor outer_cuda(const Tensor& a, const Tensor& b) {
    Place place(a);
    int64_t M = a.size(1), N = b.size(1);
    Tensor y = at::empty({a.size(0), M, N}, a.options());
    DISPATCH(a.scalar_type(), "outer_cuda", [&] {
        constexpr int V = 16 / sizeof(scalar_t);
        auto left = a.const_data_ptr<scalar_t>();
        auto right = b.const_data_ptr<scalar_t>();
        auto out = y.mutable_data_ptr<scalar_t>();
        if (in_packs<scalar_t>(N, {right, out})) {
            auto kernel = outer_kernel<scalar_t, V>;
            LAUNCH(kernel, y.numel() / V, place, left, right, out, M, N, y.numel());
        } else {
            auto kernel = outer_kernel<scalar_t, 1>;
            LAUNCH(kernel, y.numel(), place, left, right, out, M, N, y.numel());
        }
    });
    return y;
}

Tensor outer_backward_a_cuda(const Tensor& dy, const Tensor& b) {
    Place place(dy);
    int64_t M = dy.size(1), N = dy.size(2);
    Tensor da = at::empty({dy.size(0), M}, dy.options());
    DISPATCH(dy.scalar_type(), "outer_backward_a_cuda", [&] {
        auto kernel = outer_backward_a<scalar_t, at::opmath_type<scalar_t>>;
        LAUNCH(kernel, da.numel() * 32, place, dy.const_data_ptr<scalar_t>(),
               b.const_data_ptr<scalar_t>(), da.mutable_data_ptr<scalar_t>(), M, N,
               da.numel());
    });
    return da;
}

Tensor outer_backward_b_cuda(const Tensor& dy, const Tensor& a) {
    Place place(dy);
    int64_t M = dy.size(1), N = dy.size(2);
    Tensor db = at::empty({dy.size(0), N}, dy.options());
    DISPATCH(dy.scalar_type(), "outer_backward_b_cuda", [&] {
        auto kernel = outer_backward_b<scalar_t, at::opmath_type<scalar_t>>;
        LAUNCH(kernel, db.numel(), place, dy.const_data_ptr<scalar_t>(),
               a.const_data_ptr<scalar_t>(), db.mutable_data_ptr<scalar_t>(), M, N,
               db.numel());
    });
    return db;
}

Tensor bias_gelu_cuda(const Tensor& x, const Tensor& bias) {
    Place place(x);
    Tensor y = at::empty_like(x);
    int64_t N = bias.numel(), n = y.numel();
    DISPATCH(x.scalar_type(), "bias_gelu_cuda", [&] {
        using acc_t = at::opmath_type<scalar_t>;
        constexpr int V = 16 / sizeof(scalar_t);
        auto in = x.const_data_ptr<scalar_t>();
        auto more = bias.const_data_ptr<scalar_t>();
        auto out = y.mutable_data_ptr<scalar_t>();
        if (in_packs<scalar_t>(N, {in, more, out})) {
            auto kernel = bias_gelu_kernel<scalar_t, acc_t, V>;
            LAUNCH(kernel, n / V, place, in, more, out, N, n);
        } else {
            auto kernel = bias_gelu_kernel<scalar_t, acc_t, 1>;
            LAUNCH(kernel, n, place, in, more, out, N, n);
        }
    });
    return y;
}

Tensor bias_gelu_backward_cuda(const Tensor& dy, const Tensor& x, const Tensor& bias) {
    Place place(x);
    Tensor dx = at::empty_like(x);
    int64_t N = bias.numel(), n = dx.numel();
    DISPATCH(x.scalar_type(), "bias_gelu_backward_cuda", [&] {
        using acc_t = at::opmath_type<scalar_t>;
        constexpr int V = 16 / sizeof(scalar_t);
        auto up = dy.const_data_ptr<scalar_t>();
        auto in = x.const_data_ptr<scalar_t>();
        auto more = bias.const_data_ptr<scalar_t>();
        auto out = dx.mutable_data_ptr<scalar_t>();
        if (in_packs<scalar_t>(N, {up, in, more, out})) {
            auto kernel = bias_gelu_backward_kernel<scalar_t, acc_t, V>;
            LAUNCH(kernel, n / V, place, up, in, more, out, N, n);
        } else {
            auto kernel = bias_gelu_backward_kernel<scalar_t, acc_t, 1>;
            LAUNCH(kernel, n, place, up, in, more, out, N, n);
        }
    });
    return dx;
}
