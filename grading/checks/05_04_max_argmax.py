"""A value and its place."""

import numpy as np
import torch

from grading.exercise import blank, checks, distinct
from minigrad.kernels.reductions import max_argmax

from .reductions import RowCheck


@checks(max_argmax)
class MaxArgmax(RowCheck):
    """Leaves out empty rows, as the contract does, and rounding: a maximum has none."""

    heart = "the largest and its column"
    rounds = 8

    def usual(self, random, rows, n):
        return distinct(random, rows, n)

    def of(self, random, x, size):
        args = x.astype(np.float32), blank(len(x)), blank(len(x), dtype=np.int32)
        return self.of_rows(size, *args, np.int32(x.shape[1]))

    def expected(self, launch, x, values, indices, n):
        x = torch.from_numpy(x)
        return {"values": x.amax(1), "indices": x.argmax(1)}

    def _is_coarse(self, case):
        return False  # nothing is rounded
