"""A function of every element, for any layout."""

import torch

from grading.exercise import checks, mistakes
from minigrad.kernels.elementwise import unary_kernel

from . import strided
from .launches import specials
from .strided import NO_GUARD, SCATTERED, ElementwiseCheck

UNARY = {  # what OP is -> PyTorch's function
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "-": torch.neg,
    "fabs": torch.abs,
    "sqrt": torch.sqrt,
    "exp": torch.exp,
}


@checks(unary_kernel)
class UnaryKernel(ElementwiseCheck):
    """Leaves out T but float and double, by contract, and subnormal numbers."""

    def cases(self, random):
        for part, shape, strides in strided.layouts(random):
            yield part, self.launch(random, shape, [strides], "-")
        for op in UNARY:
            part = op if op in ("relu", "sigmoid") else "other operations"
            x = specials(random)
            yield part, self.launch(random, (3, 10), [(1, 3)], op, x=x)
            yield part, self.launch(random, (17,), [(1,)], op, x=x)
        for op in ("relu", "sigmoid", "exp"):
            x = specials(random, "float64") * (1 + 2**-40)
            launch = self.launch(random, (5, 6), [(1, 5)], op, "double", x=x)
            yield "another type", launch
        yield "no elements", self.launch(random, (2, 3), [(1, 2)], "relu", n=0)

    def expected(self, launch, x, view, y, n):
        op = UNARY[self.op(launch)]
        return strided.written(y, n, op(strided.read(x, view).double()))


X = "x[offset_of(i, view)]"
RELU, SIGMOID = "x < 0 ? 0 : x", "1 / (1 + exp(-x))"
mistakes(unary_kernel)(f"""
one_op: the operation is always the same: OP stands for the one that is wanted
> OP( -> relu(
tiny: numbers just above 0 are taken for 0: relu is x wherever x is above 0
> x < 0 ? 0 -> x < T(1e-6) ? T(0)
in_float: the numbers go through float: T may be double, and then digits are lost
> OP(x -> OP((float)x
sign_of_sigmoid: sigmoid has the wrong sign: it is 1 / (1 + exp(-x))
> exp(-x) -> exp(x)
flat: the strides are ignored: element i of the view lies at x[offset_of(i, view)]
> {X} -> x[i]
scattered: {SCATTERED}
> y[i] = OP({X}) -> y[offset_of(i, view)] = OP(x[i])
no_guard: {NO_GUARD}
> if (i < n) ->
functions_in_float: relu and sigmoid go through float: T may be double, and then digits
    are lost
> return {RELU} -> float v = x; return v < 0 ? 0 : v
& return {SIGMOID} -> float v = x; return 1.0f / (1.0f + expf(-v))
nan_in_relu: relu makes 0 of NaN: every comparison with NaN is false, so NaN takes the
    last way; let that be x
> {RELU} -> x > 0 ? x : 0
> {RELU} -> fmax(x, (T)0)
> return {RELU} -> if (x > 0) return x; return 0
leaky: relu is x itself above 0, and 0 below
> {RELU} -> fabs(x)
overflow: sigmoid of large numbers is inf / inf, NaN: with exp(-x) it would be 1 / 1
> {SIGMOID} -> exp(x) / (1 + exp(x))
one_plus_tanh: the digits of small results are lost, as tanh comes close to -1: add
    exp(-x), which is large there
> {SIGMOID} -> (1 + tanh(x / 2)) / 2
equivalent: 0 and -0 are equal
> comparison: return x <= 0 ? 0 : x;
right: without large exponentials
> y[i] = OP({X}); -> {{ T v = {X}; T w = OP(v); y[i] = w; }}
& {RELU} -> x > 0 || isnan(x) ? x : T(0)
& return {SIGMOID} -> if (x >= 0) return {SIGMOID}; T e = exp(x); return e / (1 + e)
right: a loop over the grid, from the first dimension on
> if (i < n) -> for (; i < n; i += gridDim.x * blockDim.x)
&
    for (int d = view.dims - 1; d >= 0; d--) {{
        offset += rest % view.shape[d] * view.stride[d];
        rest /= view.shape[d];
    }} -> long long run = 1;
    for (int d = 0; d < view.dims; d++) run *= view.shape[d];
    for (int d = 0; d < view.dims; d++) {{
        run /= view.shape[d];
        offset += rest / run * view.stride[d];
        rest %= run;
    }}
& {RELU} -> !(x > 0) && x == x ? T(0) : x
""")
