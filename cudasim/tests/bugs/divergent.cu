//: barrier_in_branch(grid=2, block=64, args=(f32(128), zeros(128)))
__global__ void barrier_in_branch(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = x[i];  // ALSO: race
    if (tid % 2 == 0) {  //-
    //+ __syncthreads();
    //+ if (tid % 2 == 0) {
        __syncthreads();  //- BUG: divergent-barrier
        y[i] = s[tid + 1];  // ALSO: race, uninitialized
    }
}

//: barrier_under_guard(grid=2, block=64, args=(f32(100), zeros(100), 100))
// The whole of the last block must reach the barrier, or leave the kernel for good.
__global__ void barrier_under_guard(const float* x, float* y, int n) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = 0;
    __syncthreads();
    if (i < n) {  //-
    //+ if (i < n)
        s[tid] = x[i];
        __syncthreads();  //- BUG: divergent-barrier
        //+ __syncthreads();
        //+ if (i < n)
        y[i] = s[tid] + s[tid ^ 1];
    }  //-
    __syncthreads();
    if (tid == 0) y[blockIdx.x * 64] = s[63];
}

//: barrier_in_ragged_loop(grid=2, block=64, args=(f32(200), zeros(128), 100))
// 100 elements for 64 threads: some go round twice, some once.
__global__ void barrier_in_ragged_loop(const float* x, float* y, int n) {
    __shared__ float s[64];
    float sum = 0;
    int tid = threadIdx.x;
    for (int i = tid; i < n; i += 64) {  //-
    //+ for (int first = 0; first < n; first += 64) {
        //+ int i = first + tid;
        //+ s[tid] = i < n ? x[blockIdx.x * n + i] : 0;
        s[tid] = x[blockIdx.x * n + i];  //-
        __syncthreads();  // BUG: divergent-barrier
        sum += s[tid ^ 1];
        __syncthreads();  // OR: divergent-barrier
    }
    y[blockIdx.x * 64 + tid] = sum;
}

//: two_barriers_for_one(grid=2, block=64, args=(f32(128), zeros(128)))
// Both sides have a barrier, but not the same one.
__global__ void two_barriers_for_one(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    if (tid % 3) {
        s[tid] = x[i];  // ALSO: race
        __syncthreads();  //- BUG: divergent-barrier
    } else {
        s[tid] = -x[i];  // ALSO: race
        __syncthreads();  //- OR: divergent-barrier
    }
    //+ __syncthreads();
    y[i] = s[63 - tid];  // ALSO: race, uninitialized
}

//: barrier_of_one_warp(grid=2, block=64, args=(f32(128), zeros(128)))
// Whole warps, so no warp is torn; still warp 1 waits somewhere else.
__global__ void barrier_of_one_warp(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
    s[tid] = x[i];  // ALSO: race
    if (tid < 32) {
        __syncthreads();  //- BUG: divergent-barrier
        s[tid] *= 2;  // ALSO: race
    }
    __syncthreads();  // OR: divergent-barrier
    y[i] = s[63 - tid];  // ALSO: race
}

//: barrier_after_continue(grid=1, block=64, args=(f32(256), zeros(64), 256))
__global__ void barrier_after_continue(const float* x, float* y, int n) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    float sum = 0;
    for (int i = tid; i < n; i += 64) {
        if (x[i] < 0) continue;  //-
        s[tid] = x[i];  //-
        //+ s[tid] = fmaxf(x[i], 0);
        __syncthreads();  // BUG: divergent-barrier
        sum += s[tid];
    }
    y[tid] = sum;
}

//: barrier_after_break(grid=1, block=64, args=(f32(64), zeros(64), 4))
__global__ void barrier_after_break(const float* x, float* y, int n) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    for (int k = 0; k < n; k++) {
        if (tid % 4 < k) break;  //-
        s[tid] = x[tid];
        __syncthreads();  // BUG: divergent-barrier
    }
    __syncthreads();  // OR: divergent-barrier
    y[tid] = s[tid];
}

//: barrier_in_switch(grid=1, block=64, args=(i32(64, 3), zeros(64)))
__global__ void barrier_in_switch(const int* choice, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    s[tid] = tid;  // ALSO: race
    //+ __syncthreads();
    switch (choice[tid]) {
        case 0: y[tid] = 0; break;
        case 1: y[tid] = s[tid]; break;
        default:
            __syncthreads();  //- BUG: divergent-barrier
            y[tid] = s[63 - tid];  // ALSO: race, uninitialized
    }
}

//: barrier_in_called_function(grid=1, block=64, args=(f32(64), zeros(64)))
// The barrier is in the function; the branch is in its caller.
__device__ float neighbor(float* s, float v) {
    s[threadIdx.x] = v;
    __syncthreads();  // BUG: divergent-barrier
    return s[threadIdx.x ^ 1];  // ALSO: uninitialized, race
}
__global__ void barrier_in_called_function(const float* x, float* y) {
    __shared__ float s[64];
    int tid = threadIdx.x;
    float v = x[tid];
    if (v > 0) v += neighbor(s, v);  //-
    //+ float other = neighbor(s, v);
    //+ if (v > 0) v += other;
    y[tid] = v;
}

//: count_in_branch(grid=1, block=64, args=(f32(64), zeros_i(64)))
__global__ void count_in_branch(const float* x, int* y) {
    int tid = threadIdx.x, count = 0;
    if (tid < 40) count = __syncthreads_count(x[tid] > 0);  //- BUG: divergent-barrier
    //+ count = __syncthreads_count(tid < 40 && x[tid] > 0);
    y[tid] = count;
}
