extern "C" __global__ void debug(const int* x, int n) {
    int i = threadIdx.x;
    assert(n <= 32 && "one warp only");
    unsigned active = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
    if (i == 0) printf("%d of %d positive, block %u\n", __popc(active), n, blockIdx.x);
    __syncwarp();
}
