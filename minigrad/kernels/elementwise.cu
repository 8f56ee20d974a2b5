// One kernel body for every operation that treats each element by itself.
//
// The operation is a macro that stands in front of this text:
//     #define UNARY(x, s, t) exp(x)                s and t are numbers of the launch,
//     #define UNARY(x, s, t) max(s, min(x, t))     as in x + s
//     #define BINARY(a, b) a + b
//     #define TERNARY(a, b, c) (a != 0 ? b : c)    torch.where
// Types: elements X, A, B, C are turned into M, the operation is done in M, and its
// result turned into Y. M is float for half and bfloat16 (with #include <cuda_fp16.h>
// or <cuda_bf16.h> in front), which would lose digits in every step of an expression.

#ifndef UNARY
#define UNARY(x, s, t) x
#endif
#ifndef BINARY
#define BINARY(a, b) a + b
#endif
#ifndef TERNARY
#define TERNARY(a, b, c) (a != 0 ? b : c)
#endif

#include "strides.cuh"

// ------------------------------------------------- any strides, y row by row
//
// One thread an element, blocks of one dimension.

// Any layout, without a copy of it.
// Costs a division for each dimension but the first, and reads may be uncoalesced.
template <typename X, typename Y = X, typename M = Y>
__global__ void unary_strided(const X* x, Strides xs, Y* y, INDEX n, M s, M t) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    M value = (M)x[offset_of(i, xs)];
    y[i] = (Y)(UNARY(value, s, t));
}

// Both views have the shape of y: broadcasting is a stride of 0, and no copy.
// Costs the divisions of both views.
template <typename A, typename B = A, typename Y = A, typename M = Y>
__global__ void binary_strided(const A* a, Strides as, const B* b, Strides bs,
                               Y* y, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    M left = (M)a[offset_of(i, as)], right = (M)b[offset_of(i, bs)];
    y[i] = (Y)(BINARY(left, right));
}

// The same with three.
template <typename A, typename B = A, typename C = A, typename Y = B, typename M = Y>
__global__ void ternary_strided(const A* a, Strides as, const B* b, Strides bs,
                                const C* c, Strides cs, Y* y, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    M first = (M)a[offset_of(i, as)], second = (M)b[offset_of(i, bs)];
    M third = (M)c[offset_of(i, cs)];
    y[i] = (Y)(TERNARY(first, second, third));
}

// ------------------------------------------------- contiguous operands

// No view, no division: element i of everything lies at i.
// 4 bytes an access: the memory waits for the threads.
template <typename X, typename Y = X, typename M = Y>
__global__ void unary(const X* x, Y* y, long long n, M s, M t) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    M value = (M)x[i];
    y[i] = (Y)(UNARY(value, s, t));
}

template <typename A, typename B = A, typename Y = A, typename M = Y>
__global__ void binary(const A* a, const B* b, Y* y, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    M left = (M)a[i], right = (M)b[i];
    y[i] = (Y)(BINARY(left, right));
}

template <typename A, typename B = A, typename C = A, typename Y = B, typename M = Y>
__global__ void ternary(const A* a, const B* b, const C* c, Y* y, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    M first = (M)a[i], second = (M)b[i], third = (M)c[i];
    y[i] = (Y)(TERNARY(first, second, third));
}

// ------------------------------------------------- 16 bytes at a time
//
// A thread treats N elements side by side, N = 16 / the size of the largest of them.
// The grid covers n / N, rounded up. All arrays begin at a multiple of 16 bytes.

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

// N elements in one access of up to 16 bytes; the last thread's one by one.
template <int N, typename T>
__device__ void move(T* to, const T* from, int count) {
    if (count < N) for (int i = 0; i < count; i++) to[i] = from[i];
    else if constexpr (N * sizeof(T) == 16) *(float4*)to = *(const float4*)from;
    else if constexpr (N * sizeof(T) == 8) *(float2*)to = *(const float2*)from;
    else if constexpr (N * sizeof(T) == 4) *(float*)to = *(const float*)from;
    else for (int i = 0; i < N; i++) to[i] = from[i];
}

// One instruction moves four floats: a quarter of the instructions and of the threads,
// and four times the bytes on their way. Costs 4 N bytes of registers an operand.
template <typename X, typename Y = X, typename M = Y>
__global__ void unary_vectors(const X* x, Y* y, long long n, M s, M t) {
    const int N = 16 / LARGER(sizeof(X), sizeof(Y));
    long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * N;
    if (first >= n) return;
    int count = min((long long)N, n - first);
    __align__(16) X in[N];
    __align__(16) Y out[N];

    move<N>(in, x + first, count);
    for (int i = 0; i < N; i++) {
        if (i >= count) break;
        M value = (M)in[i];
        out[i] = (Y)(UNARY(value, s, t));
    }
    move<N>(y + first, out, count);
}

// The same with two.
template <typename A, typename B = A, typename Y = A, typename M = Y>
__global__ void binary_vectors(const A* a, const B* b, Y* y, long long n) {
    const int N = 16 / LARGER(LARGER(sizeof(A), sizeof(B)), sizeof(Y));
    long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * N;
    if (first >= n) return;
    int count = min((long long)N, n - first);
    __align__(16) A left[N];
    __align__(16) B right[N];
    __align__(16) Y out[N];

    move<N>(left, a + first, count);
    move<N>(right, b + first, count);
    for (int i = 0; i < N; i++) {
        if (i >= count) break;
        M l = (M)left[i], r = (M)right[i];
        out[i] = (Y)(BINARY(l, r));
    }
    move<N>(y + first, out, count);
}

// N elements of a row of a view, or N times the one that is broadcast along it.
template <int N, typename T>
__device__ void move_row(T* to, const T* from, long long stride) {
    if (stride) move<N>(to, from, N);
    else for (int i = 0; i < N; i++) to[i] = *from;
}

// Any views whose rows are packs. A thread keeps to its row, so the divisions are made
// once for all packs that it treats. Blocks are of threads along a row by rows.
// The last dimension is a multiple of N; its strides are 0, or 1 and all others
// multiples of N.
template <typename A, typename B = A, typename Y = A, typename M = Y>
__global__ void binary_rows(const A* a, Strides as, const B* b, Strides bs, Y* y,
                            INDEX n) {
    const int N = 16 / LARGER(LARGER(sizeof(A), sizeof(B)), sizeof(Y));
    long long width = as.shape[as.dims - 1];
    long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    if (row * width >= n) return;
    long long a_step = as.stride[as.dims - 1], b_step = bs.stride[bs.dims - 1];
    a += offset_of(row * width, as);
    b += offset_of(row * width, bs);
    y += row * width;
    __align__(16) A left[N];
    __align__(16) B right[N];
    __align__(16) Y out[N];

    long long first = ((long long)blockIdx.y * blockDim.x + threadIdx.x) * N;
    long long next = (long long)gridDim.y * blockDim.x * N;
    for (long long j = first; j < width; j += next) {
        move_row<N>(left, a + j * a_step, a_step);
        move_row<N>(right, b + j * b_step, b_step);
        for (int i = 0; i < N; i++) {
            M l = (M)left[i], r = (M)right[i];
            out[i] = (Y)(BINARY(l, r));
        }
        move<N>(y + j, out, N);
    }
}

// The same as binary_vectors with three.
template <typename A, typename B = A, typename C = A, typename Y = B, typename M = Y>
__global__ void ternary_vectors(const A* a, const B* b, const C* c, Y* y, long long n) {
    const int N = 16 / LARGER(LARGER(sizeof(A), sizeof(B)),
                              LARGER(sizeof(C), sizeof(Y)));
    long long start = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * N;
    if (start >= n) return;
    int count = min((long long)N, n - start);
    __align__(16) A first[N];
    __align__(16) B second[N];
    __align__(16) C third[N];
    __align__(16) Y out[N];

    move<N>(first, a + start, count);
    move<N>(second, b + start, count);
    move<N>(third, c + start, count);
    for (int i = 0; i < N; i++) {
        if (i >= count) break;
        M p = (M)first[i], q = (M)second[i], r = (M)third[i];
        out[i] = (Y)(TERNARY(p, q, r));
    }
    move<N>(y + start, out, count);
}
