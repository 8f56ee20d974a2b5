template <int THREADS>
__device__ float block_sum(float v) {
    __shared__ float s[THREADS];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = THREADS / 2; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    float total = s[0];
    __syncthreads();
    return total;
}
extern "C" __global__ void __launch_bounds__(128) layernorm(const float* x, float* y,
        const float* gamma, const float* beta, int C, float eps) {
    const float* row = x + blockIdx.x * C;
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < C; i += 128) { sum += row[i]; square += row[i] * row[i]; }
    float mean = block_sum<128>(sum) / C;
    float var = block_sum<128>(square) / C - mean * mean;
    float scale = rsqrtf(var + eps);
    for (int i = threadIdx.x; i < C; i += 128)
        y[blockIdx.x * C + i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}
