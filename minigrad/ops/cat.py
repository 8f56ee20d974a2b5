"""cat and stack: tensors one behind the other, or side by side."""

import itertools

import numpy as np

from .. import layout
from ..autograd.views import record_call
from ..dispatch import register
from ..numpy_names import either_name
from ..promotion import promote_types
from ..storage import DTYPES
from ..trace import nbytes
from . import ladder
from .ladder import Rung, memory
from .plans import Planned, PlannedOperator

THREADS, TOGETHER = 256, 4
RUNG = Rung("rows", "cat", "cat.cu")


class Cat(PlannedOperator):
    """The tensors, all of one dtype, one behind the other along `dim`."""

    def __init__(self):
        super().__init__("cat", lambda first, *_: first.dtype, Cat.__doc__)
        register("cat", ["cpu"], DTYPES, self.on_cpu)
        register("cat", ["sim", "cuda"], DTYPES, Planned(self.on_device))

    def on_cpu(self, *tensors, dim):
        first, arrays = tensors[0], [x.memory() for x in tensors]
        out = first.new_empty(shape_of(tensors, dim))
        np.concatenate(arrays, dim, out=out.memory())
        return out

    def on_device(self, *tensors, dim):
        out = tensors[0].new_empty(shape_of(tensors, dim))
        start, parts = 0, []
        for x in tensors:
            row = layout.numel(x.shape[dim:])
            parts.append((x.contiguous(), row, start))
            start += row
        parts = [part for part in parts if part[0].numel()]
        for first in range(0, len(parts), TOGETHER):
            self.launch(out, start, parts[first : first + TOGETHER])
        return out

    def launch(self, out, width, parts):
        """One launch: the parts (a tensor, its row, where that begins in out's)."""
        args = [memory(out), np.int64(width)]
        for x, row, start in parts:
            args += [memory(x), *map(np.int64, (x.numel(), row, start))]
        missing = [memory(out), *map(np.int64, (0, 1, 0))]
        args += missing * (TOGETHER - len(parts))
        most = max(x.numel() for x, _, _ in parts)
        grid, moved = -(-most // THREADS), 2 * sum(nbytes(x) for x, _, _ in parts)
        told = out.device, (grid, len(parts), 1), (THREADS, 1, 1), args, moved
        function = RUNG.function(out.device, [out.dtype])
        ladder.launch("cat", RUNG.name, function, *told)


concatenate = Cat()


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
    """The tensors one behind the other along `dim`; the other sizes are equal."""
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
    """Raise unless the tensors can stand one behind the other."""
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
