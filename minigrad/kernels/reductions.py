"""Reductions, which turn many numbers into few. The learner writes them in lab 05."""

from ..exercises.registry import kernel_exercise

sum_all = kernel_exercise(
    """\
// Store the sum of the elements of block b in sums[b], for every block.
//
// The launch has one dimension and any number of blocks. blockDim.x is a power of two,
// at most 256. `threads` is the number of threads of the whole launch. Thread i adds
// x[i], x[i + threads], x[i + 2 * threads], and so on, below n. Then each block adds
// its threads' sums as a tree in shared memory. The second stage is the same kernel,
// launched with one block on `sums`.
// n may be any number >= 0. Read each element once, and use no atomics. Addition
// follows the usual rules for floats, including inf and NaN, and half precision isn't
// enough. Don't rely on the contents of sums before the launch. A block may access
// shared memory at most 160 times, where an instruction of a whole warp counts as one
// access. The loop over the elements may make two more per warp and step, but it needs
// none. Shared arrays must have a fixed size, because the launch passes nothing for
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
// Store the sum of each warp's elements in sums, with __shfl_down_sync or other
// shuffles and without shared memory.
//
// The launch has one dimension. Thread i of the whole launch has the element x[i], or 0
// if i >= n. blockDim.x is any number up to 256, so the last warp of a block may have
// fewer than 32 lanes. Each block has (blockDim.x + 31) / 32 warps and stores one sum
// per warp. `sums` holds those of block 0 first, in the order of its warps, then those
// of block 1, and so on. n may be any number >= 0, and elements without a thread belong
// to no sum. The mask of a shuffle must name all lanes that reach it, and all lanes
// that it names must reach it, except for those that don't exist or have returned. Each
// thread reads its element once and no others. Addition follows the usual rules for
// floats, including inf and NaN. Don't rely on the contents of sums before the launch.
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
// Store sums over some dimensions of x, which is a view with any strides, in y.
//
// Element (j0, j1, ...) of the view is x[j0 * stride[0] + j1 * stride[1] + ...]. shape
// and stride have `dims` numbers each, up to 8. The first `kept` dimensions are those
// of y, which has m elements and is stored row by row. Each y[i] is the sum of n
// elements, over the other dimensions. (The caller has permuted the kept dimensions to
// the front.) Strides are >= 0. dims, kept, m, and n may be 0. If kept is 0, m is 1,
// and if there are no other dimensions, n is 1. A sum of no elements is 0. Don't rely
// on the contents of y before the launch. The launch has one dimension and at least m
// threads.
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
// Store the maximum of row r in values[r] and its column in indices[r].
//
// x has gridDim.x rows of n elements, stored row by row, and block r handles row r.
// blockDim.x is a power of two, at most 256, and n >= 1 is any number. If several
// elements are equal, the first one counts. 0 and -0 are equal, so if both are the
// maximum, values[r] may be either of them. NaN counts as larger than every number, and
// of several NaNs the first one counts. A block may read at most 8 n elements of x,
// plus 4 per thread. Shared arrays must have a fixed size, because the launch passes
// nothing for `extern __shared__`.
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
// Store the softmax of each row of x in y: y = exp(x - max) / sum of exp(x - max).
//
// x and y have gridDim.x rows of n elements, stored row by row, and block r handles row
// r. blockDim.x is a power of two, at most 256, and n >= 1 is any number. Elements are
// between -40000 and 40000 or minus infinity, but at least one in every row is finite.
// Four digits of y must be correct if y is at least 2 ** -126. A smaller y may be 0. A
// block may read at most 5 n elements of x, plus 2 per thread. Shared arrays must have
// a fixed size, because the launch passes nothing for `extern __shared__`.
// x = 0 0 0 0,  y = 0.25 0.25 0.25 0.25
__global__ void softmax_rows(const float* x, float* y, int n);
""",
    points=3,
    stars=2,
    minutes=30,
)

online_softmax = kernel_exercise(
    """\
// Do the same as softmax_rows, but a block may read at most 2 n elements of x, plus 1
// per thread.
//
// One pass over the row computes the pair (m, l): the maximum so far, and the sum of
// exp(x - m) so far, which is scaled whenever m changes. The second pass writes y.
// Inputs, launches, and tolerances are those of softmax_rows.
__global__ void online_softmax(const float* x, float* y, int n);
""",
    points=3,
    stars=3,
    minutes=35,
    level="good to know",
)

layer_norm = kernel_exercise(
    """\
// Store y = (x - mean) / sqrt(var + eps) * gamma + beta, with mean and var of x's own
// row.
//
// x and y have gridDim.x rows of n elements, stored row by row, and block r handles row
// r. gamma and beta have n elements each, one per column. var is the sum of squared
// distances divided by n. eps may be 0. blockDim.x is a power of two, at most 256, and
// n >= 1 is any number. With a mean of 10000 and a variance of 1, y may be off by up to
// 0.025 * abs(gamma), and with a mean near 0, by up to 0.000025 * abs(gamma). A block
// may read at most 2 n elements of x, plus 1 per thread. So compute mean and variance
// in one pass, as with Welford's algorithm, and y in a second one. gamma, beta, and y
// may be read as often as you like. Shared arrays must have a fixed size, because the
// launch passes nothing for `extern __shared__`.
// x = 1 3, gamma = 1 1, beta = 0 10, eps = 0:  y = -1 11
__global__ void layer_norm(const float* x, const float* gamma, const float* beta,
                           float* y, int n, float eps);
""",
    points=3,
    stars=3,
    minutes=40,
    level="extra",
)
