"""Losses: of elements (mse_loss ...), and of classes (nll_loss, cross_entropy)."""

import warnings

import numpy as np

from .. import faults, launch
from ..autograd.grad_mode import thread
from ..check import check
from ..dispatch import functional, number_for, operator, tensor_for
from ..dtypes import FLOATS, computed_in, int64, uint8
from ..launch import Variant, cdiv, whole_warps
from .indexing import one_hot
from .normalization import sizes_of
from .pointwise import ne, where
from .pointwise_backward import of_gradient
from .pointwise_kernels import pointwise
from .softmax import log_softmax, softmax

REDUCTIONS = ("none", "mean", "sum")

# ------------------------------------------------- of elements


squared_backward = of_gradient("mse_loss_backward", lambda a, b, c: a * (2 * (b - c)),
    "a * (2 * (b - c))", ..., lambda dy, a: 2 * dy * a,
    lambda dy, a: -2 * dy * a)  # fmt: skip
squared = pointwise("mse_loss", lambda a, b: (a - b) * (a - b), "(a - b) * (a - b)",
    (squared_backward, "ab"), (squared_backward, "ba"), dtypes=FLOATS)  # fmt: skip
cross_backward = of_gradient("binary_cross_entropy_with_logits_backward",
    lambda a, b, c: a * (1 / (1 + np.exp(-b)) - c), "a * (1 / (1 + exp(-b)) - c)", ...,
    lambda dy, a, b: dy * a * b.sigmoid() * (-b).sigmoid(),
    lambda dy, a: -(dy * a))  # fmt: skip
cross = pointwise("binary_cross_entropy_with_logits",
    lambda a, b: np.maximum(a, 0) - a * b + np.log1p(np.exp(-np.abs(a))),
    "(a > 0 ? a : 0) - a * b + log1p(exp(a < 0 ? a : -a))", (cross_backward, "ab"),
    lambda dy, a: -(dy * a), dtypes=FLOATS)  # fmt: skip


def reduced(loss, reduction):
    """The mean or the sum of a loss, or the loss as it is."""
    check_reduction(reduction)
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()


def same_shape(name, input, target):
    """Have both the same shape? TypeError unless both are tensors."""
    tensor_for(name, "input", input)
    return input.shape == tensor_for(name, "target", target).shape


def warn_of_broadcasting(input, target):
    warnings.warn(f"Using a target size ({list(target.shape)}) that is different to the"
                  f" input size ({list(input.shape)}). This will likely lead to "
                  "incorrect results due to broadcasting. Please ensure they have the "
                  "same size: target.reshape(input.shape), or target.unsqueeze(1)",
                  stacklevel=3)  # fmt: skip


def mse_loss(input, target, reduction="mean"):
    """(input - target)² of each element: their mean, their sum, or ("none") all."""
    if not same_shape("mse_loss", input, target):
        warn_of_broadcasting(input, target)
    return reduced(squared(input, target), reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean",
                                     pos_weight=None):  # fmt: skip
    """-(target · log s + (1 - target) · log(1 - s)) with s = sigmoid(input).

    weight: what each element counts. pos_weight: what `target` counts beside 1 -
    target. Both are tensors that are broadcast.
    """
    check(same_shape("binary_cross_entropy_with_logits", input, target),
          lambda: f"Target size ({list(target.shape)}) must be the same as input size "
          f"({list(input.shape)}): target.reshape(input.shape), or target.unsqueeze(1) "
          "for (N,) beside (N, 1)", ValueError)  # fmt: skip
    check(target.dtype.kind == "f", lambda: "binary_cross_entropy_with_logits: targets "
          f'are probabilities, floats, not {target.dtype}: target.float()')  # fmt: skip
    loss = cross(input, target)
    if pos_weight is not None:  # -log s of the positive part, once more
        tensor_for("binary_cross_entropy_with_logits", "pos_weight", pos_weight)
        loss = loss + (pos_weight - 1) * target * cross(input, 1.0)
    loss = loss if weight is None else loss * weight
    return reduced(loss, reduction)


# ------------------------------------------------- of classes: kernels

MOST = 1024  # threads of a block


def blocks_of(f):
    return 1 if f.rows <= 4 * MOST else min(cdiv(f.rows, MOST), 1024)


def types(f):
    return int(f.log), f.number, f.dtype, f.wide


def rows_of_losses(f):
    """The blocks that share the rows, and where they add their sums up."""
    parts = blocks_of(f) if f.number else 1
    shared = launch.shared(f.x, parts, (2 * parts,), f.wide, 1)
    return {"fault": faults.argument(f.device), **shared}


LOGARITHMS = launch.variants(  # of scores, where a row is long: then they are ready
    Variant("rows", "nll", "nll.cu", run=lambda variant, operator, f: None),
    Variant("blocks", "nll_logarithms", "nll.cu",
            lambda f: not f.log and f.places == 1 and f.c > 128, "x scores lse c:int",
            lambda f: whole_warps(f.c), lambda f: f.rows,
            more=lambda f: {"scores": f.x.new_empty(f.x.shape), "log": True}),
)  # fmt: skip
NUMBERS = "c:int places:int ignore:long smooth:wide weighted:int"
NLL = launch.one("rows", "nll", "nll.cu",
    args=f"scores target weight y lse total some done {NUMBERS} fault rows:long",
    block=lambda f: whole_warps(f.rows, MOST),
    grid=lambda f: blocks_of(f) if f.rows or f.number else 0,
    types=types, more=rows_of_losses)  # fmt: skip
INPUT = launch.one("input", "nll_input", "nll.cu",
    args=f"x target weight dy lse total dx {NUMBERS} n:long", types=types)  # fmt: skip

# ------------------------------------------------- of classes: the operators


def gradient(dy, a, b, c, i, log, reduction, ignore, smooth):
    """Of x: in one launch, or, where that is to be recorded, step by step."""
    how = {"log": log, "reduction": reduction, "ignore": ignore, "smooth": smooth}
    if not thread.enabled:
        return nll_input(a, b, c, dy, i, **how)
    counts, classes = ne(b, ignore), a.shape[1]
    own = one_hot(where(counts, b, 0), classes).to(dtype=a.dtype)
    own = own.permute(0, own.ndim - 1, *range(1, own.ndim - 1))
    shape = -1, *(1,) * (a.ndim - 2)
    mass = a.new_number(1, a.dtype).expand((classes,)) if c is None else c
    mass = mass.to(dtype=a.dtype).view(shape)
    # The gradient of each class's logarithm; that of scores is also by way of lse.
    parts = own * mass * (1 - smooth) + mass * (smooth / classes)
    dx = -parts if log else softmax(a, 1) * parts.sum(1, True) - parts
    scale = dy * counts.to(dtype=a.dtype)
    if reduction == "mean":
        scale = scale / i[-1].to(dtype=a.dtype)
    return dx * scale.unsqueeze(1)


@operator("x target weight", vjps=[gradient, None, None], results=(None, "wide"),
          name="nll_loss")  # fmt: skip
def nll(x, target, weight=None, *, log, reduction, ignore, smooth):
    """The loss of logarithms (log), or of scores.

    x (N, C, ...), target (N, ...), weight of each class or None. Beside the loss, for
    backward: lse of each row, and after them the sum of the weights.
    """


@nll.cpu
def _(x, target, weight, log, reduction, ignore, smooth):
    (n, c, places), wide, shape = sizes_of(x), x.dtype, target.shape
    x, t = x.reshape(n, c, places), target.reshape(n, 1, places)
    counts = t != ignore
    wrong = t[counts & ((t < 0) | (t >= c))]
    check(not wrong.size, lambda: f"Target {wrong[0]} is out of bounds.", IndexError)
    t, smooth = np.where(counts, t, 0), wide.type(smooth)
    lse = np.zeros((n, 1, places), wide)
    if not log:
        most = x.max(1, keepdims=True)
        lse = most + np.log(np.exp(x - most).sum(1, keepdims=True))
    own = counts.astype(wide) if weight is None else weight[t] * counts
    loss = own * (lse - np.take_along_axis(x, t, 1))
    if smooth:
        mass = np.ones((c, 1), wide) if weight is None else weight[:, None]
        spread = ((lse - x) * mass).sum(1, keepdims=True) * counts
        loss = (1 - smooth) * loss + smooth / wide.type(c) * spread
    loss, total = np.where(counts, loss, 0), own.sum()
    if reduction != "none":
        loss = loss.sum() / (total if reduction == "mean" else 1)
    loss = loss.reshape(shape if reduction == "none" else ())
    return loss, np.concatenate([lse.reshape(-1), total.reshape(1)])


@nll.device
def _(x, target, weight, log, reduction, ignore, smooth):
    (n, c, places), x, target = sizes_of(x), x.contiguous(), target.contiguous()
    rows, wide = n * places, computed_in(x.dtype)
    y = x.new_empty(target.shape if reduction == "none" else ())
    kept = x.new_empty((rows + 1,), dtype=wide)
    weights = weight if weight is None else weight.contiguous()
    f = launch.LaunchInfo(
        x=x, target=target, weight=weights, y=y, rows=rows,
        lse=kept[:rows], total=kept[rows:], scores=x, log=log, c=c, places=places,
        number=REDUCTIONS.index(reduction), ignore=ignore, smooth=smooth,
        weighted=weight is not None,
    )  # fmt: skip
    launch.select(LOGARITHMS, f).launch("nll_loss", f)
    launch.select(NLL, f).launch("nll_loss", f)
    return y, kept


@operator("x target weight dy kept", name="nll_loss_input")
def nll_input(x, target, weight=None, dy=None, kept=None, *, log, reduction, ignore,
              smooth):  # fmt: skip
    """dx of dy, one number or one for each row."""


@nll_input.cpu
def _(x, target, weight, dy, kept, log, reduction, ignore, smooth):
    (n, c, places), wide, shape = sizes_of(x), x.dtype, x.shape
    t = target.reshape(n, 1, places)
    counts, smooth = t != ignore, wide.type(smooth)
    t, lse, total = np.where(counts, t, 0), kept[:-1], kept[-1]
    mass = np.ones(c, wide) if weight is None else weight
    scale = dy.reshape(n, 1, places) if reduction == "none" else dy
    scale = scale / (total if reduction == "mean" else wide.type(1)) * counts
    own, spread = mass[t] * (1 - smooth), smooth / wide.type(c)
    if log:
        dx = np.zeros((n, c, places), wide)
    else:
        dx = np.exp(x.reshape(n, c, places) - lse.reshape(n, 1, places))
        dx *= (own + spread * mass.sum()) * scale
    if smooth:
        dx -= spread * mass[:, None] * scale
    at = np.take_along_axis(dx, t, 1) - own * scale
    np.put_along_axis(dx, t, at, 1)
    dx = np.where(counts, dx, 0) if not counts.all() else dx
    return dx.reshape(shape)


@nll_input.device
def _(x, target, weight, dy, kept, log, reduction, ignore, smooth):
    (_, c, places), x = sizes_of(x), x.contiguous()
    dx, weights = x.new_empty(x.shape), kept if weight is None else weight
    launch.run(
        INPUT, "nll_loss_input", x=x, target=target.contiguous(), dx=dx, c=c,
        weight=weights.contiguous(), dy=dy.contiguous(), lse=kept[:-1],
        total=kept[-1:], log=log, number=REDUCTIONS.index(reduction), places=places,
        ignore=ignore, smooth=smooth, weighted=weight is not None, n=x.numel(),
    )  # fmt: skip
    return dx


# ------------------------------------------------- of classes, as PyTorch calls them


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """-weight[t] * input[t] for each target t: input (N, C, ...) has logarithms.

    reduction: "mean" divides the sum by the sum of the weights. Targets that are
    ignore_index count for nothing.
    """
    return classified("nll_loss", input, target, weight, ignore_index, reduction, 0.0)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean",
                  label_smoothing=0.0):  # fmt: skip
    """nll_loss of log_softmax(input, 1), without storing it: input has scores.

    target: classes (N, ...), int64; or the probability of each class, as input.
    label_smoothing: the share of each target that is spread over all classes.
    """
    number_for("cross_entropy", "label_smoothing", label_smoothing)
    check(0 <= label_smoothing <= 1, lambda: "label_smoothing must be between 0.0 and "
          f"1.0. Got: {label_smoothing}")  # fmt: skip
    how = weight, ignore_index, reduction, label_smoothing
    if same_shape("cross_entropy", input, target):
        return of_probabilities(input, target, *how)
    return classified("cross_entropy", input, target, *how)


def classified(name, x, target, weight, ignore, reduction, smooth):
    """The two losses; classes alone, (C,) and a target (), are a batch of one."""
    check_reduction(reduction)
    target = checked(name, x, target, weight, ignore)
    single = x.ndim == 1
    if single:
        x, target = x.unsqueeze(0), target.reshape(1)
    if weight is not None:
        weight = weight.detach().to(dtype=computed_in(x.dtype))
    y, _ = nll(x, target, weight, log=name == "nll_loss", reduction=reduction,
               ignore=ignore, smooth=smooth)  # fmt: skip
    return y.reshape(()) if single else y


def check_reduction(reduction):
    check(reduction in REDUCTIONS, lambda: f"{reduction} is not a valid value for "
          "reduction", ValueError)  # fmt: skip


def checked(name, x, target, weight, ignore):
    """The target; raises what PyTorch raises for operands that do not fit."""
    same_shape(name, x, target)
    if weight is not None:
        tensor_for(name, "weight", weight)
    shape, target_shape = x.shape, target.shape
    check(shape, lambda: f"{name}: Expected 1 or more dimensions (got 0)", ValueError)
    check(target.dtype in (int64, uint8), lambda: f"{name}: expected target dtype to be"
          f" int64, but got {target.dtype}: target.long()")  # fmt: skip
    check(type(ignore) is int, lambda: f"{name}(): argument 'ignore_index' must be "
          f"int, not {ignore!r}", TypeError)  # fmt: skip
    batch, wanted = shape[:1], (*shape[:1], *shape[2:])
    check(len(shape) == 1 or target_shape[:1] == batch,
          lambda: f"{name}: Expected input batch_size ({batch[0]}) to match target "
          f"batch_size ({[*target_shape, 'none'][0]}).", ValueError)  # fmt: skip
    check(target_shape == wanted or len(shape) == 1 and target.numel() == 1,
          lambda: f"{name}: Expected target size {list(wanted)}, got "
          f"{list(target_shape)}")  # fmt: skip
    if weight is not None:
        check_weight(name, x, weight)
    return target.long()


def check_weight(name, x, weight):
    """A number for each class, in the dtype of the scores."""
    classes = x.shape[0 if x.ndim == 1 else 1]
    check(weight.shape == (classes,), lambda: f"{name}: weight tensor should be "
          f"defined either for all {classes} classes or no classes but got weight "
          f"tensor of shape: {list(weight.shape)}")  # fmt: skip
    check(weight.dtype == x.dtype,
          lambda: f"{name}: expected a weight of the input's dtype {x.dtype}, but "
          f"found {weight.dtype}: weight.to(input.dtype) makes a copy")  # fmt: skip


def of_probabilities(x, target, weight, ignore, reduction, smooth):
    """cross_entropy with the probability of each class."""
    check(target.dtype.kind == "f", lambda: "cross_entropy: Expected floating point "
          f"type for target with class probabilities, got {target.dtype}")  # fmt: skip
    check(ignore < 0, "ignore_index is not supported for floating point target")
    dim = min(1, x.ndim - 1)
    if smooth:
        target = target * (1 - smooth) + smooth / x.shape[dim]
    terms = log_softmax(x, dim) * target
    if weight is not None:
        check_weight("cross_entropy", x, weight)
        terms = terms * weight.view(-1, *(1,) * (x.ndim - dim - 1))
    loss = -terms.sum(dim)
    if reduction == "mean":
        return loss.sum() / (x.numel() // x.shape[dim])
    return reduced(loss, reduction)


# ------------------------------------------------- more of elements

bce = pointwise("binary_cross_entropy",
    lambda a, b: -(b * np.maximum(np.log(a), -100)
                   + (1 - b) * np.maximum(np.log1p(-a), -100)),
    "-(b * fmax(log(a), (M)-100) + (1 - b) * fmax(log1p(-a), (M)-100))",
    lambda dy, a, b: dy * (a - b) / (a * (1 - a)).clamp(min=1e-12),
    lambda dy, a: dy * ((1 - a).log() - a.log()), dtypes=FLOATS)  # fmt: skip
smooth_l1 = pointwise("smooth_l1_loss",
    lambda a, b, c: np.where(abs(a - b) < c, 0.5 * (a - b) ** 2 / c,
                             abs(a - b) - 0.5 * c),
    "(a - b < c && b - a < c ? (M)0.5 * (a - b) * (a - b) / c "
    ": (a < b ? b - a : a - b) - (M)0.5 * c)",
    lambda dy, a, b, c: smooth_l1_slope(dy, a, b, c),
    lambda dy, a, b, c: -smooth_l1_slope(dy, a, b, c), None, dtypes=FLOATS)  # fmt: skip


def smooth_l1_slope(dy, a, b, c):
    if not c:
        return dy * (a - b).sign()
    return dy * ((a - b) / c).clamp(-1, 1)


@functional
def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """-(target log input + (1 - target) log(1 - input)), each logarithm at least -100.

    input: shares, between 0 and 1. weight: what each element counts, broadcast.
    """
    check(same_shape("binary_cross_entropy", input, target),
          lambda: f"Using a target size ({list(target.shape)}) that is different to "
          f"the input size ({list(input.shape)}) is deprecated. Please ensure they "
          "have the same size.", ValueError)  # fmt: skip
    for name, x in ("input", input.detach()), ("target", target.detach()):
        check(x.device == "cuda" or bool(((x >= 0) & (x <= 1)).all()),
              f"all elements of {name} should be between 0 and 1")  # fmt: skip
    loss = bce(input, target)
    return reduced(loss if weight is None else loss * weight, reduction)


@functional
def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """(input - target)² / (2 beta) where that is below beta, else their distance."""
    check(beta >= 0, "smooth_l1_loss does not support negative values for beta.")
    if not same_shape("smooth_l1_loss", input, target):
        warn_of_broadcasting(input, target)
    return reduced(smooth_l1(input, target, float(beta)), reduction)


@functional
def kl_div(input, target, reduction="mean", log_target=False):
    """target * (log target - input): input has logarithms, target too if log_target.

    reduction: "batchmean" divides the sum by the first size, as the definition does.
    """
    same_shape("kl_div", input, target)
    for x in input, target:
        check(x.dtype in FLOATS, "kl_div: Integral inputs not supported.")
    if log_target:
        loss = target.exp() * (target - input)
    else:  # of 0 only the product with its logarithm is 0; one below 0 gives NaN
        own = target * where(target == 0, 1, target).log()
        loss = where(target == 0, 0, own) - target * input
    if reduction == "batchmean":
        return loss.sum() / input.shape[0]
    return reduced(loss, reduction)
