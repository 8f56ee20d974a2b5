"""Chapter 06, the product in registers: counted everywhere, timed where a GPU is."""

import numpy as np

from grading import gpu
from grading.checking import cause, checks
from grading.kernels import Fault, Launch
from grading.subject import Problem
from minigrad.kernels.matmul import matmul_register

from .products import SLACK, ProductCheck, changed

SIZE, THREADS = 128, 256
SHARED = 0.6  # accesses of shared memory for each multiplication; tiles take 2
SHARE, BONUS = 0.35, 0.6  # of cuBLAS in float32
LARGE = 4096

PATCH = """
__shared__ __align__(16) float a_tile[8][128], b_tile[8][128];
int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
int row = blockIdx.y * 128, col = blockIdx.x * 128;
float sum[8][8] = {}, left[8], right[8];
for (int k = 0; k < K; k += 8) {
    for (int e = tid; e < 1024; e += 256) {
        int r = row + e / 8, q = k + e % 8, p = k + e / 128, s = col + e % 128;
        a_tile[e % 8][e / 8] = r < M && q < K ? a[r * K + q] : 0.0f;
        b_tile[e / 128][e % 128] = p < K && s < N ? b[p * N + s] : 0.0f;
    }
    __syncthreads();
    for (int q = 0; q < 8; q++) {
        for (int i = 0; i < 8; i++) left[i] = a_tile[q][ty * 8 + i];
        for (int i = 0; i < 8; i++) right[i] = b_tile[q][tx * 8 + i];
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) sum[i][j] += left[i] * right[j];
    }
    __syncthreads();  // the second
}
for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
        int r = row + ty * 8 + i, s = col + tx * 8 + j;
        if (r < M && s < N) c[r * N + s] = sum[i][j];
    }"""
FIRST, SECOND = "__syncthreads();\n    for (int q", "__syncthreads();  // the second"
register = changed(matmul_register, PATCH)


@checks(matmul_register)
class MatmulRegister(ProductCheck):
    gpu_parts = ("speed",)
    steps = 200_000

    def cases(self, random):
        sizes = 128, 256, 16
        yield "whole blocks, few reads", self.blocks(random, *sizes, counted=True)
        some = random.randint(1, 120), 4 * random.randint(1, 30), 8
        for sizes in [(130, 132, 16), some]:
            yield "any sizes", self.blocks(random, *sizes)
        yield "a ragged K", self.blocks(random, 256, 128, 12)
        yield "K = 0", self.blocks(random, 30, 140, 0)

    def blocks(self, random, M, N, K, counted=False):  # noqa: N803
        reads, made = 2 * M * N * K // SIZE, M * N * K
        limits = {
            "reads": int(SLACK * reads),
            "shared_requests": int((SHARED * made + 2 * reads) / 32),
        }
        how = (THREADS,), (SIZE, SIZE), limits if counted else {}
        return self.launch(random, M, N, K, *how)

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

    @cause(
        "too many reads of global memory: a block needs each element of its rows of a "
        "and of its columns of b once, by way of shared memory"
    )
    def not_shared(self, launch, *args):
        return Fault("reads")

    @cause(
        "right, but slow: each number from shared memory is used for one or two "
        "multiplications only. Read 8 of a's column and 8 of b's row into registers, "
        "and multiply each with each: 16 reads for 64 multiplications"
    )
    def few_uses(self, launch, *args):
        return Fault("shared_requests")

    @cause(
        "threads use a cell of a tile at the same time, and one of them writes: both "
        "barriers are needed, one when the tiles are full, one when they are used"
    )
    def race(self, launch, *args):
        return Fault("race")

    @cause(
        "not all threads of the block come to the barrier: those outside of c must "
        "fill their cells, too; ask for row and column only where c is written"
    )
    def divergent(self, launch, *args):
        return Fault("divergent-barrier")

    @cause(
        "something is read, or written, outside of a matrix: every float4 needs a "
        "guard for its row and one for its column"
    )
    def no_guard(self, launch, *args):
        return Fault("out-of-bounds")

    @cause(
        "cells of a tile, or of a thread's own array, are used that nobody has filled: "
        "beyond a and b there are zeros, and threads whose patch lies outside of c "
        "help to put them there"
    )
    def not_filled(self, launch, *args):
        return Fault("uninitialised")

    @cause(
        "a float4 must begin at a multiple of 16 bytes: say __align__(16) in front of "
        "the array, and begin at an index that 4 divides"
    )
    def misaligned(self, launch, *args):
        return Fault("misaligned")

    no_barriers = register(
        "both barriers are missing, or order one warp alone: __syncthreads() belongs "
        "behind the lines that fill the tiles, and at the end of the loop",
        (FIRST, "for (int q"),
        (SECOND, ""),
    )
    not_zeroed = register(
        "the sums begin with whatever the registers hold: float sum[8][8] = {} begins "
        "with zeros",
        ("sum[8][8] = {}", "sum[8][8]"),
    )
    no_first = register(
        "the first barrier is missing: threads multiply while others still fill the "
        "tiles. __syncthreads() belongs behind the lines that fill them",
        (FIRST, "for (int q"),
    )
    no_second = register(
        "the second barrier is missing: a fast thread fills its cells for the next "
        "step while others still multiply. __syncthreads() belongs at the loop's end",
        (SECOND, ""),
    )
    tail_kept = register(
        "the tail is not filled: beyond K the tiles still hold what the last step has "
        "left there. Put 0 there",
        (
            "a_tile[e % 8][e / 8] = r < M && q < K ? a[r * K + q] : 0.0f;",
            "if (r < M && q < K) a_tile[e % 8][e / 8] = a[r * K + q];",
        ),
        (
            "b_tile[e / 128][e % 128] = p < K && s < N ? b[p * N + s] : 0.0f;",
            "if (p < K && s < N) b_tile[e / 128][e % 128] = b[p * N + s];",
        ),
    )
    row_alone = register(
        "a patch has 8 columns: where c is written, each of them needs the guard",
        ("if (r < M && s < N) c", "if (r * N + s < M * N) c"),
    )
    swapped = register(
        "the patches are counted in another way where c is written than where the "
        "tiles are read: the same two numbers, down and along, belong in both places",
        ("r = row + ty * 8 + i, s = col + tx * 8 + j",
         "r = row + tx * 8 + i, s = col + ty * 8 + j"),
    )  # fmt: skip
    whole_steps = register(
        "only whole steps are done: K / 8 is rounded down, and the rest of the row is "
        "left out",
        ("k < K; k += 8", "k + 8 <= K; k += 8"),
    )
    blocks_swapped = register(
        "the blocks are counted the wrong way round: blockIdx.y counts rows, "
        "blockIdx.x columns",
        ("row = blockIdx.y * 128, col = blockIdx.x * 128",
         "row = blockIdx.x * 128, col = blockIdx.y * 128"),
    )  # fmt: skip
