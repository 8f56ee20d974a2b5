"""First kernels: which thread does which element. Learners write them in lab 01."""

from ..exercises.registry import exercise, kernel_exercise

global_index = kernel_exercise(
    """\
// block[i] = the number of thread i's block, and thread[i] = its number in that block.
//
// i is the thread's global index, which counts the threads block by block. The
// launch has one dimension and as many threads as each array has elements. Every
// element must be written exactly once. (It doesn't matter which thread writes it.)
// 2 blocks of 4 threads: block = 0 0 0 0 1 1 1 1, thread = 0 1 2 3 0 1 2 3
__global__ void global_index(int* block, int* thread);
""",
    points=1,
    stars=1,
    minutes=5,
)

tail_guard = kernel_exercise(
    """\
// y[i] = 2 * x[i] for i = 0 ... n - 1. Nothing else may be read or written.
//
// The launch has one dimension and at least n threads. There may be more, even whole
// blocks without an element. n >= 0. x may contain NaN and infinity, and y may hold
// anything at first. Only one thread may write each element. x and y don't overlap.
__global__ void tail_guard(const float* x, float* y, int n);
""",
    points=1,
    stars=1,
    minutes=5,
)


@exercise(points=2, stars=1, minutes=10)
def launch_config(shape, block):
    """Return the smallest grid whose blocks cover `shape`, as a tuple of ints.

    A grid starts with x, like a block. x counts the columns, and y counts the rows.
    Blocks are whole, so the last ones may reach beyond the shape. A grid has at least
    one block in each dimension.

    shape: (n,) or (rows, cols), ints from 0 to 2 ** 31, so you can't count the blocks
        one by one.
    block: (x,) or (x, y), as many ints as in shape, each >= 1. They're the numbers of
        threads along x and y.

    If the shape has a 0, the check accepts two answers: a single block, or the usual
    number in each dimension, but at least 1. So (0, 100) with blocks of (32, 8) may
    give (1, 1) or (4, 1).
    launch_config((257,), (256,)) -> (2,)
    launch_config((20, 100), (32, 8)) -> (4, 3), for 100 / 32 columns and 20 / 8 rows
    """


map_2d = kernel_exercise(
    """\
// y[row, col] = w[row] * x[row, col] for a matrix of rows x cols, stored row by row.
//
// x and y have rows * cols elements, and w has one element per row. Grid and block have
// two dimensions: the `.x` numbers count columns, and the `.y` numbers count rows.
// There are enough threads for every element, and there may be more. rows >= 0 and
// cols >= 0. x and w may contain NaN and infinity. Only one thread may write each
// element. Nothing else may be read or written. x and y don't overlap.
__global__ void map_2d(const float* x, const float* w, float* y, int rows, int cols);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)

grid_stride = kernel_exercise(
    """\
// y[i] = x[i] * x[i] for i = 0 ... n - 1, up to rounding, with a grid of any size.
//
// The launch has one dimension and T threads, where T may be less than n or more. Every
// element must be written exactly once. No thread may write more than n / T + n % T
// elements (n / T is rounded down), so one thread may take the whole remainder. n >= 0,
// and x may contain NaN and infinity. Nothing else may be read or written. x and y
// don't overlap.
__global__ void grid_stride(const float* x, float* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
)

outer_product = kernel_exercise(
    """\
// z[k, i, j] = x[k, i] * y[k, j], the outer products of b pairs of vectors.
//
// x is b x n, y is b x m, and z is b x n x m, all stored row by row. Blocks have two
// dimensions: the `.x` numbers count j, and the `.y` numbers count i. There are enough
// threads for every i and every j, and there may be more. Along z, the grid has
// gridDim.z blocks, which may be fewer than b or more. A block does the pairs
// k = blockIdx.z, blockIdx.z + gridDim.z, and so on. b, n, and m >= 0. x and y may
// contain NaN and infinity. Only one thread may write each element. Nothing else may be
// read or written.
__global__ void outer_product(const float* x, const float* y, float* z,
                              int b, int n, int m);
""",
    points=3,
    stars=3,
    minutes=25,
    level="good to know",
)
