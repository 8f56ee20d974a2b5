"""Where the largest and the smallest elements are: argmax, argmin, and max, min."""

from typing import NamedTuple

import numpy as np

from .. import layout
from ..dispatch import register
from ..kernels.reductions import max_argmax
from ..numpy_names import either_name
from ..storage import DTYPES, bool_, float32, int32, int64
from ..trace import nbytes
from . import elementwise, ladder
from .arrays import as_array
from .dims import as_flag, kept_shape, rows_of
from .ladder import Rung, memory
from .plans import Planned, PlannedOperator
from .reduce import (
    CODES,
    THREADS,
    accumulator,
    max_of_all,
    min_of_all,
    parts_of,
)
from .rows import whole_warps
from .scatter import scatter_add
from .tickets import tickets


class Found(NamedTuple):
    """What max(dim) and min(dim) return."""

    values: object
    indices: object


def chosen_backward(dy, i, shape, dim, keepdim):
    """dy where the chosen elements were, 0 elsewhere."""
    if not keepdim and shape:
        dy, i = dy.unsqueeze(dim), i.unsqueeze(dim)
    return scatter_add(dy, i, dim=dim, shape=shape)


class Choice(PlannedOperator):
    """Values and indices along a dimension: of equal ones the first, NaN before all."""

    def __init__(self, name, formula, code):
        super().__init__(name, lambda x: x.dtype, gradients=[chosen_backward])
        self.formula, self.code = formula, code
        register(name, ["cpu"], DTYPES, self.on_cpu)
        register(name, ["sim", "cuda"], DTYPES, Planned(self.on_device))

    def __call__(self, x, dim, keepdim=False):
        dim = layout.wrap_dim(dim, x.ndim)
        if keepdim is not False and keepdim is not True:
            keepdim = as_flag(self.name, "keepdim", keepdim)
        if x.ndim and not x.shape[dim]:
            raise IndexError(
                f"{self.name}(): Expected reduction dim {dim} to have non-zero size."
            )
        return super().__call__(x, dim=dim, keepdim=keepdim)

    def on_cpu(self, x, dim, keepdim):
        array = as_array(x, ladder.computed_in(x.dtype))
        array = array if x.ndim else array.reshape(1)
        at = np.expand_dims(self.formula(array, axis=dim), dim)
        found = np.take_along_axis(array, at, dim), at
        shape = kept_shape(x.shape, (dim,), keepdim)
        values, indices = (a.reshape(shape) for a in found)
        return Found(x.new_of(values, x.dtype), x.new_of(indices, int64))

    def on_device(self, x, dim, keepdim):
        rows, kept = rows_of(x, (dim,))
        rows = rows.contiguous()
        m, n = layout.numel(rows.shape[:kept]), layout.numel(rows.shape[kept:])
        found = Found(x.new_empty((m,)), x.new_empty((m,), dtype=int64))
        if m:
            self.launch(rows, found, m, n)
        shape = kept_shape(x.shape, (dim,), keepdim)
        return Found(found.values.view(shape), found.indices.view(shape))

    def launch(self, x, found, m, n):
        """x: m rows of n elements."""
        parts = parts_of(m, n)
        facts = {"code": self.code, "dtype": x.dtype, "count": m * n, "parts": parts}
        rung = ladder.choose(LADDER, **facts)
        if rung.name == "yours":
            return self.yours(rung, x, found, m, n)
        args = memory(x), *map(memory, found), np.int64(n)
        if parts == 1:
            args += None, None, None
        else:
            some = x.new_empty((m * parts,))
            places = x.new_empty((m * parts,), dtype=int64)
            args += memory(some), memory(places), tickets(m, x.device)
        types = [CODES[self.code], x.dtype, accumulator(x.dtype)]
        function = rung.function(x.device, types)
        grid, block = (m, parts, 1), (whole_warps(n), 1, 1)
        size = nbytes(x) + nbytes(found.values) + nbytes(found.indices)
        ladder.launch(self.name, rung.name, function, x.device, grid, block, args, size)

    def yours(self, rung, x, found, m, n):
        """The kernel of lab 05, which writes indices as int."""
        indices = x.new_empty((m,), dtype=int32)
        args = memory(x), memory(found.values), memory(indices), np.int32(n)
        function, grid, block = rung.function(x.device, []), (m, 1, 1), (THREADS, 1, 1)
        size = nbytes(x) + nbytes(found.values) + nbytes(indices)
        ladder.launch(self.name, rung.name, function, x.device, grid, block, args, size)
        found.indices.copy_(indices)


def is_lab_05(code, dtype, count, parts):
    """Can the kernel of lab 05 do it? It knows float and the maximum, of whole rows."""
    whole = parts == 1 and count < 2**31
    return whole and code == "MAX" and dtype == float32


LADDER = [
    Rung("yours", "max_argmax", max_argmax, is_lab_05),
    Rung("blocks", "arg_blocks", "choose.cu"),
]
argmax_of = Choice("argmax", np.argmax, "MAX")
argmin_of = Choice("argmin", np.argmin, "MIN")


@either_name
def argmax(x, dim=None, keepdim=False):
    """The index of the largest element, of all in row-major order or along `dim`."""
    return _index_of(argmax_of, x, dim, keepdim)


@either_name
def argmin(x, dim=None, keepdim=False):
    """The index of the smallest element, of all in row-major order or along `dim`."""
    return _index_of(argmin_of, x, dim, keepdim)


@either_name
def max(x, dim=None, keepdim=False):  # noqa: A001
    """The largest element; with `dim` (values, indices); with a tensor maximum."""
    return _extreme((max_of_all, argmax_of, elementwise.maximum), x, dim, keepdim)


@either_name
def min(x, dim=None, keepdim=False):  # noqa: A001
    """The smallest element; with `dim` (values, indices); with a tensor minimum."""
    return _extreme((min_of_all, argmin_of, elementwise.minimum), x, dim, keepdim)


def _index_of(operator, x, dim, keepdim):
    if x.dtype == bool_:
        raise RuntimeError(
            f"{operator.name}(): does not support bool input: x.int().{operator.name}()"
        )
    if dim is not None:
        return operator(x, dim, keepdim).indices
    found = operator(x.reshape(-1), 0).indices
    return found.view((1,) * x.ndim) if keepdim else found


def _extreme(operators, x, dim, keepdim):
    of_all, along, of_two = operators
    if hasattr(dim, "storage"):
        return of_two(x, dim)
    if dim is not None:
        return along(x, dim, keepdim)
    if keepdim:
        raise TypeError(
            f"{of_all.name}() takes keepdim beside a dim only: use a{of_all.name}()"
        )
    return of_all(x)
