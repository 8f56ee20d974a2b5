//: tail_of_reduction(grid=2, block=128, args=(f32(200), zeros(2), 200))
__global__ void tail_of_reduction(const float* x, float* out, int n) {
    __shared__ float s[128];
    int tid = threadIdx.x, i = blockIdx.x * 128 + tid;
    if (i < n) s[tid] = x[i];  //-
    //+ s[tid] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (tid < d) s[tid] += s[tid + d];  // BUG: uninitialized
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

//: halo_not_loaded(grid=2, block=64, args=(f32(130), zeros(128)))
__global__ void halo_not_loaded(const float* x, float* y) {
    __shared__ float s[66];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid + 1] = x[i + 1];
    if (tid == 0) s[0] = x[i];
    //+ if (tid == 63) s[65] = x[i + 2];
    __syncthreads();
    y[i] = s[tid] + s[tid + 1] + s[tid + 2];  // BUG: uninitialized
}

//: device_array(grid=2, block=64, args=(f32(128), empty(128)))
__global__ void device_array(const float* x, float* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    y[i] += x[i];  //- BUG: uninitialized
    //+ y[i] = x[i];
}

//: added_to_empty(grid=2, block=64, args=(f32(128), empty(1)),
//:     twin=dict(args=(f32(128), zeros(1))))
__global__ void added_to_empty(const float* x, float* out) {
    atomicAdd(out, x[blockIdx.x * 64 + threadIdx.x]);  // BUG: uninitialized
}

//: shared_bins(grid=2, block=64, args=(u8(128), zeros_i(256)))
__global__ void shared_bins(const unsigned char* data, int* bins) {
    __shared__ int local[256];
    //+ for (int i = threadIdx.x; i < 256; i += 64) local[i] = 0;
    //+ __syncthreads();
    atomicAdd(&local[data[blockIdx.x * 64 + threadIdx.x]], 1);  // BUG: uninitialized
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 64)
        atomicAdd(&bins[i], local[i]);  // BUG: uninitialized
}

//: ragged_tile(grid=(2, 2), block=(8, 8), args=(f32(100), f32(100), zeros(100), 10))
// 10 is no multiple of 8, so the last tiles have corners that nobody fills.
__global__ void ragged_tile(const float* A, const float* B, float* C, int n) {
    __shared__ float As[8][8], Bs[8][8];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
    float acc = 0;
    for (int t = 0; t < n; t += 8) {
        //+ As[ty][tx] = Bs[ty][tx] = 0;
        if (row < n && t + tx < n) As[ty][tx] = A[row * n + t + tx];
        if (col < n && t + ty < n) Bs[ty][tx] = B[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 8; k++)
            acc += As[ty][k] * Bs[k][tx];  // BUG: uninitialized
        __syncthreads();
    }
    if (row < n && col < n) C[row * n + col] = acc;
}

//: empty_warps(grid=1, block=64, args=(f32(64), zeros(1)))
// Two warps write their sums; the last step reads 32.
__global__ void empty_warps(const float* x, float* out) {
    __shared__ float part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float v = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = part[lane];  //- BUG: uninitialized
        //+ v = lane < blockDim.x / 32 ? part[lane] : 0;
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
        if (lane == 0) *out = v;
    }
}

//: dynamic_shared(grid=2, block=32, args=(f32(64), zeros(64)), shared_mem=256)
__global__ void dynamic_shared(const float* x, float* y) {
    extern __shared__ float s[];
    int tid = threadIdx.x, i = blockIdx.x * 32 + tid;
    s[tid] = x[i];
    //+ s[tid + 32] = -x[i];
    __syncthreads();
    y[i] = s[63 - tid];  // BUG: uninitialized
}

//: half_a_pair(grid=1, block=64, args=(f32(64), zeros(128)))
__global__ void half_a_pair(const float* x, float* y) {
    __shared__ float2 s[64];
    int tid = threadIdx.x;
    s[tid].x = x[tid];
    //+ s[tid].y = 0;
    __syncthreads();
    float2 pair = s[63 - tid];  // BUG: uninitialized
    y[2 * tid] = pair.x;
    y[2 * tid + 1] = pair.y;
}
