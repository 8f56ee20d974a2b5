"""The shape of outer products, as far as it is known."""

from grading.exercise import Check, checks, mistakes, right
from minigrad.ops.shape_rules import outer_shape

UNKNOWN = None, None


@checks(outer_shape)
class OuterShape(Check):
    """Leaves out lists and sizes below 0: a shape is a tuple of sizes, or None."""

    def cases(self, random):
        for _ in range(4):
            B, M, N = (random.randint(1, 99) for _ in range(3))
            yield "all is known", (B, M), (B, N)
        yield "all is known", (7, 7), (7, 7)
        B, M, N = (random.randint(1, 99) for _ in range(3))
        for first in (B, None):
            for second in (B, None):
                yield "the batch", (first, M), (second, N)
        yield "other sizes", (B, None), (B, N)
        yield "other sizes", (B, M), (None, None)
        yield "other sizes", (None, None), (None, None)
        yield "no shape at all", None, (B, N)
        yield "no shape at all", (B, M), None
        yield "no shape at all", None, None
        yield "no shape at all", None, (None, N)
        yield "sizes of 0", (0, M), (0, N)
        yield "sizes of 0", (0, M), (None, N)
        yield "sizes of 0", (None, 0), (0, 0)
        yield "what does not fit", (B, M), (B + 1, N)
        yield "what does not fit", (0, M), (B, N)
        yield "what does not fit", (B + 1, M), (1, N)
        yield "what does not fit", (B, M), (0, None)
        for shape in ((B,), (), (B, M, N), (None,)):
            yield "what does not fit", shape, (B, N)
            yield "what does not fit", (B, M), shape
            yield "what does not fit", None, shape

    def expected(self, a, b):
        """A solver of equations: every size that is said of a name is the same."""
        said = {"B": set(), "M": set(), "N": set()}
        for names, shape in (("BM", a or UNKNOWN), ("BN", b or UNKNOWN)):
            given = a if names == "BM" else b
            if given is not None and len(given) != 2:
                raise ValueError("two dimensions")
            for name, size in zip(names, shape, strict=True):
                said[name] |= set() if size is None else {size}
        if len(said["B"]) > 1:
            raise ValueError("batches differ")
        return tuple(next(iter(sizes), None) for sizes in said.values())


mistakes(outer_shape)("""
a_alone: the batch is taken of a alone: b may know it
> (C if B is None else B) -> B
b_alone: the batch is taken of b alone: a may know it
> (C if B is None else B) -> C
a_batch_of_0: a batch of 0 is taken for one that is not known: ask `is None`
> (C if B is None else B) -> (B or C)
a_batch_of_0_differs: a batch of 0 is taken for one that is not known: ask `is None`
> None not in (B, C) and B != C -> B and C and B != C
unequal: two batches that are known and differ are let through
> None not in (B, C) and B != C -> False
order: the sizes are in another order: (B, M, N)
> , M, N -> , N, M
too_few: more than two dimensions are let through: exactly two
> len(shape) != 2 -> len(shape) < 2
& (B, M), (C, N) = a, b -> (B, M, *_), (C, N, *_) = a, b
wrong_error:
> raise ValueError -> raise AssertionError
equivalent: B, M = a raises the same ValueError where a has not two sizes
> loop capped: for name, shape
> order: for name, shape
> branch dropped: if len(shape) != 2
> exception swallowed: raise ValueError(f"{name}
""")


@right(outer_shape, "by unpacking")
def _(a, b):
    batch_a, m = (None, None) if a is None else a
    batch_b, n = (None, None) if b is None else b
    known = {size for size in (batch_a, batch_b) if size is not None}
    if len(known) == 2:
        raise ValueError("the batches differ")
    return tuple([*(known or {None}), m, n])


@right(outer_shape, "by patterns")
def _(a, b):
    unknown = None, None
    match unknown if a is None else a, unknown if b is None else b:
        case ((B, M), (None, N)) | ((None, M), (B, N)):
            return B, M, N
        case (B, M), (C, N) if B == C:
            return B, M, N
    raise ValueError(f"no outer product: {a} and {b}")


@right(outer_shape, "by a function that merges two sizes")
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
