#define TM 4
#define TN 4
extern "C" __global__ void matmul_registers(const float* A, const float* B, float* C,
                                            int M, int N, int K) {
    float acc[TM][TN] = {};
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * TM;
    int col = (blockIdx.x * blockDim.x + threadIdx.x) * TN;
    for (int k = 0; k < K; ++k) {
        float4 b = reinterpret_cast<const float4*>(&B[k * N + col])[0];
        float bs[TN] = {b.x, b.y, b.z, b.w};
#pragma unroll
        for (int i = 0; i < TM; ++i) {
            float a = A[(row + i) * K + k];
            for (int j = 0; j < TN; ++j) acc[i][j] += a * bs[j];
        }
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) C[(row + i) * N + col + j] = acc[i][j];
}
