//: misaligned_float4(grid=1, block=16, args=(f32(65), zeros(64)))
__global__ void misaligned_float4(const float* x, float* y) {
    int i = threadIdx.x;
    float4 v = *reinterpret_cast<const float4*>(x + 4 * i + 1);  //- BUG: misaligned
    //+ const float* p = x + 4 * i + 1;
    //+ float4 v = make_float4(p[0], p[1], p[2], p[3]);
    *reinterpret_cast<float4*>(y + 4 * i) = v;
}

//: misaligned_row(grid=6, block=16, args=(zeros(396), 66))
// A row of 66 floats begins at a multiple of 8 bytes, not of 16.
__global__ void misaligned_row(float* x, int w) {
    float* row = x + blockIdx.x * w;
    float4* p = reinterpret_cast<float4*>(row) + threadIdx.x;
    *p = make_float4(1, 2, 3, 4);  //- BUG: misaligned
    //+ for (int k = 0; k < 4; k++) row[4 * threadIdx.x + k] = k + 1;
}

//: misaligned_in_shared(grid=1, block=16, args=(f32(32), zeros(16)))
__global__ void misaligned_in_shared(const float* x, float* y) {
    __shared__ __align__(16) float s[33];
    int tid = threadIdx.x;
    s[2 * tid] = x[2 * tid];
    s[2 * tid + 1] = x[2 * tid + 1];
    if (tid == 0) s[32] = 0;
    __syncthreads();
    float2 pair = *reinterpret_cast<float2*>(s + 2 * tid + 1);  //- BUG: misaligned
    //+ float2 pair = make_float2(s[2 * tid + 1], s[2 * tid + 2]);
    y[tid] = pair.x + pair.y;
}

//: word_from_bytes(grid=1, block=32, args=(u8(65), zeros_i(32)))
__global__ void word_from_bytes(const unsigned char* bytes, int* words) {
    int i = threadIdx.x;
    const unsigned char* p = bytes + 2 * i;
    words[i] = *(const short*)(p + 1);  //- BUG: misaligned
    //+ words[i] = (short)(p[1] | p[2] << 8);
}

//: divide_by_zero(grid=1, block=64, args=(i32(64), i32(64, 4), zeros_i(64)))
__global__ void divide_by_zero(const int* a, const int* b, int* c) {
    int i = threadIdx.x;
    c[i] = a[i] / b[i];  //- BUG: divide-by-zero
    //+ c[i] = b[i] ? a[i] / b[i] : 0;
}

//: modulo_by_zero(grid=1, block=64, args=(zeros_i(64), 0))
__global__ void modulo_by_zero(int* y, int width) {
    int i = threadIdx.x;
    y[i] = i % width;  //- BUG: divide-by-zero
    //+ y[i] = width > 0 ? i % width : i;
}

//: compound_division(grid=1, block=64, args=(i32(64, 9), zeros_i(64)))
__global__ void compound_division(const int* x, int* y) {
    long long v = 1000;
    v /= x[threadIdx.x];  //- BUG: divide-by-zero
    //+ v /= x[threadIdx.x] + 1;
    y[threadIdx.x] = v;
}

//: endless_loop(grid=1, block=32, args=(i32(32, 9), zeros_i(32)))
__global__ void endless_loop(const int* x, int* y) {
    int v = x[threadIdx.x], steps = 0;
    while (v != 1) {  //- BUG: timeout
    //+ while (v > 1) {
        v = v % 2 ? v - 1 : v / 2;
        steps++;
    }
    y[threadIdx.x] = steps;
}

//: forgotten_step(grid=1, block=32, args=(f32(320), zeros(32), 10))
__global__ void forgotten_step(const float* x, float* y, int n) {
    int k = 0;
    float sum = 0;
    while (k < n) {  // BUG: timeout
        sum += x[threadIdx.x * n + k];
        //+ k++;
    }
    y[threadIdx.x] = sum;
}

//: spin_lock(grid=1, block=32, args=(zeros_i(1), zeros_i(1)))
// One lane holds the lock; the others keep the warp in the loop.
__global__ void spin_lock(int* lock, int* count) {
    while (atomicCAS(lock, 0, 1) != 0) { }  //- BUG: timeout
    *count += 1;  //- ALSO: race, race-warp
    atomicExch(lock, 0);  //-
    //+ atomicAdd(count, 1);
}

//: waits_for_a_later_block(grid=2, block=1, args=(zeros_i(1), zeros_i(2)))
__global__ void waits_for_a_later_block(int* ready, int* y) {
    if (blockIdx.x == 0) {  //-
        while (atomicAdd(ready, 0) == 0) { }  //- BUG: timeout
    }  //-
    atomicExch(ready, 1);
    y[blockIdx.x] = 1;
}

//: failing_assert(grid=1, block=64, args=(i32(64), zeros_i(64)))
__global__ void failing_assert(const int* x, int* y) {
    assert(blockDim.x == 32);  //- BUG: assert
    //+ assert(blockDim.x == 64);
    y[threadIdx.x] = x[threadIdx.x];
}

//: trap(grid=1, block=64, args=(i32(64), zeros_i(64)))
__global__ void trap(const int* x, int* y) {
    if (x[threadIdx.x] >= 60) __trap();  //- BUG: trap
    y[threadIdx.x] = x[threadIdx.x];
}

//: constant_written(grid=1, block=4, args=(zeros(4),))
__constant__ float table[4] = {1, 2, 3, 4};
__global__ void constant_written(float* y) {
    float* t = (float*)table;
    t[threadIdx.x] = 0;  //- BUG: read-only
    y[threadIdx.x] = t[3 - threadIdx.x];
}
