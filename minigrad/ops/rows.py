"""Operators of whole rows: softmax, log_softmax, layer_norm, var and std.

On devices a row lies in one piece; where it does not, a copy of it does.
"""

import math

import numpy as np

from .. import layout
from ..dispatch import Operator, register
from ..kernels import reductions
from ..promotion import FLOATS
from ..storage import float32
from ..trace import nbytes
from . import ladder
from .arrays import as_array, quietly
from .elementwise import sqrt
from .formulas import mean
from .ladder import Rung, computed_in, memory
from .reduce import dims_of, kept_shape, rows_of

THREADS, PACKS = 256, 4


class RowOperator(Operator):
    """An operator with `on_cpu` and `on_device`, for floats."""

    def __init__(self, name, doc):
        super().__init__(name, lambda x, *_: x.dtype, doc)
        register(name, ["cpu"], FLOATS, quietly(self.on_cpu, name))
        register(name, ["sim", "cuda"], FLOATS, self.on_device)

    def launch(self, rung, types, grid, block, args, tensors):
        """Launch a kernel; types: the dtypes and numbers of its template."""
        device, size = tensors[0].device, sum(map(nbytes, tensors))
        function = rung.function(device, types)
        ladder.launch(
            self.name, rung.name, function, device, grid, (block, 1, 1), args, size
        )


def row_facts(n, *tensors):
    """What a rung may ask about rows of n elements."""
    pack = 16 // tensors[0].dtype.itemsize
    bytes_before = [x.offset * x.dtype.itemsize for x in tensors]
    aligned = n % pack == 0 and not any(b % 16 for b in bytes_before)
    packs, types = n // pack if aligned else math.inf, {x.dtype for x in tensors}
    return {"n": n, "packs": packs, "types": types, "count": tensors[0].numel()}


def is_lab_05(count, types, log=0, **facts):
    """Can the kernels of lab 05 do it? They know float, and count in int."""
    return types == {float32} and count < 2**31 and not log


def whole_warps(n, most=THREADS):
    """A block's threads for n elements."""
    return min(most, max(32, -(-n // 32) * 32))


def fits_registers(packs, **facts):
    return packs <= PACKS * 1024


# ------------------------------------------------- softmax

SOFTMAX = [
    Rung("yours", "softmax_rows", reductions.softmax_rows, is_lab_05),
    Rung("yours", "online_softmax", reductions.online_softmax, is_lab_05),
    Rung("three passes", "softmax_three_pass", "softmax.cu"),
    Rung("shared", "softmax_shared", "softmax.cu"),
    Rung("online", "softmax_online", "softmax.cu"),
    Rung("registers", "softmax_registers", "softmax.cu", fits_registers),
]


class Softmax(RowOperator):
    """exp(x) as shares of their sum along `dim`; or the logarithms of these."""

    def __init__(self, name, log):
        super().__init__(name, f"{name} along `dim`")
        self.log = int(log)

    def __call__(self, x, dim, dtype=None):
        x = x if dtype is None else x.to(dtype)
        return super().__call__(x, dim=layout.wrap_dim(dim, x.ndim))

    def on_cpu(self, x, dim):
        array = np.atleast_1d(as_array(x, computed_in(x.dtype)))
        values = self.formula(array, dim) if array.size else array.copy()
        return x.new_of(values.reshape(x.shape), x.dtype)

    def formula(self, x, dim):
        x = x - x.max(dim, keepdims=True)
        if self.log:
            return x - np.log(np.exp(x).sum(dim, keepdims=True))
        e = np.exp(x, out=x)  # in the same memory: new pages cost more than adding
        return np.divide(e, e.sum(dim, keepdims=True), out=e)

    def on_device(self, x, dim):
        rows = rows_of(x, (dim,))[0].contiguous()
        y = x.new_empty(rows.shape)
        if x.numel():
            self.run(rows, y, x.shape[dim] if x.ndim else 1)
        if dim >= x.ndim - 1:
            return y
        order = list(range(x.ndim - 1))
        order.insert(dim, x.ndim - 1)
        return y.permute(*order).contiguous()

    def run(self, x, y, n):
        rows, wide = x.numel() // n, computed_in(x.dtype)
        facts = row_facts(n, x, y)
        rung = ladder.choose(SOFTMAX, log=self.log, **facts)
        args, grid, block = [memory(x), memory(y)], rows, whole_warps(n)
        types = [x.dtype, self.log, wide]
        if rung.way == "three passes":
            grid, block = -(-rows // THREADS), THREADS
            args.append(np.int64(rows))
        elif rung.way in ("shared", "yours"):
            block = THREADS
        elif rung.way == "registers":
            block = whole_warps(-(-facts["packs"] // PACKS), 1024)
            types.insert(1, PACKS)
        index = np.int32 if rung.way in ("registers", "yours") else np.int64
        args.append(index(n))
        self.launch(rung, types, (grid, 1, 1), block, args, [x, y])


softmax = Softmax("softmax", False)
log_softmax = Softmax("log_softmax", True)

# ------------------------------------------------- layer norm

LAYER_NORM = [
    Rung("yours", "layer_norm", reductions.layer_norm, is_lab_05),
    Rung("two passes", "layer_norm_two_pass", "layer_norm.cu"),
    Rung("welford", "layer_norm_welford", "layer_norm.cu"),
    Rung("registers", "layer_norm_registers", "layer_norm.cu", fits_registers),
]


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
        given = [w for w in (weight, bias) if w is not None]
        how = {"shape": shape, "scaled": weight is not None, "eps": eps}
        return super().__call__(x, *given, **how)

    def on_cpu(self, x, *given, shape, scaled, eps):
        wide = computed_in(x.dtype)
        array, *given = (as_array(t, wide) for t in (x, *given))
        dims = tuple(range(x.ndim - len(shape), x.ndim))
        centred = array - mean(array, dims, keepdims=True)
        var = mean(centred * centred, dims, keepdims=True)
        values = centred / np.sqrt(var + wide.type(eps))
        if scaled:
            values *= given.pop(0)
        if given:
            values += given.pop()
        return x.new_of(values, x.dtype)

    def on_device(self, x, *given, shape, scaled, eps):
        given = [*given]
        weight = given.pop(0) if scaled else x.new_empty(shape).fill_(1)
        bias = given.pop() if given else x.new_empty(shape).fill_(0)
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


layer_norm = LayerNorm("layer_norm", LayerNorm.__doc__)

# ------------------------------------------------- variance

VARIANCE = [Rung("welford", "variance", "layer_norm.cu")]


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


var = Variance("var", Variance.__doc__)


def std(x, dim=None, *, correction=1, keepdim=False):
    """The square root of `var`."""
    return sqrt(var(x, dim, correction=correction, keepdim=keepdim))
