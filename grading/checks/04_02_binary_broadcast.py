"""A function of two tensors that are broadcast."""

import numpy as np
import torch

from grading.exercise import checks, mistakes
from minigrad.kernels.elementwise import binary_broadcast

from . import strided
from .launches import specials
from .strided import NO_GUARD, ElementwiseCheck

BINARY = {"sub": torch.sub, "maximum": torch.maximum, "fmin": torch.fmin,
          "copysign": torch.copysign}  # fmt: skip
PAIR = (3, 4), [(1, 0), (0, 1)]  # a column and a row


@checks(binary_broadcast)
class BinaryBroadcast(ElementwiseCheck):
    """Leaves out subnormal numbers, which a GPU takes for 0."""

    def cases(self, random):
        yield "a column and a row", self.launch(random, *PAIR, "sub")
        for views in [(0, 1), (1, 0)], [(1, 7), (0, 0)], [(0, 0), (5, 1)]:
            yield "a column and a row", self.launch(random, (7, 5), views, "sub")
        for part, shape, strides in strided.layouts(random):
            views = [strides, strided.broadcast(random, shape)]
            random.shuffle(views)
            yield part, self.launch(random, shape, views, "sub")
        for op in BINARY:
            a, b = specials(random), specials(random)
            args = (30, 30), [(0, 1), (1, 0)], op
            part = "maximum" if op == "maximum" else "other operations"
            yield part, self.launch(random, *args, a=a, b=b)
        big = np.array([2**24 + 1, 2**24 + 3, 2**24 + 5, 7])
        for part, op, T in [("other operations", "sub", "int"),  # noqa: N806
                            ("maximum", "maximum", "double")]:  # fmt: skip
            a = big.astype(strided.DTYPES[T])
            yield part, self.launch(random, *PAIR, op, T, a=a[:3], b=a)
        a = 2**53 + big.astype("int64")  # more digits than double has
        for part, op in ("other operations", "sub"), ("maximum", "maximum"):
            launch = self.launch(random, *PAIR, op, "long", a=a[:3], b=a)
            yield part, launch
        yield "no elements", self.launch(random, *PAIR, "sub", "int", n=0)

    def expected(self, launch, a, a_view, b, b_view, y, n):
        op = BINARY[self.op(launch)]
        return strided.written(
            y, n, op(strided.read(a, a_view), strided.read(b, b_view))
        )


A, B = "a[offset_of(i, a_view)]", "b[offset_of(i, b_view)]"
LARGER = "a > b || a != a ? a : b"
mistakes(binary_broadcast)(f"""
one_view: a's view is used for both: b has strides of its own
> i, b_view -> i, a_view
other_view: b's view is used for both: a has strides of its own
> i, a_view -> i, b_view
stride_zero: a stride of 0 is taken for 1: an element that is broadcast stays in its
    cell
> * view.stride[d] -> * max(view.stride[d], 1LL)
one_op: the operation is always the same: OP stands for the one that is wanted
> OP( -> sub(
flat_a: a's strides are ignored: a[offset_of(i, a_view)]
> {A} -> a[i]
flat_b: b's strides are ignored: b[offset_of(i, b_view)]
> {B} -> b[i]
no_dims: a view without dimensions has one element, a number: it counts as well
> if (i < n) -> if (i < n && a_view.dims > 0)
no_guard: {NO_GUARD}
> if (i < n) ->
in_float: the numbers go through float: T may be int or double, and digits are lost
> OP({A}, {B}) -> OP((float){A}, (float){B})
> T maximum(T a, T b) -> float maximum(float a, float b)
nan_in_maximum: maximum loses a NaN: every comparison with NaN is false, so ask for it,
    too: a != a
> {LARGER} -> a > b ? a : b
nan_by_fmax: max and fmax return the number beside a NaN; here NaN is to come out
> {LARGER} -> max(a, b)
nan_in_b: maximum loses a NaN in b: every comparison with NaN is false, so NaN must take
    the way to itself
> {LARGER} -> b > a ? b : a
flat: the strides are ignored: a tensor that is broadcast has strides of 0. Element i of
    a is a[offset_of(i, a_view)], and b's is b[offset_of(i, b_view)]
> {A} -> a[i]
& {B} -> b[i]
> rest = i; -> rest = i, step = 1;
& * view.stride[d] -> * step
& rest /= view -> step *= view.shape[d]; rest /= view
equivalent: equal numbers are alike
> comparison: return a >= b ||
right: a loop over the grid
> if (i < n) y[i] -> for (; i < n; i += gridDim.x * blockDim.x) y[i]
& {LARGER} -> !(a <= b) && b == b ? a : b
& return a - b -> return T(a) - T(b)
right: one loop for both places
> if (i < n) y[i] = OP({A}, {B}); ->
    if (i >= n) return;
    long long rest = i;
    for (int d = a_view.dims - 1; d >= 0; d--) {{
        long long k = rest % a_view.shape[d];
        rest = rest / a_view.shape[d];
        a += k * a_view.stride[d];
        b += k * b_view.stride[d];
    }}
    y[i] = OP(*a, *b);
& {LARGER} -> a != a || b != b ? a + b : max(a, b)
""")
