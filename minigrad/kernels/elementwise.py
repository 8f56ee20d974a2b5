"""One kernel for any layout and many operations. Written by the learner in lab 04.

T is the type of an element, and OP the operation: a function or a macro. Whoever
compiles such a kernel says what they are: options ("-DT=float", "-DOP=relu").
"""

from ..exercises.registry import kernel_exercise

unary_kernel = kernel_exercise(
    """\
// y[i] = OP(element i of the view), in row-major order, for i = 0 ... n - 1.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// Compiler options define T and OP: -DT=float -DOP=relu, or -DT=double -DOP=exp.
// OP stands before one number in brackets: a function of CUDA, the sign -, or one of
// these two of yours, for T = float and double:
//     T relu(T x)      x, but 0, of either sign, where x is not above 0; NaN stays NaN
//     T sigmoid(T x)   1 / (1 + e^-x), up to 2 ** -20 of it, or 2 ** -49 for double,
//                      down to the smallest normal number, below which 0 will do
// The view has up to 8 dimensions, all sizes >= 1; its first element is x[0]. The
// launch has one dimension and at least n threads, often more. n >= 0.
__global__ void unary_kernel(const T* x, Strides view, T* y, int n);
""",
    points=2,
    stars=2,
    minutes=20,
)

binary_broadcast = kernel_exercise(
    """\
// y[i] = OP(element i of a's view, element i of b's view), for i = 0 ... n - 1.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// Compiler options define T and OP: -DT=float -DOP=sub, or -DT=double -DOP=pow.
// OP takes two numbers: a function of CUDA, or one of these two of yours, for any T:
//     T sub(T a, T b)       a - b
//     T maximum(T a, T b)   the larger one; NaN if one of them is NaN; of 0 and -0 any
// T is float, double, int or long, and a - b fits into it.
// Both views have the same shape, that of y, which is stored row by row: a tensor that
// is broadcast has strides of 0 there, and only as many cells as it has elements. The
// first elements are a[0] and b[0]. Up to 8 dimensions, all sizes >= 1; a number has
// none, and then y has one element. The launch has one dimension and at least n
// threads. n >= 0.
__global__ void binary_broadcast(const T* a, Strides a_view,
                                 const T* b, Strides b_view, T* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
)

where_compare = kernel_exercise(
    """\
// y = where(a OP b, p, q): y[i] is p's element i where OP(a's, b's) holds, else q's.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// Compiler options define T and OP: -DT=float -DOP=less. OP is one of the six
// functions of two T that you write: equal, not_equal, less, less_equal, greater,
// greater_equal. NaN is equal to nothing, not to itself either, and neither less nor
// greater than anything; so not_equal alone holds for it.
// T is float, double, int or long. All four views have the shape of y. Up to 8
// dimensions, strides of 0 too. The launch has one dimension and at least n threads.
// n >= 0.
__global__ void where_compare(const T* a, Strides a_view, const T* b, Strides b_view,
                              const T* p, Strides p_view, const T* q, Strides q_view,
                              T* y, int n);
""",
    points=3,
    stars=2,
    minutes=20,
    level="good to know",
)
