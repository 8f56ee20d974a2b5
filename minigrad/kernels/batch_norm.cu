// Batch norm: y = (x - mean) / sqrt(var + eps) * weight + bias, with mean and var of x's
// channel over all images and places; or with those that running averages keep.
//
// x is N x C x L, row by row (L: the places of an image). T is its element; A is
// computed in: float, also for half and bfloat16, double for double; mean, var, weight,
// bias and what is kept are A. Blocks have one dimension; those that join have whole
// warps. In one pass E[x^2] - E[x]^2 would lose all digits of a small variance beside a
// large mean: so means and sums of squared distances are joined, as in layer_norm.cu.

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

// What the block's threads have seen, as one, in the first warp.
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

#include "last_block.cuh"

// ------------------------------------------------- forward
//
// With gridDim.y > 1 each channel, blockIdx.x, has several blocks: each leaves two
// numbers of its part in `some`, C x gridDim.y, and the last one done joins them. A
// ticket a channel. With gridDim.y = 1 `some` and `tickets` may be null.

// mean and var of each channel; var is divided by its number of elements. What is kept
// running, if not null, goes on by the share `momentum`, with a variance divided by one
// less.
template <typename T, typename A = T>
__global__ void batch_norm_moments(const T* x, A* some, unsigned int* tickets, A* mean,
                                   A* var, A* running_mean, A* running_var, A momentum,
                                   int N, int C, int L) {
    int c = blockIdx.x, all = N * L, each = (all + gridDim.y - 1) / gridDim.y;
    int begin = blockIdx.y * each, end = min(all, begin + each);

    A count = 0, m = 0, m2 = 0;
    for (int e = begin + threadIdx.x; e < end; e += blockDim.x) {
        A value = (A)x[((long long)(e / L) * C + c) * L + e % L], before = value - m;
        count += 1;
        m += before / count;
        m2 += before * (value - m);
    }
    block_join(count, m, m2);
    if (gridDim.y > 1) {
        some += 2 * (long long)c * gridDim.y;
        if (threadIdx.x == 0) {
            some[2 * blockIdx.y] = m;
            some[2 * blockIdx.y + 1] = m2;
        }
        if (!is_last(tickets + c, gridDim.y)) return;
        count = m = m2 = 0;
        for (int part = threadIdx.x; part < gridDim.y; part += blockDim.x) {
            A here = max(0, min(all - part * each, each));
            join(count, m, m2, here, some[2 * part], some[2 * part + 1]);
        }
        block_join(count, m, m2);
    }
    if (threadIdx.x > 0) return;
    mean[c] = m;
    var[c] = m2 / (A)all;
    if (!running_mean) return;
    running_mean[c] += momentum * (m - running_mean[c]);
    running_var[c] += momentum * (m2 / (A)(all - 1) - running_var[c]);
}

// A thread an element, n in all: any L.
template <typename T, typename A = T>
__global__ void batch_norm_element(const T* x, const A* mean, const A* var,
                                   const A* weight, const A* bias, T* y, int C, int L,
                                   A eps, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = i / L % C;
    A scale = weight[c] / sqrt(var[c] + eps);
    y[i] = (T)(((A)x[i] - mean[c]) * scale + bias[c]);
}

// A block a plane, blockIdx.x = image * C + c: one square root and no division for
// each element. Only where a plane has enough of them.
template <typename T, typename A = T>
__global__ void batch_norm_plane(const T* x, const A* mean, const A* var,
                                 const A* weight, const A* bias, T* y, int C, int L,
                                 A eps, long long n) {
    int c = blockIdx.x % C;
    x += (long long)blockIdx.x * L;
    y += (long long)blockIdx.x * L;
    A scale = weight[c] / sqrt(var[c] + eps), middle = mean[c], shift = bias[c];
    for (int i = threadIdx.x; i < L; i += blockDim.x)
        y[i] = (T)(((A)x[i] - middle) * scale + shift);
}

// ------------------------------------------------- backward

// The block's two sums, in thread 0.
template <typename A>
__device__ void block_sums(A& first, A& second) {
    __shared__ A firsts[32], seconds[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d > 0; d /= 2) {
        first += __shfl_xor_sync(0xffffffff, first, d);
        second += __shfl_xor_sync(0xffffffff, second, d);
    }
    if (lane == 0) { firsts[warp] = first; seconds[warp] = second; }
    __syncthreads();
    for (int i = 1; i < blockDim.x / 32 && threadIdx.x == 0; i++) {
        first += firsts[i];
        second += seconds[i];
    }
}

// db and dw: the sums of dy and of dy * x_hat; x_hat = (x - mean) / sqrt(var + eps).
template <typename T, typename A = T>
__global__ void batch_norm_sums(const T* x, const T* dy, const A* mean, const A* var,
                                A* some, unsigned int* tickets, A* dw, A* db, int N,
                                int C, int L, A eps) {
    int c = blockIdx.x, all = N * L, each = (all + gridDim.y - 1) / gridDim.y;
    int begin = blockIdx.y * each, end = min(all, begin + each);
    A middle = mean[c], rstd = 1 / sqrt(var[c] + eps);

    A first = 0, second = 0;
    for (int e = begin + threadIdx.x; e < end; e += blockDim.x) {
        long long at = ((long long)(e / L) * C + c) * L + e % L;
        first += (A)dy[at];
        second += (A)dy[at] * ((A)x[at] - middle) * rstd;
    }
    block_sums(first, second);
    if (gridDim.y > 1) {
        some += 2 * (long long)c * gridDim.y;
        if (threadIdx.x == 0) {
            some[2 * blockIdx.y] = first;
            some[2 * blockIdx.y + 1] = second;
        }
        if (!is_last(tickets + c, gridDim.y)) return;
        first = second = 0;
        for (int part = threadIdx.x; part < gridDim.y; part += blockDim.x) {
            first += some[2 * part];
            second += some[2 * part + 1];
        }
        block_sums(first, second);
    }
    if (threadIdx.x > 0) return;
    db[c] = first;
    dw[c] = second;
}

// dx = weight / sqrt(var + eps) * dy; in training minus what goes by way of mean and
// var: the means of dy and of dy * x_hat, times x_hat. A thread an element, n in all.
template <typename T, typename A = T>
__global__ void batch_norm_input(const T* x, const T* dy, const A* mean, const A* var,
                                 const A* weight, const A* dw, const A* db, T* dx,
                                 int C, int L, A eps, int training, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = i / L % C;
    A rstd = 1 / sqrt(var[c] + eps), gradient = (A)dy[i];
    if (training) {
        A all = (A)(n / C), x_hat = ((A)x[i] - mean[c]) * rstd;
        gradient -= (db[c] + x_hat * dw[c]) / all;
    }
    dx[i] = (T)(gradient * weight[c] * rstd);
}
