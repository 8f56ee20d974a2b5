"""Cases of a check: their arguments, what PyTorch makes of them, what came of them."""

import math
from typing import NamedTuple

import numpy as np

from ..isolation.replies import Outcome, Problem
from .describe import Filled
from .features import View


class Raises(NamedTuple):
    """What a case must give where PyTorch raises."""

    type: str
    message: str
    where: str = ""  # the line of a mistake's answer


class Tried(NamedTuple):
    """A case, and what came of it."""

    right: bool
    part: str
    args: tuple
    expected: object
    got: object  # a value, or a Problem
    outcome: Outcome
    number: int | None = None  # which of the check's cases it is
    case: object = None  # the Call, Launch, or Candidate


TENSORS = frozenset([View, Filled])  # what describes a tensor
LAID_OUT = TENSORS | {np.ndarray}  # arguments that have a layout, which crosses, too


def tensor_of(view):
    """PyTorch's tensor of what describes one; any other value as it is."""
    import torch

    if type(view) not in TENSORS:
        return view

    if isinstance(view, Filled):
        return torch.from_numpy(view.values.copy())
    return torch.arange(view.cells).as_strided(*view)


def given(argument):
    """A case's argument as a subject takes it; see fake_gpu.py."""
    if isinstance(argument, Filled):
        return {"strided": _laid_out(argument.values)}
    if isinstance(argument, View):
        return {"strided": (np.arange(argument.cells), *argument)}
    if isinstance(argument, np.ndarray) and not argument.flags.c_contiguous:
        return {"array": _laid_out(argument)}
    return argument


def _laid_out(array):
    """(memory, shape, strides, offset) of an array, counted in elements."""
    shape, size = array.shape, array.itemsize
    if array.flags.c_contiguous:
        strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
        return array.reshape(-1), shape, strides, 0
    memory = array
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    first = array.ctypes.data - memory.ctypes.data
    strides = [step // size for step in array.strides]
    return memory.ravel(order="K"), shape, strides, first // size


def stops(got):
    """After this there is no use in trying further cases."""
    return isinstance(got, Problem) and got.is_last


def failed_as(case):
    """The state of an answer that earns nothing, from the last case that was tried."""
    kind = case.got.kind if stops(case.got) else None
    return {"time": "timed out", "gone": "crashed"}.get(kind, "wrong")
