// The kernels, and nothing of PyTorch: nvcc, NVRTC and minigrad's simulator take them.
//
// scalar_t: the type of an element. acc_t: the type to compute in, float for half.
// V: how many neighbors a thread does, 16 bytes of them where sizes and addresses are
// multiples of that, else 1.
#pragma once

// y[i] = a[i] + b[i]
template <typename scalar_t>
__global__ void add_kernel(const scalar_t* __restrict__ a,
                           const scalar_t* __restrict__ b,
                           scalar_t* __restrict__ y, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a[i] + b[i];
}

// V elements in one access.
template <int V, typename scalar_t>
__device__ void move(scalar_t* to, const scalar_t* from) {
    if constexpr (V * sizeof(scalar_t) == 16) *(float4*)to = *(const float4*)from;
    else for (int k = 0; k < V; k++) to[k] = from[k];
}

// y[i, m, n] = a[i, m] * b[i, n]. N is b's last size, and y has `count` elements.
template <typename scalar_t, int V>
__global__ void outer_kernel(const scalar_t* __restrict__ a,
                             const scalar_t* __restrict__ b,
                             scalar_t* __restrict__ y, int M, int N, long long count) {
    long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * V;
    if (i >= count) return;
    long long row = i / N;
    scalar_t left = a[row];
    __align__(16) scalar_t right[V];
    move<V>(right, b + row / M * N + i % N);
    for (int k = 0; k < V; k++) right[k] = left * right[k];
    move<V>(y + i, right);
}

// da[i, m] = sum over n of dy[i, m, n] * b[i, n]: a warp for each row of dy.
template <typename scalar_t, typename acc_t>
__global__ void outer_backward_a(const scalar_t* __restrict__ dy,
                                 const scalar_t* __restrict__ b,
                                 scalar_t* __restrict__ da, int M, int N,
                                 long long rows) {
    long long row = (blockIdx.x * (long long)blockDim.x + threadIdx.x) / 32;
    if (row >= rows) return;  // all 32 lanes, or none
    acc_t sum = 0;
    for (int n = threadIdx.x % 32; n < N; n += 32)
        sum += (acc_t)dy[row * N + n] * (acc_t)b[row / M * N + n];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (threadIdx.x % 32 == 0) da[row] = (scalar_t)sum;
}

// db[i, n] = sum over m of dy[i, m, n] * a[i, m]: a thread for each column of dy.
template <typename scalar_t, typename acc_t>
__global__ void outer_backward_b(const scalar_t* __restrict__ dy,
                                 const scalar_t* __restrict__ a,
                                 scalar_t* __restrict__ db, int M, int N,
                                 long long columns) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= columns) return;
    long long batch = i / N, n = i % N;
    acc_t sum = 0;
    for (int m = 0; m < M; m++)
        sum += (acc_t)dy[(batch * M + m) * N + n] * (acc_t)a[batch * M + m];
    db[i] = (scalar_t)sum;
}

// y[row, j] = gelu(x[row, j] + bias[j]), gelu(u) = u * (the share of N(0, 1) below u)
template <typename scalar_t, typename acc_t, int V>
__global__ void bias_gelu_kernel(const scalar_t* __restrict__ x,
                                 const scalar_t* __restrict__ bias,
                                 scalar_t* __restrict__ y, int N, long long count) {
    long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * V;
    if (i >= count) return;
    __align__(16) scalar_t value[V];
    __align__(16) scalar_t more[V];
    move<V>(value, x + i);
    move<V>(more, bias + i % N);
    for (int k = 0; k < V; k++) {
        acc_t u = (acc_t)value[k] + (acc_t)more[k];
        acc_t share = (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752));
        value[k] = (scalar_t)(u * share);
    }
    move<V>(y + i, value);
}

// dx = dy * gelu'(x + bias), gelu'(u) = the share below u + u * the density at u
template <typename scalar_t, typename acc_t, int V>
__global__ void bias_gelu_backward_kernel(const scalar_t* __restrict__ dy,
                                          const scalar_t* __restrict__ x,
                                          const scalar_t* __restrict__ bias,
                                          scalar_t* __restrict__ dx, int N,
                                          long long count) {
    long long i = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * V;
    if (i >= count) return;
    __align__(16) scalar_t slope[V];
    __align__(16) scalar_t value[V];
    __align__(16) scalar_t more[V];
    move<V>(slope, dy + i);
    move<V>(value, x + i);
    move<V>(more, bias + i % N);
    for (int k = 0; k < V; k++) {
        acc_t u = (acc_t)value[k] + (acc_t)more[k];
        acc_t share = (acc_t)0.5 * (1 + erf(u * (acc_t)0.70710678118654752));
        acc_t density = (acc_t)0.39894228040143268 * exp(u * u * (acc_t)-0.5);
        slope[k] = (scalar_t)((acc_t)slope[k] * (share + u * density));
    }
    move<V>(dx + i, slope);
}
