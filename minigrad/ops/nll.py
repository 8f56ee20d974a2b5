"""The operators of nll_loss and cross_entropy: few launches, forward and backward."""

import math

import numpy as np

from .. import faults
from ..autograd.grad_mode import here
from . import elementwise, ladder
from .arrays import as_array
from .ladder import Rung, computed_in, memory
from .rows import RowOperator, softmax, whole_warps
from .shape import one_hot
from .tickets import tickets

REDUCTIONS = ("none", "mean", "sum")
ROWS = [
    Rung("rows", "nll", "nll.cu"),
    Rung("blocks", "nll_logarithms", "nll.cu",
         lambda log, L, C, **facts: not log and L == 1 and C > 128),
]  # fmt: skip
NLL, INPUT = ROWS[0], Rung("input", "nll_input", "nll.cu")
MOST = 1024  # threads of a block


def sizes_of(x):
    """(N, C, L): images, classes, places."""
    return x.shape[0], x.shape[1], math.prod(x.shape[2:])


class OfTargets(RowOperator):
    """An operator of nll.cu."""

    def launch(self, *launch):
        super().launch(*launch, faults.NOTE)


class NegativeLogLikelihood(OfTargets):
    """The loss of logarithms (log), or of scores.

    x (N, C, ...), target (N, ...), weight of each class or None. Beside the loss, for
    backward: lse of each row, and behind them the sum of the weights.
    """

    def on_cpu(self, x, target, weight, log, reduction, ignore, smooth):
        (n, c, places), wide = sizes_of(x), computed_in(x.dtype)
        array = as_array(x, wide).reshape(n, c, places)
        t = target.memory().reshape(n, 1, places)
        weights = None if weight is None else as_array(weight, wide)
        counts = t != ignore
        check_targets(t[counts], c)
        t, smooth = np.where(counts, t, 0), wide.type(smooth)
        with np.errstate(all="ignore"):
            lse = np.zeros((n, 1, places), wide) if log else log_sum_exp(array)
            own = counts.astype(wide) if weight is None else weights[t] * counts
            loss = own * (lse - np.take_along_axis(array, t, 1))
            if smooth:
                mass = np.ones((c, 1), wide) if weight is None else weights[:, None]
                spread = ((lse - array) * mass).sum(1, keepdims=True) * counts
                loss = (1 - smooth) * loss + smooth / wide.type(c) * spread
            loss = np.where(counts, loss, 0)
            total = own.sum()
            if reduction != "none":
                loss = loss.sum() / (total if reduction == "mean" else 1)
        loss = loss.reshape(target.shape if reduction == "none" else ())
        kept = np.concatenate([lse.reshape(-1), total.reshape(1)])
        return x.new_of(loss, x.dtype), x.new_of(kept, wide)

    def on_device(self, x, target, weight, log, reduction, ignore, smooth):
        (n, c, places), wide = sizes_of(x), computed_in(x.dtype)
        x, target = x.contiguous(), target.contiguous()
        rows, number = n * places, REDUCTIONS.index(reduction)
        y = x.new_empty(target.shape if reduction == "none" else ())
        kept = x.new_empty((rows + 1,), dtype=wide)
        lse, total = kept[:rows], kept[rows:]
        scores, ready = x, log
        rung = ladder.choose(ROWS, log=log, L=places, C=c)
        if rung.way == "blocks" and rows:
            scores, ready = x.new_empty(x.shape), True
            args = *map(memory, (x, scores, lse)), np.int32(c)
            types, block = [x.dtype, wide], whole_warps(c)
            self.launch(rung, types, (rows, 1, 1), block, args, (x, scores))
        types = [int(ready), number, x.dtype, wide]
        blocks = 1 if rows <= 4 * MOST else min(-(-rows // MOST), 1024)
        args = [*map(memory, (scores, target))]
        args.append(None if weight is None else memory(weight.contiguous()))
        args += map(memory, (y, lse, total))
        if blocks == 1 or reduction == "none":
            args += None, None
        else:
            some = x.new_empty((2 * blocks,), dtype=wide)
            args += memory(some), tickets(1, x.device)
        args += [np.int32(c), np.int32(places), np.int64(ignore), wide.type(smooth)]
        args.append(np.int32(weight is not None))
        block, tensors = whole_warps(rows, MOST), (x, target, y)
        if rows or reduction != "none":
            args += [faults.argument(x.device), np.int64(rows)]
            self.launch(NLL, types, (blocks, 1, 1), block, args, tensors)
        return y, kept


def check_targets(t, classes):
    wrong = t[(t < 0) | (t >= classes)]
    if wrong.size:
        raise IndexError(f"Target {wrong[0]} is out of bounds.")


def log_sum_exp(x):
    """log of the sum of exp over the classes of (N, C, L): (N, 1, L)."""
    most = x.max(1, keepdims=True)
    return most + np.log(np.exp(x - most).sum(1, keepdims=True))


class NLLInput(OfTargets):
    """dx of dy, one number or one for each row."""

    def on_cpu(self, x, target, weight, dy, kept, log, reduction, ignore, smooth):
        (n, c, places), wide = sizes_of(x), computed_in(x.dtype)
        t = target.memory().reshape(n, 1, places)
        counts, smooth = t != ignore, wide.type(smooth)
        t = np.where(counts, t, 0)
        dy, kept = (as_array(a, wide) for a in (dy, kept))
        lse, total = kept[:-1], kept[-1]
        mass = np.ones(c, wide) if weight is None else as_array(weight, wide)
        with np.errstate(all="ignore"):
            scale = dy.reshape(n, 1, places) if reduction == "none" else dy
            scale = scale / (total if reduction == "mean" else wide.type(1)) * counts
            own, spread = mass[t] * (1 - smooth), smooth / wide.type(c)
            if log:
                dx = np.zeros((n, c, places), wide)
            else:
                dx = np.exp(as_array(x, wide).reshape(n, c, places)
                            - lse.reshape(n, 1, places))  # fmt: skip
                dx *= (own + spread * mass.sum()) * scale
            if smooth:
                dx -= spread * mass[:, None] * scale
            at = np.take_along_axis(dx, t, 1) - own * scale
            np.put_along_axis(dx, t, at, 1)
        dx = np.where(counts, dx, 0) if not counts.all() else dx
        return x.new_of(dx.reshape(x.shape), x.dtype)

    def on_device(self, x, target, weight, dy, kept, log, reduction, ignore, smooth):
        (_, c, places), wide = sizes_of(x), computed_in(x.dtype)
        x, target, dy = x.contiguous(), target.contiguous(), dy.contiguous()
        dx, weights = x.new_empty(x.shape), kept if weight is None else weight
        lse, total = kept[:-1], kept[-1:]
        types = [int(log), REDUCTIONS.index(reduction), x.dtype, wide]
        args = [*map(memory, (x, target, weights.contiguous(), dy, lse, total, dx))]
        args += [np.int32(c), np.int32(places), np.int64(ignore), wide.type(smooth)]
        args += [np.int32(weight is not None), np.int64(x.numel())]
        grid = -(-x.numel() // 256), 1, 1
        if x.numel():
            self.launch(INPUT, types, grid, 256, args, (x, target, dx))
        return dx


nll_input = NLLInput("nll_loss_input", NLLInput.__doc__)


def gradient(dy, a, b, c, i, log, reduction, ignore, smooth):
    """Of x: in one launch, or, where that is to be recorded, step by step."""
    how = {"log": log, "reduction": reduction, "ignore": ignore, "smooth": smooth}
    if not here.modes.enabled:
        return nll_input(a, b, c, dy, i, **how)
    counts, classes = elementwise.ne(b, ignore), a.shape[1]
    own = one_hot(elementwise.where(counts, b, 0), classes).to(dtype=a.dtype)
    own = own.permute(0, own.ndim - 1, *range(1, own.ndim - 1))
    shape = -1, *(1,) * (a.ndim - 2)
    mass = a.new_number(1, a.dtype).expand((classes,)) if c is None else c
    mass = mass.to(dtype=a.dtype).view(shape)
    # What goes to each class's logarithm; of scores, the rest by way of lse.
    parts = own * mass * (1 - smooth) + mass * (smooth / classes)
    dx = -parts if log else softmax(a, 1) * parts.sum(1, True) - parts
    scale = dy * counts.to(dtype=a.dtype)
    if reduction == "mean":
        scale = scale / i[-1].to(dtype=a.dtype)
    return dx * scale.unsqueeze(1)


nll = NegativeLogLikelihood(
    "nll_loss", NegativeLogLikelihood.__doc__, (gradient, None, None)
)
