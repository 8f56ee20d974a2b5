"""Comparisons, and a choice between two tensors."""

import numpy as np
import torch

from grading.exercise import checks, mistakes
from minigrad.kernels.elementwise import where_compare

from . import strided
from .launches import MovesNumbers
from .strided import NO_GUARD, ElementwiseCheck

COMPARE = {
    "equal": torch.eq, "not_equal": torch.ne, "less": torch.lt,
    "less_equal": torch.le, "greater": torch.gt, "greater_equal": torch.ge,
}  # fmt: skip
ODD = np.array([1, 2, np.nan, np.inf, -np.inf, -0.0, 3, 5], np.float32)
OTHER = np.array([2, 2, np.nan, np.inf, np.inf, 0.0, np.nan, 4], np.float32)
ONE = (0, 0), (0, 0)  # p and q are numbers


@checks(where_compare)
class WhereCompare(MovesNumbers, ElementwiseCheck):
    """Leaves out T = double: int is as far from float, and long further."""

    def cases(self, random):
        for op in COMPARE:
            yield "comparisons", self.launch(random, (5, 4), [(4, 1), (0, 1), *ONE], op)
        for op in COMPARE:
            part, one = "NaN and infinities", [(1,), (1,), (0,), (0,)]
            yield part, self.launch(random, (8,), one, op, a=ODD, b=OTHER)
            pairs = [(1, 0), (0, 1), *ONE]
            yield part, self.launch(random, (8, 8), pairs, op, a=ODD, b=ODD)
        for part, shape, strides in strided.layouts(random):
            views = [strides, *(strided.broadcast(random, shape) for _ in range(3))]
            random.shuffle(views)
            yield part, self.launch(random, shape, views, "less")
        a, p, q = np.array([1, 4] * 4, np.float32), ODD, -OTHER[::-1]
        part = "what is chosen stays as it is"
        for op in ("less", "greater"):
            given = {"a": a, "b": 5 - a, "p": p, "q": q}  # each p and q is chosen once
            yield part, self.launch(random, (8,), [(1,)] * 4, op, **given)
        big = np.array([2**24, 2**24 + 1, 2**31 - 1, -(2**31)], np.int32)
        views = [(1, 0), (0, 1), (0, 1), (0, 0)]
        huge = np.array([2**53, 2**53 + 1, 2**63 - 1, -(2**63)])  # double has not all
        for op in COMPARE:
            for T, x in ("int", big), ("long", huge):  # noqa: N806
                given = {"a": x, "b": x, "p": x}
                launch = self.launch(random, (4, 4), views, op, T, **given)
                yield "another type", launch
        yield "no elements", self.launch(random, (4, 3), [(3, 1)] * 4, "less", n=0)

    def expected(self, launch, a, a_view, b, b_view, p, p_view, q, q_view, y, n):
        pairs = (a, a_view), (b, b_view), (p, p_view), (q, q_view)
        a, b, p, q = (strided.read(x, view) for x, view in pairs)
        holds = COMPARE[self.op(launch)](a, b)
        return strided.written(y, n, torch.where(holds, p, q))


A, B = "a[offset_of(i, a_view)]", "b[offset_of(i, b_view)]"
P, Q = "p[offset_of(i, p_view)]", "q[offset_of(i, q_view)]"
CHOICE = f"OP(left, right) ? {P} : {Q}"
mistakes(where_compare)(f"""
nan_equal: NaN is equal to NaN here: it is equal to nothing, and `==` says so
> a == b -> !(a < b) && !(a > b)
nan_is_nan: NaN is equal to NaN here: it is equal to nothing, not to itself either
> a == b -> a == b || (a != a && b != b)
& a != b -> !equal(a, b)
negated: less_equal is not the opposite of greater, nor greater_equal that of less: with
    NaN, neither of the two holds
> a <= b -> !(a > b)
& a >= b -> !(a < b)
> a <= b -> !(a > b)
& a >= b -> !less(a, b)
one_comparison: the comparison is always `<`: OP stands for the one that is wanted
> OP( -> less(
strict: less_equal and greater_equal hold for equal numbers, too
> a <= b -> a < b
& a >= b -> a > b
exchanged: a and b have changed places
> OP(left, right) -> OP(right, left)
wrong_way: p and q have changed places: p is for where the condition holds
> OP(left, right) -> !OP(left, right)
one_view: a's view is used for all four: each tensor has its own
> i, b_view -> i, a_view
& i, p_view -> i, a_view
& i, q_view -> i, a_view
in_float: the numbers are compared as float: T may be int, and then digits are lost
> T left -> float left
chosen_in_float: what is chosen goes through float: T may be int, and then digits are
    lost
> y[i] = OP -> float chosen = OP
& {Q}; -> {Q}; y[i] = chosen;
difference: the difference of two ints may be too large for an int: compare a and b
> a < b -> a - b < 0
& a <= b -> a - b <= 0
& a > b -> a - b > 0
& a >= b -> a - b >= 0
> a < b -> a - b < 0
> a > b -> b - a < 0
zero_added: 0 is added to what is chosen: -0 + 0 is 0, so leave it as it is
> ? {P} -> ? {P} + 0
> : {Q} -> : {Q} + 0
& ? {P} -> ? {P} + 0
blended: what is not chosen is multiplied by 0 and added: 0 times infinity is NaN.
    Choose with `? :` or `if`
> {CHOICE} -> OP(left, right) * {P} + (1 - OP(left, right)) * {Q}
flat_choice: p and q are read without their views: they have strides, too
> {P} : {Q} -> p[i] : q[i]
flat_operands: a and b are read without their views: they have strides, too
> {A} -> a[i]
& {B} -> b[i]
three_dims: there are up to 8 dimensions, and view.dims says how many
> d >= 0 -> d >= max(0, view.dims - 3)
no_guard: {NO_GUARD}
> if (i >= n) return; ->
right: a loop over the grid
> if (i >= n) return; -> for (; i < n; i += gridDim.x * blockDim.x) {{
& {Q}; -> {Q}; }}
& a > b -> less(b, a)
& a >= b -> less_equal(b, a)
right: six by two of them, and an address is chosen
> a != b -> !equal(a, b)
& a <= b -> less(a, b) || equal(a, b)
& a > b -> less(b, a)
& a >= b -> less_equal(b, a)
& y[i] = -> const T* from =
& {P} : {Q}; -> p + offset_of(i, p_view) : q + offset_of(i, q_view); y[i] = *from;
""")
