"""Chapter 02, a copy: what its warps ask of the memory is counted, not only y."""

import numpy as np
import torch

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import memory

from .blocks import SECTOR, SLACK, MovingCheck


@checks(memory.coalesced_copy)
class CoalescedCopy(MovingCheck):
    plain = """
    __global__ void coalesced_copy(const float* x, float* y, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
             i += gridDim.x * blockDim.x) y[i] = x[i];
    }"""

    def cases(self, random):
        for n, blocks, size in [(8192, 4, 256), (4096, 2, 128), (4096, 1, 64)]:
            yield "whole rounds, few sectors", self.launch(random, n, blocks, size)
        for n in (10_007, 1000, random.randint(3000, 9000)):
            yield "any number of elements", self.launch(random, n, 4, 128)
        for n in (0, 1, 31, 32, 33, 257):
            yield "more threads than elements", self.launch(random, n, 3, 128)
        yield "a million", self.launch(random, 1_000_003, 64, 256)

    def launch(self, random, n, blocks, size):
        x, y = distinct(random, max(n, 1)), blank(max(n, 1))
        fewest = 2 * -(-n // SECTOR)
        limits = {"sectors": int(SLACK * fewest) + 4}
        return Launch(blocks, size, (x, y, np.int32(n)), 0, limits)

    def expected(self, launch, x, y, n):
        y[:n] = torch.from_numpy(x)[:n]
        return y

    def big(self):
        n = 24 * 2**20
        return Launch(2048, 256, (np.ones(n, np.float32), blank(n), np.int32(n)))

    @cause(
        "strided: the threads of a warp use addresses that lie apart, so they need "
        "more sectors than their 128 bytes fill. Neighbouring threads should copy "
        "neighbouring elements"
    )
    def strided(self, launch, x, y, n):
        return Fault("sectors")

    @cause(
        "several threads write the same element: in the loop, i goes on by the number "
        "of all threads, gridDim.x * blockDim.x"
    )
    def same_element(self, launch, x, y, n):
        return Fault("race")

    @cause("a thread goes beyond the n elements: every access needs the guard i < n")
    def no_guard(self, launch, x, y, n):
        return Fault("out-of-bounds")

    @cause(
        "each thread copies n / threads elements, rounded down: what is left over is "
        "copied by nobody"
    )
    def rounded_down(self, launch, x, y, n):
        threads = launch.threads
        y[: n // threads * threads] = x[: n // threads * threads]
        return y

    block_step = mistake(
        "the loop goes on by blockDim.x: then each block copies what the next ones "
        "copy, too. It goes on by gridDim.x * blockDim.x",
        """
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        for (; i < n; i += blockDim.x) y[i] = x[i];
        """,
    )
