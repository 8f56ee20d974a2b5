// Is this block the last of `blocks` to come here? If so, it may read what the first
// warps of the others have written before. *ticket counts the blocks: it is 0 before,
// and the last block's atomicInc makes it 0 again.
__device__ bool is_last(unsigned int* ticket, unsigned int blocks) {
    __shared__ bool last;
    if (threadIdx.x < 32 && threadIdx.y == 0) {
        __threadfence();  // what was written comes before the count
        __syncwarp();
        if (threadIdx.x == 0) {
            last = atomicInc(ticket, blocks - 1) == blocks - 1;
            __threadfence();  // and is followed by what is read
        }
    }
    __syncthreads();
    return last;
}
