"""Cross entropy, forward and backward. Written by the learner in lab 09."""

from ..exercises.registry import kernel_exercise

cross_entropy_forward = kernel_exercise(
    """\
// Write losses[r] = lse[r] - x[r][target[r]] and lse[r] = log(sum of exp(x[r][c])) for
// each row r.
//
// x: gridDim.x rows of n >= 1 scores, row by row. Block r works on row r. Scores are
//   between -10000 and 10000, or minus infinity, but each row has a finite one. A
//   loss may be infinite. Read each score at most four times.
// target: the correct class of each row, 0 to n - 1, or `ignore`. If it's `ignore`,
//   losses[r] is 0, and lse[r] is as for any other row.
// ignore: any int outside of 0 to n - 1.
//
// blockDim.x is a power of two, at most 256. Shared arrays must have a fixed size,
// because no memory is passed for `extern __shared__`.
// x = 0 0 0 0, target = 2:  lse = log(4) = 1.386, losses = 1.386
__global__ void cross_entropy_forward(const float* x, const int* target, float* losses,
                                      float* lse, int n, int ignore);
""",
    points=3,
    stars=3,
    minutes=30,
    level="good to know",
)

cross_entropy_backward = kernel_exercise(
    """\
// Write dx = dy[0] / count * (softmax(x) - one_hot(target)), row by row. It's the
// gradient of the mean of the losses.
//
// x, dx: rows * n elements. Scores are between -128 and 128.
// lse: log(sum of exp(x[r][c])) of each row, so softmax is exp(x - lse).
// target: the correct class of each row, or `ignore`. If it's `ignore`, the row's
//   gradient is 0.
// ignore: any int outside of 0 to n - 1.
// dy: one element, the gradient that arrives at the mean.
// count: the number of rows that aren't ignored. It may be 0.
//
// The launch has one dimension and any number of threads, so a thread may have several
// elements, or none.
// x = 0 0 0 0, lse = 1.386, target = 2, dy = 1, count = 1:  dx = 0.25 0.25 -0.75 0.25
__global__ void cross_entropy_backward(const float* x, const int* target,
                                       const float* lse, const float* dy, float* dx,
                                       int rows, int n, int ignore, int count);
""",
    points=2,
    stars=2,
    minutes=20,
    level="good to know",
)
