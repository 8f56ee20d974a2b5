//: stencil_in_place(grid=1, block=128, args=(f32(130), zeros(130)))
__global__ void stencil_in_place(float* x, float* y) {
    int i = threadIdx.x + 1;
    x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;  //- BUG: race
    //+ y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

//: stencil_in_place_blocks(grid=2, block=1, args=(f32(3), zeros(3)))
__global__ void stencil_in_place_blocks(float* x, float* y) {
    int i = blockIdx.x;
    x[i] = 0.5f * (x[i] + x[i + 1]);  //- BUG: race
    //+ y[i] = 0.5f * (x[i] + x[i + 1]);
}

//: aliased_shift(grid=2, block=64, args=(x := f32(129), x[1:]),
//:     twin=dict(args=(f32(129), zeros(128))))
// in and out are the same array, one element apart.
__global__ void aliased_shift(const float* in, float* out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];  // BUG: race
}

//: aliased_reverse(grid=4, block=64, args=(x := f32(256), x),
//:     twin=dict(args=(f32(256), zeros(256))))
__global__ void aliased_reverse(const float* in, float* out) {
    int i = blockIdx.x * 64 + threadIdx.x, n = gridDim.x * 64;
    out[n - 1 - i] = in[i];  // BUG: race
}

//: aliased_matmul(grid=1, block=(8, 8), args=(f32(64), x := f32(64), x),
//:     twin=dict(args=(f32(64), f32(64), zeros(64))))
__global__ void aliased_matmul(const float* A, const float* B, float* C) {
    int row = threadIdx.y, col = threadIdx.x;
    float acc = 0;
    for (int k = 0; k < 8; k++) acc += A[row * 8 + k] * B[k * 8 + col];  // OR: race
    C[row * 8 + col] = acc;  // BUG: race
}

//: overlapping_slices(grid=2, block=64, args=(f32(129), zeros(130)))
// Each block writes its own slice, and one more.
__global__ void overlapping_slices(const float* x, float* y) {
    int first = blockIdx.x * 64, i = first + threadIdx.x;
    y[i] = x[i];  // BUG: race
    if (threadIdx.x == 63) y[i + 1] = 2 * x[i + 1];  //- OR: race
    //+ if (i == 127) y[i + 1] = 2 * x[i + 1];
}

//: two_writers(grid=(2, 2), block=(16, 16), args=(f32(1024), zeros(1024), 32))
// Forgets that there are several blocks in y.
__global__ void two_writers(const float* x, float* y, int n) {
    int col = blockIdx.x * 16 + threadIdx.x, row = threadIdx.y;  //-
    //+ int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    y[row * n + col] = x[row * n + col] + blockIdx.y;  // BUG: race
}

//: rows_meet(grid=1, block=128, args=(f32(512), zeros(512)))
// Each thread owns four elements, but steps by three.
__global__ void rows_meet(const float* x, float* y) {
    int first = threadIdx.x * 3;  //-
    //+ int first = threadIdx.x * 4;
    for (int k = 0; k < 4; k++) y[first + k] = x[first + k] + k;  // BUG: race
}

//: scratch_for_all(grid=3, block=32, args=(f32(96), zeros(96), zeros(96)))
// The scratch is meant for one block.
__global__ void scratch_for_all(const float* x, float* scratch, float* y) {
    int tid = threadIdx.x, i = blockIdx.x * 32 + tid;
    float* mine = scratch;  //-
    //+ float* mine = scratch + blockIdx.x * 32;
    mine[tid] = x[i];  // BUG: race
    __syncthreads();
    y[i] = mine[31 - tid];  // OR: race
}

//: neighboring_bits(grid=1, block=64, args=(f32(64), zeros_u(2)))
// A bit has no address: each thread rewrites the whole word.
__global__ void neighboring_bits(const float* x, unsigned int* bits) {
    int i = threadIdx.x;
    if (x[i] > 0) bits[i % 2] |= 1u << (i / 2);  //- BUG: race
    //+ if (x[i] > 0) atomicOr(&bits[i % 2], 1u << (i / 2));
}
