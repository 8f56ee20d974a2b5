// Many numbers to one: a sum, a product, a maximum.
//
// T is the element of x, A what is added up in, Y the element of y. A is float for half
// and bfloat16 (with #include <cuda_fp16.h> or <cuda_bf16.h> in front): 2049 ones add
// up to 2048 in half. A is double for double, long long for whole numbers and bool.
// Blocks have one dimension and whole warps, unless a kernel says otherwise.

#define SUM 0   // OP
#define MAX 1   // NaN, if there is one
#define MIN 2   // likewise
#define PROD 3
#define MEAN 4  // a sum, divided by `count` at the end

// ------------------------------------------------- the sum of all, step by step

// Every thread adds its element to the same number. y is 0 before.
// Atomics on one address happen one after the other, whatever the number of threads.
template <typename T, typename A = T>
__global__ void sum_atomics(const T* x, A* y, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(y, (A)x[i]);
}

// A block adds as a tree in shared memory: log2(blockDim.x) steps. y has one sum for
// each block; a second launch with one block adds those up. blockDim.x is a power of
// two. Costs a barrier a step; after the first, more and more threads do nothing.
template <typename T, typename Y = T, typename A = Y>
__global__ void sum_tree(const T* x, Y* y, long long n) {
    __shared__ A partial[1024];
    int tid = threadIdx.x;

    A total = 0;
    for (long long i = (long long)blockIdx.x * blockDim.x + tid; i < n;
         i += (long long)gridDim.x * blockDim.x)
        total += (A)x[i];
    partial[tid] = total;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
    if (tid == 0) y[blockIdx.x] = (Y)partial[0];
}

// op(a, b), for numbers of which none may be lost: NaN wins over every other.
template <int OP, typename A>
__device__ A combine(A a, A b) {
    if constexpr (OP == MAX) return a > b || a != a ? a : b;
    else if constexpr (OP == MIN) return a < b || a != a ? a : b;
    else if constexpr (OP == PROD) return a * b;
    else return a + b;
}

// The 32 lanes' values as one, by exchanging registers: 5 steps without a barrier.
template <int OP, typename A>
__device__ A warp_reduce(A value) {
    for (int d = 16; d > 0; d /= 2)
        value = combine<OP>(value, __shfl_xor_sync(0xffffffff, value, d));
    return value;
}

// The block's values as one, in every thread: each warp by itself, then their results.
// start: what changes nothing, as 0 in a sum.
template <int OP, typename A>
__device__ A block_reduce(A value, A start) {
    __shared__ A partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    value = warp_reduce<OP>(value);
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    return warp_reduce<OP>(lane < blockDim.x / 32 ? partial[lane] : start);
}

// Shuffles instead of the tree: one barrier a block.
// Costs nothing over the tree; the loads, one at a time, are now what takes the time.
template <typename T, typename Y = T, typename A = Y>
__global__ void sum_shuffle(const T* x, Y* y, long long n) {
    A total = 0;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x)
        total += (A)x[i];
    total = block_reduce<SUM>(total, (A)0);
    if (threadIdx.x == 0) y[blockIdx.x] = (Y)total;
}

// Loads of 16 bytes, PACKS of them in flight before the first is added: the whole sum
// in two launches of few blocks. x begins at a multiple of 16 bytes. Costs registers,
// and a slow path for the last elements.
#define PACKS 4
template <typename T, typename Y = T, typename A = Y>
__global__ void sum_vectors(const T* x, Y* y, long long n) {
    const int N = 16 / sizeof(T);
    __align__(16) T in[PACKS][N];
    long long threads = (long long)gridDim.x * blockDim.x;
    long long tid = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long packs = n / N, rounds = packs / (threads * PACKS);
    A total = 0;

    for (long long round = 0; round < rounds; round++) {
        for (int p = 0; p < PACKS; p++) {
            long long pack = (round * PACKS + p) * threads + tid;
            *(float4*)in[p] = *(const float4*)(x + pack * N);
        }
        for (int p = 0; p < PACKS; p++)
            for (int j = 0; j < N; j++) total += (A)in[p][j];
    }
    for (long long i = rounds * PACKS * threads * N + tid; i < n; i += threads)
        total += (A)x[i];
    total = block_reduce<SUM>(total, (A)0);
    if (threadIdx.x == 0) y[blockIdx.x] = (Y)total;
}

// ------------------------------------------------- rows: the last dimension
//
// x is rows x n, row by row. n > 0, but for SUM, PROD and MEAN.

#include "epilogue.cuh"

// What a reduction begins with. A maximum needs a number of the row's own, element i: 0
// would be wrong where all are negative. Taking it twice does no harm.
#define START(i) (OP == MAX || OP == MIN ? (A)PROLOGUE(x, i) : (A)(OP == PROD))

template <int OP, typename A>
__device__ A finished(A total, long long count) {
    if constexpr (OP == MEAN) return total / (A)count;
    else return total;
}

// A warp a row, blocks of (32, warps): for short rows, no barrier at all.
// A long row keeps its warp busy while others are done.
template <int OP, typename T, typename Y = T, typename A = Y>
__global__ void reduce_warps(const T* x, Y* y, long long rows, long long n,
                             long long count MORE) {
    long long row = (long long)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;

    A total = START(row * n);
    for (long long i = threadIdx.x; i < n; i += 32)
        total = combine<OP>(total, (A)PROLOGUE(x, row * n + i));
    total = warp_reduce<OP>(total);
    if (threadIdx.x == 0) y[row] = EPILOGUE(row, (Y)finished<OP>(total, count));
}

#include "last_block.cuh"

// A block a row: blockIdx.x is the row. With gridDim.y > 1 each row has several blocks:
// each leaves its part in `parts`, rows x gridDim.y, and the last one done reduces
// those, always in the same order. A ticket a row; with gridDim.y = 1 both may be null.
// Costs one barrier, and blocks without work where rows are short; with several, an
// atomic each, and a last step in which one block works.
template <int OP, typename T, typename Y = T, typename A = Y>
__global__ void reduce_blocks(const T* x, Y* y, long long n, long long count, A* parts,
                              unsigned int* tickets MORE) {
    long long row = blockIdx.x * n;
    long long step = (long long)gridDim.y * blockDim.x;

    A start = START(row), total = start;
    long long tid = (long long)blockIdx.y * blockDim.x + threadIdx.x;
    for (long long i = tid; i < n; i += step)
        total = combine<OP>(total, (A)PROLOGUE(x, row + i));
    total = block_reduce<OP>(total, start);
    if (gridDim.y > 1) {
        parts += (long long)blockIdx.x * gridDim.y;
        if (threadIdx.x == 0) parts[blockIdx.y] = total;
        if (!is_last(tickets + blockIdx.x, gridDim.y)) return;
        total = start;
        for (int part = threadIdx.x; part < gridDim.y; part += blockDim.x)
            total = combine<OP>(total, parts[part]);
        total = block_reduce<OP>(total, start);
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = EPILOGUE(blockIdx.x, (Y)finished<OP>(total, count));
}

// ------------------------------------------------- any dimensions

#include "strides.cuh"

// The dimensions of x are dealt out: y has those of `kept`, the others, `reduced`, are
// walked through. m and n are their numbers of elements. A thread an element of y.
// Neighboring threads read side by side if the last kept dimension does.
template <int OP, typename T, typename Y = T, typename A = Y>
__global__ void reduce_strided(const T* x, Strides kept, Strides reduced, Y* y,
                               INDEX m, INDEX n, long long count MORE) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;

    long long first = offset_of(i, kept);
    A total = START(first);
    for (INDEX k = 0; k < n; k++)
        total = combine<OP>(total, (A)PROLOGUE(x, first + offset_of(k, reduced)));
    y[i] = EPILOGUE(i, (Y)finished<OP>(total, count));
}

// The values of a column's threads as one, in the first of them.
template <int OP, typename A>
__device__ A column_reduce(A value) {
    __shared__ A partial[32][32];
    partial[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    for (int ty = 1; ty < blockDim.y && threadIdx.y == 0; ty++)
        value = combine<OP>(value, partial[ty][threadIdx.x]);
    return value;
}

// The same for few elements of y: the threads of a column, in blocks of (32, up to 32),
// share out the walk and add up in shared memory. With gridDim.y > 1 so do its blocks:
// they leave `parts`, gridDim.y x m, and the last one reduces those. A ticket for each
// blockIdx.x; with gridDim.y = 1 both may be null. Threads past the last column do
// that one again. Costs a barrier, and a last step in which one row of threads works.
template <int OP, typename T, typename Y = T, typename A = Y>
__global__ void reduce_columns(const T* x, Strides kept, Strides reduced, Y* y,
                               INDEX m, INDEX n, long long count, A* parts,
                               unsigned int* tickets MORE) {
    INDEX column = (INDEX)blockIdx.x * 32 + threadIdx.x, i = min(column, m - 1);
    bool writes = column < m && threadIdx.y == 0;

    long long first = offset_of(i, kept);
    A start = START(first), total = start;
    INDEX step = blockDim.y * gridDim.y;
#pragma unroll 4
    for (INDEX k = blockIdx.y * blockDim.y + threadIdx.y; k < n; k += step)
        total = combine<OP>(total, (A)PROLOGUE(x, first + offset_of(k, reduced)));
    total = column_reduce<OP>(total);
    if (gridDim.y > 1) {
        if (writes) parts[(long long)blockIdx.y * m + i] = total;
        if (!is_last(tickets + blockIdx.x, gridDim.y)) return;
        total = start;
        for (int part = threadIdx.y; part < gridDim.y; part += blockDim.y)
            total = combine<OP>(total, parts[(long long)part * m + i]);
        total = column_reduce<OP>(total);
    }
    if (writes) y[i] = EPILOGUE(i, (Y)finished<OP>(total, count));
}
