"""outer_shape: the shape of outer products, as far as it is known."""

from grading.checking.pairwise import pairwise
from grading.exercise import Check, call
from minigrad.ops.shape_rules import outer_shape

SIZES = None, 0, 1, 2**31  # of what isn't the batch


def cases(random):
    for _ in range(4):
        B, M, N = (random.randint(1, 99) for _ in range(3))  # noqa: N806
        yield "all is known", call((B, M), (B, N))
    yield "all is known", call((7, 7), (7, 7))
    B, M, N = (random.randint(1, 99) for _ in range(3))  # noqa: N806
    for first in (B, None):
        for second in (B, None):
            yield "the batch", call((first, M), (second, N))
    yield "other sizes", call((B, None), (B, N))
    yield "other sizes", call((B, M), (None, None))
    yield "other sizes", call((None, None), (None, None))
    yield "no shape at all", call(None, (B, N))
    yield "no shape at all", call((B, M), None)
    yield "no shape at all", call(None, None)
    yield "no shape at all", call(None, (None, N))
    yield "sizes of 0", call((0, M), (0, N))
    yield "sizes of 0", call((0, M), (None, N))
    yield "sizes of 0", call((None, 0), (0, 0))
    yield "what does not fit", call((B, M), (B + 1, N))
    yield "what does not fit", call((0, M), (B, N))
    yield "what does not fit", call((B + 1, M), (1, N))
    yield "what does not fit", call((B, M), (0, None))
    for row in pairwise(
        random,
        B=(0, 1, 257, 2**53),
        first=("B", None, "B + 1"),
        second=("B", None),
        M=SIZES,
        N=SIZES,
    ):
        known = {"B": row["B"], None: None, "B + 1": row["B"] + 1}
        first, second = known[row["first"]], known[row["second"]]
        fits = second is None or row["first"] != "B + 1"
        part = "any sizes" if fits else "what does not fit"
        yield part, call((first, row["M"]), (second, row["N"]))
    for shape in ((B,), (), (B, M, N), (None,)):
        yield "what does not fit", call(shape, (B, N))
        yield "what does not fit", call((B, M), shape)
        yield "what does not fit", call(None, shape)


def reference(a, b):
    """A solver of equations: every size that is known of a name is the same."""
    known = {"B": set(), "M": set(), "N": set()}
    for names, shape in ("BM", a), ("BN", b):
        for name, size in zip(
            names, (None,) * 2 if shape is None else shape, strict=True
        ):
            known[name] |= {size} - {None}
    if len(known["B"]) > 1:
        raise ValueError("batches differ")
    return tuple(next(iter(sizes), None) for sizes in known.values())


def unknown_differs(a, b):
    """An unknown batch isn't equal to a known one."""
    shape = reference(a, b)
    if (a or (None,))[0] != (b or (None,))[0]:
        raise ValueError
    return shape


check = Check(
    outer_shape,
    cases=cases,
    reference=reference,
    models={"unknown_differs": unknown_differs},
    not_tested="lists and sizes below 0: a shape is a tuple of sizes, or None",
)
