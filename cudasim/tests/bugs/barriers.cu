//: tiled_first(grid=(2, 2), block=(16, 16), args=(f32(1024), f32(1024), zeros(1024), 32))
// The rows of As stay within a warp, the columns of Bs do not.
__global__ void tiled_first(const float* A, const float* B, float* C, int n) {
    __shared__ float As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0;
    for (int t = 0; t < n; t += 16) {
        As[ty][tx] = A[row * n + t + tx];  // OR: race
        Bs[ty][tx] = B[(t + ty) * n + col];  // OR: race
        //+ __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[k][tx];  // BUG: race ALSO: uninitialized
        __syncthreads();
    }
    C[row * n + col] = acc;
}

//: tiled_second(grid=(2, 2), block=(16, 16), args=(f32(1024), f32(1024), zeros(1024), 32))
__global__ void tiled_second(const float* A, const float* B, float* C, int n) {
    __shared__ float As[16][16], Bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float acc = 0;
    for (int t = 0; t < n; t += 16) {
        As[ty][tx] = A[row * n + t + tx];  // OR: race
        Bs[ty][tx] = B[(t + ty) * n + col];  // BUG: race
        __syncthreads();
        for (int k = 0; k < 16; k++)
            acc += As[ty][k] * Bs[k][tx];  // OR: race
        //+ __syncthreads();
    }
    C[row * n + col] = acc;
}

//: tree_reduction(grid=3, block=128, args=(f32(384), zeros(3)))
__global__ void tree_reduction(const float* x, float* out) {
    __shared__ float s[128];
    int tid = threadIdx.x;
    s[tid] = x[blockIdx.x * 128 + tid];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (tid < d) s[tid] += s[tid + d];  // BUG: race
        //+ __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

//: tree_before_the_first_step(grid=3, block=128, args=(f32(384), zeros(3)))
__global__ void tree_before_the_first_step(const float* x, float* out) {
    __shared__ float s[128];
    int tid = threadIdx.x;
    s[tid] = x[blockIdx.x * 128 + tid];  // OR: race
    //+ __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (tid < d) s[tid] += s[tid + d];  // BUG: race ALSO: uninitialized
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

//: reverse(grid=3, block=64, args=(f32(192),))
__global__ void reverse(float* x) {
    __shared__ float s[64];
    float* mine = x + blockIdx.x * 64;
    s[threadIdx.x] = mine[threadIdx.x];  // OR: race
    //+ __syncthreads();
    mine[threadIdx.x] = s[63 - threadIdx.x];  // BUG: race ALSO: uninitialized
}

//: syncwarp_for_syncthreads(grid=3, block=64, args=(f32(192),))
__global__ void syncwarp_for_syncthreads(float* x) {
    __shared__ float s[64];
    float* mine = x + blockIdx.x * 64;
    s[threadIdx.x] = mine[threadIdx.x];  // OR: race
    __syncwarp();  //-
    //+ __syncthreads();
    mine[threadIdx.x] = s[63 - threadIdx.x];  // BUG: race ALSO: uninitialized
}

//: fence_for_syncthreads(grid=3, block=64, args=(f32(192),))
// A fence orders the writes of one thread; it waits for nobody.
__global__ void fence_for_syncthreads(float* x) {
    __shared__ float s[64];
    float* mine = x + blockIdx.x * 64;
    s[threadIdx.x] = mine[threadIdx.x];  // OR: race
    __threadfence_block();  //-
    //+ __syncthreads();
    mine[threadIdx.x] = s[63 - threadIdx.x];  // BUG: race ALSO: uninitialized
}

//: halo(grid=2, block=64, args=(f32(130), f32(128)))
__global__ void halo(const float* x, float* y) {
    __shared__ float s[66];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid + 1] = x[i + 1];  // OR: race
    if (tid == 0) s[0] = x[i];  // OR: race
    if (tid == 63) s[65] = x[i + 2];  // OR: race
    //+ __syncthreads();
    y[i] = s[tid] - 2 * s[tid + 1] + s[tid + 2];  // BUG: race ALSO: uninitialized
}

//: transpose(grid=(2, 2), block=(32, 8), args=(f32(4096), zeros(4096), 64))
__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];  // OR: race
    //+ __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        out[(y + j) * n + x] =
            tile[threadIdx.x][threadIdx.y + j];  // BUG: race ALSO: uninitialized
}

//: one_buffer(grid=2, block=128, args=(i32(256), zeros_i(256)))
// A scan that needs two buffers, or two barriers a step.
__global__ void one_buffer(const int* in, int* out) {
    __shared__ int s[128];
    int tid = threadIdx.x, i = blockIdx.x * 128 + tid;
    s[tid] = in[i];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int add = tid >= d ? s[tid - d] : 0;  // OR: race
        //+ __syncthreads();
        s[tid] += add;  // BUG: race
        __syncthreads();
    }
    out[i] = s[tid];
}

//: scan_without_barrier(grid=2, block=128, args=(i32(256), zeros_i(256)))
__global__ void scan_without_barrier(const int* in, int* out) {
    __shared__ int s[2][128];
    int tid = threadIdx.x, i = blockIdx.x * 128 + tid, from = 0;
    s[0][tid] = in[i];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int add = tid >= d ? s[from][tid - d] : 0;  // BUG: race ALSO: uninitialized
        s[from ^ 1][tid] = s[from][tid] + add;  // OR: race
        from ^= 1;
        //+ __syncthreads();
    }
    out[i] = s[from][tid];
}

//: broadcast(grid=2, block=64, args=(f32(128), f32(128)))
__global__ void broadcast(const float* x, float* y) {
    __shared__ float scale;
    int i = blockIdx.x * 64 + threadIdx.x;
    if (threadIdx.x == 0) scale = 1 / (1 + fabsf(x[i]));  // OR: race
    //+ __syncthreads();
    y[i] = scale * x[i];  // BUG: race ALSO: uninitialized
}

//: reused_too_early(grid=2, block=64, args=(f32(128), f32(128)))
// Thread 0 may be in the next round while others read the last.
__global__ void reused_too_early(const float* x, float* y) {
    __shared__ float pivot;
    int i = blockIdx.x * 64 + threadIdx.x;
    float v = x[i];
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0) pivot = v;  // BUG: race
        __syncthreads();
        v = 0.5f * (v + pivot);  // OR: race
        //+ __syncthreads();
    }
    y[i] = v;
}

//: sum_called_twice(grid=2, block=64, args=(f32(128), zeros(128)))
__device__ float block_sum(float v) {
    __shared__ float s[64];
    s[threadIdx.x] = v;  // BUG: race
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    float total = s[0];  // OR: race
    //+ __syncthreads();
    return total;
}
__global__ void sum_called_twice(const float* x, float* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    float mean = block_sum(x[i]) / 64;
    float variance = block_sum((x[i] - mean) * (x[i] - mean)) / 64;
    y[i] = (x[i] - mean) * rsqrtf(variance + 1e-5f);
}

//: maximum_then_sum(grid=2, block=128, args=(f32(256), zeros(256)))
// As in a softmax: the maximum is still read when the sums are written.
__global__ void maximum_then_sum(const float* x, float* y) {
    __shared__ float s[128];
    int tid = threadIdx.x, i = blockIdx.x * 128 + tid;
    s[tid] = x[i];
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (tid < d) s[tid] = fmaxf(s[tid], s[tid + d]);
        __syncthreads();
    }
    float e = __expf(x[i] - s[0]);  // OR: race
    //+ __syncthreads();
    s[tid] = e;  // BUG: race
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (tid < d) s[tid] += s[tid + d];
        __syncthreads();
    }
    y[i] = e / s[0];
}

//: overlapping_parts(grid=2, block=64, args=(f32(128), f32(128)), shared_mem=512)
// Two arrays in one dynamic shared array, of which the second begins too early.
__global__ void overlapping_parts(const float* x, float* y) {
    extern __shared__ float pool[];
    float* a = pool;
    float* b = pool + 32;  //-
    //+ float* b = pool + 64;
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    a[tid] = x[i];  // OR: race
    b[tid] = 2 * x[i];  // BUG: race
    __syncthreads();
    y[i] = a[63 - tid] + b[63 - tid];
}

//: shared_bins_not_ready(grid=2, block=64, args=(u8(1000), zeros_i(256), 1000))
__global__ void shared_bins_not_ready(const unsigned char* data, int* bins, int n) {
    __shared__ int local[256];
    for (int i = threadIdx.x; i < 256; i += 64) local[i] = 0;  // OR: race
    //+ __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        atomicAdd(&local[data[i]], 1);  // BUG: race ALSO: uninitialized
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64) atomicAdd(&bins[i], local[i]);
}

//: global_within_a_block(grid=3, block=64, args=(f32(192), zeros(192), zeros(192)))
// The barrier orders global memory, too, for the threads of one block.
__global__ void global_within_a_block(const float* x, float* t, float* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    t[i] = x[i] * x[i];  // OR: race
    //+ __syncthreads();
    y[i] = t[blockIdx.x * 64 + 63 - threadIdx.x];  // BUG: race
}

//: wide_write_narrow_read(grid=1, block=64, args=(f32(128), zeros(128)))
// One thread's eight bytes are two other threads' four.
__global__ void wide_write_narrow_read(const float* x, float* y) {
    __shared__ __align__(8) float s[128];
    int tid = threadIdx.x;
    float2 pair = make_float2(x[2 * tid], x[2 * tid + 1]);
    *reinterpret_cast<float2*>(s + 2 * tid) = pair;  // OR: race
    //+ __syncthreads();
    y[tid] = s[tid] + s[tid + 64];  // BUG: race ALSO: uninitialized
}
