"""softmax and log_softmax. On devices a row lies in one piece, if need be as a copy."""

import math

import numpy as np

from .. import launch, layout
from ..dispatch import method, operator
from ..kernels import learner_variants
from ..launch import THREADS, Variant, a_row, cdiv, whole_warps
from .reduce import rows_of

PACKS = 4


def row_facts(n, *tensors):
    """What variants may ask of rows of n elements; packs of 16 bytes, if they fit."""
    pack = 16 // tensors[0].dtype.itemsize
    bytes_before = [x.offset * x.dtype.itemsize for x in tensors]
    aligned = n % pack == 0 and not any(b % 16 for b in bytes_before)
    packs, types = n // pack if aligned else math.inf, {x.dtype for x in tensors}
    return {"n": n, "packs": packs, "types": types, "rows": tensors[0].numel() // n}


def fits_registers(f):
    return f.packs <= PACKS * 1024


def in_registers(f):
    """The threads of a block whose rows lie in registers."""
    return whole_warps(cdiv(f.packs, PACKS), 1024)


def warps(f):
    return whole_warps(f.n)


def types(f):
    return f.dtype, f.log, f.wide


SOFTMAX = launch.variants(
    *learner_variants.SOFTMAX,
    Variant("three passes", "softmax_three_pass", "softmax.cu",
            args="x y rows:long n:long", grid=lambda f: cdiv(f.rows, THREADS),
            types=types),
    Variant("shared", "softmax_shared", "softmax.cu", args="x y n:long", grid=a_row,
            types=types),
    Variant("online", "softmax_online", "softmax.cu", args="x y n:long", block=warps,
            grid=a_row, types=types),
    Variant("registers", "softmax_registers", "softmax.cu", fits_registers, "x y n:int",
            in_registers, a_row, lambda f: (f.dtype, PACKS, f.log, f.wide)),
)  # fmt: skip
BACKWARD = launch.one("blocks", "softmax_backward", "softmax.cu", args="dy y x n:long",
                      block=warps, grid=a_row, types=types)  # fmt: skip


def softmax_of(name, log, gradient_of_y):
    """softmax, or log_softmax, whose logarithms it gives."""

    def check(input, dim=None, dtype=None):
        if dim is None:
            raise TypeError(f'{name}() missing 1 required positional argument: "dim"')
        if dtype is not None:
            return lambda: forward(input.to(dtype), dim)
        return {"dim": layout.wrap_dim(dim, input.ndim)}

    def of_arrays(x, dim):
        if not x.size:
            return x.copy()
        x, shape = np.atleast_1d(x), x.shape
        x = x - x.max(dim, keepdims=True)
        if log:
            return (x - np.log(np.exp(x).sum(dim, keepdims=True))).reshape(shape)
        e = np.exp(x, out=x)  # in the same memory: new pages cost more than adding
        return np.divide(e, e.sum(dim, keepdims=True), out=e).reshape(shape)

    def on_device(x, dim):
        rows = rows_of(x, (dim,))[0].contiguous()
        y, n = rows.new_empty(rows.shape), x.shape[dim] if x.ndim else 1
        if x.numel():
            facts = row_facts(n, rows, y)
            launch.run(SOFTMAX, name, x=rows, y=y, log=int(log), **facts)
        return y.movedim(-1, dim).contiguous()

    def gradient(dy, y, dim):
        """The gradient of x, of that of y, and y."""

    def gradient_of_arrays(dy, y, dim):
        dy, y, shape = np.atleast_1d(dy), np.atleast_1d(y), y.shape
        if log:
            dx = dy - np.exp(y) * dy.sum(dim, keepdims=True)
        else:
            dx = (dy - (dy * y).sum(dim, keepdims=True)) * y
        return dx.reshape(shape)

    def gradient_on_device(dy, y, dim):
        dys, ys = (rows_of(t, (dim,))[0].contiguous() for t in (dy, y))
        x, n = ys.new_empty(ys.shape), y.shape[dim] if y.ndim else 1
        if y.numel():
            launch.run(BACKWARD, f"{name}_backward", dy=dys, y=ys, x=x, log=int(log),
                       n=n, rows=y.numel() // n)  # fmt: skip
        return x.movedim(-1, dim).contiguous()

    check.__name__, check.__doc__ = name, f"{name} along `dim`, of floats."
    forward = operator(vjps=[lambda dy, y, dim: backward(dy, y, dim)])(check)
    backward = operator("dy y", vjps=gradient_of_y, name=f"{name}_backward")(gradient)
    forward.cpu(of_arrays), forward.device(on_device)
    backward.cpu(gradient_of_arrays), backward.device(gradient_on_device)
    forward.backward = backward
    return method(forward)


softmax = softmax_of("softmax", False, [
    lambda dy, b, dim: softmax.backward(dy, b, dim),
    lambda dy, a, b, dim:
        dy * (a - (a * b).sum(dim, True)) - a * (dy * b).sum(dim, True),
])  # fmt: skip
log_softmax = softmax_of("log_softmax", True, [
    lambda dy, b, dim: dy - (dy * b.exp()).sum(dim, True),
    lambda dy, a, b, dim: -dy * b.exp() * a.sum(dim, True),
])  # fmt: skip
