#include <cuda_bf16.h>
extern "C" __global__ void bfloat_sum(const __nv_bfloat16* x, float* out, int n) {
    float acc = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) acc += __bfloat162float(x[i]);
    atomicAdd(out, acc);
}
