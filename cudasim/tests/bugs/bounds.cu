//: guard(grid=2, block=64, args=(f32(100), f32(100), 100))
__global__ void guard(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i];  //- BUG: out-of-bounds
    //+ if (i < n) y[i] = 2 * x[i];
}

//: less_equal(grid=2, block=64, args=(f32(300), f32(300), 300))
__global__ void less_equal(const float* x, float* y, int n) {
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i <= n; i += gridDim.x * blockDim.x)  //-
    //+ for (int i = first; i < n; i += gridDim.x * blockDim.x)
        y[i] = x[i] + 1;  // BUG: out-of-bounds
}

//: guard_in_x_only(grid=(2, 2), block=(16, 8), args=(f32(300), 30, 10))
__global__ void guard_in_x_only(float* image, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w) return;  //-
    //+ if (x >= w || y >= h) return;
    image[y * w + x] *= 0.5f;  // BUG: out-of-bounds
}

//: negative_index(grid=2, block=64, args=(f32(128), f32(128)))
__global__ void negative_index(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float before = x[i - 1];  //- BUG: out-of-bounds
    //+ float before = i > 0 ? x[i - 1] : 0;
    y[i] = x[i] - before;
}

//: unsigned_underflow(grid=2, block=64, args=(f32(128), f32(128)))
__global__ void unsigned_underflow(const float* x, float* y) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i - 1 >= 0)  //-
    //+ if (i >= 1)
        y[i] = x[i - 1];  // BUG: out-of-bounds
}

//: negative_modulo(grid=2, block=64, args=(i32(64, 1),))
__global__ void negative_modulo(int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int hash = i * 1103515245 + 12345;
    int bin = hash % 64;  //-
    //+ int bin = (unsigned int)hash % 64;
    atomicAdd(&bins[bin], 1);  // BUG: out-of-bounds
}

//: value_too_large(grid=2, block=64, args=(u8(128, 11), i32(10, 1)))
__global__ void value_too_large(const unsigned char* data, int* bins) {
    int v = data[blockIdx.x * blockDim.x + threadIdx.x];
    //+ if (v < 10)
    atomicAdd(bins + v, 1);  // BUG: out-of-bounds
}

//: neighbor_at_the_end(grid=2, block=64, args=(f32(100), f32(100), 100))
__global__ void neighbor_at_the_end(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;  //-
    //+ if (i >= n - 1) return;
    y[i] = 0.5f * (x[i] + x[i + 1]);  // BUG: out-of-bounds
}

//: small_shared(grid=3, block=64, args=(f32(192), f32(192)))
__global__ void small_shared(const float* x, float* y) {
    __shared__ float s[32];  //-
    //+ __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = x[i];  // BUG: out-of-bounds
    __syncthreads();
    y[i] = s[63 - threadIdx.x];  // BUG: out-of-bounds
}

//: small_dynamic_shared(grid=2, block=64, args=(f32(128), f32(64), f32(128)),
//:     shared_mem=256, twin=dict(shared_mem=512))
// The launch gives room for one of the two arrays.
__global__ void small_dynamic_shared(const float* x, const float* w, float* y) {
    extern __shared__ float s[];
    float* weights = s + blockDim.x;
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    s[tid] = x[i];
    weights[tid] = w[tid];  // BUG: out-of-bounds
    __syncthreads();
    y[i] = s[tid ^ 1] * weights[tid ^ 1];  // BUG: out-of-bounds
}

//: row_overflow(grid=1, block=(16, 16), args=(f32(256), f32(256)))
// In bounds of the whole array, but not of its row.
__global__ void row_overflow(const float* x, float* y) {
    __shared__ float tile[17][16];
    int tx = threadIdx.x, ty = threadIdx.y, i = ty * 16 + tx;
    tile[ty][tx] = x[i];
    if (ty == 0) tile[16][tx] = 0;
    __syncthreads();
    y[i] = tile[ty][tx] - tile[ty][tx + 1];  //- BUG: out-of-bounds
    //+ y[i] = tile[ty][tx] - (tx < 15 ? tile[ty][tx + 1] : 0);
}

//: swapped_in_shared(grid=1, block=(32, 8), args=(f32(256), f32(256)))
__global__ void swapped_in_shared(const float* x, float* y) {
    __shared__ float tile[8][32];
    int tx = threadIdx.x, ty = threadIdx.y, i = ty * 32 + tx;
    tile[ty][tx] = x[i];
    __syncthreads();
    y[i] = tile[tx][ty];  //- BUG: out-of-bounds
    //+ y[i] = tile[7 - ty][31 - tx];
}

//: local_array(grid=2, block=64, args=(f32(640), f32(128), 5))
__global__ void local_array(const float* x, float* y, int taps) {
    float window[4];  //-
    //+ float window[5];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < taps; k++) window[k] = x[i * taps + k];  // BUG: out-of-bounds
    float most = window[0];
    for (int k = 1; k < taps; k++) most = fmaxf(most, window[k]);  // BUG: out-of-bounds
    y[i] = most;
}

//: constant_memory(grid=2, block=64, args=(f32(134), f32(128), 3))
__constant__ float weights[6] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f, 0.0f};  //-
//+ __constant__ float weights[7] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f, 0.0f, 0.0f};
__global__ void constant_memory(const float* x, float* y, int radius) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= 2 * radius; k++)
        sum += weights[k] * x[i + k];  // BUG: out-of-bounds
    y[i] = sum;
}

//: one_too_many(grid=2, block=64, args=(f32(512), f32(128), 4))
__global__ void one_too_many(const float* x, float* y, int chunk) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k <= chunk; k++)  //-
    //+ for (int k = 0; k < chunk; k++)
        sum += x[i * chunk + k];  // BUG: out-of-bounds
    y[i] = sum;
}

//: wrong_pitch(grid=(2, 10), block=32, args=(f32(500), f32(500), 50, 10))
__global__ void wrong_pitch(const float* x, float* y, int w, int h) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= w || row >= h) return;
    int pitch = gridDim.x * blockDim.x;  //-
    //+ int pitch = w;
    y[row * w + col] = x[row * pitch + col];  // BUG: out-of-bounds
}

//: behind_the_end(grid=1, block=32, args=(f32(320), f32(32), 10))
// Walks a row from its end, which is one behind the last element.
__global__ void behind_the_end(const float* x, float* y, int n) {
    const float* first = x + threadIdx.x * n;
    const float* p = first + n;
    float sum = 0;
    do {
        sum += *p;  //- BUG: out-of-bounds
        --p;  //-
        //+ --p;
        //+ sum += *p;
    } while (p > first);
    y[threadIdx.x] = sum;
}

//: float4_tail(grid=1, block=32, args=(f32(102), f32(102), 102))
__global__ void float4_tail(const float* x, float* y, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i < n) {  //-
    //+ if (i + 3 < n) {
        float4 v = *reinterpret_cast<const float4*>(x + i);  // BUG: out-of-bounds
        v.x += 1, v.y += 1, v.z += 1, v.w += 1;
        *reinterpret_cast<float4*>(y + i) = v;  // BUG: out-of-bounds
    }
    //+ else for (int j = i; j < n; j++) y[j] = x[j] + 1;
}

//: swapped_dimensions(grid=(2, 2), block=(16, 16), args=(f32(600), f32(600), 30, 20))
__global__ void swapped_dimensions(const float* x, float* y, int w, int h) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= w || row >= h) return;
    y[row * w + col] = x[col * w + row];  //- BUG: out-of-bounds
    //+ y[row * w + col] = x[row * w + col];
}

//: swapped_thread_number(grid=1, block=(32, 8), args=(f32(256), f32(256)))
__global__ void swapped_thread_number(const float* x, float* y) {
    int i = threadIdx.x * blockDim.x + threadIdx.y;  //-
    //+ int i = threadIdx.y * blockDim.x + threadIdx.x;
    y[i] = sqrtf(fabsf(x[i]));  // BUG: out-of-bounds
}

//: bytes_for_elements(grid=2, block=64, args=(f32(128), f32(128)))
__global__ void bytes_for_elements(const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float* p = x + i * sizeof(float);  //-
    //+ const float* p = x + i;
    y[i] = *p;  // BUG: out-of-bounds
}

//: length_zero(grid=1, block=1, args=(f32(64), np.uint64(0)))
__global__ void length_zero(float* x, size_t n) {
    //+ if (n > 0)
    x[n - 1] = 3;  // BUG: out-of-bounds
}

//: far_away(grid=1, block=1, args=(f32(64), f32(64)))
__global__ void far_away(const float* x, float* y) {
    long long far = 1ll << 40;  //-
    //+ long long far = 40;
    float v = x[far];  // BUG: out-of-bounds
    y[far] = v;  // BUG: out-of-bounds
}

//: huge_stride(grid=2, block=32, args=(f32(64), np.int64(10**12)),
//:     twin=dict(args=(f32(64), np.int64(1))))
__global__ void huge_stride(float* x, long long n) {
    long long i = (blockIdx.x * 32 + threadIdx.x) * n;
    x[i] = 1;  // BUG: out-of-bounds
}

//: far_in_shared(grid=1, block=4, args=(f32(4), np.int64(10**12)),
//:     twin=dict(args=(f32(4), np.int64(1))))
__global__ void far_in_shared(float* x, long long n) {
    __shared__ float row[4], tile[4][4];
    row[threadIdx.x * n] = 1;  // BUG: out-of-bounds
    tile[threadIdx.x][n] = 2;  // BUG: out-of-bounds
    tile[n][threadIdx.x] = 3;  // BUG: out-of-bounds
    x[threadIdx.x] = 4;
}

//: far_in_local(grid=1, block=4, args=(f32(4), np.int64(10**12)),
//:     twin=dict(args=(f32(4), np.int64(1))))
__global__ void far_in_local(float* x, long long n) {
    float row[4] = {}, table[4][4] = {};
    row[threadIdx.x * n] = 1;  // BUG: out-of-bounds
    table[threadIdx.x][n] = 2;  // BUG: out-of-bounds
    x[threadIdx.x] = row[0]
        + table[n][threadIdx.x];  // BUG: out-of-bounds
}

//: far_member(grid=1, block=4, args=(f32(16), 1 << 30), twin=dict(args=(f32(16), 0)))
// Counted in floats, the index is 2 to the power of 32.
__global__ void far_member(float* x, int far) {
    reinterpret_cast<float4*>(x)[far + threadIdx.x].w = 1;  // BUG: out-of-bounds
}

//: indices_of_both_signs(grid=1, block=32, args=(f32(32), np.uint64(0)))
// A row that is signed, a column that is not.
__global__ void indices_of_both_signs(float* x, size_t n) {
    __shared__ float tile[8][4];
    size_t column = threadIdx.x % 4 + n;
    long long row = threadIdx.x / 4;
    tile[row][column] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[7 - row][column];
}
