"""Chapter 02, a transpose: sectors and passes over banks are counted, not only y."""

import numpy as np
import torch

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import memory

from .blocks import SECTOR, SLACK, MovingCheck


@checks(memory.transpose_tiled)
class TransposeTiled(MovingCheck):
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
        for rows, cols in [(64, 96), (128, 32)]:
            yield "whole tiles", self.launch(random, rows, cols, counted=True)
        some = random.randint(34, 60), random.randint(65, 90)
        for rows, cols in [(33, 65), (65, 33), (1, 100), (100, 1), (31, 40), some]:
            yield "tiles that reach beyond x", self.launch(random, rows, cols)
        for rows, cols, high in [(64, 32, 32), (40, 70, 16), (50, 33, 5), (1, 1, 1)]:
            yield "blocks of any height", self.launch(random, rows, cols, high)

    def launch(self, random, rows, cols, high=8, counted=False):
        x, y = distinct(random, rows, cols), blank(cols, rows)
        grid = -(-cols // 32), -(-rows // 32)
        sizes = np.int32(rows), np.int32(cols)
        sectors = 2 * rows * cols // SECTOR
        passes = 2 * rows * cols // 32
        limits = {"sectors": int(SLACK * sectors), "bank_passes": int(SLACK * passes)}
        args = x, y, *sizes
        return Launch(grid, (32, high), args, 4224, limits if counted else {})

    def expected(self, launch, x, y, rows, cols):
        return torch.from_numpy(x).T.contiguous()

    def big(self):
        rows, cols = 4800, 4992
        x, y = np.ones((rows, cols), np.float32), blank(cols, rows)
        sizes = np.int32(rows), np.int32(cols)
        return Launch((cols // 32, rows // 32), (32, 8), (x, y, *sizes), 4224)

    def faults(self, got, launch):
        """Cells that are not filled because of a wrong index are not told."""
        found = super().faults(got, launch)
        if "out-of-bounds" in found:
            found.pop("uninitialised", None)
        return found

    @cause(
        "one side runs down a column of x or y: each of its elements needs a sector "
        "of its own. Both the reads of x and the writes of y must have threadIdx.x as "
        "the last index; the turning happens in the tile"
    )
    def strided(self, launch, x, y, rows, cols):
        return Fault("sectors")

    @cause(
        "32 threads use a column of the tile at once, and its cells all lie in one "
        "bank, so they are served one after the other: make the tile's rows one "
        "longer, float tile[32][33]"
    )
    def no_padding(self, launch, x, y, rows, cols):
        return Fault("bank_passes")

    @cause(
        "threads read from the tile what others have not written yet: __syncthreads() "
        "belongs between the two loops"
    )
    def no_barrier(self, launch, x, y, rows, cols):
        return Fault("race")

    @cause(
        "the barrier stands inside an if or a loop that not all threads go through: "
        "put it between the two loops, outside of both"
    )
    def barrier_in_if(self, launch, x, y, rows, cols):
        return Fault("divergent-barrier")

    @cause(
        "a thread goes outside the matrix: tiles reach beyond it, so both sides need a "
        "guard, and the second is about the row and column that it deals with itself"
    )
    def no_guard(self, launch, x, y, rows, cols):
        return Fault("out-of-bounds")

    @cause(
        "cells of the tile are read that nobody has filled: either not all 32 rows of "
        "the tile are done, or the second guard lets too many through"
    )
    def not_filled(self, launch, x, y, rows, cols):
        return Fault("uninitialised")

    @cause("nothing is transposed: y holds x as it was")
    def copied(self, launch, x, y, rows, cols):
        return x.reshape(cols, rows)

    blocks_swapped = mistake(
        "the tiles are counted the wrong way round: blockIdx.x counts them to the "
        "right, so left = blockIdx.x * 32; and blockIdx.y downwards",
        """
        __shared__ float tile[32][33];
        int tx = threadIdx.x, top = blockIdx.x * 32, left = blockIdx.y * 32;
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (top + k < rows && left + tx < cols)
                tile[k][tx] = x[(top + k) * cols + left + tx];
        __syncthreads();
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (left + k < cols && top + tx < rows)
                y[(left + k) * rows + top + tx] = tile[tx][k];
        """,
    )
    tile_as_block = mistake(
        "the tile is taken to be as large as the block: it has 32 rows, and the block "
        "blockDim.y, so each thread goes through several rows",
        """
        __shared__ float tile[32][33];
        int row = blockIdx.y * blockDim.y + threadIdx.y;
        int col = blockIdx.x * blockDim.x + threadIdx.x;
        if (row < rows && col < cols)
            tile[threadIdx.y][threadIdx.x] = x[row * cols + col];
        __syncthreads();
        row = blockIdx.x * blockDim.x + threadIdx.y;
        col = blockIdx.y * blockDim.y + threadIdx.x;
        if (row < cols && col < rows)
            y[row * rows + col] = tile[threadIdx.x][threadIdx.y];
        """,
    )
    tiles_only = mistake(
        "the tiles have changed places, but inside each one nothing is turned: "
        "tile[k][tx] goes in, tile[tx][k] comes out",
        """
        __shared__ float tile[32][33];
        int tx = threadIdx.x, top = blockIdx.y * 32, left = blockIdx.x * 32;
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (top + k < rows && left + tx < cols)
                tile[k][tx] = x[(top + k) * cols + left + tx];
        __syncthreads();
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (left + k < cols && top + tx < rows)
                y[(left + k) * rows + top + tx] = tile[k][tx];
        """,
    )
    inside_only = mistake(
        "each tile is turned, but stays where it was: in y, the tile's rows begin at "
        "blockIdx.x * 32, and its columns at blockIdx.y * 32",
        """
        __shared__ float tile[32][33];
        int tx = threadIdx.x, top = blockIdx.y * 32, left = blockIdx.x * 32;
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (top + k < rows && left + tx < cols)
                tile[k][tx] = x[(top + k) * cols + left + tx];
        __syncthreads();
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (top + k < cols && left + tx < rows)
                y[(top + k) * rows + left + tx] = tile[tx][k];
        """,
    )
    wrong_width = mistake(
        "the rows of y are taken to be as long as those of x: y has rows elements in "
        "each row, x has cols",
        """
        __shared__ float tile[32][33];
        int tx = threadIdx.x, top = blockIdx.y * 32, left = blockIdx.x * 32;
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (top + k < rows && left + tx < cols)
                tile[k][tx] = x[(top + k) * cols + left + tx];
        __syncthreads();
        for (int k = threadIdx.y; k < 32; k += blockDim.y)
            if (left + k < cols && top + tx < rows)
                y[(left + k) * cols + top + tx] = tile[tx][k];
        """,
    )
    first_rows = mistake(
        "each thread deals with one row of the tile only: a block has fewer rows of "
        "threads than the tile has rows, so each thread needs a loop",
        """
        __shared__ float tile[32][33];
        int tx = threadIdx.x, ty = threadIdx.y;
        int top = blockIdx.y * 32, left = blockIdx.x * 32;
        if (top + ty < rows && left + tx < cols)
            tile[ty][tx] = x[(top + ty) * cols + left + tx];
        __syncthreads();
        if (left + ty < cols && top + tx < rows && tx < blockDim.y)
            y[(left + ty) * rows + top + tx] = tile[tx][ty];
        """,
    )
