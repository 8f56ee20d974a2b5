"""A copy: what its warps ask of the memory is counted, not only y."""

from dataclasses import replace

import numpy as np
import torch

from grading.exercise import Launch, blank, checks, distinct
from minigrad.kernels.memory import coalesced_copy

from .blocks import SECTOR, SLACK, MovingCheck
from .launches import ODD, LineCheck, MovesNumbers, cover

MILLION = 1_000_003


@checks(coalesced_copy)
class CoalescedCopy(MovesNumbers, LineCheck, MovingCheck):
    """Leaves out blocks of broken warps and arrays off 32 bytes: no launch has them."""

    steps = 2_500  # rounds of a loop; a right one needs 82 for the million
    plain = """
    __global__ void coalesced_copy(const float* x, float* y, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
             i += gridDim.x * blockDim.x) y[i] = x[i];
    }"""

    def fits(self, size):
        return size % 32 == 0

    def cases(self, random):
        few = "several elements a thread"
        for n, grid, block in [(8192, 4, 256), (2048, 1, 64), (5003, 4, 128),
                               (100_003, 160, 256)]:  # fmt: skip
            yield few, self.launch(distinct(random, n), n, grid, block)
        yield "a million", self.launch(distinct(random, MILLION), MILLION, 48, 256)
        yield from super().cases(random)
        yield ODD, self.launch(self.specials(random), 32, 1, 32)

    def launch(self, x, n, grid, block):
        limits = {"sectors": int(SLACK * 2 * cover(n, SECTOR)) + 4}
        return replace(super().launch(x, n, grid, block), limits=limits)

    def expected(self, launch, x, y, n):
        y[:n] = torch.from_numpy(x)[:n]
        return y

    def big(self):
        n = 24 * 2**20
        return Launch(2048, 256, (np.ones(n, np.float32), blank(n), np.int32(n)))
