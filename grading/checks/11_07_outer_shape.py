"""The shape of outer products, as far as it is known."""

from grading.checking import Check, checks
from grading.mistakes import Known, Mistake, equivalent, mistakes, right
from minigrad.ops.shape_rules import outer_shape

UNKNOWN = None, None


@checks(outer_shape)
class OuterShape(Check):
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


BATCH, DIFFER = "(C if B is None else B)", "None not in (B, C) and B != C"
ZERO = "a batch of 0 is taken for one that is not known: ask `is None`"
mistakes(
    outer_shape,
    a_alone=Mistake("the batch is taken of a alone: b may know it", f"{BATCH} -> B"),
    b_alone=Mistake("the batch is taken of b alone: a may know it", f"{BATCH} -> C"),
    a_batch_of_0=Mistake(ZERO, f"{BATCH} -> (B or C)"),
    a_batch_of_0_in_b=Mistake(ZERO, f"{BATCH} -> (C or B)"),
    a_batch_of_0_differs=Mistake(ZERO, f"{DIFFER} -> B and C and B != C"),
    unequal=Mistake(
        "two batches that are known and differ are let through",
        f"{DIFFER} -> False",
    ),
    raised=Known(f"{DIFFER} -> B != C"),
    order=Mistake("the sizes are in another order: (B, M, N)", ", M, N -> , N, M"),
    twice=Mistake("M stands twice: the last size is b's", ", M, N -> , M, M"),
    too_few=Mistake(
        "more than two dimensions are let through: exactly two",
        (
            "len(shape) != 2 -> len(shape) < 2",
            "(B, M), (C, N) = a, b -> (B, M, *_), (C, N, *_) = a, b",
        ),
    ),
    list=Known(f"return {BATCH}, M, N -> return [{BATCH}, M, N]"),
    wrong_error=Known("raise ValueError -> raise AssertionError"),
)

equivalent(
    outer_shape,
    "B, M = a raises the same ValueError where a has not two sizes",
    "loop capped: for name, shape",
    "order: for name, shape",
    "branch dropped: if len(shape) != 2",
    'exception swallowed: raise ValueError(f"{name}',
)


@right(outer_shape, "with a helper")
def _(a, b):
    def two(shape):
        if shape is None:
            return None, None
        if len(shape) != 2:
            raise ValueError(f"two dimensions, not {shape}")
        return shape

    def merged(p, q):
        if p is None or p == q:
            return q
        if q is None:
            return p
        raise ValueError(f"{p} and {q}")

    (p, m), (q, n) = two(a), two(b)
    return merged(p, q), m, n


@right(outer_shape, "by unpacking")
def _(a, b):
    batch_a, m = (None, None) if a is None else a
    batch_b, n = (None, None) if b is None else b
    known = {size for size in (batch_a, batch_b) if size is not None}
    if len(known) == 2:
        raise ValueError("the batches differ")
    return tuple([*(known or {None}), m, n])


right(
    outer_shape,
    "by a list",
    f"return {BATCH}, M, N -> "
    "return next((s for s in (B, C) if s is not None), None), M, N",
)
right(
    outer_shape,
    "with two conditions",
    f"if {DIFFER}: -> if B is not None and C is not None and not B == C:",
)
