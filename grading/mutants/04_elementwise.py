"""Chapter 04, unary_kernel and binary_broadcast: wrong answers, and right ones."""

from grading.checks.strided import GUARD, MY_I, OFFSET_OF, text_of
from grading.specimens import mutant, right
from minigrad.kernels.elementwise import binary_broadcast, unary_kernel

RELU, SIGMOID = "return x < 0 ? 0 : x;", "return 1 / (1 + exp(-x));"
AT = "x[offset_of(i, view)]"


PLAIN = f"{GUARD} y[i] = OP({AT});"


def unary(cause, body=PLAIN, relu=RELU, sigmoid=SIGMOID, title=None):
    mutant(unary_kernel, cause, title)(unary_text(body, relu, sigmoid))


def unary_text(body, relu=RELU, sigmoid=SIGMOID, before=""):
    functions = f"""{OFFSET_OF}{before}
__device__ T relu(T x) {{ {relu} }}
__device__ T sigmoid(T x) {{ {sigmoid} }}
"""
    return text_of(unary_kernel, body, functions)


unary("flat", f"{MY_I} if (i < n) y[i] = OP(x[i]);")
unary("scattered", f"{GUARD} long long k = offset_of(i, view); y[k] = OP(x[i]);")
unary("no_guard", f"{MY_I} T v = {AT}; y[i] = OP(v);")
unary("one_op", f"{GUARD} y[i] = {AT} > 0 || {AT} != {AT} ? {AT} : 0;")
unary("copied", f"{GUARD} y[i] = {AT};")
unary("twice", f"{GUARD} T v = OP({AT}); y[i] = OP(v);")
unary("in_float", f"{GUARD} float v = {AT}; y[i] = OP(v);")
unary("functions_in_float", relu="float v = x; if (v < 0) v = 0; return v;",
      sigmoid="float e = expf(-x); return 1 / (1 + e);")  # fmt: skip
unary("nan_in_relu", relu="return x > 0 ? x : 0;")
unary("nan_in_relu", relu="return fmax(x, (T)0);", title="by fmax")
unary("nan_in_relu", relu="if (x > 0) return x; return 0;", title="by if")
unary("leaky", relu="return x < 0 ? -x : x;")
unary("sign_of_sigmoid", sigmoid="return 1 / (1 + exp(x));")
unary("overflow", sigmoid="T e = exp(x); return e / (e + 1);")
unary("compile", relu="return max(0, x, 0);", title="max of three")
unary("compile", f"{MY_I} if i < n: y[i] = OP({AT});", title="Python's if")
unary("nothing", f"{GUARD} T v = OP({AT});", title="a local variable")

right(unary_kernel, "early return")(unary_text(f"{GUARD} y[i] = OP({AT});"))
right(unary_kernel, "a loop over the grid")(
    unary_text(
        f"""
    int step = gridDim.x * blockDim.x;
    for ({MY_I} i < n; i += step) y[i] = OP({AT});""",
        "if (x < 0) return 0; return x;",
        "return (T)1 / ((T)1 + exp(-x));",
    )
)
right(unary_kernel, "by tanh")(
    unary_text(
        f"{MY_I} if (i < n) {{ T v = {AT}; T w = OP(v); y[i] = w; }}",
        "return x > 0 || isnan(x) ? x : T(0);",
        "if (x >= 0) return 1 / (1 + exp(-x)); T e = exp(x); return e / (1 + e);",
    )
)
right(unary_kernel, "an offset of one's own")(
    unary_text(
        f"{GUARD} y[i] = OP(x[at(i, view, view.dims)]);",
        "return x <= 0 ? 0 : x;",
        before="""
__device__ int at(int i, Strides v, int dims) {
    int k = 0;
    while (dims--) { k += i % (int)v.shape[dims] * v.stride[dims]; i /= v.shape[dims]; }
    return k;
}""",
    )
)

A, B = "a[offset_of(i, a_view)]", "b[offset_of(i, b_view)]"
OTHERS = """
__device__ int dense(int i, Strides v) {
    int k = 0, step = 1;
    for (int d = v.dims - 1; d >= 0; d--) {
        k += i % v.shape[d] * step;
        step *= v.shape[d];
        i /= v.shape[d];
    }
    return k;
}
__device__ int near(int i, Strides v) {
    int k = 0;
    for (int d = v.dims - 1; d >= 0; d--) {
        k += i % v.shape[d] * max(v.stride[d], 1LL);
        i /= v.shape[d];
    }
    return k;
}
"""


BODY = f"{GUARD} y[i] = OP({A}, {B});"


def binary_text(body=BODY, maximum="return a > b || a != a ? a : b;"):
    functions = f"""{OFFSET_OF}{OTHERS}
__device__ T sub(T a, T b) {{ return a - b; }}
__device__ T maximum(T a, T b) {{ {maximum} }}
"""
    return text_of(binary_broadcast, body, functions)


def binary(cause, body=BODY, title=None, **functions):
    mutant(binary_broadcast, cause, title)(binary_text(body, **functions))


binary("flat", f"{MY_I} if (i < n) y[i] = OP(a[i], b[i]);")
binary("flat_a", f"{GUARD} T v = {B}; y[i] = OP(a[i], v);")
binary("flat_b", f"{GUARD} T v = {A}; y[i] = OP(v, b[i]);")
binary("one_view", f"{GUARD} int k = offset_of(i, a_view); y[i] = OP(a[k], b[k]);")
binary("other_view", f"{GUARD} int k = offset_of(i, b_view); y[i] = OP(a[k], b[k]);")
binary("crossed", f"{GUARD} int j = offset_of(i, b_view), k = offset_of(i, a_view); "
       "y[i] = OP(a[j], b[k]);")  # fmt: skip
binary("flat", f"{GUARD} y[i] = OP(a[dense(i, a_view)], b[dense(i, b_view)]);",
       "strides of the shape")  # fmt: skip
binary("stride_zero", f"{GUARD} y[i] = OP(a[near(i, a_view)], b[near(i, b_view)]);")
binary("no_scalars", f"{MY_I} if (i < n && a_view.dims > 0) y[i] = OP({A}, {B});")
binary("exchanged", f"{GUARD} T u = {B}, v = {A}; y[i] = OP(u, v);")
binary("no_guard", f"{MY_I} T u = {A}, v = {B}; y[i] = OP(u, v);")
binary("in_float", f"{GUARD} float u = {A}, v = {B}; y[i] = OP(u, v);")
binary("one_op", f"{GUARD} y[i] = {A} - {B};")
binary("nan_in_maximum", maximum="if (a > b) return a; return b;")
binary("nan_by_fmax", maximum="return max(a, b);")
binary("nan_in_b", maximum="return a < b ? b : a;")
binary("compile", f"{GUARD} y[i] = {A} OP {B};", "between the two")
binary("nothing", f"{GUARD} T v = OP({A}, {B});")

right(binary_broadcast, "early return")(
    binary_text(maximum="return a < b || b != b ? b : a;")
)
right(binary_broadcast, "variables")(
    binary_text(
        f"""
    unsigned i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {{
        const T left = {A}, right = {B};
        T result = OP(left, right);
        y[i] = result;
    }}""",
        "return a != a ? a : b != b ? b : max(a, b);",
    )  # fmt: skip
)
right(binary_broadcast, "both offsets in one loop")(
    binary_text(f"""{GUARD}
    long long j = 0, k = 0, rest = i;
    for (int d = a_view.dims - 1; d >= 0; d--) {{
        long long index = rest % a_view.shape[d];
        rest /= a_view.shape[d];
        j += index * a_view.stride[d];
        k += index * b_view.stride[d];
    }}
    y[i] = OP(a[j], b[k]);""")
)
