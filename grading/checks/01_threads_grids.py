"""Chapter 01, grids: large enough ones, and loops for any; PyTorch is the oracle."""

import math

import numpy as np
import torch

from grading.checking import Check, cause, checks
from grading.kernels import KernelCheck, Launch, blank, distinct, mistake
from minigrad.kernels import threads

MILLION = 1_000_003
GLOBAL = "blockIdx.x * blockDim.x + threadIdx.x"


def cover(n, size):
    """How many blocks of `size` n elements need."""
    return -(-n // size)


@checks(threads.launch_config)
class LaunchConfig(Check):
    def cases(self, random):
        for n in (257, 1000, 255, 1, 33, MILLION, random.randint(300, 9999)):
            yield "one dimension", (n,), (256,)
        yield "one dimension", (10,), (32,)
        for n in (256, 512, 1024):
            yield "no block too many", (n,), (256,)
        yield "no block too many", (64, 96), (32, 8)
        for shape in [(20, 100), (33, 65), (1000, 3), (1, 257)]:
            yield "two dimensions", shape, (32, 8)
        for _ in range(4):
            shape = tuple(random.sample(range(30, 300), 2))
            yield "two dimensions", shape, (16, random.choice([4, 8, 32]))
        yield "no elements", (0,), (256,)
        yield "no elements", (0, 100), (32, 8)

    def expected(self, shape, block):
        return self.grid(shape, block, lambda n, size: len(torch.empty(n).split(size)))

    def grid(self, shape, block, blocks):
        pairs = zip(reversed(shape), block, strict=True)
        return tuple(blocks(n, size) for n, size in pairs)

    @cause("rounded down: the elements after the last whole block get no thread")
    def floor(self, shape, block):
        return self.grid(shape, block, lambda n, size: n // size)

    @cause(
        "n // size + 1 is a block too many where n is a multiple of the size: round up "
        "with -(-n // size) or (n + size - 1) // size"
    )
    def one_more(self, shape, block):
        return self.grid(shape, block, lambda n, size: n // size + 1)

    @cause("rows and columns are swapped: x, which comes first, runs along the columns")
    def rows_first(self, shape, block):
        return self.grid(shape[::-1], block, lambda n, size: max(cover(n, size), 1))

    @cause("the order is that of a shape, rows first: a grid is written x first")
    def reverse(self, shape, block):
        return self.expected(shape, block)[::-1]

    @cause(
        "the block is written x first, too: divide cols by block[0], rows by block[1]"
    )
    def block_reversed(self, shape, block):
        return self.grid(shape, block[::-1], lambda n, size: max(cover(n, size), 1))

    @cause("rounded to the nearest: round up, always, or the rest gets no thread")
    def nearest(self, shape, block):
        return self.grid(shape, block, lambda n, size: max(round(n / size), 1))

    @cause("a grid counts blocks, not threads: divide by the size of a block")
    def in_threads(self, shape, block):
        return tuple(reversed(shape))

    @cause("a grid without blocks cannot be launched: at least one in each dimension")
    def empty_grid(self, shape, block):
        return self.grid(shape, block, cover)

    @cause("one number for two dimensions: a grid has as many numbers as the block")
    def one_number(self, shape, block):
        return (max(cover(math.prod(shape), math.prod(block)), 1),)


def loop(text, step, condition="i < n", start=GLOBAL):
    """A mistake: where the loop of a thread begins, goes on and ends."""
    return mistake(
        text,
        f"for (int i = {start}; {condition}; i += {step}) y[i] = x[i] * x[i];",
    )


@checks(threads.grid_stride)
class GridStride(KernelCheck):
    steps = 5_000

    def cases(self, random):
        for grid, block, n in [(2, 32, 300), (4, 64, 1100), (3, 33, 250)]:
            yield "several elements a thread", self.launch(random, grid, block, n)
        yield "a million elements", self.launch(random, 4, 256, MILLION)
        for grid, block, n in [(4, 256, 10), (2, 128, 255)]:
            yield "more threads than elements", self.launch(random, grid, block, n)
        for block, n in [(1, 33), (32, 100)]:
            yield "one block", self.launch(random, 1, block, n)
        yield "what lies behind", self.launch(random, 2, 32, 100, 150)
        yield "what lies behind", self.launch(random, 2, 32, 0, 8)

    def launch(self, random, grid, block, n, size=None):
        x = distinct(random, size or n) % np.float32(1009)
        return Launch(grid, block, (x, blank(size or n), np.int32(n)))

    def expected(self, launch, x, y, n):
        y[:n] = torch.from_numpy(x).square()[:n]
        return y

    first_pass = loop(
        "each thread does one element only: go on, in steps of all threads of the grid",
        "n",
    )
    block_step = loop(
        "the step is one block: the next blocks do the same elements again. It is "
        "gridDim.x * blockDim.x, the number of all threads",
        "blockDim.x",
    )
    grid_step = loop(
        "the step is the number of blocks: it is gridDim.x * blockDim.x, the number of "
        "all threads",
        "gridDim.x",
    )
    sum_step = loop(
        "the step is the sum of blocks and threads: it is gridDim.x * blockDim.x, the "
        "number of all threads",
        "gridDim.x + blockDim.x",
    )
    fixed_step = loop(
        "the step is written as a number, which is right for one launch only: it is "
        "gridDim.x * blockDim.x",
        "1024",
    )
    everyone = loop(
        "each thread does every element: begin at the global index, and step by the "
        "number of all threads",
        "1",
        start="0",
    )
    one_round_less = loop(
        "each thread leaves out its last element: go on while i itself is below n",
        "gridDim.x * blockDim.x",
        "i + gridDim.x * blockDim.x < n",
    )
    doubled = mistake(
        "that is twice x[i]: the square is x[i] * x[i]",
        f"""for (int i = {GLOBAL}; i < n; i += gridDim.x * blockDim.x)
            y[i] = 2 * x[i];""",
    )
    step_of_one = loop(
        "every thread does all elements from its own on: the step is gridDim.x * "
        "blockDim.x, the number of all threads",
        "1",
    )
    off_by_one = loop(
        "one too many: element n is the first that is not there. Go on while i < n",
        "gridDim.x * blockDim.x",
        "i <= n",
    )
    local_start = loop(
        "every block begins at its own thread 0: begin at the global index",
        "gridDim.x * blockDim.x",
        start="threadIdx.x",
    )
    block_step_local = loop(
        "each block does every element: begin at the global index, and step by the "
        "number of all threads",
        "blockDim.x",
        start="threadIdx.x",
    )
    two_passes = mistake(
        "two elements a thread are not enough for any n: it takes a loop",
        """int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
        if (i < n) y[i] = x[i] * x[i];
        if (i + step < n) y[i + step] = x[i + step] * x[i + step];""",
    )
    no_guard = mistake(
        "the elements are not guarded: in the last round some threads have none",
        """int step = gridDim.x * blockDim.x;
        for (int begin = 0; begin < n; begin += step) {
            int i = begin + blockIdx.x * blockDim.x + threadIdx.x;
            y[i] = x[i] * x[i];
        }""",
    )
    whole_rounds = mistake(
        "the last round, which is not whole, is left out: go on while i < n",
        """int step = gridDim.x * blockDim.x;
        for (int round = 0; round < n / step; round++) {
            int i = round * step + blockIdx.x * blockDim.x + threadIdx.x;
            y[i] = x[i] * x[i];
        }""",
    )
