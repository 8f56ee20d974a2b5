"""gelu(x + bias) in one kernel, and its gradients. Written by the learner in lab 11.

scalar_t is the type of an element, and acc_t the one to compute in: float for half.
Whoever compiles such a kernel says what they are: "-Dscalar_t=float", "-Dacc_t=float".
"""

from ..exercises.registry import kernel_exercise

bias_gelu = kernel_exercise(
    """\
// y[i] = gelu(x[i] + bias[j]) for i = 0 ... n - 1, where j is i's column.
//
// gelu(u) = u * (1 + erf(u / sqrt(2))) / 2. x and y have n elements, in rows of N, and
// bias has N. -Dscalar_t and -Dacc_t define the types: the sum and gelu are computed in
// acc_t, and rounded once, when y is written. N >= 1, n >= 0. The launch has one
// dimension and at least n threads, often more.
// N = 2, x = 0 1 2 3, bias = 0 -1:  y = gelu of 0 0 2 2 = 0 0 1.9545 1.9545
__global__ void bias_gelu(const scalar_t* x, const scalar_t* bias, scalar_t* y,
                          int N, int n);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)

bias_gelu_backward = kernel_exercise(
    """\
// dx[i] = dy[i] * gelu'(x[i] + bias[j]) for i = 0 ... n - 1, where j is i's column.
//
// gelu'(u) = (1 + erf(u / sqrt(2))) / 2 + u * exp(-u * u / 2) / sqrt(2 * pi). All have
// rows of N elements, row by row, n in all; bias has N elements. All is computed in
// acc_t, and rounded to scalar_t once, when dx is written. N >= 1, n >= 0. The launch
// has one dimension and at least n threads, often more.
// N = 1, dy = 1 2, x = 0 0, bias = 0:  dx = 0.5 1
__global__ void bias_gelu_backward(const scalar_t* dy, const scalar_t* x,
                                   const scalar_t* bias, scalar_t* dx, int N, int n);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)

bias_backward = kernel_exercise(
    """\
// dbias[j] = the sum of column j of dx: the bias was added to every row.
//
// dx has M rows of N elements, row by row. The sum is kept in acc_t, and rounded to
// scalar_t once. A thread for each column: the launch has one dimension and at least N
// threads. Each element of dx is read once, and a warp reads neighbors at a time: at
// most 4 sectors for 32 floats. M >= 0 (then dbias is 0), N >= 0. No atomics.
// M = 2, N = 3, dx = 1 2 3 4 5 6:  dbias = 5 7 9
__global__ void bias_backward(const scalar_t* dx, scalar_t* dbias, int M, int N);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)
