"""Cross entropy, forward and backward. Written by the learner in lab 09."""

from ..exercises.registry import kernel_exercise

cross_entropy_forward = kernel_exercise(
    """\
// losses[r] = lse[r] - x[r][target[r]], where lse[r] = log(sum of exp(x[r][c])): minus
// the logarithm of the probability that softmax gives to the right class.
//
// x has gridDim.x rows of n scores, row by row: block r does row r. target[r] is the
// right class, 0 to n - 1, or ignore: then losses[r] = 0, and lse[r] as for any other
// row. blockDim.x is a power of two, at most 256; n >= 1 is any number. Scores may be
// as large as 10000, and some of a row, but not all, may be minus infinity. x is read
// four times at most. Shared arrays have a fixed size: nothing is given to
// `extern __shared__`.
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
// dx = dy[0] / count * (softmax(x) - one_hot(target)), row by row: the gradient of the
// mean of the losses, where dy[0] is the gradient that comes to the mean.
//
// x and dx have rows * n elements; lse[r] is log(sum of exp(x[r][c])), from the
// forward, so softmax is exp(x - lse). Rows whose target is ignore have the gradient 0;
// count is the number of the others. The launch has one dimension and any number of
// threads, so each thread may have several elements, or none.
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
