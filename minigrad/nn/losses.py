"""Losses: how far an output is from its target, as one number."""

from . import functional as f
from .module import Module


class Loss(Module):
    """reduction: "mean", "sum", or "none" for a loss of each sample."""

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in ("none", "mean", "sum"):
            raise ValueError(f"{reduction} is not a valid value for reduction")
        self.reduction = reduction


class MSELoss(Loss):
    """(input - target)²."""

    def forward(self, input, target):
        return f.mse_loss(input, target, reduction=self.reduction)


class Weighted(Loss):
    """A loss with a tensor `weight`, a buffer."""

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class NLLLoss(Weighted):
    """Minus the logarithm of the target class' share, which is the input.

    input: (N, C, ...), log_softmax of scores. target: (N, ...), the classes. weight:
    (C,). The mean is that of the samples by the weights of their classes, without those
    whose target is ignore_index.
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return f.nll_loss(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
        )


class CrossEntropyLoss(Weighted):
    """log_softmax and NLLLoss in one, of scores (N, C, ...).

    label_smoothing: that share of the target is spread over all classes.
    """

    def __init__(
        self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
    ):
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        return f.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class BCEWithLogitsLoss(Weighted):
    """Sigmoid and binary cross entropy in one: target is the share of "yes".

    pos_weight: what a "yes" counts, where a "no" counts 1.
    """

    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return f.binary_cross_entropy_with_logits(
            input,
            target,
            weight=self.weight,
            reduction=self.reduction,
            pos_weight=self.pos_weight,
        )
