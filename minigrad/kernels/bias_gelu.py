"""The gradients of gelu(x + bias), which you write in lab 11.

scalar_t is the type of an element, and acc_t the type to compute in, which is float for
half. Both are set when a kernel is compiled: "-Dscalar_t=float", "-Dacc_t=float".
"""

from ..exercises.registry import kernel_exercise

bias_gelu_backward = kernel_exercise(
    """\
// Compute dx[i] = dy[i] * gelu'(x[i] + bias[j]) for all i < n, where j is i's column.
//
// gelu' is the derivative of gelu(u) = u * (1 + erf(u / sqrt(2))) / 2, without an
// approximation by tanh. dy, x, and dx have n elements, in rows of N, and bias has N.
// N >= 1, and n is a multiple of N, possibly 0. The options -Dscalar_t and -Dacc_t
// define the types: float and float, double and double, float and double, or __half and
// float. Everything must be computed in acc_t (or a wider type, which is slower), and
// rounded only when dx is written. If dy is 0, NaN, or infinite, or u is NaN, dx must
// be what the product gives. x and bias aren't infinite. dx may hold anything before
// the launch. The launch has one dimension and at least n threads, often more.
// N = 1, dy = 1 2, x = 0 0, bias = 0:  dx = 0.5 1
__global__ void bias_gelu_backward(const scalar_t* dy, const scalar_t* x,
                                   const scalar_t* bias, scalar_t* dx, int N, int n);
""",
    points=3,
    stars=2,
    minutes=25,
    level="good to know",
)

bias_backward = kernel_exercise(
    """\
// Compute dbias[j], the sum of column j of dx, for all j < N.
//
// dx has M rows of N elements, stored row by row. M and N may be 0. If M is 0, dbias
// must be 0. The types are those of bias_gelu_backward. A sum must be kept in acc_t or
// a wider type, and rounded to scalar_t once. The order of its terms is up to you. inf
// and NaN must propagate as in a sum of floats. The launch has one dimension and at
// least N threads, often more. A warp must read neighbors, and each element must be
// read once. So 32 floats take 4 sectors, or 5 if the row doesn't begin at a multiple
// of 32 bytes. Atomics aren't allowed. dbias may hold anything before the launch.
// M = 2, N = 3, dx = 1 2 3 4 5 6:  dbias = 5 7 9
__global__ void bias_backward(const scalar_t* dx, scalar_t* dbias, int M, int N);
""",
    points=2,
    stars=2,
    minutes=15,
    level="good to know",
)
