"""How many blocks cover a shape."""

from grading.exercise import Check, checks
from minigrad.kernels.threads import launch_config

from .launches import LINES, RAGGED, SMALL, WHOLE, areas


@checks(launch_config)
class LaunchConfig(Check):
    """Leaves out three dimensions and blocks of size 0: the contract has neither."""

    def cases(self, random):
        for part in RAGGED, WHOLE, SMALL:
            for n, size in LINES[part]:
                yield part, (n,), (size,)
        for n, size in [(1_000_003, 256), (2**31, 1), (2**31 - 1, 1024), (2**31, 96)]:
            yield RAGGED, (n,), (size,)
        for part, rows, cols, _, block in areas(random):
            yield "two dimensions", (rows, cols), block
        for shape in (2**31 - 1, 3), (3, 2**31), (2**31, 2**31):
            yield "two dimensions", shape, (16, 16)
        for shape in (0, 0), (100, 0), (0, 100):
            yield "no elements", shape, (32, 8)
        yield "no elements", (0,), (256,)

    def same(self, got, expected, shape, block):
        smallest = (1,) * len(shape)
        return super().same(got, expected) or (
            0 in shape and super().same(got, smallest)
        )

    def expected(self, shape, block):
        pairs = zip(reversed(shape), block, strict=True)
        return tuple(len(range(0, n, size)) or 1 for n, size in pairs)
