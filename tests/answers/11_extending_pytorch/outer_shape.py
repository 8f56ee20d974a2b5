"""Answers of outer_shape by other algorithms."""

from minigrad.ops.shape_rules import outer_shape
from tools.audit.specimens import answer


@answer(outer_shape, right="by unpacking")
def _(a, b):
    batch_a, m = (None, None) if a is None else a
    batch_b, n = (None, None) if b is None else b
    known = {size for size in (batch_a, batch_b) if size is not None}
    if len(known) == 2:
        raise ValueError("the batches differ")
    return tuple([*(known or {None}), m, n])


@answer(outer_shape, right="by patterns")
def _(a, b):
    unknown = None, None
    match unknown if a is None else a, unknown if b is None else b:
        case ((B, M), (None, N)) | ((None, M), (B, N)):
            return B, M, N
        case (B, M), (C, N) if B == C:
            return B, M, N
    raise ValueError(f"no outer product: {a} and {b}")


@answer(outer_shape, right="by a function that merges two sizes")
def _(a, b):
    def merge(first, second):
        if first is None or second is None:
            return second if first is None else first
        if first - second:
            raise ValueError(f"{first} and {second} are two sizes")
        return first

    shapes = []
    for shape in a, b:
        shapes.append([None] * 2 if shape is None else list(shape))
        if len(shapes[-1]) - 2:
            raise ValueError(f"two dimensions, not those of {shape}")
    return merge(shapes[0][0], shapes[1][0]), shapes[0][1], shapes[1][1]
