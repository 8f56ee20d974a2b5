"""global_index: which block and which thread writes each element."""

import numpy as np
import torch

from grading.exercise import Check, Launch, blank
from minigrad.kernels.threads import global_index

from ..launches import lines


def cases(random):
    for _, _, grid, size in lines(random):
        part = "one block" if grid == 1 else "several blocks"
        block, thread = (blank(grid * size, dtype=np.int32) for _ in range(2))
        limits = {"writes": 2 * len(block)}
        yield part, Launch(grid, size, (block, thread), limits=limits)


def reference(block, thread, launch):
    (size,) = launch.block
    i = torch.arange(len(block))
    block[:], thread[:] = i // size, i % size


check = Check(
    global_index,
    cases=cases,
    reference=reference,
    not_tested="threads without an element, because the contract rules them out",
)
