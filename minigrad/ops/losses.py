"""Losses as PyTorch calls them, and what may be wrong with their arguments."""

from ..storage import int64
from .ladder import computed_in
from .nll import REDUCTIONS, nll
from .rows import log_softmax


def nll_loss(input, target, weight=None, size_average=None,  # noqa: A002
             ignore_index=-100, reduce=None, reduction="mean"):  # fmt: skip
    """-weight[t] * input[t] for each target t: input (N, C, ...) has logarithms.

    reduction: "mean" divides the sum by the sum of the weights. Targets that are
    ignore_index count for nothing.
    """
    return classified(
        "nll_loss", input, target, weight, ignore_index, reduction, 0.0,
        (size_average, reduce),
    )  # fmt: skip


def cross_entropy(input, target, weight=None, size_average=None,  # noqa: A002
                  ignore_index=-100, reduce=None, reduction="mean",
                  label_smoothing=0.0):  # fmt: skip
    """nll_loss of log_softmax(input, 1), without storing it: input has scores.

    target: classes (N, ...), int64; or the probability of each class, as input.
    label_smoothing: the share of each target that is spread over all classes.
    """
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(
            f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}"
        )
    if target.shape == input.shape:
        return of_probabilities(
            input, target, weight, ignore_index, reduction, label_smoothing
        )
    return classified(
        "cross_entropy", input, target, weight, ignore_index, reduction,
        label_smoothing, (size_average, reduce),
    )  # fmt: skip


def classified(name, x, target, weight, ignore, reduction, smooth, old):
    """The two losses; classes alone, (C,) and a target (), are a batch of one."""
    reduction = check_reduction(reduction, name, old)
    check(name, x, target, weight)
    single = x.ndim == 1
    if single:
        x, target = x.unsqueeze(0), target.reshape(1)
    if weight is not None:
        weight = weight.detach().to(dtype=computed_in(x.dtype))
    y, _ = nll(
        x, target, weight, log=name == "nll_loss", reduction=reduction, ignore=ignore,
        smooth=smooth,
    )  # fmt: skip
    return y.reshape(()) if single else y


def check_reduction(reduction, name, old=(None, None)):
    if old != (None, None):
        raise TypeError(f"{name}: size_average and reduce are old: say reduction='sum'")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def check(name, x, target, weight):
    """Raise what PyTorch raises for operands that do not fit."""
    if not x.ndim:
        raise ValueError(f"{name}: Expected 1 or more dimensions (got 0)")
    if target.dtype != int64:
        raise RuntimeError(
            f"{name}: expected target dtype to be int64, but got {target.dtype}: "
            "classes are whole numbers, target.long()"
        )
    classes = x.shape[0 if x.ndim == 1 else 1]
    batch, wanted = x.shape[:1], (*x.shape[:1], *x.shape[2:])
    if x.ndim > 1 and target.shape[:1] != batch:
        got = target.shape[0] if target.ndim else "none"
        raise ValueError(
            f"{name}: Expected input batch_size ({batch[0]}) to match target "
            f"batch_size ({got})."
        )
    if target.shape != wanted and not (x.ndim == 1 and target.numel() == 1):
        raise RuntimeError(
            f"{name}: Expected target size {list(wanted)}, got {list(target.shape)}"
        )
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(
            f"{name}: weight tensor should be defined either for all {classes} classes "
            f"or no classes but got weight tensor of shape: {list(weight.shape)}"
        )


def of_probabilities(x, target, weight, ignore, reduction, smooth):
    """cross_entropy with the probability of each class."""
    reduction = check_reduction(reduction, "cross_entropy")
    if target.dtype.kind != "f":
        raise RuntimeError(
            "cross_entropy: Expected floating point type for target with class "
            f"probabilities, got {target.dtype}"
        )
    if ignore >= 0:
        raise RuntimeError("ignore_index is not supported for floating point target")
    dim = min(1, x.ndim - 1)
    if smooth:
        target = target * (1 - smooth) + smooth / x.shape[dim]
    terms = log_softmax(x, dim) * target
    if weight is not None:
        terms = terms * weight.view(-1, *(1,) * (x.ndim - dim - 1))
    loss = -terms.sum(dim)
    if reduction == "none":
        return loss
    loss = loss.sum()
    return loss / (x.numel() // x.shape[dim]) if reduction == "mean" else loss
