// The GPU's part: the kernels of this chapter, on the stream that TensorFlow hands out.
#define EIGEN_USE_GPU
#include "ops.h"

#include "unsupported/Eigen/CXX11/Tensor"

#include "../extension/csrc/kernels.cuh"

using GPU = Eigen::GpuDevice;

namespace {

template <typename T>
__global__ void scale_kernel(T* x, T scale, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) x[i] *= scale;
}

int64_t blocks(int64_t threads) { return (threads + 255) / 256; }

template <typename T>
void scaled(const GPU& device, T* x, float scale, int64_t n) {
    if (scale == 1 || n == 0) return;
    scale_kernel<T><<<blocks(n), 256, 0, device.stream()>>>(x, T(scale), n);
}

}  // namespace

template <typename T>
struct Add<GPU, T> {
    static void run(const GPU& device, const T* a, const T* b, T* y, int64_t n) {
        add_kernel<T><<<blocks(n), 256, 0, device.stream()>>>(a, b, y, n);
    }
};

template <typename T>
struct BiasGelu<GPU, T> {
    static void run(const GPU& device, const T* dy, const T* x, const T* bias, T* y,
                    int64_t N, int64_t n) {
        auto stream = device.stream();
        if (dy) bias_gelu_backward_kernel<T, T, 1><<<blocks(n), 256, 0, stream>>>(
            dy, x, bias, y, N, n);
        else bias_gelu_kernel<T, T, 1><<<blocks(n), 256, 0, stream>>>(x, bias, y, N, n);
    }
};

template <typename T>
struct Outer<GPU, T> {
    static void run(const GPU& device, Sizes s, float scale, const T* a, const T* b,
                    T* y) {
        int64_t n = s.B * s.M * s.N;
        outer_kernel<T, 1><<<blocks(n), 256, 0, device.stream()>>>(a, b, y, s.M, s.N, n);
        scaled(device, y, scale, n);
    }
};

template <typename T>
struct OuterGrad<GPU, T> {
    static void run(const GPU& device, Sizes s, float scale, const T* dy, const T* a,
                    const T* b, T* da, T* db) {
        int64_t rows = s.B * s.M, columns = s.B * s.N;
        if (rows > 0)
            outer_backward_a<T, T><<<blocks(rows * 32), 256, 0, device.stream()>>>(
                dy, b, da, s.M, s.N, rows);
        if (columns > 0)
            outer_backward_b<T, T><<<blocks(columns), 256, 0, device.stream()>>>(
                dy, a, db, s.M, s.N, columns);
        scaled(device, da, scale, rows);
        scaled(device, db, scale, columns);
    }
};

template struct Add<GPU, float>;
template struct Add<GPU, double>;
template struct BiasGelu<GPU, float>;
template struct BiasGelu<GPU, double>;
template struct Outer<GPU, float>;
template struct Outer<GPU, double>;
template struct OuterGrad<GPU, float>;
template struct OuterGrad<GPU, double>;
