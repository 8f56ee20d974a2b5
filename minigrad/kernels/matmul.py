"""Products of matrices, which you write in lab 06."""

from ..exercises.registry import exercise, kernel_exercise

matmul_naive = kernel_exercise(
    """\
// Compute c = a b. Element c[row, col] is the sum of a[row, k] * b[k, col] over all k.
//
// a is M x K, b is K x N, and c is M x N, all stored row by row. M, N >= 1. K may be 0,
// and if it is, all of c must be 0. c may hold anything before the launch.
// Blocks and grid have two dimensions: x counts the columns of c, and y its rows.
// Blocks may have any shape, and the grid may be larger than c. Each thread computes
// one element. inf and NaN must behave as in float arithmetic, so 0 * inf is NaN.
// a = 1 2   b = 5 6   c = 19 22
//     3 4       7 8       43 50
__global__ void matmul_naive(const float* a, const float* b, float* c,
                             int M, int N, int K);
""",
    points=2,
    stars=1,
    minutes=15,
)

matmul_tiled = kernel_exercise(
    """\
// Compute c = a b with 1/16 of the reads, because a block's threads share tiles.
//
// Blocks have 16 x 16 threads. Block (x, y) computes 16 x 16 elements of c, starting at
// row 16 y and column 16 x. It goes along K in steps of 16. In each step, its threads
// copy a tile of a and a tile of b to shared memory, and then all of them use both. The
// block must read each element of its rows of a and columns of b at most once, and
// neighboring threads must read neighboring elements. (Sectors are counted.)
// M and N are at least 1, K may be 0, and none has to be a multiple of 16. c may hold
// anything before the launch. All matrices are stored row by row. inf and NaN must
// behave as in float arithmetic. Shared arrays must have a fixed size: `extern
// __shared__` gets no memory.
__global__ void matmul_tiled(const float* a, const float* b, float* c,
                             int M, int N, int K);
""",
    points=3,
    stars=2,
    minutes=30,
)

matmul_register = kernel_exercise(
    """\
// Compute c = a b, with 64 elements of c per thread, whose sums are kept in registers.
//
// Blocks have 256 threads, in one dimension. Block (x, y) computes 128 x 128 elements
// of c, starting at row 128 y and column 128 x, so each thread computes 64, for example
// a patch of 8 x 8. The block must copy each element of its rows of a and columns of b
// to shared memory once. Besides that, it may access shared memory at most 0.6 times
// per multiplication. An access of a float4 counts as one, in shared and global memory.
// On a GPU, a product of 4096 x 4096 matrices must reach 35 % of the speed of cuBLAS in
// float32. 60 % is a bonus without points.
// M is at least 1. N and K are multiples of 4, and K may be 0. a, b, and c start at
// multiples of 16 bytes, so each of their rows can be accessed as float4. c may hold
// anything before the launch. All matrices are stored row by row. inf and NaN must
// behave as in float arithmetic. Shared arrays must have a fixed size, at most 48 KB
// together: `extern __shared__` gets no memory.
__global__ void matmul_register(const float* a, const float* b, float* c,
                                int M, int N, int K);
""",
    points=4,
    stars=3,
    minutes=60,
    level="good to know",
)

matmul_batched = kernel_exercise(
    """\
// Multiply a batch of pairs of matrices, in any layout, without copying them.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// The last two dimensions of a's view are M x K, and those of b's view are K x N. The
// dimensions before them, at most 6 and possibly none, are the batch. They have the
// same sizes in both views, with stride 0 where one matrix serves several products.
// Strides may be any numbers >= 0, so a matrix may be transposed, and its rows or
// columns may repeat. Matrices 0, 1, 2, ... follow each other in row-major order of the
// batch, as in contiguous_kernel. c holds `batches` matrices of M x N, row by row.
// Blocks have 16 x 16 threads. x counts columns, y rows, and z matrices, and there may
// be more matrices than gridDim.z. M, N, and batches are at least 1. K may be 0, and
// then c must be 0. c may hold anything before the launch.
// Write each element of c once, and write nothing else to global memory. For each
// multiplication, a kernel may read at most one element of a and one of b, so a plain
// kernel without tiles is fine. inf and NaN must behave as in float arithmetic. All
// offsets in a, b, and c fit into an int. Shared arrays must have a fixed size: `extern
// __shared__` gets no memory.
__global__ void matmul_batched(const float* a, Strides a_view,
                               const float* b, Strides b_view, float* c,
                               int M, int N, int K, long long batches);
""",
    points=3,
    stars=3,
    minutes=35,
    level="extra",
)


@exercise(points=2, stars=1, minutes=20, level="good to know")
def roofline(a, b, bandwidth, peak, itemsize=4):
    """Return what a product of matrices costs at least, and how fast it can be.

    a, b: the operands' shapes, tuples (..., M, K) and (..., K, N). All dimensions but
    the last two are broadcast. All sizes are at least 1.
    bandwidth: bytes per second that the memory can move.
    peak: FLOP per second that the card can compute.
    itemsize: bytes per element.

    The result is a dict with five keys:

    "bytes"      bytes that must move: each element of a, b, and the result counts once,
                 no matter how often it's used
    "flops"      multiplications and additions: one of each for every element of the
                 result and every k
    "intensity"  FLOP per byte
    "rate"       FLOP per second: the peak, or what memory can feed if that's less
    "bound"      "memory" if memory can feed less than the peak, otherwise "compute"

    roofline((2, 3), (3, 4), 1e9, 4e9) == {"bytes": 104, "flops": 48, "intensity":
    48 / 104, "rate": 48 / 104 * 1e9, "bound": "memory"}
    """
