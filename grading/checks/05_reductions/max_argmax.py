"""max_argmax: a value and its place."""

import numpy as np

from grading.exercise import Check, blank, distinct
from minigrad.kernels.reductions import max_argmax

from .rows import cases_of_rows, of_rows


def launch(random, x, size):
    args = x.astype(np.float32), blank(len(x)), blank(len(x), dtype=np.int32)
    return of_rows(8, size, *args, np.int32(x.shape[1]), begin=4)


def cases(random):
    return cases_of_rows(random, "the largest and its column", distinct, launch)


def reference(x, values, indices, n):
    return {"values": x.amax(1), "indices": x.argmax(1)}


check = Check(
    max_argmax,
    cases=cases,
    reference=reference,
    not_tested="empty rows, as in the contract, and rounding: a maximum has none",
)
