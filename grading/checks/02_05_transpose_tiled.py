"""A transpose: sectors and passes over banks are counted, not only y."""

import numpy as np
import torch

from grading.exercise import Launch, blank, checks, distinct, mistakes
from minigrad.kernels.memory import transpose_tiled

from .blocks import SECTOR, SLACK, MovingCheck
from .launches import ODD, MovesNumbers, areas, cover


def sectors(rows, cols):
    """How many sectors the rows of all tiles of a matrix lie in, each by itself."""
    first = np.arange(rows)[:, None] * cols + np.arange(0, cols, 32)
    last = first + np.minimum(cols - np.arange(0, cols, 32), 32) - 1
    return int((last // SECTOR - first // SECTOR + 1).sum())


@checks(transpose_tiled)
class TransposeTiled(MovesNumbers, MovingCheck):
    """Leaves out blocks that are not 32 wide: the contract has none."""

    plain = """
    __global__ void transpose_tiled(const float* x, float* y, int rows, int cols) {
        int tid = threadIdx.y * 32 + threadIdx.x, threads = blockDim.x * blockDim.y;
        int block = blockIdx.y * gridDim.x + blockIdx.x;
        for (int k = tid; k < 1024; k += threads) {
            int i = block * 1024 + k;
            if (i < rows * cols) y[i] = x[i];
        }
    }"""

    def cases(self, random):
        for part, rows, cols, _, (_, high) in areas(random):
            yield part, self.launch(distinct(random, rows, cols), high)
        yield ODD, self.launch(self.specials(random).reshape(8, 4), 8)

    def launch(self, x, high):
        rows, cols = x.shape
        down, right = cover(rows, 32), cover(cols, 32)
        most = sectors(rows, cols) + sectors(cols, rows)
        whole = rows == 32 * down and cols == 32 * right  # others may read edges twice
        limits = {
            "sectors": int((SLACK if whole else 2) * most),
            "bank_passes": int(SLACK * 64 * down * right),
        }
        args = x, blank(cols, rows), np.int32(rows), np.int32(cols)
        limits = limits if x.size < 2**14 else {}
        return Launch((right, down), (32, high), args, 4224, limits)

    def expected(self, launch, x, y, rows, cols):
        return torch.from_numpy(x).T.contiguous()

    def big(self):
        rows, cols = 4800, 4992
        x, y = np.ones((rows, cols), np.float32), blank(cols, rows)
        sizes = np.int32(rows), np.int32(cols)
        return Launch((cols // 32, rows // 32), (32, 8), (x, y, *sizes), 4224)


INSIDE = "if (row < rows && col < cols)"
FIRST = "int row = top + k, col = left + tx;"
SECOND = "int row = top + tx, col = left + k;"
KEEP = "tile[k][tx] = x[row * cols + col];"
GIVE = "y[col * rows + row] = tile[tx][k];"
IN = f"""for (int k = threadIdx.y; k < 32; k += blockDim.y) {{
        {FIRST}
        {INSIDE} {KEEP}
    }}"""
OUT = f"""for (int k = threadIdx.y; k < 32; k += blockDim.y) {{
        {SECOND}
        {INSIDE} {GIVE}
    }}"""
mistakes(transpose_tiled)(f"""
blocks_swapped: the tiles are counted the wrong way round: blockIdx.x counts them to the
    right, so left = blockIdx.x * 32; and blockIdx.y downwards
> left = blockIdx.x -> left = _
& blockIdx.y -> blockIdx.x
& _ * -> blockIdx.y *
tiles_only: the tiles have changed places, but inside each one nothing is turned:
    tile[k][tx] goes in, tile[tx][k] comes out
> tile[tx][k] -> tile[k][tx]
wrong_width: the rows of y are taken to be as long as those of x: y has rows elements in
    each row, x has cols
> y[col * rows -> y[col * cols
inside_only: each tile is turned, but stays where it was: in y, the tile's rows begin at
    blockIdx.x * 32, and its columns at blockIdx.y * 32
> {SECOND} -> int row = left + tx, col = top + k;
> {SECOND} -> int row = left + tx, col = top + k;
& {INSIDE} y -> if (col < cols && row < rows) y
first_rows: each thread deals with one row of the tile only: a block has fewer rows of
    threads than the tile has rows, so each thread needs a loop
> k += blockDim.y -> k += 32
& {INSIDE} y -> if (row < rows && col < cols && tx < blockDim.y) y
strided: one side runs down a column of x or y: each of its elements needs a sector of
    its own. Both the reads of x and the writes of y must have threadIdx.x as the last
    index; the turning happens in the tile
! strided
> __syncthreads(); {OUT} ->
& {KEEP} -> y[col * rows + row] = x[row * cols + col];
> {KEEP} -> {{ {KEEP} if (rows % 32) y[col * rows + row] = x[row * cols + col]; }}
& {INSIDE} y -> if (row < rows && col < cols && rows % 32 == 0) y
> {SECOND} -> {FIRST}
& tile[tx][k] -> tile[k][tx]
> {FIRST} -> {SECOND}
& tile[tx][k] -> tile[k][tx]
no_padding: a warp uses cells of the tile that share a bank, as in a column, and a bank
    serves them one after the other: make the tile's rows one longer, float tile[32][33]
! bank_passes
> tile[32][33] -> tile[32][32]
> tile[32][33] -> tile[32][64]
> tile[32][33] -> tile[33][32]
no_barrier: threads read from the tile what others have not written yet: __syncthreads()
    belongs between the two loops
+ __syncthreads();
> __syncthreads(); ->
> __syncthreads(); ->
& {OUT} -> {OUT} __syncthreads();
barrier_in_if: the barrier stands inside an if or a loop that not all threads go
    through: put it between the two loops, outside of both
! divergent-barrier
> {KEEP} -> {{ {KEEP} __syncthreads(); }}
no_guard: a thread goes outside the matrix: tiles reach beyond it, so both sides need a
    guard, and the second is about the row and column that it deals with itself
! out-of-bounds
> {INSIDE} ->
> {INSIDE} y -> if (top + k < rows && left + tx < cols) y
not_filled: cells of the tile are read that no thread has filled: either not all 32 rows
    of the tile are done, or the second guard lets too many through
! uninitialised
> {IN} -> {IN.replace("k < 32", "k < 16")}
copied: nothing is transposed: y holds x as it was
> __syncthreads(); {OUT} ->
& {KEEP} -> y[row * cols + col] = x[row * cols + col];
tile_as_block: the tile is taken to be as large as the block: it has 32 rows, and the
    block blockDim.y, so each thread goes through several rows
> __shared__ float tile[32][33]; int row = blockIdx.y * blockDim.y + threadIdx.y; int
    col = blockIdx.x * blockDim.x + threadIdx.x; if (row < rows && col < cols)
    tile[threadIdx.y][threadIdx.x] = x[row * cols + col]; __syncthreads(); row =
    blockIdx.x * blockDim.x + threadIdx.y; col = blockIdx.y * blockDim.y + threadIdx.x;
    if (row < cols && col < rows) y[row * rows + col] = tile[threadIdx.x][threadIdx.y];
right: swizzled instead of padded
> tile[32][33] -> tile[32][32]
& tile[k][tx] -> tile[k][tx ^ k]
& tile[tx][k] -> tile[tx][k ^ tx]
right: turned on the way in
> tile[k][tx] -> tile[_][k]
& tile[tx][k] -> tile[k][tx]
& tile[_][k] -> tile[tx][k]
right: cells counted, in dynamic shared memory
>
    extern __shared__ float tile[];
    int tid = threadIdx.y * 32 + threadIdx.x, threads = 32 * blockDim.y;
    const float* from = x + blockIdx.y * 32 * cols + blockIdx.x * 32;
    float* to = y + blockIdx.x * 32 * rows + blockIdx.y * 32;
    int high = min(32, rows - (int)blockIdx.y * 32);
    int wide = min(32, cols - (int)blockIdx.x * 32);
    for (int e = tid; e < 1024; e += threads)
        if (e / 32 < high && e % 32 < wide)
            tile[e / 32 * 33 + e % 32] = from[e / 32 * cols + e % 32];
    __syncthreads();
    for (int e = tid; e < 1024; e += threads)
        if (e / 32 < wide && e % 32 < high)
            to[e / 32 * rows + e % 32] = tile[e % 32 * 33 + e / 32];
""")
