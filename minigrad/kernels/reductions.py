"""Reductions: many numbers to one. Written by the learner in lab 05."""

from ..exercises.registry import kernel_exercise

sum_all = kernel_exercise(
    """\
// sums[b] is what block b adds: the first of the two stages of a sum.
//
// The launch has one dimension and any number of blocks. Thread i of all adds x[i],
// x[i + threads], x[i + 2 * threads] and so on, below n, where `threads` is the number
// of threads of the whole launch; then the block adds what its threads have, as a tree
// in shared memory. The second stage is the same kernel, launched with one block on
// `sums`. blockDim.x is a power of two, at most 256. n >= 0; no atomics. Each element
// is read once; inf and NaN add as floats do. sums may hold anything before. A block's
// warps access shared memory 160 times at most, and each warp 2 times more for each
// element that a thread adds. Shared arrays have a fixed size: nothing is given to
// `extern __shared__`.
// Two blocks of 2, n = 6:  x = 1 2 3 4 5 6,  sums = 14 7
__global__ void sum_all(const float* x, float* sums, int n);
""",
    points=3,
    stars=2,
    minutes=20,
)

warp_reduce = kernel_exercise(
    """\
// The sum of each warp's elements, by __shfl_down_sync or other shuffles, without
// shared memory.
//
// The launch has one dimension, and thread i of all has element x[i], or 0 for i >= n.
// blockDim.x is any number up to 256, so the last warp of a block may have fewer than
// 32 lanes. A block has (blockDim.x + 31) / 32 warps: as many elements of `sums` are
// its own, one for each warp, those of block 0 first. n >= 0; elements past the threads
// are no one's. The mask of a shuffle names all lanes that there are, which must all
// come to it, and may name others. Each element is read once. inf and NaN add as floats
// do. sums may hold anything before.
// Two blocks of 40, x all 1, n = 78:  sums = 32 8 32 6
__global__ void warp_reduce(const float* x, float* sums, int n);
""",
    points=2,
    stars=2,
    minutes=20,
    level="good to know",
)

sum_dim = kernel_exercise(
    """\
// y[i] is a sum over some dimensions of x, a view of any strides.
//
// Element (j0, j1, ...) of the view is x[j0 * stride[0] + j1 * stride[1] + ...]; shape
// and stride have `dims` numbers each, up to 8. The first `kept` dimensions are those
// of y, which has m elements, stored row by row; over the others the kernel adds, n
// elements for each of y. (Which dimensions are summed is a question of order alone:
// the caller has permuted the kept ones to the front.) Strides
// are >= 0. dims, kept, m and n may be 0: a product of no sizes is 1, and a sum of no
// elements is 0. The launch has one dimension and at least m threads.
__global__ void sum_dim(const float* x, const int* shape, const int* stride, float* y,
                        int dims, int kept, int m, int n);
""",
    points=3,
    stars=3,
    minutes=30,
    level="good to know",
)

max_argmax = kernel_exercise(
    """\
// values[r] is the largest element of row r, indices[r] its column.
//
// x has gridDim.x rows of n elements, row by row: block r does row r. blockDim.x is a
// power of two, at most 256; n >= 1 is any number. Of equal elements the first one
// counts; 0 and -0 are equal, and values may be either. NaN counts as larger than every
// number, and of several the first. A block reads 8 n elements of x at most, and 4 more
// for each thread. Shared arrays have a
// fixed size: nothing is given to `extern __shared__`.
// x = 3 7 7 1,  values = 7,  indices = 1
__global__ void max_argmax(const float* x, float* values, int* indices, int n);
""",
    points=3,
    stars=3,
    minutes=30,
    level="good to know",
)

softmax_rows = kernel_exercise(
    """\
// Each row of y is the softmax of x's: y = exp(x - max) / sum of exp(x - max).
//
// x and y have gridDim.x rows of n elements, row by row: block r does row r.
// blockDim.x is a power of two, at most 256; n >= 1 is any number. Elements are between
// -40000 and 40000, but some of a row, not all, may be minus infinity. Four digits of
// y are right, down to 2 ** -126; a smaller one may be 0. A block reads 5 n elements of
// x at most, and 2 more for each thread. Shared arrays have a fixed size: nothing is
// given to `extern __shared__`.
// x = 0 0 0 0,  y = 0.25 0.25 0.25 0.25
__global__ void softmax_rows(const float* x, float* y, int n);
""",
    points=3,
    stars=2,
    minutes=30,
)

online_softmax = kernel_exercise(
    """\
// The same as softmax_rows, but a block reads 2 n elements of x at most, and 1 more for
// each thread.
//
// One pass over the row makes the pair (m, l): the largest element so far, and the sum
// of exp(x - m) so far, which is scaled whenever m changes. The second pass writes y.
// x and y have gridDim.x rows of n elements, row by row: block r does row r. blockDim.x
// is a power of two, at most 256; n >= 1 is any number. Elements are between -40000 and
// 40000, but some of a row, not all, may be minus infinity. Four digits of y are right,
// down to 2 ** -126; a smaller one may be 0. Shared arrays have a fixed size:
// nothing is given to `extern __shared__`.
__global__ void online_softmax(const float* x, float* y, int n);
""",
    points=3,
    stars=3,
    minutes=35,
    level="good to know",
)

layer_norm = kernel_exercise(
    """\
// y = (x - mean) / sqrt(var + eps) * gamma + beta, with mean and var of x's own row.
//
// x and y have gridDim.x rows of n elements, row by row: block r does row r. gamma and
// beta have n elements. var is divided by n. blockDim.x is a power of two, at most 256;
// n >= 1 is any number. The mean may be 10000 where the variance is 1, and then y is
// right to 0.025 of gamma; where the mean is near 0, to 0.000025. A block reads 2 n
// elements of x at most, and 1 more for each thread: mean and variance come from one
// pass (as Welford's), and y from a second one. gamma, beta and y may be read as often
// as you like. Shared arrays have a fixed size: nothing is given to
// `extern __shared__`.
// x = 1 3, gamma = 1 1, beta = 0 10, eps = 0:  y = -1 11
__global__ void layer_norm(const float* x, const float* gamma, const float* beta,
                           float* y, int n, float eps);
""",
    points=3,
    stars=3,
    minutes=40,
    level="extra",
)
