"""Running results: cumsum, cumprod, logcumsumexp; and prod, whose gradient is one."""

import math

import numpy as np

from .. import launch, layout
from ..dispatch import Operator, method
from ..dtypes import FLOATS
from . import vjp
from .pointwise import eq, where
from .reduce import NUMBERS, accumulator, added_up, reduction, rows_of
from .shape import cat

SCAN = launch.one("block a row", "scan", "scan.cu", args="x y n:long",
    grid=lambda f: f.rows, types=lambda f: (
        f.op, int(f.reverse), f.dtype, f.y.dtype, accumulator(f.dtype, "SUM")
    ))  # fmt: skip


def scan(name, op, accumulate, gradient, dtypes, rule=None):
    """The operator of a NumPy function of (array, axis=). op: OP in scan.cu."""

    def check(input, dim, *, dtype=None, reverse=False):
        if dtype is not None:
            cast = input.to(dtype)
            return lambda: operator(cast, dim, reverse=reverse).to(dtype)
        return {"dim": layout.wrap_dim(dim, input.ndim), "reverse": reverse}

    def on_cpu(x, dim, reverse):
        rows = np.atleast_1d(x)
        rows = np.flip(rows, dim) if reverse else rows
        y = accumulate(rows, axis=dim)
        return (np.flip(y, dim) if reverse else y).reshape(x.shape)

    def on_device(x, dim, reverse):
        rows = rows_of(x, (dim,))[0].contiguous()
        n, y = x.shape[dim] if x.ndim else 1, rows.new_empty(rows.shape, added_up(x))
        launch.run(SCAN, name, x=rows, y=y, op=op, reverse=reverse, n=n,
                   rows=x.numel() // max(n, 1))  # fmt: skip
        return y.movedim(-1, dim).contiguous()

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"{name} along `dim`; reverse: from its end on."
    on_cpu.__name__ = name
    operator = Operator(check, None, dtypes, None, [gradient], rule)
    operator.cpu(on_cpu)
    operator.device(on_device)
    return method(operator)


def cumprod_backward(dy, a, y, dim, reverse):
    """Each factor's share: by y / a, unless a 0 is among them."""
    if not a.ndim or a.shape[dim] == 1:
        return dy
    if not eq(a, 0).any():
        return cumsum(dy * y, dim, reverse=not reverse) / a
    n, x, dy = a.shape[dim], a.transpose(dim, -1), dy.transpose(dim, -1)
    places = a.new_tensor(np.arange(n), np.int64)
    own = eq(places.unsqueeze(1), places)  # [k, i]: is i the factor that is left out?
    others = cumprod(where(own, 1, x.unsqueeze(-2)), -1, reverse=reverse)
    later = places.unsqueeze(1) <= places
    later = (later.T if reverse else later).to(dtype=a.dtype)
    return (others * later * dy.unsqueeze(-2)).sum(-1).transpose(dim, -1)


def logcumsumexp_backward(dy, a, y, dim, reverse):
    """Adds logarithms of the positive and of the negative gradients: no overflow."""
    shares = []
    for part in dy, -dy:
        there = part > 0
        logs = where(there, where(there, part, 1).log() - y, -1e30)
        shares.append((logcumsumexp(logs, dim, reverse=not reverse) + a).exp())
    return shares[0] - shares[1]


cumsum = scan("cumsum", 0, np.cumsum, lambda dy, dim, reverse:
    cumsum(dy, dim, reverse=not reverse), NUMBERS, added_up)  # fmt: skip
cumprod = scan("cumprod", 1, np.cumprod, cumprod_backward, NUMBERS, added_up)
logcumsumexp = scan("logcumsumexp", 2, np.logaddexp.accumulate, logcumsumexp_backward,
    FLOATS)  # fmt: skip


def prod_backward(dy, a, y, dims, keepdim):
    """The product of the others: y / a; with zeros, of those before and those after."""
    dy, y = (vjp.sum_backward(x, a.shape, dims, keepdim) for x in (dy, y))
    zeros = eq(a, 0).sum()
    if not zeros:
        return dy * (y / a)
    if len(dims) == a.ndim > 0 and zeros > 1:
        return dy * 0
    rows, kept = rows_of(a, dims)
    flat = rows.reshape(-1, math.prod(rows.shape[kept:]))
    one = flat.new_number(1, flat.dtype, (len(flat), 1))
    before = cat([one, cumprod(flat[:, :-1], 1)], 1)
    after = cat([cumprod(flat[:, 1:], 1, reverse=True), one], 1)
    others = (before * after).view(rows.shape)
    order = [d for d in range(a.ndim) if d not in dims] + [*dims]
    return dy * others.permute([order.index(d) for d in range(a.ndim)])


prod = reduction("prod", np.multiply.reduce, "PROD", prod_backward, NUMBERS, added_up,
    1)  # fmt: skip
