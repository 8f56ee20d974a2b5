"""Elements in order: sort, argsort, topk, unique."""

import math
from numbers import Integral

import numpy as np

from .. import launch, layout
from ..dispatch import method, number_for, operator
from ..dtypes import DTYPES, bool_, computed_in, int64
from ..launch import THREADS, cdiv
from ..numpy_names import accepts_axis
from .indexing import nonzero, zeros_with
from .pointwise import ne
from .reduce import Found, rows_of
from .reduce import any as any_of
from .scan import cumsum
from .shape import cat, part

TILE = 2 * THREADS  # elements that one block sorts


def types(f):
    return int(f.down), f.dtype, computed_in(f.dtype)


TILES = launch.one("tiles", "sort_tiles", "sort.cu", args="x y places n:long",
                   grid=lambda f: f.rows * cdiv(f.n, TILE), types=types)  # fmt: skip
RUNS = launch.one("runs", "merge_runs", "sort.cu", types=types,
                  args="some before y places n:long width:long total:long",
                  grid=lambda f: cdiv(f.total, THREADS))  # fmt: skip


@method
@operator(dtypes=DTYPES, results=(None, int64), vjps=[
    lambda dy, i, shape, dim: zeros_with(dy, shape, dim, i)])  # fmt: skip
def sort(input, dim=-1, descending=False, *, stable=False):
    """(values, indices) in order along `dim`: stable, and NaN counts as the largest."""
    return {"dim": layout.wrap_dim(dim, input.ndim), "descending": bool(descending)}


@sort.cpu
def _(x, dim, descending):
    rows = np.atleast_1d(x)
    if descending:  # from the end, so that equal ones come out in their order
        order = np.argsort(np.flip(rows, dim), dim, kind="stable")
        order = rows.shape[dim] - 1 - np.flip(order, dim)
    else:
        order = np.argsort(rows, dim, kind="stable")
    values = np.take_along_axis(rows, order, dim)
    return Found(values.reshape(x.shape), order.reshape(x.shape))


@sort.device
def _(x, dim, descending):
    rows = rows_of(x, (dim,))[0].contiguous()
    n, total = x.shape[dim] if x.ndim else 1, x.numel()
    y, places = rows.new_empty(rows.shape), rows.new_empty(rows.shape, int64)
    if total:
        launch.run(TILES, "sort", x=rows, y=y, places=places, n=n, rows=total // n,
                   down=descending)  # fmt: skip
    width = TILE
    while width < n and total:
        some, before = y, places
        y, places = y.new_empty(y.shape), places.new_empty(y.shape)
        launch.run(RUNS, "sort", some=some, before=before, y=y, places=places, n=n,
                   width=width, total=total, down=descending)  # fmt: skip
        width *= 2
    return Found(*(t.movedim(-1, dim).contiguous() for t in (y, places)))


@method
@accepts_axis
def argsort(input, dim=-1, descending=False, *, stable=False):
    """The indices of sort."""
    return sort(input, dim, descending, stable=stable).indices


@method
@accepts_axis
def topk(input, k, dim=-1, largest=True, sorted=True):  # noqa: A002
    """(values, indices) of the k largest or smallest elements along `dim`, in order."""
    n = layout.at_dim(input.shape, dim) if input.ndim else 1
    if not 0 <= number_for("topk", "k", k, Integral) <= n:
        raise RuntimeError("selected index k out of range")
    if input.dtype == bool_:
        raise RuntimeError("topk does not support bool dtypes")
    in_order = sort(input, dim, largest)
    if not input.ndim:
        return in_order
    dim = layout.wrap_dim(dim, input.ndim)
    return Found(*(part(x, dim, slice(k)) for x in in_order))


@method
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):  # noqa: A002
    """The different elements, in order; with `dim` the different slices along it.

    return_inverse adds the index of each element among them, and return_counts how
    often each one occurs: then it is a tuple. No NaN equals another.
    """
    x = input.detach()
    if dim is None:
        rows, shape = x.reshape(-1, 1), input.shape
    else:
        layout.at_dim(input.shape, dim)
        x = x.movedim(dim, 0)
        rows, shape = x.reshape(len(x), math.prod(x.shape[1:])), x.shape[:1]
    order = x.new_tensor(np.arange(len(rows)), int64)
    for column in reversed(rows.unbind(1)):  # the first column counts most
        order = order[argsort(column[order])]
    rows = rows[order]
    changes = any_of(ne(rows[1:], rows[:-1]), 1)
    new = cat([x.new_tensor([True] * min(len(rows), 1), bool_), changes])
    kept = rows[new]
    results = [kept.view(-1) if dim is None else
             kept.view(len(kept), *x.shape[1:]).movedim(0, dim)]  # fmt: skip
    if return_inverse:
        inverse = order.new_empty(order.shape)
        inverse[order] = cumsum(new, 0) - 1
        results.append(inverse.view(shape))
    if return_counts:
        starts = nonzero(new).view(-1)
        ends = cat([starts[1:], starts.new_tensor([len(rows)] * min(len(rows), 1))])
        results.append(ends - starts)
    return results[0] if len(results) == 1 else tuple(results)
