"""A thread's place in the grid."""

import numpy as np
import torch

from grading.exercise import Launch, blank, checks, mistakes
from minigrad.kernels.threads import global_index

from .launches import LineCheck


@checks(global_index)
class GlobalIndex(LineCheck):
    """Leaves out threads without an element: the contract's launch has none."""

    def cases(self, random):
        for *_, grid, block in self.inputs(random):
            part = "one block" if grid == 1 else "several blocks"
            yield part, self.launch(blank(grid * block, dtype=np.int32), grid, block)

    def launch(self, block, grid, size):
        args, limits = (block, block.copy()), {"writes": 2 * len(block)}
        return Launch(grid, size, args, 0, limits)

    def expected(self, launch, block, thread):
        (per,) = launch.block
        i = torch.arange(len(block))
        return {"block": i // per, "thread": i % per}


SIGN = "block[i] = blockIdx.x;\n    thread[i] = threadIdx.x;"
mistakes(global_index)(f"""
local_only: every block signs the elements of the first: the index needs blockIdx.x, too
> blockIdx.x * blockDim.x + ->
swapped_dims: block and thread have changed places: it is the block's number that is
    multiplied by blockDim.x
> blockIdx.x * blockDim.x + threadIdx.x -> threadIdx.x * blockDim.x + blockIdx.x
dealt: the elements are dealt out like cards, one to each block in turn: count through
    one block before the next
> int i = blockIdx.x * blockDim.x + threadIdx.x -> unsigned i = gridDim.x * threadIdx.x
    + blockIdx.x
grid_dim: gridDim.x is how many blocks there are; how long each is says blockDim.x
> blockDim -> gridDim
multiplied: block and thread are multiplied: before block b stand b * blockDim.x
    threads; the thread's own number is added to that
> blockDim.x + ->
brackets: the brackets are wrong: only blockIdx.x is multiplied by blockDim.x, and
    threadIdx.x is added
> blockDim.x + threadIdx.x -> (blockDim.x + threadIdx.x)
along_y: the launch has one dimension, x: along y all numbers are 0
> blockIdx.x * blockDim.x + threadIdx.x -> threadIdx.y + blockDim.y * blockIdx.y
own_numbers: both arrays are signed at i, the global index: block[i] and thread[i]
> block[i] -> block[blockIdx.x]
& thread[i] -> thread[threadIdx.x]
fixed_256: the length of a block is written as a number: blockDim.x always says it
> blockDim.x -> 256
exchanged: block[i] is to hold the block's number, and thread[i] the thread's: not the
    other way
> = blockIdx.x -> = _;
& = threadIdx.x -> = blockIdx.x
& = _; -> = threadIdx.x
block_only: a block's threads all sign the same element: the index needs threadIdx.x,
    too
>  * blockDim.x + threadIdx.x ->
added: block and thread are only added: one block further is blockDim.x elements on
>  * blockDim.x ->
twice: elements are written more than once: each has one thread, which writes it once
! writes
> {SIGN} -> block[i] = 0; {SIGN}
> {SIGN} -> int first = i - threadIdx.x; for (int t = 0; threadIdx.x == 0 && t <
    blockDim.x; t++) block[first + t] = blockIdx.x; __syncthreads(); {SIGN}
everyone: each thread signs every element: a thread has one i, and the launch is the
    loop
> int i = 0, all = blockDim.x * gridDim.x; while (i < all) {{ {SIGN} i++; }}
nothing:
> {SIGN} ->
> block[i] = blockIdx.x; ->
compile:
> thread[i] = threadIdx.x; -> thread[i] = threadIdx.x
> int i = blockIdx.x * blockDim.x + threadIdx.x -> i = blockIdx.x
> int i = blockIdx.x * blockDim.x + threadIdx.x; -> i = blockIdx.x * blockDim.x +
    threadIdx.x
> blockIdx.x * blockDim.x + threadIdx.x -> blockIdx * blockDim + threadIdx
> {SIGN} -> # my element {SIGN}
> {SIGN} -> {SIGN} return i;
> blockIdx.x * blockDim.x + threadIdx.x -> cuda.grid(1)
right: and prints
> {SIGN} -> printf("%d", i); {SIGN}
right: from the end
>
    int end = (blockIdx.x + 1) * blockDim.x;
    int i = end - (blockDim.x - threadIdx.x);
    thread[i] = i % blockDim.x;
    block[i] = i / blockDim.x;
right: in a loop, by pointers
>
    int all = gridDim.x * blockDim.x;
    for (int b = blockIdx.x; b * blockDim.x < all; b += gridDim.x) {{
        int *mine = block + b * blockDim.x, *own = thread + b * blockDim.x;
        *(mine + threadIdx.x) = b;
        *(own + threadIdx.x) = threadIdx.x;
    }}
""")
