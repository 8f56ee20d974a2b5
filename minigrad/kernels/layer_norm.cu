// Mean and variance of rows, and what needs them: layer norm.
//
// x is rows x n, row by row. T is its element; A is computed in: float, also for half
// and bfloat16 (with their header in front), double for double. layer_norm: y = (x -
// mean) * rstd * gamma + beta, rstd = 1 / sqrt(var + eps), where var is divided by n.
// mean and rstd are kept, one for each row: backward needs them. A block a row:
// blockIdx.x is the row. Blocks have one dimension and whole warps. n > 0, but for
// variance. E[x^2] - E[x]^2 would be one pass, too, and wrong: with a mean of 10000 and
// float, both are 10^8, and the variance is what rounding leaves of them.

// The block's sum, in every thread.
template <typename A>
__device__ A block_sum(A value) {
    __shared__ A partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffff, value, d);
    __syncthreads();  // the last sum has been read
    if (lane == 0) partial[warp] = value;
    __syncthreads();
    value = lane < blockDim.x / 32 ? partial[lane] : (A)0;
    for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffff, value, d);
    return value;
}

// Mean first, then the squares of what is left of it.
// Costs three reads of the row, and four barriers.
template <typename T, typename A = T>
__global__ void layer_norm_two_pass(const T* x, const T* gamma, const T* beta, T* y,
                                    A* mean, A* rstd, long long n, A eps) {
    long long row = blockIdx.x;
    x += row * n;
    y += row * n;

    A sum = 0, squares = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += (A)x[i];
    A m = block_sum(sum) / (A)n;
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        squares += ((A)x[i] - m) * ((A)x[i] - m);
    A r = 1 / sqrt(block_sum(squares) / (A)n + eps);
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = (T)(((A)x[i] - m) * r * (A)gamma[i] + (A)beta[i]);
    if (threadIdx.x == 0) { mean[row] = m; rstd[row] = r; }
}

// ------------------------------------------------- Welford: one pass for both
//
// Of some elements: their number, their mean, and m2, the sum of the squares of their
// distances from it. Welford (1962) adds an element, Chan and others (1979) join two.

template <typename A>
__device__ void add_element(A x, A& count, A& mean, A& m2) {
    count += 1;
    A before = x - mean;
    mean += before / count;
    m2 += before * (x - mean);
}

template <typename A>
__device__ void join(A& count, A& mean, A& m2, A count_b, A mean_b, A m2_b) {
    A total = count + count_b, apart = mean_b - mean;
    A share = total > 0 ? count_b / total : (A)0;
    mean += apart * share;
    m2 += m2_b + apart * apart * count * share;
    count = total;
}

template <typename A>
__device__ void warp_join(A& count, A& mean, A& m2) {
    for (int d = 16; d > 0; d /= 2) {
        A count_b = __shfl_xor_sync(0xffffffff, count, d);
        A mean_b = __shfl_xor_sync(0xffffffff, mean, d);
        A m2_b = __shfl_xor_sync(0xffffffff, m2, d);
        join(count, mean, m2, count_b, mean_b, m2_b);
    }
}

// What the block's threads have seen, as one, in every thread.
template <typename A>
__device__ void block_join(A& count, A& mean, A& m2) {
    __shared__ A counts[32], means[32], m2s[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

    warp_join(count, mean, m2);
    if (lane == 0) { counts[warp] = count; means[warp] = mean; m2s[warp] = m2; }
    __syncthreads();
    count = lane < warps ? counts[lane] : (A)0;
    mean = lane < warps ? means[lane] : (A)0;
    m2 = lane < warps ? m2s[lane] : (A)0;
    warp_join(count, mean, m2);
}

// The variance of each row, divided by n - correction, and its mean.
// One read of the row. Costs a division an element, where two passes have none.
template <typename T, typename A = T>
__global__ void variance(const T* x, T* mean, T* var, long long n, A correction) {
    x += blockIdx.x * n;

    A count = 0, m = 0, m2 = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        add_element((A)x[i], count, m, m2);
    block_join(count, m, m2);
    if (threadIdx.x > 0) return;
    mean[blockIdx.x] = (T)(n > 0 ? m : m2 / count);
    A left = count - correction;
    var[blockIdx.x] = (T)(m2 / (left > 0 ? left : (A)0));
}

// Mean and variance in one read, and a second one for the result.
template <typename T, typename A = T>
__global__ void layer_norm_welford(const T* x, const T* gamma, const T* beta, T* y,
                                   A* mean, A* rstd, long long n, A eps) {
    long long row = blockIdx.x;
    x += row * n;
    y += row * n;

    A count = 0, m = 0, m2 = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        add_element((A)x[i], count, m, m2);
    block_join(count, m, m2);
    A r = 1 / sqrt(m2 / (A)n + eps);
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = (T)(((A)x[i] - m) * r * (A)gamma[i] + (A)beta[i]);
    if (threadIdx.x == 0) { mean[row] = m; rstd[row] = r; }
}

// The row stays in registers, 16 bytes at a time: one read, and two passes over it cost
// nothing. n is a multiple of the elements of a pack, at most PACKS packs for each
// thread; x, gamma, beta and y begin at a multiple of 16 bytes.
template <typename T, int PACKS, typename A = T>
__global__ void layer_norm_registers(const T* x, const T* gamma, const T* beta, T* y,
                                     A* mean, A* rstd, int n, A eps) {
    const int N = 16 / sizeof(T);
    __align__(16) T in[PACKS][N], scale[N], shift[N];
    long long row = blockIdx.x;
    x += row * n;
    y += row * n;

    A sum = 0, squares = 0;
    for (int p = 0; p < PACKS; p++) {
        int i = (p * blockDim.x + threadIdx.x) * N;
        if (i < n) *(float4*)in[p] = *(const float4*)(x + i);
    }
    for (int p = 0; p < PACKS; p++)
        for (int j = 0; j < N; j++)
            if ((p * blockDim.x + threadIdx.x) * N < n) sum += (A)in[p][j];
    A m = block_sum(sum) / (A)n;
    for (int p = 0; p < PACKS; p++)
        for (int j = 0; j < N; j++)
            if ((p * blockDim.x + threadIdx.x) * N < n)
                squares += ((A)in[p][j] - m) * ((A)in[p][j] - m);
    A r = 1 / sqrt(block_sum(squares) / (A)n + eps);
    for (int p = 0; p < PACKS; p++) {
        int i = (p * blockDim.x + threadIdx.x) * N;
        if (i >= n) continue;
        *(float4*)scale = *(const float4*)(gamma + i);
        *(float4*)shift = *(const float4*)(beta + i);
        for (int j = 0; j < N; j++)
            in[p][j] = (T)(((A)in[p][j] - m) * r * (A)scale[j] + (A)shift[j]);
        *(float4*)(y + i) = *(float4*)in[p];
    }
    if (threadIdx.x == 0) { mean[row] = m; rstd[row] = r; }
}

// ------------------------------------------------- backward
//
// With g = dy * gamma and h = (x - mean) * rstd: dx = (g - mean(g) - h * mean(g * h)) *
// rstd: without what of g only moves or stretches the row, which layer norm undoes.

// Mean and rstd are computed anew: three reads of x and two of dy.
template <typename T, typename A = T>
__global__ void layer_norm_backward(const T* dy, const T* x, const T* gamma, T* dx,
                                    long long n, A eps) {
    dy += blockIdx.x * n;
    x += blockIdx.x * n;
    dx += blockIdx.x * n;

    A count = 0, m = 0, m2 = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x)
        add_element((A)x[i], count, m, m2);
    block_join(count, m, m2);
    A r = 1 / sqrt(m2 / (A)n + eps), sum = 0, product = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
        A g = (A)dy[i] * (A)gamma[i];
        sum += g;
        product += g * ((A)x[i] - m) * r;
    }
    sum = block_sum(sum) / (A)n;
    product = block_sum(product) / (A)n;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
        A h = ((A)x[i] - m) * r;
        dx[i] = (T)(((A)dy[i] * (A)gamma[i] - sum - h * product) * r);
    }
}
