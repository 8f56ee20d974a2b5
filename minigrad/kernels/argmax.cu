// Where the largest element of a row is, or the smallest.
//
// OP is MAX or MIN. Of equal elements the first one counts, and of NaNs the first NaN.
// T is the element of x, A what is compared: float for half and bfloat16 (with #include
// <cuda_fp16.h> or <cuda_bf16.h> in front), double, long long, int for what is shorter.

#define MAX 1  // OP, as in reduce.cu
#define MIN 2

// Is a better than b? A NaN is, than any number.
template <int OP, typename A>
__device__ bool better(A a, A b) {
    return (OP == MAX ? a > b : a < b) || (a != a && b == b);
}

// The best of the 32 lanes, of equals the first: the pair goes through two shuffles.
template <int OP, typename A>
__device__ void warp_best(A& value, long long& index) {
    for (int d = 16; d > 0; d /= 2) {
        A other = __shfl_xor_sync(0xffffffff, value, d);
        long long j = __shfl_xor_sync(0xffffffff, index, d);
        if (better<OP>(other, value) || (!better<OP>(value, other) && j < index)) {
            value = other;
            index = j;
        }
    }
}

// The best of the block, in every thread.
template <int OP, typename A>
__device__ void block_best(A& value, long long& index) {
    __shared__ A values[32];
    __shared__ long long indices[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

    warp_best<OP>(value, index);
    if (lane == 0) { values[warp] = value; indices[warp] = index; }
    __syncthreads();
    value = values[lane % warps];
    index = indices[lane % warps];
    warp_best<OP>(value, index);
}

#include "last_block.cuh"

// A block a row: x is rows x n, n > 0. With gridDim.y > 1 each row has several blocks,
// and each of them a part of it, so that what stands first stays first. They leave
// `some` and `places`, rows x gridDim.y, and the last one done takes the best of those.
// A ticket a row; with gridDim.y = 1 these three may be null. Whole warps.
template <int OP, typename T, typename A = T>
__global__ void arg_blocks(const T* x, T* values, long long* indices, long long n,
                           T* some, long long* places, unsigned int* tickets) {
    const T* row = x + blockIdx.x * n;
    long long part = (n + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * part;

    A value = (A)row[0];
    long long index = 0;
#pragma unroll 4
    for (long long i = begin + threadIdx.x; i < min(begin + part, n); i += blockDim.x)
        if (better<OP>((A)row[i], value)) { value = (A)row[i]; index = i; }
    block_best<OP>(value, index);
    if (gridDim.y > 1) {
        some += (long long)blockIdx.x * gridDim.y;
        places += (long long)blockIdx.x * gridDim.y;
        if (threadIdx.x == 0) {
            some[blockIdx.y] = (T)value;
            places[blockIdx.y] = index;
        }
        if (!is_last(tickets + blockIdx.x, gridDim.y)) return;
        value = (A)row[0];
        index = 0;
        for (int i = threadIdx.x; i < gridDim.y; i += blockDim.x) {
            A other = (A)some[i];
            if (better<OP>(other, value)) { value = other; index = places[i]; }
        }
        block_best<OP>(value, index);
    }
    if (threadIdx.x > 0) return;
    values[blockIdx.x] = (T)value;
    indices[blockIdx.x] = index;
}
