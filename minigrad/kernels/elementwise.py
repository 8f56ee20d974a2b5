"""One kernel for any layout and many operations. Learners write them in lab 04.

T is the type of an element, and OP is the operation, a function or a macro. Options of
the compiler define both: ("-DT=float", "-DOP=relu").
"""

from ..exercises.registry import kernel_exercise

unary_kernel = kernel_exercise(
    """\
// y[i] = OP(element i of the view), in row-major order, for i = 0 ... n - 1.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// Compiler options define T and OP, for example -DT=float -DOP=relu or -DT=double
// -DOP=exp. T is float or double. Write OP before one number in parentheses, as in
// OP(v). It's a function of CUDA, the sign -, or one of two functions that you write:
//     T relu(T x)      x if x > 0, otherwise 0, which may have either sign
//     T sigmoid(T x)   1 / (1 + e^-x), with a relative error of at most 2 ** -20, or
//                      2 ** -49 if T is double. If the exact result is smaller than
//                      the smallest normal number, 0 is also correct.
// Both must return NaN for NaN, and must handle infinities. The view has up to 8
// dimensions, all sizes are >= 1, and strides may be 0. Its first element is x[0]. y is
// stored row by row. The launch has one dimension and at least n threads, often more.
// n is the number of elements, but some launches pass n = 0, whatever the sizes are.
// Nothing else may be read or written.
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
// Compiler options define T and OP, for example -DT=float -DOP=sub or -DT=double
// -DOP=pow. T is float, double, int, or long. OP takes two numbers. It's a function of
// CUDA, or one of two functions that you write:
//     T sub(T a, T b)       a - b. No difference in the check overflows.
//     T maximum(T a, T b)   the larger number. If either is NaN, the result must be
//                           NaN. Of 0 and -0, it may return either.
// Both views have the shape of y, which is stored row by row. If an operand is
// broadcast, it has strides of 0, and fewer cells than elements. The first elements are
// a[0] and b[0]. There are up to 8 dimensions, and all sizes are >= 1. Both views may
// also have no dimensions, and then y has one element. The launch has one dimension and
// at least n threads. n is the number of elements, but some launches pass n = 0,
// whatever the sizes are. Nothing else may be read or written.
__global__ void binary_broadcast(const T* a, Strides a_view,
                                 const T* b, Strides b_view, T* y, int n);
""",
    points=2,
    stars=2,
    minutes=15,
)

where_compare = kernel_exercise(
    """\
// y[i] is p's element i if OP(a's element i, b's element i) is true, otherwise q's.
//
// struct Strides { int dims; long long shape[8]; long long stride[8]; };
//
// Compiler options define T and OP, for example -DT=float -DOP=less. T is float,
// double, int, or long. OP is one of six functions of two T that you write: equal,
// not_equal, less, less_equal, greater, and greater_equal. NaN isn't equal to anything,
// not even to itself, and it's neither less nor greater. So with a NaN, only not_equal
// is true.
// The element that's chosen must not change, even if it's NaN, infinity, or -0. The
// other one must have no effect. All four views have the shape of y, which is stored
// row by row. There are up to 8 dimensions, and strides may be 0. The launch has one
// dimension and at least n threads. n is the number of elements, but some launches pass
// n = 0, whatever the sizes are. Nothing else may be read or written.
__global__ void where_compare(const T* a, Strides a_view, const T* b, Strides b_view,
                              const T* p, Strides p_view, const T* q, Strides q_view,
                              T* y, int n);
""",
    points=3,
    stars=2,
    minutes=20,
    level="good to know",
)
