// The operators on the CPU: plain loops, in float for half.
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <cmath>

#include "ops.h"

namespace {  // nothing in here is seen by another file

template <typename scalar_t>
using wide = at::opmath_type<scalar_t>;

template <typename F>
void each(int64_t n, F f, int64_t size = 1) {  // f(i) for each i, shared among threads
    at::parallel_for(0, n, 1 + 16384 / (size + 1), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) f(i);
    });
}

template <typename T>
T share_below(T u) { return T(0.5) * (1 + std::erf(u * T(0.70710678118654752))); }

template <typename T>
T density(T u) { return T(0.39894228040143268) * std::exp(u * u * T(-0.5)); }

}  // namespace

Tensor add_cpu(const Tensor& a, const Tensor& b) {
    Tensor y = at::empty_like(a);
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "add_cpu", [&] {
        const scalar_t* left = a.const_data_ptr<scalar_t>();
        const scalar_t* right = b.const_data_ptr<scalar_t>();
        scalar_t* out = y.mutable_data_ptr<scalar_t>();
        each(y.numel(), [&](int64_t i) { out[i] = left[i] + right[i]; });
    });
    return y;
}

Tensor outer_cpu(const Tensor& a, const Tensor& b) {
    int64_t M = a.size(1), N = b.size(1);
    Tensor y = at::empty({a.size(0), M, N}, a.options());
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(a.scalar_type(), "outer_cpu", [&] {
        const scalar_t* left = a.const_data_ptr<scalar_t>();
        const scalar_t* right = b.const_data_ptr<scalar_t>();
        scalar_t* out = y.mutable_data_ptr<scalar_t>();
        each(a.numel(), [&](int64_t row) {
            const scalar_t *p = right + row / M * N, one = left[row];
            for (int64_t n = 0; n < N; n++) out[row * N + n] = one * p[n];
        }, N);
    });
    return y;
}

Tensor outer_backward_a_cpu(const Tensor& dy, const Tensor& b) {
    int64_t M = dy.size(1), N = dy.size(2);
    Tensor da = at::empty({dy.size(0), M}, dy.options());
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(dy.scalar_type(), "outer_backward_a", [&] {
        const scalar_t* up = dy.const_data_ptr<scalar_t>();
        const scalar_t* right = b.const_data_ptr<scalar_t>();
        scalar_t* out = da.mutable_data_ptr<scalar_t>();
        each(da.numel(), [&](int64_t row) {
            wide<scalar_t> sum = 0;
            for (int64_t n = 0; n < N; n++)
                sum += wide<scalar_t>(up[row * N + n]) * right[row / M * N + n];
            out[row] = sum;
        }, N);
    });
    return da;
}

Tensor outer_backward_b_cpu(const Tensor& dy, const Tensor& a) {
    int64_t M = dy.size(1), N = dy.size(2);
    Tensor db = at::empty({dy.size(0), N}, dy.options());
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(dy.scalar_type(), "outer_backward_b", [&] {
        const scalar_t* up = dy.const_data_ptr<scalar_t>();
        const scalar_t* left = a.const_data_ptr<scalar_t>();
        scalar_t* out = db.mutable_data_ptr<scalar_t>();
        each(db.numel(), [&](int64_t i) {
            int64_t batch = i / N, n = i % N;
            wide<scalar_t> sum = 0;
            for (int64_t m = 0; m < M; m++)
                sum += wide<scalar_t>(up[(batch * M + m) * N + n]) * left[batch * M + m];
            out[i] = sum;
        }, M);
    });
    return db;
}

Tensor bias_gelu_cpu(const Tensor& x, const Tensor& bias) {
    Tensor y = at::empty_like(x);
    int64_t N = bias.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "bias_gelu", [&] {
        const scalar_t* in = x.const_data_ptr<scalar_t>();
        const scalar_t* more = bias.const_data_ptr<scalar_t>();
        scalar_t* out = y.mutable_data_ptr<scalar_t>();
        each(y.numel(), [&](int64_t i) {
            wide<scalar_t> u = wide<scalar_t>(in[i]) + more[i % N];
            out[i] = u * share_below(u);
        });
    });
    return y;
}

Tensor bias_gelu_backward_cpu(const Tensor& dy, const Tensor& x, const Tensor& bias) {
    Tensor dx = at::empty_like(x);
    int64_t N = bias.numel();
    AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "bias_gelu_backward", [&] {
        const scalar_t* up = dy.const_data_ptr<scalar_t>();
        const scalar_t* in = x.const_data_ptr<scalar_t>();
        const scalar_t* more = bias.const_data_ptr<scalar_t>();
        scalar_t* out = dx.mutable_data_ptr<scalar_t>();
        each(dx.numel(), [&](int64_t i) {
            wide<scalar_t> u = wide<scalar_t>(in[i]) + more[i % N];
            out[i] = up[i] * (share_below(u) + u * density(u));
        });
    });
    return dx;
}
