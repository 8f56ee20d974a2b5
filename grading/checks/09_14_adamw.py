"""AdamW."""

import torch

from grading.checking import checks
from grading.mistakes import Mistake, Patch, mistakes, right
from minigrad.optim.adam import adam, adamw

from .adam_rules import BOTH, RIGHT, AdamCheck


@checks(adamw)
class AdamW(AdamCheck):
    optimiser, first = torch.optim.AdamW, "weight decay"


def decayed(patch):
    """Weight decay as it should be, then a changed Adam."""
    patch = Patch(*[patch] if isinstance(patch, str) else patch)

    def answer(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
        param.mul_(1 - lr * weight_decay)
        rule = patch.made(adam)
        return rule(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, 0)

    return answer


DECAY = "param.mul_(1 - lr * weight_decay)"
mistakes(
    adamw,
    **{name: Mistake(text, decayed(patch)) for name, (text, patch) in BOTH.items()},
    no_decay=Mistake("the weight decay is missing", f"{DECAY} ->"),
    coupled=Mistake(
        "the decay is added to the gradient, so it goes through the averages: that "
        "is Adam. Here param is multiplied by 1 - lr * weight_decay",
        f"{DECAY} -> grad = grad + weight_decay * param",
    ),
    no_lr=Mistake(
        "the decay is not multiplied with lr: 1 - lr * weight_decay",
        "1 - lr * weight_decay -> 1 - weight_decay",
    ),
    decay_after=Mistake(
        "the param shrinks after the step, not before it",
        (f"{DECAY} ->", f"eps, 0) -> eps, 0); {DECAY}"),
    ),
)
for style, patch in RIGHT.items():
    right(adamw, style, decayed(patch))
