"""Adam."""

import torch

from grading.checking import checks
from grading.mistakes import Known, Mistake, equivalent, mistakes, right
from minigrad.optim.adam import adam

from .adam_rules import BOTH, RIGHT, AdamCheck


@checks(adam)
class Adam(AdamCheck):
    optimiser = torch.optim.Adam


DECAY = "if weight_decay:\n        grad = grad + weight_decay * param"
mistakes(
    adam,
    **{name: Mistake(text, patch) for name, (text, patch) in BOTH.items()},
    no_decay=Mistake("the weight decay is missing", f"{DECAY} ->"),
    decoupled_decay=Mistake(
        "the weights are shrunk apart from the gradient: that is AdamW. In Adam "
        "weight_decay * param is added to the gradient",
        f"{DECAY} -> param.mul_(1 - lr * weight_decay)",
    ),
    changed=Known(f"{DECAY} -> grad += weight_decay * param + 1e-3"),
)
equivalent(
    adam,
    "0 * param is added, which changes nothing",
    "guard dropped: if weight_decay: -> if True",
)
for style, patch in RIGHT.items():
    right(adam, style, patch)
