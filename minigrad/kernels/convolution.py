"""Convolution and pooling, which you write in lab 07.

Images are stored row by row, as N x C x H x W. Several kernels treat all N * C planes
of H x W alike. A window has KH x KW taps, which are `dilation` apart. It goes over the
image in steps of `stride`, and there are `padding` zeros around the image. The window
of (oh, ow) has its tap (kh, kw) at row oh * stride - padding + kh * dilation and at
column ow * stride - padding + kw * dilation.
"""

from ..exercises.registry import exercise, kernel_exercise

im2col = kernel_exercise(
    """\
// Copy each window of x into a column: columns[plane][kh][kw][oh][ow] is what tap (kh,
// kw) of the window of (oh, ow) reads. That's x[plane][ih][iw], where
//     ih = oh * stride - padding + kh * dilation, and
//     iw = ow * stride - padding + kw * dilation.
// A tap outside the image reads 0, whatever x holds.
//
// A plane is one channel of one image, so planes is N * C. x is planes x H x W, and
// columns is planes x KH x KW x OH x OW, both stored row by row. columns may hold
// anything before the launch. All sizes, stride, and dilation are at least 1, and
// padding is at least 0. ih, iw, and all positions in the arrays fit into an int.
// Elements may be inf or NaN, which are copied like any other.
// Grid and blocks have one dimension. There are at least as many threads as elements of
// columns, and one thread may write at most KH * KW * OH * OW of them, a plane's share.
// x = 1 2 3 / 4 5 6, 2 x 2 taps:  columns = 1 2 / 2 3 / 4 5 / 5 6
__global__ void im2col(const float* x, float* columns, int planes, int H, int W,
                       int KH, int KW, int OH, int OW, int stride, int padding,
                       int dilation);
""",
    points=3,
    stars=2,
    minutes=25,
    level="good to know",
)

col2im = kernel_exercise(
    """\
// Compute the adjoint of im2col: x[plane][ih][iw] is the sum of all elements of columns
// that im2col would have copied from there. Leave out elements of columns whose tap is
// outside the image.
//
// The arrays are stored as in im2col, with the same limits. x is all 0 before the
// launch. The terms of a sum may be added in any order, with or without atomicAdd. inf
// and NaN follow float's usual rules.
// Grid and blocks have one dimension. There are at least as many threads as the larger
// array has elements, and one thread may add at most KH * KW * OH * OW elements of
// columns, a plane's share.
// columns = 1 2 / 2 3 / 4 5 / 5 6 of 2 x 2 taps, H = 2, W = 3:  x = 1 4 3 / 4 10 6
__global__ void col2im(const float* columns, float* x, int planes, int H, int W,
                       int KH, int KW, int OH, int OW, int stride, int padding,
                       int dilation);
""",
    points=3,
    stars=3,
    minutes=25,
    level="good to know",
)

conv2d_gemm = kernel_exercise(
    """\
// Compute y[n][o][p] = bias[o] + the sum of w[o][k] * columns[n][k][p] over all k.
//
// This is a convolution whose columns im2col has made. w is O x K with K = C * KH * KW,
// columns is N x K x P with P = OH * OW, and y is N x O x P, all stored row by row. N,
// O, and P are at least 1, and K may be 0, in which case y is the bias. None has to be
// a multiple of 16. y may hold anything before the launch.
// Blocks have 16 x 16 threads. blockIdx.x counts tiles of 16 along p, blockIdx.y counts
// them along o, and blockIdx.z is n. A block must copy its 16 rows of w and its 16
// columns of image n's matrix to shared memory, and read each of their elements from
// global memory only once. inf and NaN must follow float's usual rules, so 0 * inf is
// NaN. Shared arrays must have a fixed size: `extern __shared__` gets no memory.
__global__ void conv2d_gemm(const float* columns, const float* w, const float* bias,
                            float* y, int O, int K, int P);
""",
    points=3,
    stars=3,
    minutes=35,
    level="good to know",
)

conv2d_direct = kernel_exercise(
    """\
// Compute y[n][o][oh][ow] = bias[o] + the sum of w[o][c][kh][kw] * x[n][c][oh + kh -
// padding][ow + kw - padding] over all c, kh, and kw, where x is 0 outside the image.
//
// Each block has 16 x 16 threads and computes a tile of 16 x 16 elements of a plane of
// y. blockIdx.x counts tiles along ow, blockIdx.y counts them along oh, and
// blockIdx.z is n * O + o. For each channel, the block must copy the tile of x and its
// halo of K - 1 more rows and columns to shared memory. It may read each element of x
// from global memory only once.
// The window is K x K with 1 <= K <= 7, and stride and dilation are 1. So OH = H + 2 *
// padding - K + 1, and OW accordingly. All sizes are at least 1, and padding is at
// least 0. All arrays are stored row by row, and y may hold anything before the launch.
// x may hold inf and NaN, which follow float's usual rules, so 0 * inf is NaN. w and
// bias are finite. Shared arrays must have a fixed size: `extern __shared__` gets no
// memory.
__global__ void conv2d_direct(const float* x, const float* w, const float* bias,
                              float* y, int C, int H, int W, int O, int K, int padding);
""",
    points=4,
    stars=3,
    minutes=45,
    level="extra",
)


@exercise(points=3, stars=2, minutes=20, level="good to know")
def conv2d_backward(dy, columns, w):
    """Return the gradients of y = w @ columns + bias as a tuple (dcolumns, dw, db).

    dy: the gradient of y, an array of shape (N, O, P).
    columns: the columns of N images, of shape (N, K, P).
    w: the weights as a matrix of shape (O, K).

    There are N images, O output channels, P positions, and K = C * KH * KW. N and P may
    be 0, and then dw and db are all 0. O and K are at least 1. All three arrays are
    float64, or all are float32, and all elements are finite.

    dcolumns has shape (N, K, P). dw has shape (O, K), db has shape (O,), and both are
    sums over all images. The results have the dtype of the arguments.

    You can use a @ b (which also multiplies batches of matrices), transpose, and sum.
    """


max_pool2d = kernel_exercise(
    """\
// Find the maximum of each window: y[plane][oh][ow] is the largest element of x's plane
// in the window of (oh, ow), and indices[plane][oh][ow] is its ih * W + iw.
//
// The window is K x K with 1 <= K <= 100, without dilation. Padding is at most K / 2,
// and it doesn't count, not even as 0 or -inf. Each window has an element inside the
// image. If the maximum occurs more than once, its first position is taken, in row
// order. That's also true if all elements are -inf. A NaN counts as larger than any
// number. If a window has several NaNs, the index may be that of any of them.
// x is planes x H x W, and y and indices are planes x OH x OW, all stored row by row.
// All sizes and stride are at least 1. y and indices may hold anything before the
// launch. Grid and blocks have one dimension. There are at least planes * OH * OW
// threads, and one thread may compute at most OH * OW elements of y.
// x = 1 5 / 5 2, K = 2:  y = 5, indices = 1
__global__ void max_pool2d(const float* x, float* y, int* indices, int planes, int H,
                           int W, int OH, int OW, int K, int stride, int padding);
""",
    points=3,
    stars=2,
    minutes=25,
    level="good to know",
)

max_pool2d_backward = kernel_exercise(
    """\
// Compute the gradient of max_pool2d: dx[plane][i] is the sum of dy[plane][p] over all
// p with indices[plane][p] = i.
//
// A plane of x has `size` elements, counted by i, and a plane of y has `places`,
// counted by p. Several p may have the same index, and all indices are at least 0 and
// less than `size`. planes, size, and places are at least 1. dx is all 0 before the
// launch. The terms of a sum may be added in any order, and inf and NaN follow float's
// usual rules.
// Grid and blocks have one dimension. There are at least as many threads as the larger
// array has elements, and one thread may add at most `places` elements of dy.
// indices = 1 1 3, dy = 10 20 5, size = 4:  dx = 0 30 0 5
__global__ void max_pool2d_backward(const float* dy, const int* indices, float* dx,
                                    int planes, int size, int places);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)
