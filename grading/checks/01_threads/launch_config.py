"""launch_config: how many blocks cover a shape."""

from grading.exercise import Check, call, same
from minigrad.kernels.threads import launch_config

from ..launches import LINES, RAGGED, SMALL, WHOLE, areas


def cases(random):
    for part in RAGGED, WHOLE, SMALL:
        for n, size in LINES[part]:
            yield part, call((n,), (size,))
    for n, size in [(1_000_003, 256), (2**31, 1), (2**31 - 1, 1024), (2**31, 96)]:
        yield RAGGED, call((n,), (size,))
    for _, rows, cols, _, block in areas(random):
        yield "two dimensions", call((rows, cols), block)
    for shape in (2**31 - 1, 3), (3, 2**31), (2**31, 2**31):
        yield "two dimensions", call(shape, (16, 16))
    for shape in (0, 0), (100, 0), (0, 100):
        yield "no elements", call(shape, (32, 8))
    yield "no elements", call((0,), (256,))


def reference(shape, block):
    pairs = zip(reversed(shape), block, strict=True)
    return tuple(len(range(0, n, size)) or 1 for n, size in pairs)


def compare(got, expected, case):
    shape, _ = case.args
    one = (1,) * len(shape)  # block is enough where there are no elements
    return same(got, expected) or (0 in shape and same(got, one))


check = Check(
    launch_config,
    cases=cases,
    reference=reference,
    compare=compare,
    not_tested="three dimensions and blocks of size 0: the contract has neither",
)
