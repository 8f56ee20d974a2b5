"""batch_norm, forward and backward, in training and in evaluation."""

import math

import numpy as np

from ..autograd.grad_mode import here
from ..autograd.graph import written
from . import ladder
from .arrays import as_array
from .base import expect
from .ladder import Rung, computed_in, memory
from .rows import RowOperator, whole_warps
from .tickets import tickets

APPLY = [
    Rung("element", "batch_norm_element", "batch_norm.cu"),
    Rung("plane", "batch_norm_plane", "batch_norm.cu", lambda L, **facts: L >= 64),
]
MOMENTS, SUMS, INPUT = (
    Rung(name, f"batch_norm_{name}", "batch_norm.cu")
    for name in ("moments", "sums", "input")
)
THREADS, BLOCKS = 256, 264


def sizes_of(x):
    """(N, C, L): images, channels, places."""
    return x.shape[0], x.shape[1], math.prod(x.shape[2:])


def parts_of(n, c, places):
    """How many blocks share a channel: enough, but with much to do for each."""
    return max(1, min(BLOCKS // c, n * places // 2048, 65535))


def shared(x, parts, dtype):
    """What the blocks of a channel need if there are several: parts, and tickets."""
    if parts == 1:
        return None, None
    channels = x.shape[1]
    some = x.new_empty((channels, parts, 2), dtype=dtype)
    return memory(some), tickets(channels, x.device)


class BatchNorm(RowOperator):
    """(x - mean) / sqrt(var + eps) * weight + bias; beside it (mean, var), (2, C).

    kept: mean and var that are kept running, or None twice; they, weight and bias are
    in the dtype to compute in.
    """

    def on_cpu(self, x, weight, bias, *kept, training, momentum, eps):
        kept = [t for t in kept if t is not None]
        (n, c, places), wide = sizes_of(x), computed_in(x.dtype)
        array = as_array(x, wide).reshape(n, c, places)
        weight, bias, *kept = (as_array(t, wide) for t in (weight, bias, *kept))
        with np.errstate(all="ignore"):
            mean, var = kept if not training else moments(array)
            if training and kept:
                run(kept, mean, var, momentum, n * places)
            scale = weight / np.sqrt(var + wide.type(eps))
            y = array - mean[:, None]
            y *= scale[:, None]
            y += bias[:, None]
        both = x.new_of(np.stack([mean, var]), wide)
        return x.new_of(y.reshape(x.shape), x.dtype), both

    def on_device(self, x, weight, bias, *kept, training, momentum, eps):
        kept = [t for t in kept if t is not None]
        (_, c, places), wide, x = sizes_of(x), computed_in(x.dtype), x.contiguous()
        y, both = x.new_empty(x.shape), x.new_empty((2, c), dtype=wide)
        if training:
            self.moments(x, kept, *both, wide.type(momentum))
        else:
            for here, running in zip(both, kept, strict=True):
                here.copy_(running)
        mean, var = both
        rung = ladder.choose(APPLY, L=places)
        grid, block = x.shape[0] * c, whole_warps(places)
        if rung.way == "element":
            grid, block = -(-x.numel() // THREADS), THREADS
        args = [*map(memory, (x, mean, var, weight, bias, y))]
        args += [np.int32(c), np.int32(places), wide.type(eps), np.int64(x.numel())]
        if grid:
            self.launch(rung, [x.dtype, wide], (grid, 1, 1), block, args, (x, y))
        return y, both

    def moments(self, x, kept, mean, var, momentum):
        """mean and var of each channel; those that are kept running go on."""
        (n, c, places), wide = sizes_of(x), computed_in(x.dtype)
        parts, running = parts_of(n, c, places), kept or (None, None)
        args = [memory(x), *shared(x, parts, wide), memory(mean), memory(var)]
        args += [None if t is None else memory(t) for t in running]
        args += [momentum, *map(np.int32, (n, c, places))]
        types, tensors = [x.dtype, wide], (x, mean, var)
        self.launch(MOMENTS, types, (c, parts, 1), THREADS, args, tensors)


def moments(x):
    """Mean and variance of (N, C, L) for each channel."""
    count = x.dtype.type(x.shape[0] * x.shape[2])
    mean = x.sum((0, 2)) / count
    centred = x - mean[:, None]
    return mean, np.einsum("ncl,ncl->c", centred, centred) / count


def run(kept, mean, var, momentum, count):
    """What is kept running goes on, with a variance divided by count - 1."""
    momentum = mean.dtype.type(momentum)
    for running, now in zip(kept, (mean, var * count / (count - 1)), strict=True):
        running += momentum * (now.astype(running.dtype) - running)


class BatchNormInput(RowOperator):
    """dx, and the gradients of weight and bias."""

    def on_cpu(self, x, dy, weight, both, training, eps):
        (n, c, places), wide = sizes_of(x), computed_in(x.dtype)
        array, dy = (as_array(t, wide).reshape(n, c, places) for t in (x, dy))
        (mean, var), weight = as_array(both, wide), as_array(weight, wide)
        with np.errstate(all="ignore"):
            rstd = 1 / np.sqrt(var + wide.type(eps))
            x_hat = (array - mean[:, None]) * rstd[:, None]
            dw, db = np.einsum("ncl,ncl->c", dy, x_hat), dy.sum((0, 2))
            dx = dy * (weight * rstd)[:, None]
            if training:
                count = wide.type(n * places)
                x_hat *= (weight * rstd * dw / count)[:, None]
                dx -= x_hat
                dx -= (weight * rstd * db / count)[:, None]
        dw, db = (x.new_of(t, wide) for t in (dw, db))
        return x.new_of(dx.reshape(x.shape), x.dtype), dw, db

    def on_device(self, x, dy, weight, both, training, eps):
        (n, c, places), wide, (mean, var) = sizes_of(x), computed_in(x.dtype), both
        x, dy = x.contiguous(), dy.contiguous()
        dx, eps = x.new_empty(x.shape), wide.type(eps)
        dw, db = (x.new_empty((c,), dtype=wide) for _ in range(2))
        parts, types = parts_of(n, c, places), [x.dtype, wide]
        sizes = np.int32([n, c, places])
        args = [*map(memory, (x, dy, mean, var)), *shared(x, parts, wide)]
        args += [memory(dw), memory(db), *sizes, eps]
        self.launch(SUMS, types, (c, parts, 1), THREADS, args, (x, dy, dw, db))
        args = [*map(memory, (x, dy, mean, var, weight, dw, db, dx)), *sizes[1:], eps]
        args += [np.int32(training), np.int64(x.numel())]
        grid = -(-x.numel() // THREADS), 1, 1
        if x.numel():
            self.launch(INPUT, types, grid, THREADS, args, (x, dy, dx))
        return dx, dw, db


normalise_input = BatchNormInput("batch_norm_input", BatchNormInput.__doc__)


def gradients(dy, a, b, i, training, eps):
    """Of x, weight and bias: together, or, where that is to be recorded, in steps."""
    if not here.modes.enabled:
        return normalise_input(a, dy, b, i, training=training, eps=eps)
    dims, shape = (0, *range(2, a.ndim)), (1, -1, *(1,) * (a.ndim - 2))
    mean, var = (t.view(shape) for t in i)
    if training:
        mean = a.mean(dims, keepdim=True)
        var = ((a - mean) * (a - mean)).mean(dims, keepdim=True)
    rstd = (var + eps).rsqrt()
    x_hat, g = (a - mean) * rstd, dy * b.view(shape)
    dw, db = (dy * x_hat).sum(dims), dy.sum(dims)
    if training:
        g = g - g.mean(dims, True) - x_hat * (g * x_hat).mean(dims, True)
    return g * rstd, dw, db


normalise = BatchNorm("batch_norm", BatchNorm.__doc__, (*(gradients,) * 3, None, None))

# ------------------------------------------------- as PyTorch calls it


def batch_norm(input, running_mean, running_var, weight=None, bias=None,  # noqa: A002
               training=False, momentum=0.1, eps=1e-5):  # fmt: skip
    """Each channel of (N, C, ...) with mean 0 and variance 1, times weight plus bias.

    In training by the batch's own mean and variance (divided by their number); the
    running ones, if they are not None, go on: running = (1 - momentum) * running +
    momentum * the batch's, with the variance divided by the number - 1. Else by the
    running ones, which must be there.
    """
    kept = running_mean, running_var
    check(input, kept, weight, bias, training, eps)
    wide, shape = computed_in(input.dtype), (input.shape[1],)
    weight, bias = (
        input.new_number(number, wide, shape) if t is None
        else t.to(dtype=wide).contiguous()
        for t, number in ((weight, 1), (bias, 0))
    )  # fmt: skip
    given = kept if None not in kept else ()
    running = [t.detach().to(dtype=wide).contiguous() for t in given] or [None, None]
    y, _ = normalise(
        input, weight, bias, *running, training=training, momentum=momentum, eps=eps
    )
    for old, new in zip(given, running, strict=False):
        if training and new.storage is not old.storage:
            old.copy_(new)
        elif training:
            written(old)
    return y


def check(x, kept, weight, bias, training, eps):
    """Raise what PyTorch raises for operands that do not fit."""
    named = "running_mean", "running_var"
    others = dict(zip((*named, "weight", "bias"), (*kept, weight, bias), strict=True))
    try:
        shape, types = x._layout[0], {x.storage.dtype, computed_in(x.storage.dtype)}
        found = {t.storage.dtype for t in others.values() if t is not None}
    except AttributeError:
        expect("batch_norm", {"input": x}, others)
        raise
    if len(shape) < 2:
        raise RuntimeError(
            f"batch_norm: expected an input (N, C, ...), got shape {list(shape)}"
        )
    count = x.numel() // max(1, shape[1])
    if training and shape[0] and count == 1:
        raise ValueError(
            "batch_norm: Expected more than 1 value per channel when training, got "
            f"input size {list(shape)}"
        )
    if not found <= types:
        listed = " and ".join(sorted(map(str, found)))
        raise RuntimeError(
            f"batch_norm: mixed dtype: the input is {x.dtype}, parameters and "
            f"statistics are {listed}. They are to be of one dtype; only beside "
            "float16 and bfloat16 may the others be float32"
        )
    if training and eps <= 0:
        raise ValueError(
            f"batch_norm eps must be positive during training, but got {eps}"
        )
    if not training and None in kept:
        name = named[[t is None for t in kept].index(True)]
        raise RuntimeError(f"batch_norm: {name} must be defined in evaluation mode")
    for name, t in others.items():
        if t is not None and t._layout[0] != shape[1:2]:
            raise RuntimeError(
                f"batch_norm: {name} should contain {shape[1]} elements not {t.numel()}"
            )
