"""Losses as PyTorch calls them, and what may be wrong with their arguments."""

from ..storage import int64, uint8
from .base import expect, number_for
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
    number_for("cross_entropy", "label_smoothing", label_smoothing)
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(
            f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}"
        )
    if shapes_of("cross_entropy", input, target, weight)[1] == input._layout[0]:
        return of_probabilities(
            input, target, weight, ignore_index, reduction, label_smoothing
        )
    return classified(
        "cross_entropy", input, target, weight, ignore_index, reduction,
        label_smoothing, (size_average, reduce),
    )  # fmt: skip


def shapes_of(name, x, target, weight):
    """Those of the input and the target; TypeError for what is no tensor."""
    try:
        _ = weight is None or weight._layout
        return x._layout[0], target._layout[0]
    except AttributeError:
        expect(name, {"input": x, "target": target}, {"weight": weight})
        raise


def classified(name, x, target, weight, ignore, reduction, smooth, old):
    """The two losses; classes alone, (C,) and a target (), are a batch of one."""
    reduction = check_reduction(reduction, name, old)
    target = checked(name, x, target, weight, ignore)
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


def checked(name, x, target, weight, ignore):
    """The target; raises what PyTorch raises for operands that do not fit."""
    shape, found = shapes_of(name, x, target, weight)
    if not shape:
        raise ValueError(f"{name}: Expected 1 or more dimensions (got 0)")
    if target.dtype == uint8:
        target = target.long()
    elif target.dtype != int64:
        raise RuntimeError(
            f"{name}: expected target dtype to be int64, but got {target.dtype}: "
            "classes are whole numbers, target.long()"
        )
    if type(ignore) is not int:
        raise TypeError(
            f"{name}(): argument 'ignore_index' must be int, not {ignore!r}"
        )
    batch, wanted = shape[:1], (*shape[:1], *shape[2:])
    if len(shape) > 1 and found[:1] != batch:
        got = found[0] if found else "none"
        raise ValueError(
            f"{name}: Expected input batch_size ({batch[0]}) to match target "
            f"batch_size ({got})."
        )
    if found != wanted and not (len(shape) == 1 and target.numel() == 1):
        raise RuntimeError(
            f"{name}: Expected target size {list(wanted)}, got {list(found)}"
        )
    if weight is not None:
        check_weight(name, x, weight)
    return target


def check_weight(name, x, weight):
    """A number for each class, in the dtype of the scores."""
    classes = x.shape[0 if x.ndim == 1 else 1]
    if weight.shape != (classes,):
        raise RuntimeError(
            f"{name}: weight tensor should be defined either for all {classes} classes "
            f"or no classes but got weight tensor of shape: {list(weight.shape)}"
        )
    if weight.dtype != x.dtype:
        raise RuntimeError(
            f"{name}: expected a weight of the input's dtype {x.dtype}, but found "
            f"{weight.dtype}: weight.to(input.dtype) makes a copy"
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
    if weight is not None:
        check_weight("cross_entropy", x, weight)
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
