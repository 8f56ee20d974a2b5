"""Losses of elements: squared error, and binary cross entropy of logits."""

import warnings

import numpy as np

from ..promotion import FLOATS
from .base import expect, table, tensor_for

# The gradients' operands are a, the gradient of the result, and b, c, the loss' own.
squared_backward, cross_backward = table(
    ("mse_loss_backward", lambda a, b, c: a * (2 * (b - c)), "a * (2 * (b - c))",
     (lambda dy, b, c: squared_backward(dy, b, c), lambda dy, a: 2 * dy * a,
      lambda dy, a: -2 * dy * a)),
    ("binary_cross_entropy_with_logits_backward",
     lambda a, b, c: a * (1 / (1 + np.exp(-b)) - c), "a * (1 / (1 + exp(-b)) - c)",
     (lambda dy, b, c: cross_backward(dy, b, c),
      lambda dy, a, b: dy * a * b.sigmoid() * (-b).sigmoid(),
      lambda dy, a: -(dy * a))),
    dtypes=FLOATS,
)  # fmt: skip


def binary(a, b):
    return np.maximum(a, 0) - a * b + np.log1p(np.exp(-np.abs(a)))


squared, cross = table(
    ("mse_loss", lambda a, b: (a - b) * (a - b), "(a - b) * (a - b)",
     ((squared_backward, "ab"), (squared_backward, "ba"))),
    ("binary_cross_entropy_with_logits", binary,
     "(a > 0 ? a : 0) - a * b + log1p(exp(a < 0 ? a : -a))",
     ((cross_backward, "ab"), lambda dy, a: -(dy * a))),
    dtypes=FLOATS,
)  # fmt: skip


def reduced(loss, reduction):
    """The mean or the sum of a loss, or the loss as it is."""
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return loss.mean() if reduction == "mean" else loss.sum()


def same_shape(name, input, target):
    """Have both the same shape? TypeError for what is no tensor."""
    try:
        return input._layout[0] == target._layout[0]
    except AttributeError:
        expect(name, {"input": input, "target": target})
        raise


def mse_loss(input, target, reduction="mean"):
    """(input - target)² of each element: their mean, their sum, or ("none") all."""
    if not same_shape("mse_loss", input, target):
        warnings.warn(
            f"Using a target size ({list(target.shape)}) that is different to the "
            f"input size ({list(input.shape)}). This will likely lead to incorrect "
            f"results due to broadcasting. Please ensure they have the same size: "
            f"target.reshape(input.shape), or target.unsqueeze(1)",
            stacklevel=2,
        )
    return reduced(squared(input, target), reduction)


def binary_cross_entropy_with_logits(
    input, target, weight=None, reduction="mean", pos_weight=None
):
    """-(target · log s + (1 - target) · log(1 - s)) with s = sigmoid(input).

    weight: what each element counts. pos_weight: what `target` counts beside 1 -
    target. Both are tensors that are broadcast.
    """
    if not same_shape("binary_cross_entropy_with_logits", input, target):
        raise ValueError(
            f"Target size ({list(target.shape)}) must be the same as input size "
            f"({list(input.shape)}): target.reshape(input.shape), or "
            f"target.unsqueeze(1) for (N,) beside (N, 1)"
        )
    if target.dtype.kind != "f":
        raise RuntimeError(
            'binary_cross_entropy_with_logits: the target is the share of "yes", a '
            f"float, not {target.dtype}: target.float()"
        )
    loss = cross(input, target)
    if pos_weight is not None:  # -log s of the positive part, once more
        tensor_for("binary_cross_entropy_with_logits", "pos_weight", pos_weight)
        loss = loss + (pos_weight - 1) * target * cross(input, 1.0)
    loss = loss if weight is None else loss * weight
    return reduced(loss, reduction)
