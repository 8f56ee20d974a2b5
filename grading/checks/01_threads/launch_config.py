"""launch_config: how many blocks cover a shape."""

from grading.checking.pairwise import drawn
from grading.exercise import Check, call, same
from minigrad.kernels.threads import launch_config

from ..launches import BLOCKS, LINES, RAGGED, SIZES, SMALL, WHOLE, areas

LARGE = 0, 1, 3, 1000, 2**24 + 1, 2**31 - 1, 2**31


def cases(random):
    for part in RAGGED, WHOLE, SMALL:
        for n, size in LINES[part]:
            yield part, call((n,), (size,))
    for size in SIZES:  # float32 is exact up to 2 ** 24
        whole = random.randint(2**24 // size, 2**31 // size - 1) * size
        for n in whole, whole + 1, 2**24 + 1, 2**31 - 1, 2**31:
            yield RAGGED if n % size else WHOLE, call((n,), (size,))
    yield SMALL, call((2**31 - 1,), (2**31,))
    for _, rows, cols, _, block in areas(random):
        yield "two dimensions", call((rows, cols), block)
    for rows, cols, block in drawn(random, rows=LARGE, cols=LARGE, block=BLOCKS):
        yield "two dimensions", call((rows, cols), block)
    for shape in (0, 0), (100, 0), (0, 100):
        yield "no elements", call(shape, (32, 8))
    yield "no elements", call((0,), (256,))


def reference(shape, block):
    pairs = zip(reversed(shape), block, strict=True)
    return tuple(len(range(0, n, size)) or 1 for n, size in pairs)


def compare(got, expected, case):
    shape, _ = case.args
    one = (1,) * len(shape)  # is enough if there are no elements
    return same(got, expected) or (0 in shape and same(got, one))


check = Check(
    launch_config,
    cases=cases,
    reference=reference,
    compare=compare,
    not_tested="three dimensions and blocks of size 0, which the contract rules out",
)
