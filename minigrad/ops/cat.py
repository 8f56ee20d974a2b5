"""cat and stack: tensors concatenated, or side by side along a new dimension."""

import itertools
import math

import numpy as np

from .. import launch, layout
from ..autograd.views import record_call
from ..dispatch import Operator
from ..dtypes import DTYPES, promote_types
from ..launch import THREADS, Rung, cdiv
from ..numpy_names import either_name

TOGETHER = 4  # tensors of one launch
PARTS = " ".join(f"x{i} n{i}:long row{i}:long start{i}:long" for i in range(TOGETHER))
CAT = launch.ladder(
    Rung("rows", "cat", "cat.cu", args=f"y width:long {PARTS}",
         grid=lambda f: (cdiv(f.n, THREADS), f.count), types=lambda f: [f.dtype])
)  # fmt: skip


class Concatenation(Operator):
    """The tensors, all of one dtype, concatenated along `dim`."""

    def bind(self, args, named):
        return args, named, lambda args, named: args


concatenate = Concatenation(lambda *tensors, dim: None, dtypes=DTYPES, name="cat")


@concatenate.cpu
def _(*arrays, dim):
    return np.concatenate(arrays, dim)


@concatenate.device
def _(*tensors, dim):
    y, start, parts = tensors[0].new_empty(shape_of(tensors, dim)), 0, []
    for x in tensors:
        row = math.prod(x.shape[dim:])
        if x.numel():
            parts.append((x.contiguous(), x.numel(), row, start))
        start += row
    for first in range(0, len(parts), TOGETHER):
        some = parts[first : first + TOGETHER]
        every = some + [(None, 0, 1, 0)] * (TOGETHER - len(some))
        names = "x", "n", "row", "start"
        facts = {f"{name}{i}": value for i, part in enumerate(every)
                 for name, value in zip(names, part, strict=True)}  # fmt: skip
        n = max(part[1] for part in some)
        launch.run(CAT, "cat", y=y, width=start, n=n, count=len(some), **facts)
    return y


def shape_of(tensors, dim):
    first = tensors[0].shape
    return (*first[:dim], sum(x.shape[dim] for x in tensors), *first[dim + 1 :])


def listed(operator, tensors):
    """The tensors as a list; TypeError where one is none."""
    if not isinstance(tensors, list | tuple):
        raise TypeError(
            f"{operator}(): argument 'tensors' (position 1) must be tuple of Tensors, "
            f"not {type(tensors).__name__}"
        )
    for number, x in enumerate(tensors):
        if not hasattr(x, "storage"):
            raise TypeError(
                f"{operator}(): expected Tensor as element {number} in argument 0, but "
                f"got {type(x).__name__}"
            )
    return [*tensors]


@either_name
def cat(tensors, dim=0):
    """The tensors concatenated along `dim`; the other sizes are equal."""
    tensors = listed("cat", tensors)
    if not tensors:
        raise RuntimeError("cat(): expected a non-empty list of Tensors")
    dtype = tensors[0].dtype
    for x in tensors[1:]:
        dtype = promote_types(dtype, x.dtype)
    tensors = [x for x in tensors if x.shape != (0,)] or tensors[:1]
    dim = layout.wrap_dim(dim, tensors[0].ndim)
    check(tensors, dim)

    def run():
        return concatenate(*(x.to(dtype=dtype) for x in tensors), dim=dim)

    def backward(dy):
        ends = itertools.accumulate(x.shape[dim] for x in tensors)
        whole = (slice(None),) * dim
        parts = zip(tensors, ends, strict=True)
        return [dy[(*whole, slice(end - x.shape[dim], end))] for x, end in parts]

    return record_call("Cat", tensors, run, backward)


def check(tensors, dim):
    """Raise unless the tensors can be concatenated."""
    first = tensors[0]
    if not first.ndim:
        raise RuntimeError(
            "zero-dimensional tensor (at position 0) cannot be concatenated"
        )
    for number, x in enumerate(tensors):
        others = [s[:dim] + s[dim + 1 :] for s in (x.shape, first.shape)]
        if x.ndim != first.ndim or others[0] != others[1]:
            raise RuntimeError(
                f"cat: sizes of tensors must match except in dimension {dim}: number 0 "
                f"has shape {list(first.shape)}, number {number} {list(x.shape)}"
            )
        if x.device != first.device:
            raise RuntimeError(
                f"cat: tensor 0 is on {first.device!r}, tensor {number} on {x.device!r}"
            )


@either_name
def stack(tensors, dim=0):
    """The tensors, all of one shape, side by side along a new dimension `dim`."""
    tensors = listed("stack", tensors)
    for x in tensors:
        if x.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got "
                f"{list(tensors[0].shape)} and {list(x.shape)}"
            )
    return cat([x.unsqueeze(dim) for x in tensors], dim)
