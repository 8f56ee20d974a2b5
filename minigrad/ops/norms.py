"""Layer norm, and what is like it: the variance and its root.

On devices a row lies in one piece; where it does not, a copy of it does.
"""

import math

import numpy as np

from .. import layout
from ..autograd.grad_mode import here
from ..kernels import reductions
from ..numpy_names import either_name
from . import ladder
from .arrays import as_array
from .base import expect, number_for, tensor_for
from .dims import as_flag, dims_of, kept_shape, rows_of
from .elementwise import root
from .formulas import mean
from .ladder import Rung, computed_in, memory
from .rows import (
    PACKS,
    THREADS,
    RowOperator,
    fits_registers,
    is_lab_05,
    row_facts,
    whole_warps,
)
from .vjp import sum_backward

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


def in_dtype(dtype, weight, bias):
    """weight and bias in the input's dtype; of others float32 for 16 bits are cast."""
    types = {w.dtype for w in (weight, bias) if w is not None}
    if types <= {dtype}:
        return weight, bias
    if types != {computed_in(dtype)}:
        listed = " and ".join(sorted(map(str, types)))
        raise RuntimeError(
            f"layer_norm: mixed dtype: the input is {dtype}, weight and bias are "
            f"{listed}. They are to be of one dtype; only beside float16 and bfloat16 "
            "may both parameters be float32"
        )
    return [w if w is None else w.to(dtype) for w in (weight, bias)]


class LayerNorm(RowOperator):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions."""

    def __call__(self, x, normalized_shape, weight=None, bias=None, eps=1e-5):
        try:
            whole = x._layout[0]
            _ = [t._layout for t in (weight, bias) if t is not None]
        except AttributeError:
            expect("layer_norm", {"input": x}, {"weight": weight, "bias": bias})
            raise
        shape = layout.as_ints((normalized_shape,))
        if not shape or whole[-len(shape) :] != shape:
            raise RuntimeError(
                f"layer_norm: normalized_shape={list(shape)} are to be the last sizes "
                f"of the input, whose shape is {list(x.shape)}"
            )
        for name, w in ("weight", weight), ("bias", bias):
            if w is not None and tensor_for("layer_norm", name, w).shape != shape:
                raise RuntimeError(
                    f"layer_norm: expected {name} of shape {list(shape)}, got "
                    f"{list(w.shape)}"
                )
        number_for("layer_norm", "eps", eps)
        weight, bias = in_dtype(x.dtype, weight, bias)
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
    """The mean squared distance from the mean, divided by n - correction.

    unbiased: True for a correction of 1, as it is by default, and False for 0.
    """

    def __call__(self, x, dim=None, unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool):  # var(False)
            dim, unbiased = None, dim
        if keepdim is not False and keepdim is not True:
            keepdim = as_flag("var", "keepdim", keepdim)
        if unbiased not in (None, True, False):
            unbiased = as_flag("var", "unbiased", unbiased)
        if unbiased is not None and correction is not None:
            raise TypeError("var() takes either unbiased or correction, not both")
        if correction is None:
            correction = 0 if unbiased is False else 1
        elif not x.numel():
            correction = 0  # of no element it is NaN, whatever is asked for
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


@either_name
def std(x, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The square root of `var`."""
    return root(var(x, dim, unbiased, keepdim, correction=correction))
