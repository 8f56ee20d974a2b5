"""A block reversed in shared memory: the values, and no race."""

import torch

from grading.exercise import checks, mistakes
from minigrad.kernels.memory import shared_reverse

from .blocks import BlockCheck
from .launches import ODD, MovesNumbers


@checks(shared_reverse)
class SharedReverse(MovesNumbers, BlockCheck):
    """Leaves out blocks above 256 threads, by contract."""

    def cases(self, random):
        yield from super().cases(random)
        yield ODD, self.launch(self.specials(random), 32, 1, 32)

    def expected(self, launch, x, y, n):
        for first in range(0, n, *launch.block):
            block = torch.from_numpy(x[first : min(first + launch.block[0], n)])
            y[first : first + len(block)] = block.flip(0)
        return y


PUT = "if (tid < count) tile[tid] = x[first + tid];"
TAKE = "if (tid < count) y[first + tid] = tile[count - 1 - tid];"
IN_PLACE = f"""{TAKE} -> if (tid < count / 2) {{
        float other = tile[count - 1 - tid];
        tile[count - 1 - tid] = tile[tid];
        tile[tid] = other;
    }}
    BARRIER
    if (tid < count) y[first + tid] = tile[tid];"""
TOO_SMALL = (
    "tile has too few cells for this block: a block has up to 256 threads, so it is "
    "tile[256]"
)
mistakes(shared_reverse)(f"""
one_too_far: one cell too far: count elements lie in cells 0 to count - 1, so thread 0
    takes cell count - 1
> count - 1 - tid -> count - tid
by_i: tile is the block's own, so its cells are counted by tid, not by i
> tile[tid] -> tile[first + tid]
& tile[count -> tile[first + count
first_place: every block writes to the first one's place: thread tid writes y[first +
    tid]
> y[first + tid] -> y[tid]
unsigned_count: blockDim.x is unsigned, and then so is min(blockDim.x, n - first): where
    n - first is below 0, it becomes huge. Write (int)blockDim.x
> (int)blockDim -> blockDim
whole_array: the whole array is reversed: each block reverses its own elements only
> x[first + tid] -> x[n - 1 - first - tid]
& [count - 1 - tid] -> [tid]
not_reversed: y is x as it was: thread tid takes out what another has put in, cell count
    - 1 - tid
> count - 1 - tid -> tid
small_tile: {TOO_SMALL}
> tile[256] -> tile[128]
no_barrier: a thread takes its element out of shared memory before another has put it
    in: __syncthreads() belongs between the two steps, for all threads of the block
+ __syncthreads();
> __syncthreads(); ->
> __syncthreads(); ->
& {PUT} -> __syncthreads(); {PUT}
> __syncthreads(); ->
& {TAKE} -> {TAKE} __syncthreads();
> __syncthreads -> __syncwarp
> __syncthreads -> __threadfence_block
> {IN_PLACE}
& BARRIER ->
barrier_in_if: a barrier stands inside an if: some threads never come to it, and the
    others wait. Put __syncthreads() on a line outside of every if
! divergent-barrier
> __syncthreads(); -> if (tid < count) __syncthreads();
no_shared: nothing goes through shared memory: an element of y comes out of a cell of it
    that another thread has filled, not from x
! unshared
> {TAKE} -> if (tid < count) y[first + tid] = x[first + count - 1 - tid];
> x[first + tid] -> x[first + count - 1 - tid]
& tile[count - 1 - tid] -> tile[tid]
> int tid = threadIdx.x, first = blockIdx.x * blockDim.x; int count =
    min((int)blockDim.x, n - first); if (tid < count) y[first + tid] = x[first + count -
    1 - tid];
blocks_swapped: the elements go to another block: block b reads and writes the elements
    from b * blockDim.x on
> {TAKE} -> int to = (gridDim.x - 1 - blockIdx.x) * blockDim.x + tid; if (to < n) y[to]
    = tile[blockDim.x - 1 - tid];
full_block: a cell of shared memory is read that no thread has filled: the last block
    has fewer elements than threads, so count is n - first there, not blockDim.x
! uninitialised
> count - 1 - tid -> blockDim.x - 1 - tid
outside: a thread goes outside an array: only threads below count have an element, in x,
    in y and in the tile; and thread tid takes out cell count - 1 - tid
! out-of-bounds
> count - 1 - tid -> 256 - tid
> if (tid < count) ->
& count - 1 -> blockDim.x - 1
right: dynamic shared memory
> __shared__ float tile[256] -> extern __shared__ float tile[]
right: two elements a thread
> __syncthreads -> int half = (blockDim.x + 1) / 2; __syncthreads
& {PUT} -> for (int k = tid; k < count; k += (blockDim.x + 1) / 2) if (tid < (blockDim.x
    + 1) / 2) tile[k] = x[first + k];
& {TAKE} -> for (int k = tid; k < count; k += half) if (tid < half) y[first + k] =
    tile[count - 1 - k];
right: swapped in place
> {IN_PLACE}
& BARRIER -> __syncthreads();
""")
