"""Operators of values that are kept narrow.

NumPy broadcasts a row of 16 threads 16 numbers at a time, which costs far more than
the arithmetic. Before a large operation the narrower side is therefore spread out, with
`repeat`, so that both sides are one long run of numbers.
"""

import operator

SMALL = 4096  # below this many lanes it does not matter


def spread(a, b):
    """The two arrays, so that NumPy can combine them in one long run."""
    (p, q, r), (x, y, z) = a.shape, b.shape
    shape = (max(p, x), max(q, y), max(r, z))
    if shape[0] * shape[1] * shape[2] < SMALL:
        return a, b
    return widened(a, shape), widened(b, shape)


def widened(a, shape):
    """`a` with every lane of `shape` written out."""
    if a.shape == shape:
        return a
    blocks, rows, columns = a.shape
    if columns < shape[2]:
        times, rows = (shape[2], rows) if rows > 1 else (shape[1] * shape[2], shape[1])
        a = a.reshape(-1).repeat(times).reshape(blocks, rows, shape[2])
    if rows < shape[1]:
        a = a.repeat(shape[1], axis=1)
    return a if blocks == shape[0] else a.repeat(shape[0], axis=0)


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
