"""What the checks of chapter 02 share: blocks with shared memory, and moving data.

Counted is what the warps ask for: sectors of 32 bytes of global memory, and passes over
the banks of shared memory. On a GPU the bandwidth is measured as well, as a share of
what a plain copy kernel of the same launch reaches on the same card.
"""

from dataclasses import replace

import numpy as np
import torch

from grading.exercise import KernelCheck, Problem
from grading.kernels import gpu

from .launches import LineCheck, cover

FLOAT = 4  # bytes of one
SECTOR = 8  # floats
SLACK = 1.3  # of counts: a warp that begins amid a sector needs 5 for 4; wrong is 2
SHARE = 0.7  # of a plain copy's bandwidth


def by_blocks(x, n, size):
    """The elements as (blocks, size), zeros behind the end."""
    rows = torch.zeros(cover(n, size) * size, dtype=torch.from_numpy(x).dtype)
    rows[:n] = torch.from_numpy(x[:n])
    return rows.view(-1, size)


class BlockCheck(LineCheck):
    """A kernel whose blocks work through shared memory.

    Where it is as good without, each thread with an array of its own, it does not.
    """

    cells = 1  # of dynamic shared memory, for each thread

    def fits(self, size):
        return size <= 256

    def launch(self, x, n, grid, block):
        shared_mem = self.cells * block * FLOAT
        return replace(super().launch(x, n, grid, block), shared_mem=shared_mem)

    def _ran(self, text, number, launch, **how):
        got = super()._ran(text, number, launch, **how)
        if number == 0 and not isinstance(got, Problem):
            alone = super()._ran(text, 0, launch, unshared=True)
            same = not isinstance(alone, Problem) and self.same(
                alone, got.arrays, launch
            )
            got = got._replace(spoilt=got.spoilt + ("unshared",) * same)
        return got


class MovingCheck(KernelCheck):
    """A kernel that moves data: floats of x to y."""

    gpu_parts = ("bandwidth",)
    plain = ""  # a copy with this kernel's declaration

    def big(self):
        """The launch that is timed: about 100 MB are read, and as many written."""
        raise NotImplementedError

    def on_gpu(self, text):
        launch = self.big()
        found = gpu.share(self.hole, text, self.plain, launch, SHARE)
        if isinstance(found, Problem):
            yield self.gpu_parts[0], False, found.message
            return
        share, took, copy = found
        nbytes = sum(a.nbytes for a in launch.args if isinstance(a, np.ndarray))
        speed, best = nbytes / took / 1e9, nbytes / copy / 1e9
        message = (
            f"{speed:.0f} GB/s, {share:.0%} of the {best:.0f} GB/s that a plain "
            f"copy reaches on this GPU; {SHARE:.0%} are needed"
        )
        yield self.gpu_parts[0], share >= SHARE, message
