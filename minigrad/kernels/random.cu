// Random numbers: Philox4x32-10, a function of a seed and a counter, so that every
// thread can compute its own. Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
// easy as 1, 2, 3 (2011). T is the element. Blocks of one dimension.

// Block number `counter` of the random numbers of a seed: four words of 32 bits.
__device__ uint4 philox(unsigned long long seed, unsigned long long counter) {
    unsigned int x = counter, y = counter >> 32, z = 0, w = 0, k = seed, l = seed >> 32;
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xD2511F53ull * x, b = 0xCD9E8D57ull * z;
        x = (unsigned int)(b >> 32) ^ y ^ k;
        y = (unsigned int)b;
        z = (unsigned int)(a >> 32) ^ w ^ l;
        w = (unsigned int)a;
        k += 0x9E3779B9u;
        l += 0xBB67AE85u;
    }
    return make_uint4(x, y, z, w);
}

// The number that two words stand for. KIND 0: in [0, 1); 1: normal; 2: low + whole.
// The logarithm and the cosine are of double, so that every device rounds them alike.
template <typename T, int KIND>
__device__ T number(unsigned long long a, unsigned long long b, int bits,
                    long long low, unsigned long long count) {
    if constexpr (KIND == 0) {
        unsigned long long top = (a << 32 | b) >> (64 - bits);
        return (T)((double)top * exp2(-(double)bits));
    }
    else if constexpr (KIND == 1) {
        double radius = sqrt(-2 * log((a + 1.0) * 2.3283064365386963e-10));
        return (T)(radius * cos(b * (2.3283064365386963e-10 * 6.283185307179586)));
    } else return (T)(low + (long long)((a << 32 | b) % count));
}

// A thread draws two numbers. state: null; or, where a captured launch is made again,
// the seed and what to add to `first`.
template <typename T, int KIND>
__global__ void draw(T* y, long long n, unsigned long long seed,
                     unsigned long long first, int bits, long long low,
                     unsigned long long count, const unsigned long long* state) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n) return;
    if (state) seed = state[0], first += state[1];
    uint4 words = philox(seed, first + i);
    y[2 * i] = number<T, KIND>(words.x, words.y, bits, low, count);
    if (2 * i + 1 == n) return;
    y[2 * i + 1] = number<T, KIND>(words.z, words.w, bits, low, count);
}

// ------------------------------------------------- dropout
//
// y = x * scale where an element is kept, else 0. Element i takes the number i of the
// blocks from `first` on, as `draw` does, and is kept if the upper 24 bits of its word
// are below `limit`, the chance times 2^24. So the mask need not be stored: backward
// draws the same numbers once more, and is this kernel with dy. A is computed in.

// A thread two elements: a block of Philox has the words for both.
template <typename T, typename A = T>
__global__ void dropout(const T* x, T* y, unsigned long long seed,
                        unsigned long long first, unsigned int limit, A scale,
                        long long n, const unsigned long long* state) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n) return;
    if (state) seed = state[0], first += state[1];
    uint4 words = philox(seed, first + i);
    y[2 * i] = words.x >> 8 < limit ? (T)((A)x[2 * i] * scale) : (T)0;
    if (2 * i + 1 == n) return;
    y[2 * i + 1] = words.z >> 8 < limit ? (T)((A)x[2 * i + 1] * scale) : (T)0;
}
