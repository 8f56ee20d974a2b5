"""Products of matrices. Written by the learner in lab 06."""

from ..exercises.registry import exercise, kernel_exercise

matmul_naive = kernel_exercise(
    """\
// c = a b: c[row, col] is the sum of a[row, k] * b[k, col] over k = 0 ... K - 1.
//
// a is M x K, b is K x N, c is M x N, stored row by row. The launch has two dimensions:
// x counts the columns of c, y its rows. The grid covers c, and reaches beyond it. Each
// thread makes one element. M, N >= 1; with K = 0 all of c is 0. c may hold anything
// before. inf and NaN count as in float: 0 * inf is NaN.
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
// The same product, with 1/16 of the reads: a block shares tiles of a and b.
//
// Blocks are 16 x 16 threads; block (x, y) makes the 16 x 16 elements of c from row
// 16 y and column 16 x on. It goes along K in steps of 16: its threads bring a tile of
// a and a tile of b to shared memory, each element once and neighbors together, and
// then all of them use both. M, N >= 1 and K >= 0 are any numbers: where a tile reaches
// beyond a matrix, it has zeros. All matrices lie row by row. inf and NaN count as in
// float. Shared arrays have a fixed size: nothing is given to `extern __shared__`.
__global__ void matmul_tiled(const float* a, const float* b, float* c,
                             int M, int N, int K);
""",
    points=3,
    stars=2,
    minutes=30,
)

matmul_register = kernel_exercise(
    """\
// The same product, in which a thread makes 64 elements of c, kept in registers.
//
// Blocks have 256 threads, in one dimension; block (x, y) makes the 128 x 128 elements
// of c from row 128 y and column 128 x on, so each thread 64 of them, as a patch of
// 8 x 8, say. A block brings each element of its rows of a and of its columns of b to
// shared memory once; each number that a thread reads there it uses several times, so
// that there are at most 0.6 reads for each multiplication.
// M >= 1 is any number; N and K are multiples of 4, and a, b and c begin at multiples
// of 16 bytes: so each of their rows can be read and written as float4. K may be 0. At
// most 48 KB of shared memory, in arrays of a fixed size: nothing is given to
// `extern __shared__`. All matrices lie row by row; inf and NaN count as in float.
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
// Products of many pairs of matrices, in any layout, taken as they lie: no copies.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// The last two dimensions of a's view are M x K, those of b's K x N. The dimensions
// before them, up to 6 or none, are the batch: they have the same sizes in both views,
// and a stride of 0 where one matrix serves for several. Strides are any numbers >= 0:
// matrices may be transposed, too. Matrix number 0, 1, 2, ... counts the batch row by
// row, as in contiguous_kernel. c has `batches` matrices M x N, row by row.
// Blocks are 16 x 16 threads; x counts columns, y rows, z matrices, of which there may
// be more than gridDim.z. M, N, batches >= 1, K >= 0. Each element of c is written
// once, and nothing else is written to global memory; an element of a or b is read once
// for each multiplication at most. No cell of a or b, nor of c, is further off from the
// first than an int can count. Shared arrays have a fixed size: nothing is given to
// `extern __shared__`.
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
    """What a product of matrices costs at least, and how fast it can be: a dict.

    a, b: the shapes of the operands, tuples (..., M, K) and (..., K, N); the dimensions
    before the last two are broadcast, and all sizes are >= 1. bandwidth: bytes a second
    of the memory; peak: FLOP a second; itemsize: bytes of an element. The dict has

    "bytes"      what must move at least: each element of a, b and the result once,
                 however often it is used
    "flops"      multiplications and additions, each counted as one: one of both for
                 each element of the result and each k
    "intensity"  FLOP for each byte
    "rate"       FLOP a second, at most: peak, or what the memory can feed, if less
    "bound"      "memory" if the memory allows less than peak, else "compute"

    roofline((2, 3), (3, 4), 1e9, 4e9) == {"bytes": 104, "flops": 48, "intensity":
    48 / 104, "rate": 48 / 104 * 1e9, "bound": "memory"}
    """
