"""The dimensions that an operator takes together: which they are, and what is left."""

import functools

import numpy as np

from .. import layout


def dims_of(dim, ndim):
    """The dimensions to reduce, as a tuple: all for None or ()."""
    if type(dim) is int:
        return _dims_of((dim,), ndim)
    return _dims_of(() if dim is None else layout.as_ints((dim,)), ndim)


@functools.lru_cache
def _dims_of(given, ndim):
    if not given:
        return tuple(range(ndim))
    dims = [layout.wrap_dim(d, ndim) for d in given]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return tuple(sorted(dims)) if ndim else ()


def as_flag(operator, argument, value):
    """True or False; TypeError for what is neither: sum(0, 1) is not sum((0, 1))."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise TypeError(
        f"{operator}(): argument {argument!r} must be bool, not "
        f"{type(value).__name__}; dimensions are one tuple, as in dim=(0, 1)"
    )


@functools.lru_cache
def kept_shape(shape, dims, keepdim):
    """The shape of the result."""
    if keepdim:
        return tuple(1 if d in dims else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in dims)


def rows_of(x, dims):
    """x as a matrix: the dimensions `dims` are its columns, the others its rows.

    A view with the kept dimensions first, and their number.
    """
    kept = [d for d in range(x.ndim) if d not in dims]
    order = [*kept, *dims] if x.ndim else []
    return x if order == sorted(order) else x.permute(*order), len(kept)
