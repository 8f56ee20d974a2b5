"""The shape of outer products, as far as it is known."""

from grading.exercise import Check, checks
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
