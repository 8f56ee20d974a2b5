"""Chapter 01, first kernels: launches of all sizes; PyTorch does the kernels' work."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import KernelCheck, Launch, blank, distinct, mistake
from minigrad.kernels import threads

GLOBAL = "blockIdx.x * blockDim.x + threadIdx.x"


def cover(n, size):
    """How many blocks of `size` n elements need."""
    return -(-n // size)


def signed(text, index, block="blockIdx.x", thread="threadIdx.x"):
    """A mistake: what is written to which element."""
    return mistake(text, f"int i = {index}; block[i] = {block}; thread[i] = {thread};")


@checks(threads.global_index)
class GlobalIndex(KernelCheck):
    def cases(self, random):
        for grid, block in [(2, 4), (3, 256), (random.randint(5, 30), 32)]:
            yield "several blocks", self.launch(grid, block)
        for block in (33, 100, 1, 1024):
            yield "blocks of any size", self.launch(random.randint(2, 5), block)
        yield "one block", self.launch(1, random.randint(5, 200))

    def launch(self, grid, block):
        n = grid * block
        return Launch(grid, block, (blank(n, dtype=np.int32), blank(n, dtype=np.int32)))

    def expected(self, launch, block, thread):
        (per,) = launch.block
        i = torch.arange(len(block))
        return {"block": i // per, "thread": i % per}

    local_only = signed(
        "every block signs the elements of the first: the index needs blockIdx.x, too",
        "threadIdx.x",
    )
    block_only = signed(
        "a block's threads all sign the same element: the index needs threadIdx.x, too",
        "blockIdx.x",
    )
    swapped_dims = signed(
        "block and thread have changed places: it is the block's number that is "
        "multiplied by blockDim.x",
        "threadIdx.x * blockDim.x + blockIdx.x",
    )
    dealt = signed(
        "the elements are dealt out like cards, one to each block in turn: count "
        "through one block before the next",
        "threadIdx.x * gridDim.x + blockIdx.x",
    )
    grid_dim = signed(
        "gridDim.x is how many blocks there are; how long each is says blockDim.x",
        "blockIdx.x * gridDim.x + threadIdx.x",
    )
    added = signed(
        "block and thread are only added: one block further is blockDim.x elements on",
        "blockIdx.x + threadIdx.x",
    )
    multiplied = signed(
        "block and thread are multiplied: before block b stand b * blockDim.x threads; "
        "the thread's own number is added to that",
        "blockIdx.x * threadIdx.x",
    )
    brackets = signed(
        "the brackets are wrong: only blockIdx.x is multiplied by blockDim.x, and "
        "threadIdx.x is added",
        "blockIdx.x * (blockDim.x + threadIdx.x)",
    )
    behind_the_grid = signed(
        "gridDim.x * blockDim.x is the number of all threads: before this block stand "
        "blockIdx.x blocks only",
        "gridDim.x * blockDim.x + threadIdx.x",
    )
    from_one = signed(
        "blocks are counted from 0: before block b stand b blocks, not b - 1",
        "(blockIdx.x - 1) * blockDim.x + threadIdx.x",
    )
    along_y = signed(
        "the launch has one dimension, x: along y all numbers are 0",
        "blockIdx.y * blockDim.y + threadIdx.y",
    )
    everyone = mistake(
        "each thread signs every element: a thread has one i, and the launch is the "
        "loop",
        """for (int i = 0; i < gridDim.x * blockDim.x; i++) {
            block[i] = blockIdx.x; thread[i] = threadIdx.x;
        }""",
    )
    own_numbers = mistake(
        "both arrays are signed at i, the global index: block[i] and thread[i]",
        "block[blockIdx.x] = blockIdx.x; thread[threadIdx.x] = threadIdx.x;",
    )
    fixed_256 = signed(
        "the length of a block is written as a number: blockDim.x always says it",
        "blockIdx.x * 256 + threadIdx.x",
    )
    exchanged = signed(
        "block[i] is to hold the block's number, and thread[i] the thread's: not the "
        "other way",
        GLOBAL,
        block="threadIdx.x",
        thread="blockIdx.x",
    )
    signs_i = signed(
        "thread[i] is to hold the number within the block, threadIdx.x, not i",
        GLOBAL,
        thread="i",
    )


def guarded(text, guard, value="2 * x[i]"):
    """A mistake: which threads do what."""
    return mistake(text, f"int i = {GLOBAL}; if ({guard}) y[i] = {value};")


@checks(threads.tail_guard)
class TailGuard(KernelCheck):
    def cases(self, random):
        for n in (257, 1000, random.randint(520, 700)):
            yield "a ragged last block", self.launch(random, n)
        for n in (1, 31, 33, 255):
            yield "less than one block", self.launch(random, n)
        for n in (256, 512):
            yield "whole blocks", self.launch(random, n)
        for n, size in [(257, 300), (100, 256), (0, 8)]:
            yield "what lies behind", self.launch(random, n, size)

    def launch(self, random, n, size=None):
        x, y = distinct(random, size or n), blank(size or n)
        return Launch(max(cover(n, 256), 1), 256, (x, y, np.int32(n)))

    def expected(self, launch, x, y, n):
        y[:n] = (2 * torch.from_numpy(x))[:n]
        return y

    no_guard = guarded(
        "there is no guard, or a semicolon right behind if (...) ends it: the last "
        "block has more threads than there are elements",
        "true",
    )
    off_by_one = guarded(
        "one too many: element n is the first that is not there. The guard is i < n",
        "i <= n",
    )
    one_too_few = guarded(
        "one too few: element n - 1 is the last, and is there. The guard is i < n",
        "i < n - 1",
    )
    local_guard = guarded(
        "the guard looks at threadIdx.x, which starts again in every block: look at i",
        "threadIdx.x < n",
    )
    whole_blocks = guarded(
        "the guard stops the whole last block: some of its elements are there",
        "(blockIdx.x + 1) * blockDim.x <= n",
    )
    outside_guard = mistake(
        "x[i] or y[i] is used outside of the guard: what stands before it, or in an "
        "else, is done by threads that have no element, too",
        f"int i = {GLOBAL}; float v = x[i]; if (i < n) y[i] = 2 * v;",
    )
    fixed_n = guarded("the guard holds a number: every launch has its own n", "i < 257")
    unwritten_only = guarded(
        "the guard is the wrong way round: the elements are those with i < n", "i >= n"
    )
    clamped = mistake(
        "threads without an element do the last one again: they should do nothing",
        f"int i = {GLOBAL}; if (i >= n) i = n - 1; y[i] = 2 * x[i];",
    )
    everyone = mistake(
        "each thread does every element: a thread has one i, and the launch is the "
        "loop",
        "for (int i = 0; i < n; i++) y[i] = 2 * x[i];",
    )
    size_of_pointer = guarded(
        "sizeof(x) is the size of an address, 8 bytes: how many elements there are "
        "says n",
        "i < sizeof(x)",
    )
    added = mistake(
        "the value is added to what stood in y, which is anything: write = for +=",
        f"int i = {GLOBAL}; if (i < n) y[i] += 2 * x[i];",
    )
    copied = guarded("the value is copied: y[i] is twice x[i]", "i < n", "x[i]")
    local_only = mistake(
        "the index is threadIdx.x alone: every block does the elements of the first",
        "int i = threadIdx.x; if (i < n) y[i] = 2 * x[i];",
    )
