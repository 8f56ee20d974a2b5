// Rows in order, and where each element of a row came from; equal elements stay in the
// order in which they stood, and NaN counts as the largest.
//
// First each block sorts a tile, then sorted runs are merged, two and two, until a row
// is one run. A is compared: float for half and bfloat16 (with #include <cuda_fp16.h> or
// <cuda_bf16.h> in front).

#define TILE 512  // two elements a thread

// Must a stand before b?
template <int DOWN, typename A>
__device__ bool precedes(A a, A b) {
    if constexpr (DOWN) return a > b || (a != a && b == b);
    else return a < b || (b != b && a == a);
}

// A block a tile of a row of n elements, by a bitonic network: in each round elements
// `gap` apart are compared, and swapped where they stand the wrong way round.
template <int DOWN, typename T, typename A = T>
__global__ void sort_tiles(const T* x, T* y, long long* places, long long n) {
    __shared__ T values[TILE];
    __shared__ int from[TILE];
    long long tiles = (n + TILE - 1) / TILE, begin = blockIdx.x % tiles * TILE;
    long long row = blockIdx.x / tiles * n;
    int count = (int)min((long long)TILE, n - begin);

    for (int i = threadIdx.x; i < TILE; i += blockDim.x) {
        from[i] = i;
        if (i < count) values[i] = x[row + begin + i];
    }
    for (int size = 2; size <= TILE; size *= 2)
        for (int gap = size / 2; gap > 0; gap /= 2) {
            __syncthreads();
            int i = 2 * threadIdx.x - (threadIdx.x & (gap - 1)), j = i + gap;
            bool swapped = from[j] < from[i];  // what is past the row's end stays last
            if (from[i] < count && from[j] < count) {
                A a = (A)values[from[i]], b = (A)values[from[j]];
                swapped = precedes<DOWN>(b, a) || (swapped && !precedes<DOWN>(a, b));
            }
            if (swapped == ((i & size) == 0)) {
                int kept = from[i];
                from[i] = from[j];
                from[j] = kept;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        y[row + begin + i] = values[from[i]];
        places[row + begin + i] = begin + from[i];
    }
}

// A thread an element of `some`, rows of n elements whose runs of `width` are sorted.
// Its new place is the old one in its run, and how many of the other run come first.
template <int DOWN, typename T, typename A = T>
__global__ void merge_runs(const T* some, const long long* from, T* y,
                           long long* places, long long n, long long width,
                           long long total) {
    long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= total) return;
    long long row = at / n * n, i = at - row;
    long long first = i / (2 * width) * (2 * width);
    long long middle = min(first + width, n), end = min(first + 2 * width, n);
    bool left = i < middle;
    long long low = left ? middle : first, high = left ? end : middle, start = low;
    A own = (A)some[at];

    while (low < high) {
        long long half_way = (low + high) / 2;
        A other = (A)some[row + half_way];
        bool comes_first = left ? precedes<DOWN>(other, own)
                                : !precedes<DOWN>(own, other);
        if (comes_first) low = half_way + 1;
        else high = half_way;
    }
    long long place = row + (left ? i : i - (middle - first)) + (low - start);
    y[place] = some[at];
    places[place] = from[at];
}
