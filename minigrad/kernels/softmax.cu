// softmax of each row: y = exp(x - m) / l, where m is the row's maximum and l the sum
// of all exp(x - m). Without m, exp overflows at 89.
//
// x and y are rows x n, row by row, n > 0. T is their element; A is computed in: float,
// also for half and bfloat16 (with their header in front), double for double.
// LOG = 1 is log_softmax: y = x - m - log(l), where a tiny y is no logarithm of 0.
// A NaN in a row makes l NaN, and so the whole row; m need not know of it.
// Blocks have one dimension and whole warps, unless a kernel says otherwise.

#define NOTHING (A)__int_as_float((int)0xff800000)  // minus infinity: exp makes it 0

// The result, of one division or logarithm a row: rest is 1 / l, or log(l).
template <int LOG, typename A>
__device__ A softmax_of(A x, A m, A rest) {
    if constexpr (LOG) return x - m - rest;
    else return exp(x - m) * rest;
}

template <int LOG, typename A>
__device__ A rest_of(A l) {
    if constexpr (LOG) return log(l);
    else return 1 / l;
}

// ------------------------------------------------- three passes

// A thread a row reads it three times: maximum, sum, result.
// Neighboring threads read a whole row apart, and few rows keep few threads busy.
template <typename T, int LOG = 0, typename A = T>
__global__ void softmax_three_pass(const T* x, T* y, long long rows, long long n) {
    long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    x += row * n;
    y += row * n;

    A m = (A)x[0], l = 0;
    for (long long i = 1; i < n; i++) m = (A)x[i] > m ? (A)x[i] : m;
    for (long long i = 0; i < n; i++) l += exp((A)x[i] - m);
    A rest = rest_of<LOG>(l);
    for (long long i = 0; i < n; i++) y[i] = (T)softmax_of<LOG>((A)x[i], m, rest);
}

// A block a row: the maximum and the sum are trees in shared memory. blockIdx.x is the
// row; blockDim.x is a power of two. Reads are coalesced, but there are still three.
template <typename T, int LOG = 0, typename A = T>
__global__ void softmax_shared(const T* x, T* y, long long n) {
    __shared__ A partial[1024];
    int tid = threadIdx.x;
    x += blockIdx.x * n;
    y += blockIdx.x * n;

    A m = (A)x[0];
    for (long long i = tid; i < n; i += blockDim.x) m = (A)x[i] > m ? (A)x[i] : m;
    partial[tid] = m;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half && partial[tid + half] > partial[tid])
            partial[tid] = partial[tid + half];
    }
    __syncthreads();
    m = partial[0];
    __syncthreads();

    A l = 0;
    for (long long i = tid; i < n; i += blockDim.x) l += exp((A)x[i] - m);
    partial[tid] = l;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (tid < half) partial[tid] += partial[tid + half];
    }
    __syncthreads();
    A rest = rest_of<LOG>(partial[0]);
    for (long long i = tid; i < n; i += blockDim.x)
        y[i] = (T)softmax_of<LOG>((A)x[i], m, rest);
}

// ------------------------------------------------- one pass for both: (m, l)
//
// A pair says of some elements: m is their maximum, l the sum of their exp(x - m). Two
// pairs make one, if the smaller m's sum is scaled by exp(m - larger m). Milakov and
// Gimelshein: Online normalizer calculation for softmax (2018).

// What m begins with: the least number, not minus infinity, which taken from itself
// is NaN.
__device__ float least(float) { return -3.402823466e+38f; }
__device__ double least(double) { return -1.7976931348623157e+308; }

template <typename A>
__device__ void add_pair(A& m, A& l, A other_m, A other_l) {
    A top = m > other_m ? m : other_m;
    l = l * exp(m - top) + other_l * exp(other_m - top);
    m = top;
}

// The pairs of a block as one, in every thread.
template <typename A>
__device__ void block_pair(A& m, A& l) {
    __shared__ A ms[32], ls[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

    for (int d = 16; d > 0; d /= 2)
        add_pair(m, l, __shfl_xor_sync(0xffffffff, m, d),
                 __shfl_xor_sync(0xffffffff, l, d));
    if (lane == 0) { ms[warp] = m; ls[warp] = l; }
    __syncthreads();
    m = lane < warps ? ms[lane] : least(A());
    l = lane < warps ? ls[lane] : (A)0;
    for (int d = 16; d > 0; d /= 2)
        add_pair(m, l, __shfl_xor_sync(0xffffffff, m, d),
                 __shfl_xor_sync(0xffffffff, l, d));
}

// One pass for the pair, one for the result: two reads of the row instead of three, and
// one barrier. Costs an exponential more for every 4 elements, so it is faster only for
// rows so long that the caches do not keep them.
template <typename T, int LOG = 0, typename A = T>
__global__ void softmax_online(const T* x, T* y, long long n) {
    x += blockIdx.x * n;
    y += blockIdx.x * n;

    A m = least(A()), l = 0;
    for (long long i = threadIdx.x; i < n; i += 4 * blockDim.x) {
        A value[4], top = m;
        for (int j = 0; j < 4; j++) {
            value[j] = i + j * blockDim.x < n ? (A)x[i + j * blockDim.x] : NOTHING;
            top = value[j] > top ? value[j] : top;
        }
        l *= exp(m - top);
        for (int j = 0; j < 4; j++) l += exp(value[j] - top);
        m = top;
    }
    block_pair(m, l);
    A rest = rest_of<LOG>(l);
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = (T)softmax_of<LOG>((A)x[i], m, rest);
}

// ------------------------------------------------- one read: the row in registers
//
// A thread keeps PACKS packs of 16 bytes. n is a multiple of the elements of a pack, at
// most PACKS packs for each thread of a row; x and y begin at a multiple of 16 bytes.

// The row is read once, 16 bytes at a time, and its exponentials are made once, with
// the thread's own maximum; the row's comes in by one factor. A block a row. Costs
// registers: the longest row is what a block's registers hold.
template <typename T, int PACKS, int LOG = 0, typename A = T>
__global__ void softmax_registers(const T* x, T* y, int n) {
    const int N = 16 / sizeof(T);
    __align__(16) T pack[N];
    A row[PACKS][N], m = least(A()), l = 0;
    x += (long long)blockIdx.x * n;
    y += (long long)blockIdx.x * n;

    for (int p = 0; p < PACKS; p++) {
        int i = (p * blockDim.x + threadIdx.x) * N;
        if (i < n) *(float4*)pack = *(const float4*)(x + i);
        for (int j = 0; j < N; j++) {
            row[p][j] = i < n ? (A)pack[j] : NOTHING;
            m = row[p][j] > m ? row[p][j] : m;
        }
    }
    A own = m;
    for (int p = 0; p < PACKS; p++)
        for (int j = 0; j < N; j++) {
            A e = exp(row[p][j] - own);
            l += e;
            if constexpr (!LOG) row[p][j] = e;
        }
    block_pair(m, l);
    A rest = rest_of<LOG>(l), factor = exp(own - m) * rest;
    for (int p = 0; p < PACKS; p++) {
        int i = (p * blockDim.x + threadIdx.x) * N;
        for (int j = 0; j < N; j++)
            pack[j] = (T)(LOG ? row[p][j] - m - rest : row[p][j] * factor);
        if (i < n) *(float4*)(y + i) = *(float4*)pack;
    }
}

// ------------------------------------------------- backward
//
// Of y = softmax(x): dx = (dy - sum(dy * y)) * y. Of y = log_softmax(x):
// dx = dy - exp(y) * sum(dy). dy, y and dx are rows x n.

// A block a row: the sum is a tree of shuffles, as in block_pair. Two reads of both.
template <typename T, int LOG = 0, typename A = T>
__global__ void softmax_backward(const T* dy, const T* y, T* dx, long long n) {
    __shared__ A partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    dy += blockIdx.x * n;
    y += blockIdx.x * n;
    dx += blockIdx.x * n;

    A sum = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        sum += LOG ? (A)dy[i] : (A)dy[i] * (A)y[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    sum = lane < blockDim.x / 32 ? partial[lane] : (A)0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);

    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
        A g = (A)dy[i], value = (A)y[i];
        if constexpr (LOG) dx[i] = (T)(g - exp(value) * sum);
        else dx[i] = (T)((g - sum) * value);
    }
}
