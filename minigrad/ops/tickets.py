"""Tickets: by them the last of several blocks knows that it is the last (`is_last`).

A launch counts with them and leaves them at 0. So on a GPU always the same ones do:
its launches, all in one stream, run one after the other.
"""

import functools

import numpy as np

from ..recorder import recorder
from ..storage import gpu
from .ladder import memory_of

MOST = 512  # what an operator may ask for


def tickets(count, device):
    """The kernels' argument `tickets`: `count` zeros."""
    return memory_of(counters(count, np.uint32, device), 0, device)


def counters(count, dtype, device):
    array = kept(dtype) if device == "cuda" else np.zeros(count, dtype)
    if recorder.active is not None:
        recorder.active.allocated(array, counters, count, dtype)
    return array


@functools.cache
def kept(dtype):
    return gpu().zeros(MOST, dtype)
