"""CUDA C that stands in front of a kernel's text: what expressions call."""

from ..faults import NOTE

# Stands behind copy.cu.
GATHER = (
    NOTE
    + r"""
// y[i] = the element of x that element i of `index` chooses: its other indices are
// those of the view `rest`, which has a stride of 0 where the index stands.
template <typename T>
__global__ void gather(const T* x, Strides rest, long long step, long long size,
                       const long long* index, Strides view, T* y,
                       long long* fault, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long chosen = index[offset_of(i, view)];
    if (!chooses(chosen, size, BAD_INDEX, fault)) return;
    y[i] = x[offset_of(i, rest) + chosen * step];
}
"""
)

# Stands behind copy.cu.
SCATTER_ADD = (
    NOTE
    + r"""
// x[the element that `index` chooses] += element i of dy, for each i; `view`, `places`
// and `rest` are the views of dy, index and x for such i. x begins with zeros.
template <typename T, typename A>
__global__ void scatter_add(const T* dy, Strides view, const long long* index,
                            Strides places, A* x, Strides rest, long long step,
                            long long size, long long* fault, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long chosen = index[offset_of(i, places)];
    if (!chooses(chosen, size, BAD_INDEX, fault)) return;
    atomicAdd(x + offset_of(i, rest) + chosen * step, (A)dy[offset_of(i, view)]);
}
"""
)

# Stands behind copy.cu.
INDEX = (
    GATHER
    + r"""
// offsets[i] = the cells from an element to the one that element i of `index` chooses,
// in a dimension of `size` elements that lie `step` cells apart. Of several dimensions
// each adds its own: `before` says that some have.
__global__ void locate(const long long* index, Strides view, long long size,
                       long long step, long long* offsets, int before,
                       long long* fault, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long chosen = index[offset_of(i, view)];
    if (chosen < 0) chosen += size;
    if (!chooses(chosen, size, BAD_INDEX, fault)) chosen = 0;
    offsets[i] = (before ? offsets[i] : 0) + chosen * step;
}

// The reverse of `gather`: the chosen element of x = element i of the view of values.
template <typename T>
__global__ void put(T* x, Strides rest, const long long* offsets, Strides view,
                    const T* values, Strides value_view, INDEX n) {
    INDEX i = (INDEX)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T value = values[offset_of(i, value_view)];
    x[offset_of(i, rest) + offsets[offset_of(i, view)]] = value;
}
"""
)

NONZERO = r"""
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
"""
