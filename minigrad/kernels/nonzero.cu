// Where are the elements that are true? In three launches, blocks of 256 threads:
// each block counts its own, one block adds the counts up, each block writes.

__global__ void count_true(const bool* x, long long* counts, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int count = __syncthreads_count(i < n && x[i]);
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// counts[b] = how many stand before block b, and counts[blocks] = how many in all.
// One block: each thread adds up its share of the counts, the first one the shares.
__global__ void add_counts(long long* counts, long long blocks) {
    __shared__ long long before[256];
    long long share = (blocks + blockDim.x - 1) / blockDim.x;
    long long first = min(threadIdx.x * share, blocks);
    long long last = min(first + share, blocks), sum = 0;

    for (long long b = first; b < last; b++) sum += counts[b];
    before[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        long long total = 0;
        for (int t = 0; t < blockDim.x; t++) {
            long long own = before[t];
            before[t] = total;
            total += own;
        }
        counts[blocks] = total;
    }
    __syncthreads();
    sum = before[threadIdx.x];
    for (long long b = first; b < last; b++) {
        long long own = counts[b];
        counts[b] = sum;
        sum += own;
    }
}

// places[...] = i where x[i] is true, in order.
__global__ void write_places(const bool* x, const long long* counts, long long* places,
                             long long n) {
    __shared__ int warps[8];
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool mine = i < n && x[i];

    unsigned int votes = __ballot_sync(0xffffffff, mine);
    if (lane == 0) warps[warp] = __popc(votes);
    __syncthreads();
    if (!mine) return;
    long long place = counts[blockIdx.x] + __popc(votes & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++) place += warps[w];
    places[place] = i;
}
