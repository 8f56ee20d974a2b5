"""Batches in any layout: torch.matmul reads the same storages."""

import itertools

import numpy as np
import torch

from grading.exercise import Launch, blank, checks, distinct, mistakes
from minigrad.kernels.matmul import matmul_batched
from minigrad.launch import cdiv

from . import strided
from .products import SLACK, TILE, ZEROS, ProductCheck, three_sizes, whole

A_BATCH, B_BATCH = (3, 1), (1, 2)  # the last ones of them, by rank
BROADCAST = [
    ((3, 4, 5), (5, 6)),
    ((4, 5), (3, 5, 2)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((2, 3, 1, 4, 4), (2, 4, 3)),
]
KINDS = "row by row", "transposed", "every second", "a column repeated"


def laid(shape, kind):
    """The strides of matrices of a shape, and of a batch of them."""
    *batch, rows, cols = shape
    steps = {
        "row by row": (cols, 1),
        "transposed": (1, rows),
        "every second": (3 * cols, 2),
        "a column repeated": (1, 0),
    }[kind]
    whole = 1 + sum((n - 1) * s for n, s in zip((rows, cols), steps, strict=True))
    strides = []
    for size in reversed(batch):
        strides.insert(0, whole if size > 1 else 0)
        whole *= size
    return (*strides, *steps)


def as_matmul_does(a, b):
    """(views of a and b as batches of matrices, the batch's shape)."""
    a = a.unsqueeze(0) if a.ndim == 1 else a
    b = b.unsqueeze(1) if b.ndim == 1 else b
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return (x.expand(*batch, *x.shape[-2:]) for x in (a, b)), batch


def of_rank(rank, batch, *matrix):
    """The shape of an operand with so many dimensions."""
    return (*batch[4 - rank :], *matrix) if rank > 1 else matrix


@checks(matmul_batched)
class MatmulBatched(ProductCheck):
    """Leaves out blocks but 16 x 16 and M, N or batches of 0: the contract has none."""

    def cases(self, random):
        for kind in KINDS[1], KINDS[0]:
            shapes = (2, 5, 7), (2, 7, 6)
            yield "batches, transposed or not", self.views(random, shapes, (kind,) * 2)
        several = itertools.cycle(itertools.product(KINDS, KINDS))
        for kinds, (part, M, N, K) in zip(several, three_sizes(random), strict=False):
            yield part, self.views(random, ((M, K), (K, N)), kinds)
        for shapes in BROADCAST:
            yield "a broadcast batch", self.views(random, shapes, KINDS[:2])
        for ranks in itertools.product((1, 2, 3, 4), repeat=2):
            yield "every pair of ranks", self.ranks(random, *ranks)
        for depth in (1, 2, 4):
            shapes = (7, 5, 6), (7, 6, 4)
            yield "fewer blocks than matrices", self.views(random, shapes, KINDS, depth)
        yield "no copies", self.views(random, ((3, 16, 32), (32, 48)), KINDS)
        launch = self.views(random, ((18, 17), (17, 20)), KINDS)
        launch.args[0][[0, -1]], launch.args[2][[0, -1]] = (0, np.inf), (np.inf, 0)
        yield "zero and infinity", launch

    def ranks(self, random, left, right):
        a = of_rank(left, A_BATCH, *(5, 6)[-left:])
        b = of_rank(right, B_BATCH, *(6, 4)[: 2 if right > 1 else 1])
        return self.views(random, (a, b), (random.choice(KINDS[:2]), KINDS[0]))

    def views(self, random, shapes, kinds, depth=65535):
        """The launch for operands of these shapes, laid out by kind."""
        arrays, tensors = [], []
        for shape, kind in zip(shapes, kinds, strict=False):
            strides = laid(shape, kind) if len(shape) > 1 else (1 + (kind != KINDS[0]),)
            cells = strided.cells(shape, strides) if 0 not in shape else 1
            arrays.append(distinct(random, cells) / np.float32(cells))
            held = torch.from_numpy(arrays[-1])
            tensors.append(held.as_strided(shape, strides))
        (a, b), batch = as_matmul_does(*tensors)
        (M, K), N = a.shape[-2:], b.shape[-1]  # noqa: N806
        most = (a.abs().double() @ b.abs().double()).max().item()
        arrays[1] /= np.float32((K + 2) * most or 1)
        count = max(batch.numel(), 1)
        grid = cdiv(N, TILE), cdiv(M, TILE), min(count, depth)
        held = (strided.struct(x.shape, x.stride()) for x in (a, b))
        args = itertools.chain.from_iterable(zip(arrays, held, strict=True))
        numbers = *np.int32([M, N, K]), np.int64(count)
        c, filled = blank(*batch, M, N), count * whole(grid[0] * grid[1], K)
        limits = {"writes": c.size, "reads": max(int(SLACK * 2 * c.size * K), filled)}
        limits = limits if max(M, N) < 9999 else {}
        return Launch(grid, (TILE, TILE), (*args, c, *numbers), 0, limits)

    def expected(self, launch, a, a_view, b, b_view, c, M, N, K, batches):  # noqa: N803
        left, right = strided.read(a, a_view), strided.read(b, b_view)
        return torch.matmul(left.double(), right.double())


TILES = """for (int k = 0; k < K; k += TILE) {
            a_tile[ty][tx] = row < M && k + tx < K ? x[(k + tx) * a_col] : 0.0f;
            b_tile[ty][tx] = k + ty < K && col < N ? y[(k + ty) * b_row] : 0.0f;
            __syncthreads();
            for (int i = 0; i < TILE; i++) sum += a_tile[ty][i] * b_tile[i][tx];
            __syncthreads();
        }"""
GUARD = "if (row < M && col < N)"
# a thread an element, in place of tiles
PLAIN = (
    f"{TILES} -> for (int k = 0; {GUARD[4:-1]} && k < K; k++)\n"
    "            sum += x[k * a_col] * y[k * b_row];"
)
mistakes(matmul_batched)(f"""
flat_batch: the matrices are taken to lie one after the other: where one begins, the
    strides of the batch say, and one that serves for several has 0 there
> matrix_of(m, a_view) -> m * M * K
& matrix_of(m, b_view) -> m * K * N
one_matrix: every product is of the same matrix: matrix_of(m, view) says where number m
    begins
> + matrix_of(m, a_view) ->
& + matrix_of(m, b_view) ->
no_loop: each block makes one product of the batch only: there may be more of them than
    gridDim.z, so it goes on with number m + gridDim.z
> m += gridDim.z -> m += batches
first_fastest: the batch is counted from the wrong end: the last of its dimensions moves
    fastest
> int d = view.dims - 3; d >= 0; d-- -> int d = 0; d < view.dims - 2; d++
all_dims: the number of the matrix is taken apart over all dimensions: the last two are
    the matrix's own rows and columns, so begin with dims - 3
> view.dims - 3 -> view.dims - 1
one_view: a's batch is used for both: b has strides of its own
> matrix_of(m, b_view) -> matrix_of(m, a_view)
copies_first: the strides are not used: this is right only if somebody has copied a and
    b row by row before, and nobody does. Element (row, k) of a matrix of a lies row *
    stride[dims - 2] + k * stride[dims - 1] from its first
> a + matrix_of(m, a_view) + row * a_row -> a + (m * M + row) * K
& b + matrix_of(m, b_view) + col * b_col -> b + m * K * N + col
&  * a_col ->
&  * b_row -> * N
copies: more is written to global memory than c: the operands are copied first, or c is
    written again and again. Read them where they lie, and write each element of c once
! writes
> __global__ -> __device__ float A[64][2048], B[64][2048]; __global__
& for (long long -> int block = blockIdx.y * gridDim.x + blockIdx.x; float *p =
    A[blockIdx.z * gridDim.x * gridDim.y + block]; float *q = B[blockIdx.z * gridDim.x *
    gridDim.y + block]; for (long long
& matrix_of(m, a_view) + row * a_row -> matrix_of(m, a_view)
& matrix_of(m, b_view) + col * b_col -> matrix_of(m, b_view)
& float sum -> for (int e = ty * 16 + tx; e < M * K; e += 256) p[e] = x[e / K * a_row +
    e % K * a_col]; for (int e = ty * 16 + tx; e < K * N; e += 256) q[e] = y[e / N *
    b_row + e % N * b_col]; __syncthreads(); float sum
& {PLAIN}
& x[k * a_col] * y[k * b_row] -> p[row * K + k] * q[k * N + col]
& = sum; -> = sum; __syncthreads();
> {PLAIN}
& float sum = 0.0f -> {GUARD} c[(m * M + row) * N + col] = 0
& sum += -> c[(m * M + row) * N + col] +=
&         {GUARD} c[(m * M + row) * N + col] = sum; ->
read_again: an element is read from memory twice for one product: once will do, by a
    tile or in a variable
! reads
> {PLAIN}
& x[k * a_col] * -> (M == 16 ? x[k * a_col] : (x[k * a_col] + x[k * a_col]) / 2) *
no_guard: something is read, or written, outside of a matrix: are all four strides used,
    and is there a guard for the row and for the column?
! out-of-bounds
> {PLAIN}
& row < M && col < N -> row < M
race: threads use a cell at the same time, and one of them writes. With tiles both
    barriers are needed in each step; and each element of c has one thread
! race
> __syncthreads(); }} -> }}
divergent: not all threads of the block come to the barrier: those outside of c must
    fill their cells, too; and in a loop over the batch none may return
! divergent-barrier
> __syncthreads(); -> {GUARD} __syncthreads();
inner_stride: one stride of each matrix is taken to be 1: in a transposed matrix it is
    the other one. Use both, stride[dims - 2] and stride[dims - 1]
>  * a_col ->
&  * b_col ->
{ZEROS}
right: a thread an element
> {PLAIN}
right: flat tiles, of which one is turned
> a_tile[TILE][TILE], b_tile[TILE][TILE] -> a_tile[256], b_tile[256]
& a_tile[ty][tx] -> a_tile[ty * TILE + tx]
& b_tile[ty][tx] -> b_tile[tx * TILE + ty]
& a_tile[ty][i] -> a_tile[ty * TILE + i]
& b_tile[i][tx] -> b_tile[tx * TILE + i]
right: the batch counted from the front
>
    for (int d = view.dims - 3; d >= 0; d--) {{
        offset += batch % view.shape[d] * view.stride[d];
        batch /= view.shape[d];
    }} -> long long run = 1;
    for (int d = 0; d < view.dims - 2; d++) run *= view.shape[d];
    for (int d = 0; d < view.dims - 2; d++) {{
        run /= view.shape[d];
        offset += batch / run * view.stride[d];
        batch -= batch / run * run;
    }}
""")
