__device__ float gelu(float x) {
    const float k = 0.7978845608f;
    return 0.5f * x * (1.0f + tanhf(k * (x + 0.044715f * x * x * x)));
}
extern "C" __global__ void gelu_forward(const float4* x, float4* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = x[i];
    y[i] = make_float4(gelu(v.x), gelu(v.y), gelu(v.z), gelu(v.w));
}
