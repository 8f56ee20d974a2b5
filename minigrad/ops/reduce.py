"""Reductions: many elements to one, over any dimensions; and where the largest lie.

On devices the variants of kernels/reduce.cu, and argmax.cu.
"""

import builtins
import functools
import math
from typing import NamedTuple

import numpy as np

from .. import launch, layout
from ..check import check
from ..dispatch import Operator, method
from ..dtypes import DTYPES, FLOATS, NUMBERS, bool_, computed_in, int32, int64, uint8
from ..kernels import learner_variants
from ..launch import (
    NO_EPILOGUE,
    THREADS,
    Variant,
    cdiv,
    coalesce_dims,
    strides_of,
    whole_warps,
)
from ..numpy_names import accepts_axis
from ..trace import nbytes_of
from . import pointwise, vjp
from .indexing import zeros_with
from .pointwise import ne, where

CODES = {"SUM": 0, "MAX": 1, "MIN": 2, "PROD": 3, "MEAN": 4}


def dims_of(dim, ndim):
    """The dimensions to reduce, as a tuple: all for None or ()."""
    given = () if dim is None else layout.as_ints((dim,))
    if not given:
        return tuple(range(ndim))
    dims = layout.distinct(given, ndim)
    return tuple(sorted(dims)) if ndim else ()


def as_flag(operator, argument, value):
    """True or False; TypeError for what is neither: sum(0, 1) is not sum((0, 1))."""
    check(isinstance(value, bool | np.bool_),
          lambda: f"{operator}(): argument {argument!r} must be bool, not "
          f"{type(value).__name__}; dimensions are one tuple, as in dim=(0, 1)",
          TypeError)  # fmt: skip
    return bool(value)


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


def check_not_empty(name, x, dim, dims):
    """Raise what PyTorch raises where a largest element is sought among none."""
    if dim is None or dim == ():
        check(x.numel(), f"{name}(): Expected reduction dim to be specified for "
              "input.numel() == 0. Specify the reduction dim with the 'dim' argument"
              )  # fmt: skip
    check(not x.ndim or 0 not in [x.shape[d] for d in dims], f"{name}(): Expected "
          f"reduction dim {dim} to have non-zero size.", IndexError)  # fmt: skip


# ------------------------------------------------- kernels

SHORT, LONG = 1024, 2**15  # elements of a row for a warp, and for one block


def parts_of(rows, n):
    """How many blocks share a row: several, where rows are few and long."""
    return builtins.min(cdiv(n, LONG), 1024) if rows < 128 else 1


def accumulator(dtype, code="MAX"):
    """The dtype to accumulate in: shuffles take int, long long, float and double."""
    if dtype in FLOATS:
        return computed_in(dtype)
    return int64 if code in ("SUM", "PROD") or dtype == int64 else int32


def shared(f, parts, count):
    dtype = accumulator(f.dtype, f.code)
    return launch.shared(f.x, parts, (f.m * parts,), dtype, count)


def views(f):
    """The kept dimensions and the reduced ones, each as a view."""
    view = lambda s: strides_of(*coalesce_dims(f.x.shape[s], f.x.strides[s]), f.device)  # noqa: E731
    return {"rows": view(slice(f.kept)), "columns": view(slice(f.kept, None))}


def columns(f):
    """Blocks of 32 columns; few long ones are split."""
    grid = cdiv(f.m, 32)
    parts = builtins.min(cdiv(f.n, 2048), 256) if grid < 128 else 1
    return views(f) | shared(f, parts, grid)


def types(f):
    return CODES[f.code], f.dtype, f.y.dtype, accumulator(f.dtype, f.code)


STRIDED = "x rows columns y m:int n:int n:long"
VARIANTS = launch.variants(
    *learner_variants.SUM,
    Variant("strided", "reduce_strided", "reduce.cu", args=STRIDED, types=types,
            grid=lambda f: cdiv(f.m, THREADS), more=views),
    Variant("columns", "reduce_columns", "reduce.cu", lambda f: f.n > 32,
            STRIDED + " some done", lambda f: (32, builtins.min(32, cdiv(f.n, 8))),
            lambda f: (cdiv(f.m, 32), f.parts), types, more=columns),
    Variant("warps", "reduce_warps", "reduce.cu", lambda f: f.contiguous,
            "x y m:long n:long n:long", (32, 8), lambda f: cdiv(f.m, 8), types),
    Variant("blocks", "reduce_blocks", "reduce.cu",
            lambda f: f.contiguous and f.n > SHORT, "x y n:long n:long some done",
            grid=lambda f: (f.m, f.parts), types=types,
            more=lambda f: shared(f, parts_of(f.m, f.n), f.m)),
)  # fmt: skip

# ------------------------------------------------- the operators


def reduction(name, formula, code, vjp=None, dtypes=DTYPES, rule=None, empty=None):
    """The operator of a NumPy function of (array, axis=, keepdims=).

    code: OP in reduce.cu. empty: the result of no elements; None: an error.
    """
    truth = isinstance(empty, bool)

    def result_of(dtype):  # any and all give bool, or uint8 for uint8
        return bool_ if truth and dtype != uint8 else dtype

    def options(input, dim=None, keepdim=False, *, dtype=None):
        keepdim = as_flag(name, "keepdim", keepdim)
        if dtype is not None:  # whole numbers are added up in int64, then cast
            if code not in ("SUM", "PROD", "MEAN"):
                raise TypeError(f"{name}() got an unexpected argument 'dtype'")
            return lambda: operator(input.to(dtype), dim, keepdim).to(dtype)
        if truth and dim in ((), []):  # of each element by itself
            return lambda: operator(input.unsqueeze(-1), -1)
        dims = dims_of(dim, input.ndim)
        if empty is None:
            check_not_empty(name, input, dim, dims)
        return {"dims": dims, "keepdim": keepdim}

    def on_cpu(x, dims, keepdim):
        return formula(x, axis=dims, keepdims=keepdim)

    def on_device(x, dims, keepdim, epilogue=NO_EPILOGUE):
        result = result_of(operator.rule(x))
        y = x.new_empty(kept_shape(x.shape, dims, keepdim), result)
        x = ne(x, 0) if truth and x.dtype != bool_ else x
        rows, kept = rows_of(x, dims)
        m, n = math.prod(rows.shape[:kept]), math.prod(rows.shape[kept:])
        if m and not n:
            return y.fill_(empty)
        facts = {"m": m, "n": n, "kept": kept, "contiguous": rows.is_contiguous()}
        facts["epilogue"] = epilogue
        if epilogue.reads:
            facts["nbytes"] = builtins.sum(map(nbytes_of, (*epilogue.tensors, y)))
        if m:
            launch.run(VARIANTS, name, x=rows, y=y, code=code, **facts)
        return y

    options.__name__ = options.__qualname__ = name
    options.__doc__ = f"{name} over all dimensions, or those of `dim`."
    on_cpu.__name__ = name
    operator = Operator(options, None, dtypes, result_of, vjp and [vjp], rule)
    operator.cpu(on_cpu)
    operator.on_device = operator.device(on_device)
    return method(operator)


def added_up(x):
    """Whole numbers and bool are added up in int64."""
    return x.dtype if x.dtype in FLOATS else int64


def mean_of(x, axis, keepdims=False):
    """The mean over the dimensions `axis`; NaN without elements."""
    count = math.prod(x.shape[d] for d in axis)
    return np.sum(x, axis=axis, keepdims=keepdims) / x.dtype.type(count)


sum = reduction("sum", np.add.reduce, "SUM", vjp.sum_backward, NUMBERS, added_up, 0)  # noqa: A001
mean = reduction("mean", mean_of, "MEAN", vjp.mean_backward, FLOATS, empty=math.nan)
amax = reduction("amax", np.maximum.reduce, "MAX", vjp.amax_backward)
amin = reduction("amin", np.minimum.reduce, "MIN", vjp.amax_backward)
any = reduction("any", np.logical_or.reduce, "MAX", empty=False)  # noqa: A001
all = reduction("all", np.logical_and.reduce, "MIN", empty=True)  # noqa: A001

# ------------------------------------------------- where the largest and smallest lie


class Found(NamedTuple):
    """What max(dim), min(dim), sort and topk return."""

    values: object
    indices: object


def chosen_backward(dy, i, shape, dim, keepdim):
    """dy where the chosen elements were, 0 elsewhere."""
    if not keepdim and shape:
        dy, i = dy.unsqueeze(dim), i.unsqueeze(dim)
    return zeros_with(dy, shape, dim, i)


def several(f):
    """Of few long rows several blocks share one."""
    shape = (f.m * f.parts,)
    places = None if f.parts == 1 else f.x.new_empty(shape, int64)
    return {"places": places, **launch.shared(f.x, f.parts, shape, f.dtype, f.m)}


ARG_VARIANTS = launch.variants(
    learner_variants.MAX,
    Variant("blocks", "arg_blocks", "argmax.cu",
            args="x values indices n:long some places done",
            block=lambda f: whole_warps(f.n), grid=lambda f: (f.m, f.parts),
            types=lambda f: (CODES[f.code], f.dtype, accumulator(f.dtype)),
            more=several),
)  # fmt: skip


def extreme(name, formula, code):
    """Values and indices along a dimension: of equal ones the first, NaN before all."""

    def options(input, dim, keepdim=False):
        dim = layout.wrap_dim(dim, input.ndim)
        check_not_empty(name, input, dim, [dim])
        return {"dim": dim, "keepdim": as_flag(name, "keepdim", keepdim)}

    def on_cpu(x, dim, keepdim):
        array = x if x.ndim else x.reshape(1)
        at = np.expand_dims(formula(array, axis=dim), dim)
        values = np.take_along_axis(array, at, dim), at
        shape = kept_shape(x.shape, (dim,), keepdim)
        return Found(*(a.reshape(shape) for a in values))

    def on_device(x, dim, keepdim):
        rows, kept = rows_of(x, (dim,))
        m, n = math.prod(rows.shape[:kept]), math.prod(rows.shape[kept:])
        shape = kept_shape(x.shape, (dim,), keepdim)
        values, indices = x.new_empty(shape), x.new_empty(shape, dtype=int64)
        if m:
            facts = {"m": m, "n": n, "parts": parts_of(m, n), "code": code}
            launch.run(ARG_VARIANTS, name, x=rows.contiguous(), values=values,
                       indices=indices, **facts)  # fmt: skip
        return Found(values, indices)

    options.__name__, on_cpu.__name__ = name, name
    operator = Operator(options, None, DTYPES, (None, int64), [chosen_backward])
    operator.cpu(on_cpu)
    operator.device(on_device)
    return operator


argmax_of = extreme("argmax", np.argmax, "MAX")
argmin_of = extreme("argmin", np.argmin, "MIN")


def index_of(operator, what):
    """argmax and argmin."""

    def function(x, dim=None, keepdim=False):
        check(x.dtype != bool_, lambda: f"{operator.name}(): does not support bool "
              f"input: x.int().{operator.name}()")  # fmt: skip
        if dim is not None:
            return operator(x, dim, keepdim).indices
        indices = operator(x.reshape(-1), 0).indices
        return indices.view((1,) * x.ndim) if keepdim else indices

    function.__name__ = function.__qualname__ = operator.name
    function.__doc__ = f"The index of the {what} element of all, or along `dim`."
    return method(accepts_axis(function))


def extreme_of(name, of_all, along, of_two, what):
    """max and min."""

    def function(x, dim=None, keepdim=False):
        if hasattr(dim, "storage"):
            return of_two(x, dim)
        if dim is not None:
            return along(x, dim, keepdim)
        check(not keepdim, lambda: f"{name}() takes keepdim beside a dim only: "
              f"use a{name}()", TypeError)  # fmt: skip
        check_not_empty(name, x, None, ())
        return of_all(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The {what} element; with `dim` (values, indices)."
    return method(accepts_axis(function))


argmax, argmin = index_of(argmax_of, "largest"), index_of(argmin_of, "smallest")
max = extreme_of("max", amax, argmax_of, pointwise.maximum, "largest")  # noqa: A001
min = extreme_of("min", amin, argmin_of, pointwise.minimum, "smallest")  # noqa: A001

# ------------------------------------------------- made of these


@method
@accepts_axis
def logsumexp(input, dim, keepdim=False):
    """log(exp(input).sum(dim)), without overflow."""
    input = input if input.dtype in FLOATS else input.float()
    if not input.numel():
        return pointwise.log(sum(pointwise.exp(input), dim, keepdim))
    most = amax(input.detach(), dim, True)
    most = where(pointwise.isinf(most), 0, most)
    y = pointwise.log(sum(pointwise.exp(input - most), dim, True)) + most
    return y.view(kept_shape(input.shape, dims_of(dim, input.ndim), keepdim))


@method
@accepts_axis
def norm(input, p="fro", dim=None, keepdim=False, dtype=None):
    """(the sum of |x| ** p) ** (1 / p) over `dim`; "fro" is 2, inf the largest |x|."""
    x = input if dtype is None else input.to(dtype)
    check(x.dtype in FLOATS, lambda: "linalg.vector_norm: Expected a floating point or "
          f"complex tensor as input. Got {x.dtype}")  # fmt: skip
    size, how = pointwise.abs(x), (dim, keepdim)
    if p in ("fro", 2, None):
        return pointwise.sqrt_of_squares(sum(x * x, *how))
    if p in (math.inf, -math.inf):
        return (amax if p > 0 else amin)(size, *how)
    if p == 0:
        return sum(ne(x, 0), *how).to(dtype=x.dtype)
    if p == 1:
        return sum(size, *how)
    total = sum(pointwise.power(size, p), *how)
    there = ne(total, 0)  # else the gradient of the root would be infinite
    return where(there, pointwise.power(where(there, total, 1), 1 / p), total)
