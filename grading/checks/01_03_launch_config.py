"""How many blocks cover a shape."""

import math

from grading.exercise import Check, checks, mistake, mistakes, right
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


mistakes(launch_config)("""
floor: rounded down: the elements after the last whole block get no thread
> max(-(-n // size), 1) -> n // size
one_more: n // size + 1 is a block too many where n is a multiple of the size: round up
    with -(-n // size) or (n + size - 1) // size
> max(-(-n // size), 1) -> n // size + 1
rows_first: rows and columns are swapped: x, which comes first, runs along the columns
> reversed(shape) -> shape
rounded: n / size is rounded up, however small the rest is: -(-n // size)
> max(-(-n // size), 1) -> max(round(n / size + 0.499), 1)
> max(-(-n // size), 1) -> max(round(n / size), 1)
reverse: the order is that of a shape, rows first: a grid is written x first
> reversed(shape), block -> shape, reversed(block)
block_reversed: the block is written x first, too: divide cols by block[0], rows by
    block[1]
> , block, -> , reversed(block),
in_threads: a grid counts blocks, not threads: divide by the size of a block
> max(-(-n // size), 1) -> n
empty_grid: a grid without blocks cannot be launched: at least one in each dimension
> max(-(-n // size), 1) -> -(-n // size)
float:
> max(-(-n // size), 1) -> n / size
list:
> tuple( -> list(
wrong_type:
> = max(-(-shape[0] // block[0]), 1)
one_number: one number for two dimensions: a grid has as many numbers as the block
""")


@mistake(launch_config)
def one_number(shape, block):
    return (max(math.ceil(math.prod(shape) / math.prod(block)), 1),)


@right(launch_config, "by math.ceil")
def _(shape, block):
    grid = [math.ceil(n / b) or 1 for n, b in zip(shape[::-1], block)]
    return tuple(grid)


@right(launch_config, "by divmod, written out")
def _(shape, block):
    def blocks(n, size):
        whole, rest = divmod(n, size)
        return 1 if n == 0 else whole + (rest > 0)

    if len(shape) == 1:
        return (blocks(shape[0], block[0]),)
    (rows, cols), (x, y) = shape, block
    return blocks(cols, x), blocks(rows, y)
