template <typename T, typename Op>
__device__ T unused_template(T a, Op b) { return a + b; }
extern "C" __global__ void softmax(const float* x, float* y, int n) {
    __shared__ float s[256];
    const float* row = x + blockIdx.x * n;
    int tid = threadIdx.x;
    float m = -__int_as_float(0x7f800000);
    for (int i = tid; i < n; i += blockDim.x) m = fmaxf(m, row[i]);
    s[tid] = m;
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (tid < d) s[tid] = fmaxf(s[tid], s[tid + d]);
        __syncthreads();
    }
    m = s[0];
    __syncthreads();
    float sum = 0.0f;
    for (int i = tid; i < n; i += blockDim.x) sum += __expf(row[i] - m);
    s[tid] = sum;
    __syncthreads();
    for (int d = 128; d; d >>= 1) {
        if (tid < d) s[tid] += s[tid + d];
        __syncthreads();
    }
    for (int i = tid; i < n; i += blockDim.x) y[blockIdx.x * n + i] = expf(row[i] - m) / s[0];
}
