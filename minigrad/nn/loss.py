"""Losses: how far an output is from its target, as one number."""

from . import functional as f
from .module import Module


class Loss(Module):
    """reduction: "mean", "sum", or "none" for a loss of each sample."""

    reductions = "none", "mean", "sum"

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in self.reductions:
            raise ValueError(f"{reduction} is not a valid value for reduction")
        self.reduction = reduction


class MSELoss(Loss):
    """(input - target)²."""

    def forward(self, input, target):
        return f.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """|input - target|, but a parabola where that is less than beta."""

    def __init__(self, reduction="mean", beta=1.0):
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input, target):
        how = {"reduction": self.reduction, "beta": self.beta}
        return f.smooth_l1_loss(input, target, **how)


class KLDivLoss(Loss):
    """target * (log(target) - input), of log-probabilities and probabilities.

    log_target: target, too, has log-probabilities. reduction: also "batchmean", the sum
    divided by the number of samples.
    """

    reductions = *Loss.reductions, "batchmean"

    def __init__(self, reduction="mean", log_target=False):
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input, target):
        how = {"reduction": self.reduction, "log_target": self.log_target}
        return f.kl_div(input, target, **how)


class WeightedLoss(Loss):
    """A loss with a tensor `weight`, or None, a buffer."""

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class NLLLoss(WeightedLoss):
    """Minus the target class's log-probability, which is the input.

    input: (N, C, ...), log_softmax of scores. target: (N, ...), the classes. weight:
    (C,). The mean is that of the samples by the weights of their classes, without those
    whose target is ignore_index.
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        how = {"ignore_index": self.ignore_index, "reduction": self.reduction}
        return f.nll_loss(input, target, self.weight, **how)


class CrossEntropyLoss(WeightedLoss):
    """log_softmax and NLLLoss in one, of scores (N, C, ...).

    label_smoothing: that share of the target is spread over all classes.
    """

    def __init__(
        self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
    ):
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        how = {"ignore_index": self.ignore_index, "reduction": self.reduction}
        how["label_smoothing"] = self.label_smoothing
        return f.cross_entropy(input, target, self.weight, **how)


class BCELoss(WeightedLoss):
    """Binary cross entropy: input and target are probabilities of "yes"."""

    def forward(self, input, target):
        how = {"reduction": self.reduction}
        return f.binary_cross_entropy(input, target, self.weight, **how)


class BCEWithLogitsLoss(WeightedLoss):
    """Sigmoid and binary cross entropy in one: target is the probability of "yes".

    pos_weight: what a "yes" counts, where a "no" counts 1.
    """

    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        how = {"reduction": self.reduction, "pos_weight": self.pos_weight}
        return f.binary_cross_entropy_with_logits(input, target, self.weight, **how)
