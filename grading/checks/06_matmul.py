"""Chapter 06, the plain product and the tiled one; reads and sectors are counted."""

from grading.checking import cause, checks
from grading.kernels import Fault
from minigrad.kernels.matmul import matmul_tiled

from .products import SLACK, TILE, ProductCheck, changed

TILED = f"""
__shared__ float a_tile[{TILE}][{TILE}], b_tile[{TILE}][{TILE}];
int tx = threadIdx.x, ty = threadIdx.y;
int row = blockIdx.y * {TILE} + ty, col = blockIdx.x * {TILE} + tx;
float sum = 0.0f;
for (int k = 0; k < K; k += {TILE}) {{
    a_tile[ty][tx] = row < M && k + tx < K ? a[row * K + k + tx] : 0.0f;
    b_tile[ty][tx] = k + ty < K && col < N ? b[(k + ty) * N + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < {TILE}; i++) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();  // the second
}}
if (row < M && col < N) c[row * N + col] = sum;"""
FIRST, SECOND = "__syncthreads();\n    for", "__syncthreads();  // the second"
A_CELL = "a_tile[ty][tx] = row < M && k + tx < K ? a[row * K + k + tx] : 0.0f;"
B_CELL = "b_tile[ty][tx] = k + ty < K && col < N ? b[(k + ty) * N + col] : 0.0f;"
A_BARE = "if (row < M && k + tx < K) a_tile[ty][tx] = a[row * K + k + tx];"
B_BARE = "if (k + ty < K && col < N) b_tile[ty][tx] = b[(k + ty) * N + col];"
tiled = changed(matmul_tiled, TILED)


@checks(matmul_tiled)
class MatmulTiled(ProductCheck):
    def cases(self, random):
        for sizes in [(32, 48, 64), (16, 32, 80)]:
            yield "whole tiles, few reads", self.tiles(random, *sizes, counted=True)
        for sizes in [(16, 16, 37), (32, 16, 5), (16, 48, 100), (16, 16, 1)]:
            yield "a ragged K", self.tiles(random, *sizes)
        some = [random.randint(20, 60) for _ in range(3)]
        for sizes in [(37, 51, 29), (17, 15, 32), (1, 1, 1), (1, 70, 40), some]:
            yield "any three sizes", self.tiles(random, *sizes)
        yield "K = 0", self.tiles(random, 7, 20, 0)

    def tiles(self, random, M, N, K, counted=False):  # noqa: N803
        reads = 2 * M * N * K // TILE
        limits = {
            "reads": int(SLACK * reads),
            "sectors": int(SLACK * (reads + M * N) / 8),
        }
        block = TILE, TILE
        return self.launch(random, M, N, K, block, None, limits if counted else {})

    @cause(
        "the tiles are not what is multiplied: elements of a and b are read from "
        "global memory again and again. Each thread brings one of each to a tile, and "
        "the 16 products are made of the tiles alone"
    )
    def not_shared(self, launch, *args):
        return Fault("reads")

    @cause(
        "the reads are few, but not coalesced: threads beside each other read, or "
        "write, down a column. threadIdx.x must be the last index on both sides"
    )
    def strided(self, launch, *args):
        return Fault("sectors")

    @cause(
        "threads use a cell of a tile at the same time, and one of them writes: both "
        "barriers are needed, one when the tiles are full, one when they are used"
    )
    def race(self, launch, *args):
        return Fault("race")

    @cause(
        "not all threads of the block come to the barrier: those outside of c have "
        "left, or stand in an if. They must fill their cells, too; ask for row and col "
        "only where c is written"
    )
    def divergent(self, launch, *args):
        return Fault("divergent-barrier")

    @cause(
        "a tile reaches beyond its matrix, and something is read, or written, there: "
        "both cells and the result need a guard, each with its own two numbers"
    )
    def no_guard(self, launch, *args):
        return Fault("out-of-bounds")

    @cause(
        "cells of a tile are used that nobody has filled: where the tile reaches "
        "beyond the matrix, put 0 there"
    )
    def not_filled(self, launch, *args):
        return Fault("uninitialised")

    no_barriers = tiled(
        "both barriers are missing, or order one warp alone: __syncthreads() belongs "
        "behind the lines that fill the tiles, and at the end of the loop",
        (FIRST, "for"),
        (SECOND, ""),
    )
    early_return = tiled(
        "threads whose element lies outside of c have left, and with them the cells "
        "that they should fill: all threads stay. Ask for row and col only where c is "
        "written",
        ("float sum = 0.0f;", "float sum = 0.0f; if (row >= M || col >= N) return;"),
    )
    no_first = tiled(
        "the first barrier is missing: threads multiply while others still fill the "
        "tiles. __syncthreads() belongs behind the two lines that fill them",
        (FIRST, "for"),
    )
    no_second = tiled(
        "the second barrier is missing: a fast thread fills its cells for the next "
        "step while others still multiply. __syncthreads() belongs at the loop's end",
        (SECOND, ""),
    )
    tail_kept = tiled(
        "the tail is not filled: beyond K the tiles still hold what the last step has "
        "left there. Put 0 there",
        (A_CELL, A_BARE),
        (B_CELL, B_BARE),
    )
    whole_tiles = tiled(
        "only whole tiles are multiplied: K / 16 is rounded down, and the rest of the "
        "row is left out",
        ("k < K;", "k + 16 <= K;"),
    )
    b_turned = tiled(
        "b's tile is read the wrong way round: the column threadIdx.x of it is "
        "b_tile[i][threadIdx.x]",
        ("b_tile[i][tx]", "b_tile[tx][i]"),
    )
    a_turned = tiled(
        "a's tile is read the wrong way round: the row threadIdx.y of it is "
        "a_tile[threadIdx.y][i]",
        ("a_tile[ty][i]", "a_tile[i][ty]"),
    )
    swapped = tiled(
        "the blocks are counted the wrong way round: blockIdx.y counts rows, "
        "blockIdx.x columns",
        ("blockIdx.y * 16", "blockIdx.z * 16"),
        ("blockIdx.x * 16", "blockIdx.y * 16"),
        ("blockIdx.z * 16", "blockIdx.x * 16"),
    )
    last_tile = tiled(
        "the sum begins anew with each tile: it is set to 0 once, before the loop",
        ("__syncthreads();\n    for", "__syncthreads(); sum = 0.0f;\n    for"),
    )
