"""Operators of whole rows: softmax and log_softmax.

On devices a row lies in one piece; where it does not, a copy of it does.
"""

import math

import numpy as np

from .. import layout
from ..dispatch import register
from ..kernels import reductions
from ..promotion import FLOATS
from ..storage import float32
from ..trace import nbytes
from . import ladder
from .arrays import as_array, quietly
from .base import tensor_for
from .dims import rows_of
from .ladder import Rung, computed_in, memory
from .plans import Planned, PlannedOperator

THREADS, PACKS = 256, 4


class RowOperator(PlannedOperator):
    """An operator with `on_cpu` and `on_device`, for floats."""

    def __init__(self, name, doc, gradients=None):
        super().__init__(name, lambda x, *_: x.dtype, doc, gradients)
        register(name, ["cpu"], FLOATS, quietly(self.on_cpu, name))
        work = Planned(self.on_device) if self.planned else self.on_device
        register(name, ["sim", "cuda"], FLOATS, work)

    def launch(self, rung, types, grid, block, args, tensors, before=""):
        """Launch a kernel. types, before: see `Rung.function`."""
        device, size = tensors[0].device, sum(map(nbytes, tensors))
        function = rung.function(device, types, before)
        block = block if isinstance(block, tuple) else (block, 1, 1)
        ladder.launch(self.name, rung.name, function, device, grid, block, args, size)


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


def columns_of(y, ndim, dim):
    """The reverse of rows_of for one dimension, with a copy where needed."""
    if not ndim:
        return y
    back = [*range(dim), ndim - 1, *range(dim, ndim - 1)]
    return y.permute(*back).contiguous()


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
SOFTMAX_BACKWARD = [Rung("blocks", "softmax_backward", "softmax.cu")]


class SoftmaxBackward(RowOperator):
    """The gradient of x, of that of y = softmax(x), or log_softmax(x), and y."""

    def __init__(self, name, log):
        both = log_softmax_gradients if log else softmax_gradients
        super().__init__(f"{name}_backward", self.__doc__, both)
        self.log = int(log)

    def on_cpu(self, dy, y, dim):
        wide = computed_in(y.dtype)
        dy, values = (np.atleast_1d(as_array(t, wide)) for t in (dy, y))
        if self.log:
            dx = dy - np.exp(values) * dy.sum(dim, keepdims=True)
        else:
            dx = (dy - (dy * values).sum(dim, keepdims=True)) * values
        return y.new_of(dx.reshape(y.shape), y.dtype)

    def on_device(self, dy, y, dim):
        dys, ys = (rows_of(t, (dim,))[0].contiguous() for t in (dy, y))
        x = y.new_empty(ys.shape)
        if y.numel():
            n, wide = y.shape[dim] if y.ndim else 1, computed_in(y.dtype)
            rung = ladder.choose(SOFTMAX_BACKWARD)
            args = *map(memory, (dys, ys, x)), np.int64(n)
            grid, types = (y.numel() // n, 1, 1), [y.dtype, self.log, wide]
            self.launch(rung, types, grid, whole_warps(n), args, [dys, ys, x])
        return columns_of(x, y.ndim, dim)


def softmax_gradients_of_y(dy, a, b, dim):
    return dy * (a - (a * b).sum(dim, True)) - a * (dy * b).sum(dim, True)


softmax_gradients = (
    lambda dy, b, dim: softmax.backward(dy, b, dim=dim),
    softmax_gradients_of_y,
)
log_softmax_gradients = (
    lambda dy, b, dim: dy - (dy * b.exp()).sum(dim, True),
    lambda dy, a, b, dim: -dy * b.exp() * a.sum(dim, True),
)


class Softmax(RowOperator):
    """exp(x) as shares of their sum along `dim`; or the logarithms of these."""

    def __init__(self, name, log):
        gradient = lambda dy, y, dim: self.backward(dy, y, dim=dim)  # noqa: E731
        super().__init__(name, f"{name} along `dim`", [gradient])
        self.log, self.backward = int(log), SoftmaxBackward(name, log)

    def __call__(self, x, dim=None, dtype=None):
        if dim is None:
            raise TypeError(
                f'{self.name}() missing 1 required positional argument: "dim"'
            )
        x = tensor_for(self.name, "input", x)
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
        return columns_of(y, x.ndim, dim)

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
