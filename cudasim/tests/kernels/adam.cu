extern "C" __global__ void adam(float* p, const float* g, float* m, float* v, int n,
                                float lr, float b1, float b2, float eps, int t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    m[i] = b1 * m[i] + (1 - b1) * g[i];
    v[i] = b2 * v[i] + (1 - b2) * g[i] * g[i];
    float mh = m[i] / (1 - powf(b1, t)), vh = v[i] / (1 - powf(b2, t));
    p[i] -= lr * mh / (sqrtf(vh) + eps);
}
