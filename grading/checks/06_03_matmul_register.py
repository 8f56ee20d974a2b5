"""The product in registers: counted everywhere, timed where a GPU is."""

import numpy as np

from grading.exercise import Launch, Problem, checks, mistakes
from grading.kernels import gpu
from minigrad.kernels.matmul import matmul_register
from minigrad.launch import cdiv

from .products import BARRIERS, SLACK, TAIL_KEPT, TiledCheck

SIZE, THREADS = 128, 256
DEEP = 48  # along K, the deepest tiles that 48 KB hold
SHARED = 0.6  # accesses of shared memory for each multiplication; tiles take 2
SHARE, BONUS = 0.35, 0.6  # of cuBLAS in float32
LARGE = 4096


@checks(matmul_register)
class MatmulRegister(TiledCheck):
    """Leaves out N and K that 4 does not divide: the contract has none; and most of
    SIZES, as a block makes 128 x 128.
    """

    gpu_parts = ("speed",)
    steps, tries = 200_000, 4

    def cases(self, random):
        how = (THREADS,), (SIZE, SIZE)
        yield "whole blocks", self.launch(random, 128, 256, DEEP, *how)
        some = random.randint(129, 190), 4 * random.randint(20, 31), 16
        for three in some, (33_000, 4, 0), (1, 33_000, 0), (1, 4, 520):
            yield "any sizes", self.launch(random, *three, *how)
        yield "a ragged K", self.launch(random, 20, 24, 4, *how)
        yield self.odd(random, *how, 12)
        yield "K = 0", self.launch(random, 30, 140, 0, *how)

    def limits(self, blocks, K):  # noqa: N803
        reads, deep = 2 * blocks * SIZE * K, cdiv(K, DEEP) * DEEP + 8  # as k <= K has
        made = blocks * SIZE * SIZE * deep
        return {
            "reads": int(SLACK * reads),
            "shared_requests": int((SHARED * made + 2 * reads) / 32),
        }

    def on_gpu(self, text):
        """The time beside cuBLAS's, in the same process each."""
        n = LARGE
        arrays = [np.full((n, n), value, np.float32) for value in (1, 0.5, 0)]
        args = *arrays, *np.int32([n, n, n])
        launch = Launch((n // SIZE, n // SIZE), THREADS, args)
        found = gpu.share(self.hole, text, gpu.CUBLAS, launch, SHARE)
        if isinstance(found, Problem):
            yield self.gpu_parts[0], False, found.message
            return
        share, took, best = found
        speed, best = 2 * n**3 / took / 1e12, 2 * n**3 / best / 1e12
        message = (
            f"{speed:.1f} TFLOP/s, {share:.0%} of the {best:.1f} TFLOP/s that cuBLAS "
            f"reaches on this GPU; {SHARE:.0%} are needed, {BONUS:.0%} are the bonus"
        )
        if share >= BONUS:
            message += ", and you have it"
        yield self.gpu_parts[0], share >= SHARE, message

    def all_right(self, tried):
        """With the speed, where it was measured."""
        measured = [case.got.message for case in tried if not case.args]
        return ": ".join([super().all_right(tried), *measured])


READ_LEFT = "FOUR(left[j]) = FOUR(a_tile[i][ty * 8 + j]);"
READ_RIGHT = "FOUR(right[j]) = FOUR(b_tile[i][tx * 8 + j]);"
PLAIN = """int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    int top = blockIdx.y * 128 + ty * 8, side = blockIdx.x * 128 + tx * 8;
    float sum[8][8] = {};
    for (int k = 0; k < K; k++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                if (top + i < M && side + j < N)
                    sum[i][j] += a[(top + i) * K + k] * b[k * N + side + j];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            if (top + i < M && side + j < N) c[(top + i) * N + side + j] = sum[i][j];"""
mistakes(matmul_register)(f"""
not_zeroed: the sums begin with whatever the registers hold: float sum[8][8] = {{}}
    begins with zeros
> sum[8][8] = {{}} -> sum[8][8]
row_alone: a patch has 8 columns: where c is written, each of them needs the guard
> if (r < M && s < N) -> if (r * N + s < M * N)
swapped: the patches are counted in another way where c is written than where the tiles
    are read: the same two numbers, down and along, belong in both places
> row + ty * 8 + y -> row + tx * 8 + y
& col + tx * 8 + x -> col + ty * 8 + x
whole_steps: only whole steps are done: K / 8 is rounded down, and the end of the row is
    left out
> k < K; -> k < K / 8 * 8;
tail_kept: {TAIL_KEPT}
> for (int i = 0; i < 4; -> if (q < K) for (int i = 0; i < 4;
& FOUR(b_tile[tid -> if (p < K) FOUR(b_tile[tid
> for (int i = 0; i < 4; -> if (q < K) for (int i = 0; i < 4;
> FOUR(b_tile[tid -> if (p < K) FOUR(b_tile[tid
last_four: the last float4 of each row is left out: what begins at q goes from q to q +
    3, so it belongs to a row as long as q < K, or N
> q < K -> q + 4 < K
& p < K && s < N -> p < K && s + 4 < N
& if (r < M && s < N) -> if (r < M && s + 4 < N)
> q < K -> q + 4 < K
> p < K && s < N -> p < K && s + 4 < N
> if (r < M && s < N) -> if (r < M && s + 4 < N)
not_shared: too many reads of global memory: a block needs each element of its rows of a
    and of its columns of b once, by way of shared memory
! reads
> {PLAIN}
> int tid = -> if (M % 128) {{ {PLAIN} return; }} int tid =
few_uses: right, but slow: each number from shared memory is used for one or two
    multiplications only. Read 8 of a's column and 8 of b's row into registers, and
    multiply each with each: 16 reads for 64 multiplications
! shared_requests
> {READ_LEFT} ->
& {READ_RIGHT} ->
& left[y] * right[x] -> a_tile[i][ty * 8 + y] * b_tile[i][tx * 8 + x]
> {READ_RIGHT} ->
& right[x] -> b_tile[i][tx * 8 + x]
race:
> = {{}}, left -> = {{}}; __shared__ __align__(16) float left
divergent:
> __syncthreads(); for -> if (row + ty * 8 < M) __syncthreads(); for
no_guard: something is read, or written, outside of a matrix: every float4 needs a guard
    for its row and one for its column
! out-of-bounds
> r < M && q < K ? -> r < M ?
& p < K && s < N ? -> s < N ?
> if (r < M && s < N) ->
> if (r < M && s < N) -> if (r < M)
not_filled: cells of a tile, or of a thread's own array, are used that nobody has
    filled: put zeros there for what lies outside of a and b; threads whose patch lies
    outside of c help with that
! uninitialised
> for (int k = 0 -> if (row + ty * 8 >= M) return; for (int k = 0
misaligned: a float4 must begin at a multiple of 16 bytes: say __align__(16) in front of
    the array, and begin at an index that 4 divides
! misaligned
> b_tile[8][128] -> b_tile[8][129]
{BARRIERS}
equivalent: one more round adds zeros
> comparison: k <= K;
equivalent: 2 ** 15 rows or columns show it, and their products take seconds
> type: short r = row + tid / 2
> type: short p = k + tid / 32, s = col
right: float4, two strips of columns
> a_tile[8][128] -> a_tile[8][132]
& col + tx * 8 + x -> col + tx * 4 + x * 16
& tx * 8 + j -> tx * 4 + j * 16
right: one float at a time, elements 16 apart, tiles of 32 along K
>
    __shared__ float a_tile[32][128], b_tile[32][128];
    int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    int top = blockIdx.y * 128, left = blockIdx.x * 128;
    float sum[8][8];
    for (int e = 0; e < 64; e++) sum[e / 8][e % 8] = 0;
    for (int k = 0; k < K; k += 32) {{
        for (int e = tid; e < 32 * 128; e += 256) {{
            int r = top + e / 32, s = left + e % 128, q = k + e % 32, p = k + e / 128;
            a_tile[e % 32][e / 32] = r < M && q < K ? a[r * K + q] : 0;
            b_tile[e / 128][e % 128] = p < K && s < N ? b[p * N + s] : 0;
        }}
        __syncthreads();
        for (int i = 0; i < 32; i++) {{
            float column[8];
            for (int y = 0; y < 8; y++) column[y] = a_tile[i][ty + 16 * y];
            for (int x = 0; x < 8; x++) {{
                float value = b_tile[i][tx + 16 * x];
                for (int y = 0; y < 8; y++) sum[y][x] += column[y] * value;
            }}
        }}
        __syncthreads();
    }}
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {{
            int r = top + ty + 16 * y, s = left + tx + 16 * x;
            if (r < M && s < N) c[r * N + s] = sum[y][x];
        }}
""")
