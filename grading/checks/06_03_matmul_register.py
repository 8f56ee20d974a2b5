"""The product in registers: counted everywhere, timed where a GPU is."""

import numpy as np

from grading.exercise import Launch, Problem, checks
from grading.kernels import gpu
from minigrad.kernels.matmul import matmul_register
from minigrad.launch import cdiv

from .products import SLACK, TiledCheck

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
