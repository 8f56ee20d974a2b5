"""CUDA C that stands in front of a kernel's text: what expressions call."""

from ..faults import NOTE

HELPERS = r"""
// Division with the quotient rounded down, as in Python; NaN and infinities as PyTorch.
template <typename M>
__device__ M remainder_of(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if constexpr ((M)-1 < (M)0) if (b == (M)-1) return 0;
        M rest = a % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
        M rest = fmod(a, b);
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
}

template <typename M>
__device__ M floor_divide(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if constexpr ((M)-1 < (M)0) if (b == (M)-1) return -a;
        M quotient = a / b;
        return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    } else {
        if (b == 0) return a / b;
        M rest = fmod(a, b), quotient = (a - rest) / b;
        if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
        if (quotient == 0) return copysign((M)0, a / b);
        M down = floor(quotient);
        return quotient - down > (M)0.5 ? down + 1 : down;
    }
}

// Division with the quotient rounded to zero.
template <typename M>
__device__ M trunc_divide(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if constexpr ((M)-1 < (M)0) if (b == (M)-1) return -a;
        return a / b;
    } else return trunc(a / b);
}

// a to the power of b. Of whole numbers with b < 0: 1 / a^-b without its fraction.
template <typename M>
__device__ M power(M a, M b) {
    if constexpr ((M)0.5 == (M)0) {
        if (b < 0) return a == 1 ? 1 : a == (M)-1 ? ((b & 1) ? -1 : 1) : 0;
        M result = 1;
        for (; b > 0; b /= 2) {
            if (b & 1) result *= a;
            a *= a;
        }
        return result;
    } else return pow(a, b);
}

template <typename M>
__device__ M clamped(M x, M low, M high) {
    M y = x < low || low != low ? low : x;
    return y > high || high != high ? high : y;
}

template <typename M>
__device__ M gelu(M x) {
    return (M)0.5 * x * (1 + erf(x * (M)0.70710678118654752));
}

template <typename M>
__device__ M gelu_tanh(M x) {
    M inner = (M)0.79788456080286536 * (x + (M)0.044715 * x * x * x);
    return (M)0.5 * x * (1 + tanh(inner));
}

// Their derivatives; 0.39894228040143268 is 1 / sqrt(2 pi).
template <typename M>
__device__ M gelu_slope(M x) {
    M density = (M)0.39894228040143268 * exp((M)-0.5 * x * x);
    return (M)0.5 * (1 + erf(x * (M)0.70710678118654752)) + x * density;
}

template <typename M>
__device__ M gelu_tanh_slope(M x) {
    M t = tanh((M)0.79788456080286536 * (x + (M)0.044715 * x * x * x));
    M inner = (M)0.39894228040143268 * (1 + (M)0.134145 * x * x);
    return (M)0.5 * (1 + t) + x * (1 - t * t) * inner;
}
"""

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
