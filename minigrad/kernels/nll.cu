// The loss of a classification: nll_loss of logarithms, and cross_entropy of scores.
//
// x is N x C x L, row by row: the scores of C classes, for N * L = `rows` places (L = 1
// for plain rows). target has the right class of each. T is the element of x; A is
// computed in: float, also for half and bfloat16, double for double; weights are A.
//
// Row r has  weight[t] * (lse - x[t]) * (1 - smooth) + smooth / C * sum over c of
// weight[c] * (lse - x[c]), with t its target and lse = log(sum of exp(x[c])). For
// nll_loss lse and smooth are 0. A target `ignore` has no loss and no weight.
// REDUCTION 0: each row's own loss; 1: their sum over the sum of weight[t]; 2: the sum.
// Blocks have one dimension and whole warps.

#include "faults.cuh"

enum { NONE, MEAN, SUM };

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

#include "last_block.cuh"

// A thread a row. LOG = 1: x are logarithms already (nll_loss). With several blocks
// each leaves its sums in `some`, and the last one done adds those up; else `some` and
// `ticket` may be null, as `weight` where rows are not weighted. total: of the weights.
template <int LOG, int REDUCTION, typename T, typename A = T>
__global__ void nll(const T* x, const long long* target, const A* weight, T* y, A* lse,
                    A* total, A* some, unsigned int* ticket, int C, int L,
                    long long ignore, A smooth, int weighted, long long* fault,
                    long long rows) {
    A sum = 0, weights = 0;
    long long r = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; r < rows; r += (long long)gridDim.x * blockDim.x) {
        const T* row = x + r / L * C * L + r % L;
        long long t = target[r];
        A loss = 0, all = 0, m = (A)row[0];
        if (LOG == 0) {
            for (int c = 1; c < C; c++) m = max(m, (A)row[(long long)c * L]);
            for (int c = 0; c < C; c++) all += exp((A)row[(long long)c * L] - m);
            all = m + log(all);
            lse[r] = all;
        }
        if (t != ignore) {
            if (!chooses(t, C, BAD_TARGET, fault)) continue;
            A own = weighted ? weight[t] : (A)1;
            loss = own * (all - (A)row[t * L]) * (1 - smooth);
            weights += own;
            for (int c = 0; c < C && smooth > 0; c++)
                loss += (weighted ? weight[c] : (A)1) * smooth / (A)C *
                        (all - (A)row[(long long)c * L]);
        }
        if (REDUCTION == NONE) y[r] = (T)loss;
        sum += loss;
    }
    if (REDUCTION == NONE) return;
    block_sums(sum, weights);
    if (gridDim.x > 1) {
        if (threadIdx.x == 0) {
            some[2 * blockIdx.x] = sum;
            some[2 * blockIdx.x + 1] = weights;
        }
        if (!is_last(ticket, gridDim.x)) return;
        sum = weights = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
            sum += some[2 * i];
            weights += some[2 * i + 1];
        }
        block_sums(sum, weights);
    }
    if (threadIdx.x > 0) return;
    y[0] = (T)(REDUCTION == MEAN ? sum / weights : sum);
    total[0] = weights;
}

// log(sum of exp(row)), a block a row: for many classes, where L is 1. The loss is then
// nll's, with LOG = 1, of x - lse; it takes a launch more.
template <typename T, typename A = T>
__global__ void nll_logarithms(const T* x, T* y, A* lse, int C) {
    __shared__ A most[32], sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    x += (long long)blockIdx.x * C;
    y += (long long)blockIdx.x * C;

    A m = (A)x[0], sum = 0;
    for (int c = threadIdx.x; c < C; c += blockDim.x) m = max(m, (A)x[c]);
    for (int d = 16; d > 0; d /= 2) m = max(m, __shfl_xor_sync(0xffffffff, m, d));
    if (lane == 0) most[warp] = m;
    __syncthreads();
    for (int i = 0; i < warps; i++) m = max(m, most[i]);
    for (int c = threadIdx.x; c < C; c += blockDim.x) sum += exp((A)x[c] - m);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < warps; i++) sum += sums[i];
    A all = m + log(sum);
    for (int c = threadIdx.x; c < C; c += blockDim.x) y[c] = (T)((A)x[c] - all);
    if (threadIdx.x == 0) lse[blockIdx.x] = all;
}

// dx of dy, which is one number, or (REDUCTION 0) one for each row. A thread an element
// of x, n in all. Of cross_entropy (LOG = 0) exp(x - lse) is the softmax.
template <int LOG, int REDUCTION, typename T, typename A = T>
__global__ void nll_input(const T* x, const long long* target, const A* weight,
                          const T* dy, const A* lse, const A* total, T* dx, int C,
                          int L, long long ignore, A smooth, int weighted,
                          long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long r = i / L / C * L + i % L, t = target[r];
    int c = i / L % C;
    if (t == ignore) { dx[i] = (T)0; return; }
    A own = (weighted ? weight[t] : (A)1) * (1 - smooth);
    A here = (weighted ? weight[c] : (A)1) * smooth / (A)C;
    A gradient = -here - (c == t ? own : (A)0), mass = own + smooth;
    for (int k = 0; k < C && weighted && smooth > 0; k++)
        mass += (weight[k] - 1) * smooth / (A)C;
    if (LOG == 0) gradient += mass * exp((A)x[i] - lse[r]);
    gradient *= (A)dy[REDUCTION == NONE ? r : 0];
    if (REDUCTION == MEAN) gradient /= total[0];
    dx[i] = (T)gradient;
}
