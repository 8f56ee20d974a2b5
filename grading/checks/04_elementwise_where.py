"""Chapter 04, comparisons and where: PyTorch's, on the same views."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import KernelCheck, Launch, distinct, mistake
from minigrad.kernels.elementwise import where_compare

from . import strided
from .strided import GUARD, MY_I

DTYPES = {"float": "float32", "int": "int32", "double": "float64"}
COMPARE = {
    "equal": torch.eq, "not_equal": torch.ne, "less": torch.lt,
    "less_equal": torch.le, "greater": torch.gt, "greater_equal": torch.ge,
}  # fmt: skip
FINE = {
    "equal": "a == b", "not_equal": "a != b", "less": "a < b",
    "less_equal": "a <= b", "greater": "a > b", "greater_equal": "a >= b",
}  # fmt: skip
ODD = np.array([1, 2, np.nan, np.inf, -np.inf, -0.0, 3, 5], np.float32)
OTHER = np.array([2, 2, np.nan, np.inf, np.inf, 0.0, np.nan, 4], np.float32)
READ = "a[offset_of(i, a_view)]", "b[offset_of(i, b_view)]"
CHOICE = "p[offset_of(i, p_view)]", "q[offset_of(i, q_view)]"
ONE = (0, 0), (0, 0)  # p and q are numbers
APART = {"a": 0, "b": 0, "p": 10_000, "q": 20_000}  # p and q differ everywhere


def chosen(text, guard=GUARD, a=READ[0], b=READ[1], p=CHOICE[0], q=CHOICE[1],
           choice="OP({a}, {b}) ? {p} : {q}", **other):  # fmt: skip
    """A mistake: what is compared or chosen, or what one of the six functions says."""
    six = "\n".join(
        f"__device__ bool {name}(T a, T b) {{ return {say}; }}"
        for name, say in (FINE | other).items()
    )
    body = f"{guard} y[i] = {choice.format(a=a, b=b, p=p, q=q)};"
    before = f"{strided.OFFSET_OF}\n{six}"
    return mistake(text, strided.text_of(where_compare, body, before))


@checks(where_compare)
class WhereCompare(KernelCheck):
    def cases(self, random):
        for op in COMPARE:
            yield "comparisons", self.launch(random, (5, 4), [(4, 1), (0, 1), *ONE], op)
        for op in COMPARE:
            part, one = "NaN and infinities", [(1,), (1,), (0,), (0,)]
            yield part, self.launch(random, (8,), one, op, a=ODD, b=OTHER)
            pairs = [(1, 0), (0, 1), *ONE]
            yield part, self.launch(random, (8, 8), pairs, op, a=ODD, b=ODD)
        mixed = [(1, 4), (0, 1), (3, 1), (1, 0)]
        for op in ("less", "greater_equal"):
            yield "any layout", self.launch(random, (4, 3), mixed, op)
            views = [(0, 4, 1), (1, 0, 2), (12, 1, 3), (0, 0, 1)]
            yield "any layout", self.launch(random, (2, 3, 4), views, op)
            yield "any layout", self.launch(random, (), [()] * 4, op)
        wide = [(1, 37), (0, 1), (29, 1), (1, 0)]
        yield "several blocks", self.launch(random, (37, 29), wide, "less")
        p, q = ODD, OTHER[::-1].copy()
        part = "what is chosen stays as it is"
        for op in ("less", "greater"):
            yield part, self.launch(random, (8,), [(1,)] * 4, op, p=p, q=q)
        big = np.array([2**24, 2**24 + 1, 2**24 + 2, 5], np.int32)
        views = [(1, 0), (0, 1), (4, 1), (0, 0)]
        for op in ("equal", "less"):
            ints = self.launch(random, (4, 4), views, op, "int", a=big, b=big)
            yield "another type", ints
        yield "no elements", self.launch(random, (4, 3), mixed, "less", n=0)

    def launch(self, random, shape, views, op, T="float", n=None, **given):  # noqa: N803
        n = strided.size_of(shape) if n is None else n
        args = []
        for name, strides in zip("abpq", views, strict=True):
            cells = strided.cells(shape, strides)
            x = distinct(random, cells, dtype=DTYPES[T])
            x += x.dtype.type(APART[name])
            args += [given.get(name, x), strided.view(shape, strides)]
        args += [strided.output(shape, DTYPES[T]), np.int32(n)]
        how = f"-DT={T}", f"-DOP={op}"
        return Launch(strided.cover(n), strided.THREADS, tuple(args), options=how)

    def expected(self, launch, a, a_view, b, b_view, p, p_view, q, q_view, y, n):
        pairs = (a, a_view), (b, b_view), (p, p_view), (q, q_view)
        a, b, p, q = (strided.read(x, view) for x, view in pairs)
        holds = COMPARE[launch.options[1].removeprefix("-DOP=")](a, b)
        return strided.written(y, n, torch.where(holds, p, q))

    nan_equal = chosen(
        "NaN is equal to NaN here: it is equal to nothing, and `==` says so",
        equal="!(a < b) && !(a > b)",
    )
    nan_is_nan = chosen(
        "NaN is equal to NaN here: it is equal to nothing, not to itself either",
        equal="a == b || (a != a && b != b)",
        not_equal="!(a == b || (a != a && b != b))",
    )
    negated = chosen(
        "less_equal is not the opposite of greater, nor greater_equal that of less: "
        "with NaN, neither of the two holds",
        less_equal="!(a > b)",
        greater_equal="!(a < b)",
    )
    unequal_by_order = chosen(
        "not_equal holds for NaN, too, which is neither less nor greater: `!=`",
        not_equal="a < b || a > b",
    )
    one_comparison = chosen(
        "the comparison is always `<`: OP stands for the one that is wanted",
        choice="{a} < {b} ? {p} : {q}",
    )
    strict = chosen(
        "less_equal and greater_equal hold for equal numbers, too",
        less_equal="a < b",
        greater_equal="a > b",
    )
    exchanged = chosen(
        "a and b have changed places",
        a="b[offset_of(i, b_view)]",
        b="a[offset_of(i, a_view)]",
    )
    wrong_way = chosen(
        "p and q have changed places: p is for where the condition holds",
        p=CHOICE[1],
        q=CHOICE[0],
    )
    blended = chosen(
        "what is not chosen is multiplied by 0 and added: 0 times infinity is NaN. "
        "Choose with `? :` or `if`",
        choice="OP({a}, {b}) * {p} + (1 - OP({a}, {b})) * {q}",
    )
    flat_choice = chosen(
        "p and q are read without their views: they have strides, too",
        p="p[i]",
        q="q[i]",
    )
    flat_operands = chosen(
        "a and b are read without their views: they have strides, too",
        a="a[i]",
        b="b[i]",
    )
    one_view = chosen(
        "a's view is used for all four: each tensor has its own",
        b="b[offset_of(i, a_view)]",
        p="p[offset_of(i, a_view)]",
        q="q[offset_of(i, a_view)]",
    )
    only_condition = chosen(
        "this is the condition, 0 or 1: what is wanted is p's element or q's",
        choice="OP({a}, {b})",
    )
    in_float = chosen(
        "the numbers are compared as float: T may be int, and then digits are lost",
        a="(float)a[offset_of(i, a_view)]",
        b="(float)b[offset_of(i, b_view)]",
        choice="OP((T){a}, (T){b}) ? {p} : {q}",
    )
    no_guard = chosen(
        "there is no guard: the last block has more threads than there are elements",
        guard=MY_I,
    )
