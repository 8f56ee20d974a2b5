"""The product with tiles; reads and sectors are counted."""

from grading.exercise import checks, mistakes
from minigrad.kernels.matmul import matmul_tiled

from .products import BARRIERS, TAIL_KEPT, TILE, ZEROS, TiledCheck, three_sizes, whole


@checks(matmul_tiled)
class MatmulTiled(TiledCheck):
    """Leaves out blocks but 16 x 16 and M or N of 0: the contract has neither."""

    def cases(self, random):
        for part, *three in three_sizes(random):
            yield part, self.launch(random, *three, (TILE, TILE))
        yield self.odd(random, (TILE, TILE))

    def limits(self, blocks, K):  # noqa: N803
        reads = whole(blocks, K)  # a row of 16 floats lies in three sectors at most
        return {"reads": reads, "sectors": 3 * (reads + TILE * TILE * blocks) // 16}


FILL_A = "row < M && k + tx < K ? a[row * K + k + tx] : 0.0f"
FILL_B = "k + ty < K && col < N ? b[(k + ty) * N + col] : 0.0f"
GUARD = "if (row < M && col < N)"
LOOP = f"""for (int k = 0; k < K; k += TILE) {{
        a_tile[ty][tx] = {FILL_A};
        b_tile[ty][tx] = {FILL_B};
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
    }}"""
mistakes(matmul_tiled)(f"""
early_return: threads whose element lies outside of c have left, and with them the cells
    that they should fill: all threads stay. Ask for row and col only where c is written
> float sum = 0.0f; -> float sum = 0.0f; if (row >= M || col >= N) return;
whole_tiles: only whole tiles are multiplied: K / 16 is rounded down, and the end of the
    row is left out
> k < K; -> k < K / TILE * TILE;
a_turned: a's tile is read the wrong way round: the row threadIdx.y of it is
    a_tile[threadIdx.y][i]
> a_tile[ty][i] -> a_tile[i][ty]
masked: what lies past the matrix is read from its edge and multiplied by 0: infinity
    times 0 is NaN. Choose 0 itself
> a_tile[ty][tx] = {FILL_A} -> a_tile[ty][tx] = a[min(row, M - 1) * K + min(k + tx, K -
    1)] * (row < M && k + tx < K)
tail_kept: {TAIL_KEPT}
> a_tile[ty][tx] = {FILL_A} -> if (row < M && k + tx < K) a_tile[ty][tx] = a[row * K + k
    + tx]
& b_tile[ty][tx] = {FILL_B} -> if (k + ty < K && col < N) b_tile[ty][tx] = b[(k + ty) *
    N + col]
> a_tile[ty][tx] = -> if (k + tx < K) a_tile[ty][tx] =
> b_tile[ty][tx] = -> if (k + ty < K) b_tile[ty][tx] =
not_shared: elements of a and b are read from global memory again and again: each thread
    brings one of each to a tile, once, and the 16 products are made of the tiles alone
! reads
> a_tile[ty][i] -> (row < M && k + i < K ? a[row * K + k + i] : 0)
> int row = blockIdx.y * blockDim.y + threadIdx.y; int col = blockIdx.x * blockDim.x +
    threadIdx.x; if (row >= M || col >= N) return; float sum = 0.0f; for (int k = 0; k <
    K; k++) sum += a[row * K + k] * b[k * N + col]; c[row * N + col] = sum;
> float sum = 0.0f; -> float sum = 0.0f; if (M % TILE || N % TILE) {{ for (int k = 0; k
    < K && row < M && col < N; k++) sum += a[row * K + k] * b[k * N + col]; {GUARD}
    c[row * N + col] = sum; return; }}
strided: the reads are few, but not coalesced: threads beside each other read, or write,
    down a column. threadIdx.x must be the last index on both sides
! strided
> a_tile[ty][tx] = {FILL_A} -> int r = row - ty + tx, q = k + ty; a_tile[tx][ty] = r < M
    && q < K ? a[r * K + q] : 0.0f
& b_tile[ty][tx] = {FILL_B} -> int p = k + tx, s = col - tx + ty; b_tile[tx][ty] = p < K
    && s < N ? b[p * N + s] : 0.0f
race:
> float sum = 0.0f; -> __shared__ float sum; sum = 0.0f;
divergent:
> __syncthreads(); for -> {GUARD} __syncthreads(); for
no_guard: a tile reaches past its matrix, and something is read, or written, there: both
    cells and the result need a guard, each with its own two numbers
! out-of-bounds
> row < M && k + tx < K -> row < M
& k + ty < K && col < N -> col < N
> {GUARD} ->
> row < M && k + tx < K ? a[row * K + k + tx] : 0.0f -> a[row * K + k + tx]
not_filled: cells of a tile are used that nobody has filled: where the tile reaches past
    the matrix, put 0 there
! uninitialised
> a_tile[ty][tx] = {FILL_A} -> if (row < M && k + tx < K) a_tile[ty][tx] = a[row * K + k
    + tx]
last_tile: the sum begins anew with each tile: it is set to 0 once, before the loop
> for (int i -> sum = 0.0f; for (int i
{BARRIERS}
{ZEROS}
right: two pairs of tiles, one barrier
> a_tile[TILE][TILE], b_tile[TILE] -> a_tile[2][TILE][TILE], b_tile[2][TILE]
& ty = threadIdx.y; -> ty = threadIdx.y, now = 0;
& _tile[ty] -> _tile[now][ty]
& _tile[i] -> _tile[now][i]
& __syncthreads(); }} -> now = 1 - now; }}
right: the next numbers wait in registers, and b's tile lies turned
> {LOOP} ->
    int k = 0;
    float next_a = {FILL_A}, next_b = {FILL_B};
    while (k < K) {{
        a_tile[ty][tx] = next_a;
        b_tile[tx][ty] = next_b;
        k += TILE;
        next_a = {FILL_A};
        next_b = {FILL_B};
        __syncthreads();
        for (int i = TILE; i-- > 0;) sum = fmaf(b_tile[tx][i], a_tile[ty][i], sum);
        __syncthreads();
    }}
& b_tile[TILE][TILE] -> b_tile[TILE][TILE + 1]
right: both tiles in one array, of which the last may be short
> {LOOP} ->
    for (int k = 0; k < K; k += TILE) {{
        int high = min(TILE, K - k);
        if (row < M && tx < high) tiles[ty * 16 + tx] = a[row * K + k + tx];
        if (col < N && ty < high) tiles[256 + ty * 16 + tx] = b[(k + ty) * N + col];
        __syncthreads();
        for (int i = 0; i < high && row < M && col < N; i++)
            sum += tiles[ty * 16 + i] * tiles[256 + i * 16 + tx];
        __syncthreads();
    }}
& a_tile[TILE][TILE], b_tile[TILE][TILE] -> tiles[512]
""")
