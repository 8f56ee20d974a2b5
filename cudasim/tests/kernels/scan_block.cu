extern "C" __global__ void scan(const int* in, int* out, int n) {
    extern __shared__ int buf[];
    int tid = threadIdx.x, from = 0, to = 1;
    buf[tid] = tid < n ? in[tid] : 0;
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        buf[to * n + tid] = buf[from * n + tid] + (tid >= d ? buf[from * n + tid - d] : 0);
        from ^= 1; to ^= 1;
        __syncthreads();
    }
    if (tid < n) out[tid] = buf[from * n + tid];
}
