#define RADIUS 3
#ifndef BLOCK
#define BLOCK 128
#endif
extern "C" __global__ void stencil(const int* in, int* out, int n) {
    __shared__ int tile[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x, l = threadIdx.x + RADIUS;
    tile[l] = g < n ? in[g] : 0;
    if (threadIdx.x < RADIUS) {
        tile[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
        tile[l + BLOCK] = g + BLOCK < n ? in[g + BLOCK] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int o = -RADIUS; o <= RADIUS; o++) sum += tile[l + o];
    if (g < n) out[g] = sum;
}
