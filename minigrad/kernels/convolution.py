"""Convolution and pooling. Written by the learner in lab 07.

Images lie row by row: x is N x C x H x W. Several kernels treat all N * C planes of
H x W alike. A window has KH x KW taps, `dilation` apart, and goes over the image, with
`padding` zeros around it, in steps of `stride`: tap (kh, kw) of the window at place
(oh, ow) lies on (oh * stride - padding + kh * dilation, ow * stride - padding + kw *
dilation).
"""

from ..exercises.registry import exercise, kernel_exercise

im2col = kernel_exercise(
    """\
// columns[plane][kh][kw][oh][ow] = what lies under tap (kh, kw) of the window at place
// (oh, ow): x[plane][ih][iw], or 0 outside of the image, where
//     ih = oh * stride - padding + kh * dilation, and iw alike.
//
// x is planes x H x W, columns planes x KH x KW x OH x OW, both row by row: of an image
// with C channels the columns are a matrix of C * KH * KW rows and OH * OW columns. The
// launch has one dimension and at least planes * KH * KW * OH * OW threads, none of
// which does more than one plane.
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
// The adjoint of im2col: x[plane][ih][iw] = the sum of all elements of columns that
// im2col would have read from there. What it would have read outside of the image is
// left out.
//
// The arrays lie as in im2col. x is all 0 before. The launch has one dimension and at
// least as many threads as the larger of the two arrays has elements, none of which
// does more than one plane. A sum may be added in any order, by atomicAdd or without
// it.
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
// y[n][o][p] = bias[o] + the sum over k of w[o][k] * columns[n][k][p].
//
// A convolution, once im2col has made the columns: w is O x K with K = C * KH * KW,
// that is the weights O x C x KH x KW as they lie; columns is N x K x P with P = OH *
// OW, and y N x O x P. All lie row by row. Blocks are (16, 16): blockIdx.x counts tiles
// of 16 along p, blockIdx.y along o, and blockIdx.z is n. O, P >= 1 and K >= 0 are any
// sizes: with K = 0 y is the bias. Tiles of w and of columns go through shared memory:
// each element is read from global memory once by each block that needs it. Shared
// arrays have a fixed size: nothing is given to `extern __shared__`.
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
// y[n][o][oh][ow] = bias[o] + the sum over c, kh and kw of w[o][c][kh][kw] *
// x[n][c][oh + kh - padding][ow + kw - padding], where x is 0 outside of the image.
//
// Without columns: a block makes a tile of 16 x 16 elements of a plane of y. For each
// channel it brings what lies under its windows to shared memory, the tile and its halo
// of K - 1 more rows and columns, and every thread of the block reads it from there: no
// element of x is read from global memory twice by a block. Stride and dilation are 1.
// Blocks are (16, 16): blockIdx.x counts tiles along ow, blockIdx.y along oh, and
// blockIdx.z is n * O + o. The taps are K x K, 1 <= K <= 7, and OH = H + 2 * padding -
// K + 1, OW alike. Shared arrays have a fixed size: nothing is given to
// `extern __shared__`.
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
    """The gradients of y = w @ columns + bias, image by image: (dcolumns, dw, db).

    dy: the gradient of y, an array (N, O, P). columns: im2col of the images, (N, K, P).
    w: the weights as a matrix, (O, K). All are float64, or all float32. There are N
    images, O channels of y, P places, and K = C * KH * KW taps in all channels of x; N
    and P may be 0.
    Returns a tuple of three arrays of the same dtype: dcolumns (N, K, P), from which
    col2im makes the gradient of x; dw (O, K) and db (O,), which belong to all images
    together.
    At hand, of NumPy: a @ b, also of batches; a.transpose(0, 2, 1); a.sum((0, 2)).
    """


max_pool2d = kernel_exercise(
    """\
// y[plane][oh][ow] = the largest element of x's plane under the window at this place,
// and indices[...] = where it was: ih * W + iw.
//
// The window is K x K without dilation, K <= 100; what is outside does not count.
// Of equal elements the first one counts, row by row; NaN is larger than every number,
// and of several NaN any may be the one. Every window has an element inside. x is
// planes x H x W, y and indices are planes x OH x OW. The launch has one dimension and
// at least planes * OH * OW threads, none of which does more than one plane.
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
// dx[plane][i] = the sum of dy[plane][p] over all places p with indices[plane][p] = i.
//
// i counts the elements of a plane of x, `size` in all, and p those of a plane of y,
// `places` in all. Windows may overlap: several may have found the same element. dx is
// all 0 before. The launch has one dimension and at least planes * size and planes *
// places threads, none of which does more than one plane.
// indices = 1 1 3, dy = 10 20 5, size = 4:  dx = 0 30 0 5
__global__ void max_pool2d_backward(const float* dy, const int* indices, float* dx,
                                    int planes, int size, int places);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)
