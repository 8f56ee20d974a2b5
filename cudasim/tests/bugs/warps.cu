//: warp_reduction(grid=2, block=32, args=(f32(64), zeros(2)))
__global__ void warp_reduction(const float* x, float* out) {
    __shared__ float s[32];
    int lane = threadIdx.x;
    s[lane] = x[blockIdx.x * 32 + lane];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (lane < d) s[lane] += s[lane + d];  // BUG: race-warp
        //+ __syncwarp();
    }
    if (lane == 0) out[blockIdx.x] = s[0];
}

//: volatile_reduction(grid=2, block=64, args=(f32(128), zeros(2)))
// The warp-synchronous code of old lectures: volatile orders no other lane.
__global__ void volatile_reduction(const float* x, float* out) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    s[tid] = x[blockIdx.x * 64 + tid];
    __syncthreads();
    if (tid < 32) {
        volatile float* v = s;
        v[tid] += v[tid + 32];  // OR: race-warp
        //+ __syncwarp();
        if (tid < 16) v[tid] += v[tid + 16];  // BUG: race-warp
        //+ __syncwarp();
        if (tid < 8) v[tid] += v[tid + 8];  // BUG: race-warp
        //+ __syncwarp();
        if (tid < 4) v[tid] += v[tid + 4];  // BUG: race-warp
        //+ __syncwarp();
        if (tid < 2) v[tid] += v[tid + 2];  // BUG: race-warp
        //+ __syncwarp();
        if (tid < 1) v[tid] += v[tid + 1];  // BUG: race-warp
    }
    if (tid == 0) out[blockIdx.x] = s[0];
}

//: lanes_swap(grid=2, block=64, args=(f32(128), zeros(128)))
__global__ void lanes_swap(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = x[i];  // OR: race-warp
    //+ __syncwarp();
    y[i] = s[tid ^ 1];  // BUG: race-warp
}

//: shuffle_orders_nothing(grid=2, block=32, args=(f32(64), zeros(64)))
// A shuffle makes lanes meet, but orders no memory.
__global__ void shuffle_orders_nothing(const float* x, float* y) {
    __shared__ float s[32];
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    s[lane] = x[i];  // OR: race-warp
    float first = __shfl_sync(0xffffffffu, x[i], 0);
    //+ __syncwarp();
    y[i] = first + s[31 - lane];  // BUG: race-warp
}

//: leader_tells(grid=2, block=64, args=(f32(128), zeros(128)))
__global__ void leader_tells(const float* x, float* y) {
    __shared__ float first[2];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int i = blockIdx.x * 64 + threadIdx.x;
    if (lane == 0) first[warp] = x[i];  // OR: race-warp
    //+ __syncwarp();
    y[i] = x[i] - first[warp];  // BUG: race-warp
}

//: shuffle_in_branch(grid=1, block=32, args=(f32(32), zeros(32)))
__global__ void shuffle_in_branch(const float* x, float* y) {
    int lane = threadIdx.x;
    float v = x[lane];
    if (lane < 16) v += __shfl_down_sync(0xffffffffu, v, 8);  //- BUG: divergent-shuffle
    //+ float other = __shfl_down_sync(0xffffffffu, v, 8);
    //+ if (lane < 16) v += other;
    y[lane] = v;
}

//: shuffle_under_guard(grid=2, block=64, args=(f32(100), zeros(2), 100))
__global__ void shuffle_under_guard(const float* x, float* out, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) {  //-
        float v = x[i];  //-
        //+ float v = i < n ? x[i] : 0;
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffffu, v, d);  // BUG: divergent-shuffle
        if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], v);
    }  //-
}

//: shuffle_in_ragged_loop(grid=1, block=32, args=(f32(40), zeros(32), 40))
__global__ void shuffle_in_ragged_loop(const float* x, float* y, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += 32)  //-
        sum += __shfl_xor_sync(0xffffffffu, x[i], 1);  //- BUG: divergent-shuffle
    //+ for (int i = threadIdx.x; i < (n + 31) / 32 * 32; i += 32)
    //+     sum += __shfl_xor_sync(0xffffffffu, i < n ? x[i] : 0, 1);
    y[threadIdx.x] = sum;
}

//: ballot_in_branch(grid=1, block=32, args=(f32(32), zeros_i(32)))
__global__ void ballot_in_branch(const float* x, int* y) {
    int lane = threadIdx.x, count = 0;
    unsigned int all = 0xffffffffu;  //-
    //+ unsigned int all = 0xaaaaaaaau;
    if (lane % 2)
        count = __popc(__ballot_sync(all, x[lane] > 0));  // BUG: divergent-shuffle
    y[lane] = count;
}

//: sum_of_short_block(grid=1, block=48, args=(f32(48), zeros(1)))
__global__ void sum_of_short_block(const float* x, float* sum) {
    int lane = threadIdx.x % 32;
    int there = threadIdx.x < 32 ? 32 : 16;
    float v = x[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) {
        float other = __shfl_down_sync(0xffffffffu, v, d);  // BUG: missing-lane
        v += other;  //-
        //+ if (lane + d < there) v += other;
    }
    if (lane == 0) atomicAdd(sum, v);
}

//: sum_after_return(grid=1, block=32, args=(f32(20), zeros(1), 20))
__global__ void sum_after_return(const float* x, float* sum, int n) {
    int i = threadIdx.x;
    if (i >= n) return;  //-
    float v = x[i];  //-
    //+ float v = i < n ? x[i] : 0;
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);  // BUG: missing-lane
    if (i == 0) *sum = v;
}

//: lanes_that_nobody_uses(grid=1, block=16, args=(f32(16), zeros(1)))
__global__ void lanes_that_nobody_uses(const float* x, float* sum) {
    float v = x[threadIdx.x];
    for (int d = 8; d > 0; d /= 2) v += __shfl_down_sync(0xffffu, v, d);
    if (threadIdx.x == 0) *sum = v;
}

//: masks_that_disagree(grid=1, block=32, args=(f32(32), zeros(32)))
__global__ void masks_that_disagree(const float* x, float* y) {
    int lane = threadIdx.x;
    unsigned int mask = lane < 16 ? 0xffffffffu : 0xffff0000u;  //-
    //+ unsigned int mask = lane < 16 ? 0xffffu : 0xffff0000u;
    y[lane] = __shfl_xor_sync(mask, x[lane], 1);  // BUG: divergent-shuffle
}

//: lane_of_another_mask(grid=1, block=32, args=(f32(32), zeros(32)))
__global__ void lane_of_another_mask(const float* x, float* y) {
    int lane = threadIdx.x;
    unsigned int mask = lane < 16 ? 0xffffu : 0xffff0000u;
    float other = __shfl_xor_sync(mask, x[lane], 16);  //- BUG: missing-lane
    //+ float other = __shfl_xor_sync(mask, x[lane], 8);
    y[lane] = other;
}
