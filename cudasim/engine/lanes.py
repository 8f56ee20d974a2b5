"""Operators on values that are kept narrow.

NumPy broadcasts a row of 16 threads 16 numbers at a time, which costs far more than
the arithmetic. So before a large operation both sides are expanded along their last
axes, with `repeat`, until NumPy has runs of at least RUN numbers.
"""

import functools
import math
import operator

SMALL = 4096  # below this many lanes it does not matter
RUN = 64


def spread(a, b):
    """The two arrays, so that NumPy can combine them in long runs."""
    from_a, from_b = plan(a.shape, b.shape)
    for axis, times in from_a:
        a = a.repeat(times, axis)
    for axis, times in from_b:
        b = b.repeat(times, axis)
    return a, b


@functools.lru_cache(maxsize=1024)
def plan(a, b):
    """How to repeat each of two shapes: ((axis, times), ...) twice."""
    shape = tuple(map(max, a, b))
    if math.prod(shape) < SMALL:
        return (), ()
    if in_one_run(a, b, shape) >= RUN:
        return (), ()
    axis, run = len(shape), 1
    while axis and run < RUN:
        axis -= 1
        run *= shape[axis]
    axes = range(len(shape) - 1, axis - 1, -1)
    return tuple(
        tuple((i, shape[i]) for i in axes if side[i] < shape[i]) for side in (a, b)
    )


def in_one_run(a, b, shape):
    """How many numbers NumPy combines at once: those of the last axes that agree."""
    run, alike = 1, None
    for n, *sides in zip(shape[::-1], a[::-1], b[::-1], strict=True):
        if n > 1:
            varies = [side > 1 for side in sides]  # along this axis
            if alike not in (None, varies):
                break
            run, alike = run * n, varies
    return run


def spreading(op):
    """`op` for values of any shapes."""

    def run(a, b):
        if a.ndim and b.ndim and a.shape != b.shape:
            a, b = spread(a, b)
        return op(a, b)

    return run


OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne, "&": operator.and_, "|": operator.or_,
    "^": operator.xor,
}  # fmt: skip
NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "<": "lt", ">": "gt", "<=": "le",
    ">=": "ge", "==": "eq", "!=": "ne", "&": "and_", "|": "or_", "^": "xor",
}  # fmt: skip
FUNCTIONS = {NAMES[op]: spreading(function) for op, function in OPERATORS.items()}
