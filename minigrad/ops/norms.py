"""Layer norm, and what is like it: the variance and its root.

On devices a row lies in one piece; where it does not, a copy of it does.
"""

import math

import numpy as np

from .. import layout
from ..autograd.modes import here
from ..kernels import reductions
from . import ladder
from .arrays import as_array
from .elementwise import root
from .formulas import mean
from .gradients import sum_backward
from .ladder import Rung, computed_in, memory
from .reduce import dims_of, kept_shape, rows_of
from .rows import (
    PACKS,
    THREADS,
    RowOperator,
    fits_registers,
    is_lab_05,
    row_facts,
    whole_warps,
)

LAYER_NORM = [
    Rung("yours", "layer_norm", reductions.layer_norm, is_lab_05),
    Rung("two passes", "layer_norm_two_pass", "layer_norm.cu"),
    Rung("welford", "layer_norm_welford", "layer_norm.cu"),
    Rung("registers", "layer_norm_registers", "layer_norm.cu", fits_registers),
]
LAYER_NORM_BACKWARD = [Rung("welford", "layer_norm_backward", "layer_norm.cu")]


def normalised(x, dims, eps):
    """(x - mean) / sqrt(var + eps) of an array, and the factor 1 / sqrt(...)."""
    centred = x - mean(x, dims, keepdims=True)
    rstd = 1 / np.sqrt(mean(centred * centred, dims, keepdims=True) + x.dtype.type(eps))
    return centred * rstd, rstd


class LayerNormBackward(RowOperator):
    """The gradient of x, of those of layer_norm, x and weight."""

    def on_cpu(self, dy, x, weight, last, eps):
        wide = computed_in(x.dtype)
        dy, array = as_array(dy, wide), as_array(x, wide)
        dims = tuple(range(x.ndim - len(last), x.ndim))
        y, rstd = normalised(array, dims, eps)
        g = dy if weight is None else dy * as_array(weight, wide)
        dx = g - mean(g, dims, True) - y * mean(g * y, dims, True)
        return x.new_of(dx * rstd, x.dtype)

    def on_device(self, dy, x, weight, last, eps):
        weight = x.new_empty(last).fill_(1) if weight is None else weight
        dy, x, weight = (t.contiguous() for t in (dy, x, weight))
        dx, n, wide = x.new_empty(x.shape), weight.numel(), computed_in(x.dtype)
        if x.numel():
            rung, tensors = ladder.choose(LAYER_NORM_BACKWARD), [dy, x, weight, dx]
            args = *map(memory, tensors), np.int64(n), wide.type(eps)
            grid, block = (x.numel() // n, 1, 1), whole_warps(n)
            self.launch(rung, [x.dtype, wide], grid, block, args, tensors)
        return dx


layer_norm_backward = LayerNormBackward(
    "layer_norm_backward", LayerNormBackward.__doc__
)


def layer_norm_gradient(dy, a, b, last, eps):
    """Of x: in one launch, or, where that is to be recorded, step by step."""
    if not here.modes.enabled:
        return layer_norm_backward(dy, a, b, last=last, eps=eps)
    dims = tuple(range(a.ndim - len(last), a.ndim))
    rstd = (var(a, dims, correction=0, keepdim=True) + eps).rsqrt()
    y = (a - a.mean(dims, True)) * rstd
    g = dy if b is None else dy * b
    return (g - g.mean(dims, True) - y * (g * y).mean(dims, True)) * rstd


layer_norm_gradients = (
    layer_norm_gradient,
    lambda dy, a, last, eps: dy * layer_norm(a, last, eps=eps),
    lambda dy: dy,
)


class LayerNorm(RowOperator):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions."""

    def __call__(self, x, normalized_shape, weight=None, bias=None, eps=1e-5):
        shape = layout.as_ints((normalized_shape,))
        if not shape or x.shape[-len(shape) :] != shape:
            raise RuntimeError(
                f"layer_norm: normalized_shape={list(shape)} are to be the last sizes "
                f"of the input, whose shape is {list(x.shape)}"
            )
        for name, w in ("weight", weight), ("bias", bias):
            if w is not None and w.shape != shape:
                raise RuntimeError(
                    f"layer_norm: expected {name} of shape {list(shape)}, got "
                    f"{list(w.shape)}"
                )
        return super().__call__(x, weight, bias, last=shape, eps=eps)

    def on_cpu(self, x, weight, bias, last, eps):
        wide = computed_in(x.dtype)
        dims = tuple(range(x.ndim - len(last), x.ndim))
        values = normalised(as_array(x, wide), dims, eps)[0]
        if weight is not None:
            values *= as_array(weight, wide)
        if bias is not None:
            values += as_array(bias, wide)
        return x.new_of(values, x.dtype)

    def on_device(self, x, weight, bias, last, eps):
        weight = x.new_number(1, x.dtype, last) if weight is None else weight
        bias = x.new_number(0, x.dtype, last) if bias is None else bias
        x, weight, bias = (t.contiguous() for t in (x, weight, bias))
        y, wide, n = x.new_empty(x.shape), computed_in(x.dtype), weight.numel()
        if not x.numel():
            return y
        rows = x.numel() // n
        mean, rstd = (x.new_empty((rows,), dtype=wide) for _ in range(2))
        facts = row_facts(n, x, weight, bias, y)
        rung = ladder.choose(LAYER_NORM, **facts)
        types, block, count = [x.dtype, wide], whole_warps(n), np.int64(n)
        if rung.way == "registers":
            block = whole_warps(-(-facts["packs"] // PACKS), 1024)
            types, count = [x.dtype, PACKS, wide], np.int32(n)
        tensors = x, weight, bias, y, mean, rstd
        if rung.way == "yours":
            tensors, block, count = tensors[:4], THREADS, np.int32(n)
        args = [*map(memory, tensors), count, wide.type(eps)]
        self.launch(rung, types, (rows, 1, 1), block, args, tensors)
        return y


layer_norm = LayerNorm("layer_norm", LayerNorm.__doc__, layer_norm_gradients)

# ------------------------------------------------- variance

VARIANCE = [Rung("welford", "variance", "layer_norm.cu")]


def var_backward(dy, a, dims, correction, keepdim):
    n = layout.numel([a.shape[d] for d in dims])
    left = n - correction
    centred = a - a.mean(dims, True)
    dy = dy * (2 / left if left > 0 else math.nan if not left else math.inf)
    return centred * sum_backward(dy, a.shape, dims, keepdim)


class Variance(RowOperator):
    """The mean squared distance from the mean, divided by n - correction."""

    def __call__(self, x, dim=None, *, correction=1, keepdim=False):
        dims = dims_of(dim, x.ndim)
        return super().__call__(x, dims=dims, correction=correction, keepdim=keepdim)

    def on_cpu(self, x, dims, correction, keepdim):
        array = as_array(x, computed_in(x.dtype))
        n = layout.numel([x.shape[d] for d in dims])
        centred = array - mean(array, dims, keepdims=True)
        left = array.dtype.type(max(n - correction, 0))
        values = np.sum(centred * centred, dims, keepdims=keepdim) / left
        return x.new_of(values, x.dtype)

    def on_device(self, x, dims, correction, keepdim):
        y = x.new_empty(kept_shape(x.shape, dims, keepdim))
        rows = rows_of(x, dims)[0].contiguous()
        n, wide = layout.numel([x.shape[d] for d in dims]), computed_in(x.dtype)
        if not y.numel():
            return y
        mean = x.new_empty((y.numel(),))
        rung = ladder.choose(VARIANCE)
        args = *map(memory, (rows, mean, y)), np.int64(n), wide.type(correction)
        grid, tensors = (y.numel(), 1, 1), [rows, mean, y]
        self.launch(rung, [x.dtype, wide], grid, whole_warps(n), args, tensors)
        return y


var = Variance("var", Variance.__doc__, [var_backward])


def std(x, dim=None, *, correction=1, keepdim=False):
    """The square root of `var`."""
    return root(var(x, dim, correction=correction, keepdim=keepdim))
