"""First kernels: which thread does which element. Written by the learner in lab 01."""

from ..exercises.registry import exercise, kernel_exercise

global_index = kernel_exercise(
    """\
// Thread i of all, counted through the blocks, signs element i of both arrays:
// block[i] = the number of its block, thread[i] = its own number within the block.
//
// The launch has one dimension and exactly as many threads as there are elements. Each
// is written once, by its own thread or another.
// 2 blocks of 4 threads: block = 0 0 0 0 1 1 1 1, thread = 0 1 2 3 0 1 2 3
__global__ void global_index(int* block, int* thread);
""",
    points=1,
    stars=1,
    minutes=5,
)

tail_guard = kernel_exercise(
    """\
// y[i] = 2 * x[i] for i = 0 ... n - 1, and nothing else is read or written.
//
// The launch has one dimension and at least n threads, often more: blocks are whole.
// n >= 0. Memory past the n elements is not yours. One thread must write each element.
__global__ void tail_guard(const float* x, float* y, int n);
""",
    points=1,
    stars=1,
    minutes=5,
)


@exercise(points=2, stars=1, minutes=10)
def launch_config(shape, block):
    """The smallest grid whose blocks cover `shape`, as a tuple of Python's ints.

    shape: (n,), or (rows, cols). block: as many numbers, threads along x, or x and y.
    A grid is written x first, as a block is: x runs along the columns, y along the
    rows. Each block is whole, so the last of a row or column may reach too far. A grid
    has at least one block along each side, also where there is no element. Then more
    are as good: of (0, 100) either (1, 1), or (4, 1), as the sides say one by one.

    shape: sizes from 0 to 2 ** 31, too many to count the blocks one by one. block:
    sizes >= 1.
    launch_config((257,), (256,)) -> (2,)
    launch_config((20, 100), (32, 8)) -> (4, 3): 100 / 32 columns, 20 / 8 rows
    """


map_2d = kernel_exercise(
    """\
// y[row, col] = w[row] * x[row, col] for a matrix of rows x cols, stored row by row.
//
// x and y have rows * cols elements, w has one for each row. Grid and block have two
// dimensions: x runs along the columns, y along the rows. There are enough threads for
// every element, often more. rows >= 0, cols >= 0. One thread must write each
// element of y.
__global__ void map_2d(const float* x, const float* w, float* y, int rows, int cols);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)

grid_stride = kernel_exercise(
    """\
// y[i] = x[i] * x[i] for i = 0 ... n - 1, whatever the size of the grid.
//
// The launch has one dimension, and any number of threads: fewer than n, so that each
// does several elements, or more. Each element is written once, by one thread. Of T
// threads none does more than n / T + n % T. n >= 0.
__global__ void grid_stride(const float* x, float* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
)

outer_product = kernel_exercise(
    """\
// z[k, i, j] = x[k, i] * y[k, j]: of each of b pairs of vectors the outer product.
//
// x is b x n, y is b x m, z is b x n x m, all stored row by row. Blocks have two
// dimensions: x runs along j, y along i. Along both there are enough threads, often
// more. Along the batch the grid has gridDim.z blocks, often fewer than b: the blocks
// of number blockIdx.z do k = blockIdx.z, blockIdx.z + gridDim.z, ... gridDim.z may be
// more than b, too. b, n and m >= 0. One thread must write each element of z.
__global__ void outer_product(const float* x, const float* y, float* z,
                              int b, int n, int m);
""",
    points=3,
    stars=3,
    minutes=25,
    level="good to know",
)
