//: histogram_one_block(grid=1, block=128, args=(u8(128, 16), zeros_i(16), 128))
__global__ void histogram_one_block(const unsigned char* data, int* bins, int n) {
    int i = threadIdx.x;
    if (i < n) bins[data[i]] += 1;  //- BUG: race
    //+ if (i < n) atomicAdd(&bins[data[i]], 1);
}

//: histogram_blocks(grid=40, block=1, args=(u8(40, 4), zeros_i(4), 40))
// One thread a block: only blocks can be in each other's way.
__global__ void histogram_blocks(const unsigned char* data, int* bins, int n) {
    int i = blockIdx.x;
    if (i < n) bins[data[i]]++;  //- BUG: race
    //+ if (i < n) atomicAdd(&bins[data[i]], 1);
}

//: histogram_batches(grid=300, block=256, args=(zeros_i(1),))
// The only two threads that meet are 76,544 apart.
__global__ void histogram_batches(int* count) {
    bool edge = blockIdx.x == 0 || blockIdx.x == gridDim.x - 1;
    if (edge && threadIdx.x == 0) *count += 1;  //- BUG: race
    //+ if (edge && threadIdx.x == 0) atomicAdd(count, 1);
}

//: written_batches_ago(grid=300, block=256, args=(zeros(300), zeros(1)))
// The last block reads what the others write, and waits for nobody.
__global__ void written_batches_ago(float* part, float* out) {
    if (threadIdx.x == 0) part[blockIdx.x] = blockIdx.x;  // OR: race
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        *out = part[0];  //- BUG: race
        //+ *out = part[blockIdx.x];
}

//: sum_one_block(grid=1, block=64, args=(f32(64), zeros(1)))
__global__ void sum_one_block(const float* x, float* out) {
    *out += x[threadIdx.x];  //- BUG: race
    //+ atomicAdd(out, x[threadIdx.x]);
}

//: sum_in_shared(grid=2, block=64, args=(f32(128), zeros(2)))
__global__ void sum_in_shared(const float* x, float* out) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    sum += x[blockIdx.x * 64 + threadIdx.x];  //- BUG: race
    //+ atomicAdd(&sum, x[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

//: maximum(grid=2, block=64, args=(i32(128), zeros_i(1)))
__global__ void maximum(const int* x, int* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (x[i] > *out) *out = x[i];  //- BUG: race
    //+ atomicMax(out, x[i]);
}

//: append(grid=2, block=64, args=(i32(128), zeros_i(128), zeros_i(1)), ordered=False)
// The slot that atomicAdd returns is this thread's; the count read again is not.
__global__ void append(const int* x, int* out, int* count) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (x[i] % 2) {
        atomicAdd(count, 1);  //- OR: race
        int slot = *count - 1;  //- BUG: race
        //+ int slot = atomicAdd(count, 1);
        out[slot] = x[i];  // ALSO: race, out-of-bounds
    }
}

//: cleared_by_one_block(grid=4, block=64, args=(f32(256), zeros(1)))
// Other blocks may have added before block 0 clears.
__global__ void cleared_by_one_block(const float* x, float* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i == 0) *out = 0;  //- OR: race
    __syncthreads();
    atomicAdd(out, x[i]);  // BUG: race
}

//: same_value(grid=2, block=64, args=(f32(128), zeros_i(1)))
__global__ void same_value(const float* x, int* found) {
    if (x[blockIdx.x * 64 + threadIdx.x] > 0) *found = 1;  // harmless: a note
}

//: gradient_scatter(grid=2, block=64, args=(f32(256), i32(128, 10), zeros(20)))
// Two tokens of one word add to one row.
__global__ void gradient_scatter(const float* dy, const int* index, float* dweight) {
    int i = blockIdx.x * 64 + threadIdx.x;
    for (int j = 0; j < 2; j++)
        dweight[index[i] * 2 + j] += dy[i * 2 + j];  //- BUG: race
        //+ atomicAdd(&dweight[index[i] * 2 + j], dy[i * 2 + j]);
}

//: last_block(grid=5, block=64, args=(f32(320), zeros(5), zeros(1), zeros_i(1)))
__global__ void last_block(const float* x, float* part, float* out, int* finished) {
    __shared__ float s[64];
    __shared__ bool last;
    int tid = threadIdx.x;
    s[tid] = x[blockIdx.x * 64 + tid];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (tid < d) s[tid] += s[tid + d];
        __syncthreads();
    }
    if (tid == 0) {
        part[blockIdx.x] = s[0];  // OR: race
        //+ __threadfence();
        last = atomicAdd(finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && tid == 0) {
        float sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += part[i];  // BUG: race
        *out = sum;
    }
}

//: last_block_by_all(grid=5, block=32, args=(f32(160), zeros(160), zeros(32), zeros_i(1)))
// Every thread must fence its own write before thread 0 tells.
__global__ void last_block_by_all(const float* x, float* part, float* out, int* done) {
    __shared__ int order;
    int tid = threadIdx.x, i = blockIdx.x * 32 + tid;
    part[i] = 2 * x[i];  // OR: race
    //+ __threadfence();
    __syncthreads();
    if (tid == 0) order = atomicAdd(done, 1);
    __syncthreads();
    if (order != gridDim.x - 1) return;
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += part[b * 32 + tid];  // BUG: race
    out[tid] = sum;
}

//: fence_without_barrier(grid=3, block=64, args=(f32(192), zeros(192), zeros_i(1), zeros(1)))
// The fence puts a thread's own writes in order, not those of its block.
__global__ void fence_without_barrier(const float* x, float* part, int* count, float* y) {
    __shared__ bool last;
    int i = blockIdx.x * 64 + threadIdx.x;
    part[i] = x[i];
    __threadfence();
    //+ __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last || threadIdx.x) return;
    float sum = 0;
    for (int k = 0; k < 192; k++) sum += part[k];  // BUG: race
    *y = sum;
}

//: exchange_first(grid=1, block=64, args=(zeros_i(64),))
__global__ void exchange_first(int* y) {
    __shared__ int sum;
    if (threadIdx.x == 0) atomicExch(&sum, 0);  // its old value is not looked at
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    y[threadIdx.x] = sum;
}
