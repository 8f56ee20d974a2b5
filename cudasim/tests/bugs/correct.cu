// Right, though at first sight each looks like one of the bugs.

//: double_buffer(grid=2, block=64, args=(f32(640), zeros(128), 5))
// One barrier a round is enough, since the next round writes the other buffer.
__global__ void double_buffer(const float* x, float* y, int rounds) {
    __shared__ float s[2][64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    float sum = 0;
    for (int k = 0; k < rounds; k++) {
        s[k & 1][tid] = x[k * 128 + i];
        __syncthreads();
        sum += s[k & 1][63 - tid];
    }
    y[i] = sum;
}

//: ping_pong(grid=2, block=64, args=(f32(128), zeros(128)))
__global__ void ping_pong(const float* x, float* y) {
    __shared__ float a[64], b[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    float *from = a, *to = b;
    from[tid] = x[i];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        to[tid] = from[tid] + (tid >= d ? from[tid - d] : 0);
        float* t = from;
        from = to;
        to = t;
        __syncthreads();
    }
    y[i] = from[tid];
}

//: early_return(grid=2, block=64, args=(f32(100), zeros(100), 100))
// Threads that have left the kernel are not waited for.
__global__ void early_return(const float* x, float* y, int n) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    if (i >= n) return;
    s[tid] = x[i];
    __syncthreads();
    y[i] = s[tid & ~3];
}

//: early_return_in_loop(grid=1, block=64, args=(f32(64), zeros(64)))
__global__ void early_return_in_loop(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    for (int left = 64; left > 0; left -= 16) {
        if (tid >= left) return;
        s[tid] = x[tid] * left;
        __syncthreads();
        y[tid] = s[left - 1 - tid];
        __syncthreads();
    }
}

//: uniform_branch(grid=4, block=64, args=(f32(256), zeros(256)))
// The whole block goes the same way.
__global__ void uniform_branch(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = x[i];
    if (blockIdx.x % 2) {
        __syncthreads();
        y[i] = s[63 - tid];
    } else {
        y[i] = s[tid];
    }
}

//: uniform_loop(grid=4, block=64, args=(f32(256), zeros(256)))
// Blocks go round a different number of times, threads of a block do not.
__global__ void uniform_loop(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    float v = x[i];
    for (int k = 0; k <= blockIdx.x; k++) {
        s[tid] = v;
        __syncthreads();
        v += s[(tid + 33) % 64];
        __syncthreads();
    }
    y[i] = v;
}

//: uniform_by_value(grid=2, block=64, args=(f32(128), zeros(128)))
// The loop ends by a shared value, which all threads read between barriers.
__global__ void uniform_by_value(const float* x, float* y) {
    __shared__ int left;
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    if (tid == 0) left = 3 + blockIdx.x;
    __syncthreads();
    float v = x[i];
    while (left > 0) {
        v *= 0.5f;
        __syncthreads();
        if (tid == 0) left--;
        __syncthreads();
    }
    y[i] = v;
}

//: grid_stride(grid=3, block=64, args=(f32(1000), f32(1000), 1000))
__global__ void grid_stride(const float* x, float* y, int n) {
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        y[i] = y[i] + 2 * x[i];
}

//: atomics_to_one(grid=5, block=100, args=(i32(500), zeros_i(4)))
__global__ void atomics_to_one(const int* x, int* out) {
    int v = x[blockIdx.x * 100 + threadIdx.x];
    atomicAdd(&out[0], v);
    atomicMax(&out[1], v);
    atomicOr(&out[2], v);
    atomicSub(&out[3], 1);
}

//: warp_shuffle(grid=2, block=64, args=(f32(128), zeros(4)))
__global__ void warp_shuffle(const float* x, float* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = x[i];
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0) out[i / 32] = v;
}

//: shuffle_by_half_warps(grid=1, block=32, args=(f32(32), zeros(32)))
// Each side of the branch names its own lanes.
__global__ void shuffle_by_half_warps(const float* x, float* y) {
    int lane = threadIdx.x;
    float v = x[lane];
    if (lane < 16) v += __shfl_xor_sync(0x0000ffffu, v, 8);
    else v -= __shfl_xor_sync(0xffff0000u, v, 4);
    y[lane] = v;
}

//: last_block_done(grid=7, block=32, args=(f32(224), zeros(7), zeros(1), zeros_u(1)))
__global__ void last_block_done(const float* x, float* part, float* out,
                                unsigned int* finished) {
    __shared__ bool last;
    float v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        v = threadIdx.x < gridDim.x ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (threadIdx.x == 0) *out = v;
    }
}

//: last_block_all_threads(grid=5, block=64, args=(f32(320), zeros(320), zeros(64), zeros_i(1)))
__global__ void last_block_all_threads(const float* x, float* part, float* out,
                                       int* done) {
    __shared__ int order;
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    part[i] = 2 * x[i];
    __threadfence();
    __syncthreads();
    if (tid == 0) order = atomicAdd(done, 1);
    __syncthreads();
    if (order == gridDim.x - 1) {
        float sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += part[b * 64 + 63 - tid];
        out[tid] = sum;
    }
}

//: neighboring_bytes(grid=2, block=64, args=(u8(128), u8(128)))
// Bytes side by side in one word are separate objects.
__global__ void neighboring_bytes(const unsigned char* x, unsigned char* y) {
    __shared__ unsigned char s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = x[i] / 2;
    y[i] = s[tid] + 1;
}

//: neighboring_shorts(grid=2, block=64, args=(i16(128), i16(128)))
__global__ void neighboring_shorts(const short* x, short* y) {
    __shared__ short s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = x[i];
    s[tid] += 3;
    y[i] -= s[tid];
}

//: neighboring_halves(grid=1, block=64, args=(f16(64), f16(64)))
#include <cuda_fp16.h>
__global__ void neighboring_halves(const __half* x, __half* y) {
    int i = threadIdx.x;
    y[i] = __hadd(y[i], x[i]);
}

//: bytes_after_words(grid=1, block=64, args=(i32(64), zeros_i(64)))
// The same thread reads the four bytes of the word that it wrote.
__global__ void bytes_after_words(const int* x, int* y) {
    __shared__ int s[64];
    int tid = threadIdx.x;
    s[tid] = x[tid];
    const unsigned char* bytes = (const unsigned char*)(s + tid);
    y[tid] = bytes[0] + bytes[1] + bytes[2] + bytes[3];
}

//: wide_and_narrow(grid=1, block=64, args=(f32(128), zeros(128)))
// Pairs are written, single floats are read, with a barrier between.
__global__ void wide_and_narrow(const float* x, float* y) {
    __shared__ float2 s[64];
    int tid = threadIdx.x;
    s[tid] = make_float2(x[2 * tid], x[2 * tid + 1]);
    __syncthreads();
    const float* flat = (const float*)s;
    y[tid] = flat[tid];
    y[tid + 64] = flat[tid + 64];
}

//: own_cell_again(grid=2, block=64, args=(f32(128), f32(128)))
// No barrier is needed for what a thread wrote itself.
__global__ void own_cell_again(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = x[i];
    for (int k = 0; k < 4; k++) s[tid] = s[tid] * s[tid] - 1;
    y[i] = s[tid];
    y[i] += y[i];
}

//: padded_transpose(grid=(2, 3), block=(32, 8), args=(f32(3500), zeros(3500), 50, 70))
__global__ void padded_transpose(const float* in, float* out, int w, int h) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

//: ragged_load(grid=3, block=48, args=(f32(130), zeros(130), 130))
// 48 threads load 54 cells together, with zeros beyond the ends.
__global__ void ragged_load(const float* x, float* y, int n) {
    __shared__ float s[54];
    int first = blockIdx.x * 48, i = first + threadIdx.x;
    for (int k = threadIdx.x; k < 54; k += 48) {
        int from = first + k - 3;
        s[k] = from >= 0 && from < n ? x[from] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 7; k++) sum += s[threadIdx.x + k];
    if (i < n) y[i] = sum;
}

//: disjoint_halves(grid=1, block=64, args=(f32(64), zeros(64)))
// One array, but each warp keeps to its own half and orders it with __syncwarp.
__global__ void disjoint_halves(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    s[tid] = x[tid];
    __syncwarp();
    y[tid] = s[tid ^ 31];
}

//: read_by_all(grid=4, block=64, args=(f32(64), zeros(256)))
// Any number of readers is no race.
__global__ void read_by_all(const float* x, float* y) {
    y[blockIdx.x * 64 + threadIdx.x] = x[0] + x[blockIdx.x] + x[threadIdx.x];
}

//: aliased_in_place(grid=2, block=64, args=(x := f32(128), x))
// in and out are one array, but each thread reads only what it writes.
__global__ void aliased_in_place(const float* in, float* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = 1 - in[i];
}

//: aliased_in_place_by_block(grid=2, block=64, args=(x := f32(128), x))
// Read by all of the block, barrier, then written.
__global__ void aliased_in_place_by_block(const float* in, float* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = in[blockIdx.x * 64 + 63 - threadIdx.x];
    __syncthreads();
    out[i] = v;
}

//: compaction(grid=2, block=64, args=(i32(128), zeros_i(128), zeros_i(1)), ordered=False)
__global__ void compaction(const int* x, int* out, int* count) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (x[i] % 3 == 0) out[atomicAdd(count, 1)] = x[i];
}

//: compare_and_swap(grid=2, block=64, args=(f32(128), zeros(1)))
// The loop of CUDA's guide, which reads the cell with an atomic that changes nothing.
__global__ void compare_and_swap(const float* x, float* out) {
    float v = fabsf(x[blockIdx.x * 64 + threadIdx.x]);
    unsigned int* bits = (unsigned int*)out;
    unsigned int old = atomicAdd(bits, 0u), assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) + v));
    } while (assumed != old);
}

//: divisor_guarded(grid=1, block=64, args=(i32(64), i32(64, 4), zeros_i(64)))
// Lanes whose divisor is zero do not divide.
__global__ void divisor_guarded(const int* a, const int* b, int* c) {
    int i = threadIdx.x;
    if (b[i] && a[i] / b[i] > 3) c[i] = a[i] % b[i];
}

//: pointer_not_followed(grid=1, block=64, args=(f32(64), zeros(64), 63))
// The address one behind the end may be computed, as long as nobody reads there.
__global__ void pointer_not_followed(const float* x, float* y, int n) {
    const float* p = x + threadIdx.x + 1;
    if (threadIdx.x < n) y[threadIdx.x] = *p;
}

//: lanes_by_match(grid=1, block=64, args=(i32(64, 5), zeros_i(5)))
// Lanes of one value choose a leader, which adds for them all.
__global__ void lanes_by_match(const int* x, int* bins) {
    int lane = threadIdx.x % 32, v = x[threadIdx.x];
    unsigned int same = __match_any_sync(0xffffffffu, v);
    if (lane == __ffs(same) - 1) atomicAdd(&bins[v], __popc(same));
}

//: barrier_counts(grid=2, block=64, args=(f32(128), zeros_i(128)))
// __syncthreads_count is a barrier, too.
__global__ void barrier_counts(const float* x, int* y) {
    __shared__ int s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = tid;
    int positive = __syncthreads_count(x[i] > 0);
    y[i] = s[63 - tid] + positive;
}
