"""layer_norm, variance and batch_norm, forward and backward.

On devices a row of layer_norm and var lies in one piece; else a copy of it does.
"""

import math

import numpy as np

from .. import launch, layout
from ..autograd.grad_mode import thread
from ..autograd.graph import written
from ..check import check
from ..dispatch import functional, method, number_for, operator, tensor_for
from ..dtypes import computed_in
from ..kernels import learner_variants
from ..launch import Variant, a_row, whole_warps
from ..numpy_names import accepts_axis
from .pointwise import check_dtype, sqrt_of_squares
from .reduce import as_flag, dims_of, kept_shape, rows_of
from .reduce import mean_of as mean
from .softmax import PACKS, fits_registers, in_registers, row_facts, warps
from .vjp import sum_backward

# ------------------------------------------------- layer norm

STATISTICS = "x weight bias y mean rstd n:{} eps:wide"
LAYER_NORM = launch.variants(
    learner_variants.LAYER_NORM,
    Variant("two passes", "layer_norm_two_pass", "layer_norm.cu",
            args=STATISTICS.format("long"), block=warps, grid=a_row),
    Variant("welford", "layer_norm_welford", "layer_norm.cu",
            args=STATISTICS.format("long"), block=warps, grid=a_row),
    Variant("registers", "layer_norm_registers", "layer_norm.cu", fits_registers,
            STATISTICS.format("int"), in_registers, a_row,
            lambda f: (f.dtype, PACKS, f.wide)),
)  # fmt: skip
LAYER_NORM_BACKWARD = launch.one("welford", "layer_norm_backward", "layer_norm.cu",
    args="dy x weight dx n:long eps:wide", block=warps, grid=a_row)  # fmt: skip


def normalized(x, dims, eps):
    """(x - mean) / sqrt(var + eps) of an array, and the factor 1 / sqrt(...)."""
    centred = x - mean(x, dims, keepdims=True)
    rstd = 1 / np.sqrt(mean(centred * centred, dims, keepdims=True) + x.dtype.type(eps))
    return centred * rstd, rstd


def check_types(name, dtype, types, fits):
    """RuntimeError unless parameters of these types fit an input of that dtype."""
    check(fits or not types,
          lambda: f"{name}: mixed dtype: the input is {dtype}, the others are "
          f"{' and '.join(sorted(map(str, types)))}. They must have one dtype; only "
          "beside float16 and bfloat16 may the others be float32")  # fmt: skip


def last_sizes(x, normalized_shape):
    """normalized_shape as a tuple; RuntimeError unless x's shape ends in it."""
    shape = layout.as_ints((normalized_shape,))
    check(shape and x.shape[-len(shape) :] == shape,
          lambda: f"Given normalized_shape={list(shape)}, expected input with shape "
          f"[*, {', '.join(map(str, shape))}], but got input of size "
          f"{list(x.shape)}")  # fmt: skip
    return shape


def layer_norm_gradient(dy, a, b, last, eps):
    """Of x: in one launch, or, where that is to be recorded, step by step."""
    if not thread.enabled:
        return layer_norm_backward(dy, a, b, last=last, eps=eps)
    dims = tuple(range(a.ndim - len(last), a.ndim))
    return in_steps(dy if b is None else dy * b, a, dims, eps)[0]


def in_steps(dy, x, dims, eps):
    """The gradient of y = (x - mean) / sqrt(var + eps) over `dims`, and y."""
    rstd = (var(x, dims, correction=0, keepdim=True) + eps).rsqrt()
    y = (x - x.mean(dims, True)) * rstd
    return (dy - dy.mean(dims, True) - y * (dy * y).mean(dims, True)) * rstd, y


@operator("input weight bias", vjps=[
    layer_norm_gradient, lambda dy, a, last, eps: dy * layer_norm(a, last, eps=eps),
    lambda dy: dy])  # fmt: skip
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last dimensions."""
    shape = last_sizes(input, normalized_shape)
    for name, w in ("weight", weight), ("bias", bias):
        weight_shape = shape if w is None else w.shape
        check(weight_shape == shape, f"layer_norm: expected {name} of shape "
              f"{list(shape)}, got {list(weight_shape)}")  # fmt: skip
    number_for("layer_norm", "eps", eps)
    dtype, types = input.dtype, {w.dtype for w in (weight, bias) if w is not None}
    check_types("layer_norm", dtype, types, types in ({dtype}, {computed_in(dtype)}))
    if types - {dtype}:
        cast = [w if w is None else w.to(dtype) for w in (weight, bias)]
        return lambda: layer_norm(input, shape, *cast, eps)
    return {"last": shape, "eps": eps}


@layer_norm.cpu
def _(x, weight, bias, last, eps):
    y = normalized(x, tuple(range(x.ndim - len(last), x.ndim)), eps)[0]
    if weight is not None:
        y *= weight
    if bias is not None:
        y += bias
    return y


@layer_norm.device
def _(x, weight, bias, last, eps):
    weight = x.new_number(1, x.dtype, last) if weight is None else weight
    bias = x.new_number(0, x.dtype, last) if bias is None else bias
    x, weight, bias = (t.contiguous() for t in (x, weight, bias))
    y, n = x.new_empty(x.shape), weight.numel()
    if x.numel():
        facts = row_facts(n, x, weight, bias, y)
        mean, rstd = (x.new_empty((facts["rows"],), computed_in(x.dtype)) for _ in "mr")
        launch.run(LAYER_NORM, "layer_norm", x=x, weight=weight, bias=bias, y=y,
                   mean=mean, rstd=rstd, eps=eps, **facts)  # fmt: skip
    return y


@operator("dy x weight")
def layer_norm_backward(dy, x, weight=None, *, last, eps):
    """The gradient of x, of those of layer_norm, x and weight."""


@layer_norm_backward.cpu
def _(dy, x, weight, last, eps):
    dims = tuple(range(x.ndim - len(last), x.ndim))
    y, rstd = normalized(x, dims, eps)
    g = dy if weight is None else dy * weight
    return (g - mean(g, dims, True) - y * mean(g * y, dims, True)) * rstd


@layer_norm_backward.device
def _(dy, x, weight, last, eps):
    weight = x.new_number(1, x.dtype, last) if weight is None else weight
    dy, x, weight = (t.contiguous() for t in (dy, x, weight))
    dx, n = x.new_empty(x.shape), weight.numel()
    rows = x.numel() // n if n else 0
    launch.run(LAYER_NORM_BACKWARD, "layer_norm_backward", dy=dy, x=x, weight=weight,
               dx=dx, n=n, rows=rows, eps=eps)  # fmt: skip
    return dx


# ------------------------------------------------- variance

VARIANCE = launch.one("welford", "variance", "layer_norm.cu",
    args="x mean y n:long correction:wide", block=warps, grid=a_row)  # fmt: skip


def var_backward(dy, a, dims, correction, keepdim):
    n = layout.numel([a.shape[d] for d in dims])
    left = n - correction
    centred = a - a.mean(dims, True)
    dy = dy * (2 / left if left > 0 else math.nan if not left else math.inf)
    return centred * sum_backward(dy, a.shape, dims, keepdim)


@operator(vjps=[var_backward])
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The mean squared distance from the mean, divided by n - correction.

    unbiased: True for a correction of 1, as it is by default, and False for 0.
    """
    if isinstance(dim, bool):  # var(False)
        dim, unbiased = None, dim
    check(unbiased is None or correction is None,
          "var() takes either unbiased or correction, not both", TypeError)  # fmt: skip
    if correction is None:
        correction = int(unbiased is None or as_flag("var", "unbiased", unbiased))
    elif not input.numel():
        correction = 0  # of no element it is NaN, whatever the correction
    dims, keepdim = dims_of(dim, input.ndim), as_flag("var", "keepdim", keepdim)
    return {"dims": dims, "correction": correction, "keepdim": keepdim}


@var.cpu
def _(x, dims, correction, keepdim):
    centred = x - mean(x, dims, keepdims=True)
    left = x.dtype.type(max(math.prod(x.shape[d] for d in dims) - correction, 0))
    return np.sum(centred * centred, dims, keepdims=keepdim) / left


@var.device
def _(x, dims, correction, keepdim):
    y = x.new_empty(kept_shape(x.shape, dims, keepdim))
    rows, count = rows_of(x, dims)[0].contiguous(), y.numel()
    n, some = math.prod(x.shape[d] for d in dims), x.new_empty((count,))
    launch.run(VARIANCE, "var", x=rows, mean=some, y=y, rows=count, n=n,
               correction=correction)  # fmt: skip
    return y


@accepts_axis
def std(x, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """The square root of `var`."""
    return sqrt_of_squares(var(x, dim, unbiased, keepdim, correction=correction))


# ------------------------------------------------- batch norm

CHANNELS = "c:int places:int eps:wide"
APPLY = launch.variants(
    Variant("element", "batch_norm_element", "batch_norm.cu",
            args=f"x mean var weight bias y {CHANNELS} n:long"),
    Variant("plane", "batch_norm_plane", "batch_norm.cu", lambda f: f.places >= 64,
            f"x mean var weight bias y {CHANNELS} n:long",
            lambda f: whole_warps(f.places), lambda f: f.images * f.c if f.n else 0),
)  # fmt: skip
MOMENTS = launch.one("moments", "batch_norm_moments", "batch_norm.cu",
    args="x some done mean var running_mean running_var momentum:wide images:int c:int "
    "places:int", grid=lambda f: (f.c, f.parts))  # fmt: skip
SUMS = launch.one("sums", "batch_norm_sums", "batch_norm.cu",
                  args=f"x dy mean var some done dw db images:int {CHANNELS}",
                  grid=lambda f: (f.c, f.parts))  # fmt: skip
INPUT = launch.one("input", "batch_norm_input", "batch_norm.cu",
    args=f"x dy mean var weight dw db dx {CHANNELS} training:int n:long")  # fmt: skip


def sizes_of(x):
    """(N, C, L): images, channels (or classes), places."""
    return x.shape[0], x.shape[1], math.prod(x.shape[2:])


def channels(x, **facts):
    """The sizes of x, and what the blocks of a channel need if there are several."""
    images, c, places = sizes_of(x)
    # As many blocks share a channel as keep a GPU busy, but with much to do for each.
    parts = max(1, min(launch.BLOCKS // c, images * places // 2048, 65535))
    facts |= launch.shared(x, parts, (c, parts, 2), computed_in(x.dtype), c)
    return {"x": x, "images": images, "c": c, "places": places, "n": x.numel(), **facts}


def moments(x):
    """Mean and variance of (N, C, L) for each channel."""
    count = x.dtype.type(x.shape[0] * x.shape[2])
    mean = x.sum((0, 2)) / count
    centred = x - mean[:, None]
    return mean, np.einsum("ncl,ncl->c", centred, centred) / count


def gradients(dy, a, b, i, training, eps):
    """Of x, weight and bias: together, or, where that is to be recorded, in steps."""
    if not thread.enabled:
        return normalize_input(a, dy, b, i, training=training, eps=eps)
    dims, shape = (0, *range(2, a.ndim)), (1, -1, *(1,) * (a.ndim - 2))
    g = dy * b.view(shape)
    if training:
        dx, x_hat = in_steps(g, a, dims, eps)
    else:
        mean, rstd = i[0].view(shape), (i[1].view(shape) + eps).rsqrt()
        dx, x_hat = g * rstd, (a - mean) * rstd
    return dx, (dy * x_hat).sum(dims), dy.sum(dims)


@operator("input weight bias running_mean running_var", results=(None, "wide"),
          vjps=[gradients, gradients, gradients, None, None],
          name="batch_norm")  # fmt: skip
def normalize(input, weight, bias, running_mean=None, running_var=None, *, training,
              momentum, eps):  # fmt: skip
    """(x - mean) / sqrt(var + eps) * weight + bias; beside it (mean, var), (2, C).

    The running ones, weight and bias are in the dtype to compute in.
    """


@normalize.cpu
def _(x, weight, bias, *running, training, momentum, eps):
    running, shape = [t for t in running if t is not None], x.shape
    (n, c, places), wide = sizes_of(x), x.dtype
    x = x.reshape(n, c, places)
    mean, var = moments(x) if training else running
    if training:  # the running variance is the unbiased one
        count, momentum = n * places, wide.type(momentum)
        for old, now in zip(running, (mean, var * count / (count - 1)), strict=False):
            old += momentum * (now.astype(old.dtype) - old)
    y = x - mean[:, None]
    y *= (weight / np.sqrt(var + wide.type(eps)))[:, None]
    y += bias[:, None]
    return y.reshape(shape), np.stack([mean, var])


@normalize.device
def _(x, weight, bias, running_mean, running_var, training, momentum, eps):
    x = x.contiguous()
    y, both = x.new_empty(x.shape), x.new_empty((2, x.shape[1]), computed_in(x.dtype))
    mean, var = both
    how = {"mean": mean, "var": var, "eps": eps}
    if training:
        running = {"running_mean": running_mean, "running_var": running_var}
        facts = channels(x, momentum=momentum, **running, **how)
        launch.run(MOMENTS, "batch_norm", **facts)
    elif running_mean is not None:
        mean.copy_(running_mean), var.copy_(running_var)
    n, c, places = sizes_of(x)
    launch.run(APPLY, "batch_norm", x=x, y=y, weight=weight, bias=bias, images=n, c=c,
               places=places, n=x.numel(), **how)  # fmt: skip
    return y, both


@operator("x dy weight both", results=(None, "wide", "wide"), name="batch_norm_input")
def normalize_input(x, dy, weight, both, training, eps):
    """dx, and the gradients of weight and bias."""


@normalize_input.cpu
def _(x, dy, weight, both, training, eps):
    (n, c, places), wide, shape = sizes_of(x), x.dtype, x.shape
    x, dy = x.reshape(n, c, places), dy.reshape(n, c, places)
    mean, var = both
    rstd = 1 / np.sqrt(var + wide.type(eps))
    x_hat = (x - mean[:, None]) * rstd[:, None]
    dw, db = np.einsum("ncl,ncl->c", dy, x_hat), dy.sum((0, 2))
    dx = dy * (weight * rstd)[:, None]
    if training:
        count = wide.type(n * places)
        x_hat *= (weight * rstd * dw / count)[:, None]
        dx -= x_hat
        dx -= (weight * rstd * db / count)[:, None]
    return dx.reshape(shape), dw, db


@normalize_input.device
def _(x, dy, weight, both, training, eps):
    x, dy, (mean, var) = x.contiguous(), dy.contiguous(), both
    dx = x.new_empty(x.shape)
    dw, db = (x.new_empty((x.shape[1],), computed_in(x.dtype)) for _ in "wb")
    facts = channels(x, dy=dy, mean=mean, var=var, dw=dw, db=db, eps=eps, dx=dx,
                     weight=weight, training=training)  # fmt: skip
    launch.run(SUMS, "batch_norm_input", **facts)
    launch.run(INPUT, "batch_norm_input", **facts)
    return dx, dw, db


def batch_norm(input, running_mean, running_var, weight=None, bias=None,  # noqa: A002
               training=False, momentum=0.1, eps=1e-5):  # fmt: skip
    """Each channel of (N, C, ...) with mean 0 and variance 1, times weight plus bias.

    training: by the batch's own mean and variance. The running ones, if there are any,
    are updated: running = (1 - momentum) * running + momentum * the batch's, with the
    unbiased variance. Otherwise by the running ones.
    """
    kept = running_mean, running_var
    check_batch_norm(input, kept, weight, bias, training, eps)
    wide, shape = computed_in(input.dtype), (input.shape[1],)
    weight, bias = (input.new_number(n, wide, shape) if t is None else
                    t.to(dtype=wide).contiguous()
                    for t, n in ((weight, 1), (bias, 0)))  # fmt: skip
    given = kept if None not in kept else ()
    running = [t.detach().to(dtype=wide).contiguous() for t in given] or [None, None]
    y, _ = normalize(input, weight, bias, *running, training=training,
                     momentum=momentum, eps=eps)  # fmt: skip
    for old, new in zip(given, running, strict=False):
        if training and new.storage is not old.storage:
            old.copy_(new)
        elif training:
            written(old)
    return y


def check_batch_norm(x, kept, weight, bias, training, eps):
    """Raise what PyTorch raises for operands that do not fit."""
    named = "running_mean", "running_var"
    others = dict(zip((*named, "weight", "bias"), (*kept, weight, bias), strict=True))
    for name, t in {"input": x, **others}.items():
        if t is not None or name == "input":
            tensor_for("batch_norm", name, t)
    shape, types = x.shape, {x.dtype, computed_in(x.dtype)}
    dtypes = {t.dtype for t in others.values() if t is not None}
    check(len(shape) >= 2, lambda: "batch_norm: expected an input (N, C, ...), got "
          f"shape {list(shape)}")  # fmt: skip
    count = x.numel() // max(1, shape[1])
    check(not (training and shape[0] and count == 1),
          lambda: "batch_norm: Expected more than 1 value per channel when training, "
          f"got input size {list(shape)}", ValueError)  # fmt: skip
    check_types("batch_norm", x.dtype, dtypes, dtypes <= types)
    check(not (training and eps <= 0), lambda: "batch_norm eps must be positive during "
          f"training, but got {eps}", ValueError)  # fmt: skip
    for name, t in others.items():
        check(training or name not in named or t is not None,
              f"batch_norm: {name} must be defined in evaluation mode")  # fmt: skip
        check(t is None or t.shape == shape[1:2], lambda: f"batch_norm: {name} should "
              f"contain {shape[1]} elements not {t.numel()}")  # fmt: skip


# ------------------------------------------------- made of these


@method
@accepts_axis
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(the variance, the mean)."""
    spread = var(input, dim, unbiased, keepdim, correction=correction)
    dim = None if isinstance(dim, bool) else dim
    return spread, input.mean(dim, keepdim)


@method
@accepts_axis
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(the standard deviation, the mean)."""
    spread, mean = var_mean(input, dim, unbiased, keepdim, correction=correction)
    return sqrt_of_squares(spread), mean


@functional
def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Each of num_groups groups of (N, C, ...)'s channels with mean 0, variance 1."""
    shape = tensor_for("group_norm", "input", input).shape
    check(len(shape) >= 2 and num_groups >= 1 and shape[1] % num_groups == 0,
          lambda: "Expected number of channels in input to be divisible by num_groups, "
          f"but got input of shape {list(shape)} and "
          f"num_groups={num_groups}")  # fmt: skip
    groups = input.reshape(shape[0], num_groups, math.prod(shape[1:]) // num_groups)
    y = layer_norm(groups, groups.shape[-1:], eps=eps).reshape(shape)
    for name, x in ("weight", weight), ("bias", bias):
        if x is not None:
            check(tensor_for("group_norm", name, x).shape == shape[1:2],
                  lambda: f"Expected {name} to be a vector of size equal to the number "
                  f"of channels in input, but got {name} of shape {list(x.shape)} and "
                  f"input of shape {list(shape)}")  # fmt: skip
            x = x.view(-1, *(1,) * (len(shape) - 2))
            y = y * x if name == "weight" else y + x
    return y


@functional
def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None,
                  use_input_stats=True, momentum=0.1, eps=1e-5):  # fmt: skip
    """Each channel of each sample of (N, C, ...) with mean 0 and variance 1.

    use_input_stats: False for the running ones, which are otherwise updated as in
    batch_norm, by the mean over the samples.
    """
    if not use_input_stats:
        running = running_mean, running_var
        return batch_norm(input, *running, weight, bias, False, momentum, eps)
    x = tensor_for("instance_norm", "input", input).detach()
    dims = tuple(range(2, x.ndim))
    check(math.prod(x.shape[2:]) != 1, lambda: "Expected more than 1 spatial element "
          f"when training, got input size {list(x.shape)}", ValueError)  # fmt: skip
    if running_mean is not None:
        spread, middle = var_mean(x, dims)
        for old, new in (running_mean, middle), (running_var, spread):
            old.copy_((1 - momentum) * old + momentum * new.mean(0))
    return group_norm(input, input.shape[1], weight, bias, eps)


@functional
def rms_norm(input, normalized_shape, weight=None, eps=None):
    """input / sqrt(mean of its squares + eps) * weight, over the last dimensions.

    eps: None for the spacing of the dtype's numbers at 1.
    """
    check_dtype("rms_norm", input)
    wide, count = computed_in(input.dtype), len(last_sizes(input, normalized_shape))
    x, dims = input.to(dtype=wide), tuple(range(-count, 0))
    eps = float(np.finfo(wide).eps) if eps is None else eps
    y = x * ((x * x).mean(dims, True) + eps).rsqrt()
    return (y if weight is None else y * weight).to(dtype=input.dtype)
