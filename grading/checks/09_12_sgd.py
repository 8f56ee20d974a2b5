"""SGD."""

import torch

from grading.checking import checks
from grading.mistakes import Known, Mistake, equivalent, mistakes, right
from minigrad.optim.sgd import sgd

from .update_rules import RuleCheck


@checks(sgd)
class Sgd(RuleCheck):
    optimiser = torch.optim.SGD

    def cases(self, random):
        yield "plain steps", self.of(random, lr=0.1)
        yield "plain steps", self.of(random, steps=1, lr=0.03)
        yield "momentum", self.of(random, lr=0.1, momentum=0.9)
        yield "momentum", self.of(random, steps=2, lr=0.2, momentum=0.5)
        yield "dampening", self.of(random, lr=0.1, dampening=0.5)
        yield "dampening", self.of(random, lr=0.1, momentum=0.8, dampening=0.3)
        yield "weight decay", self.of(random, lr=0.1, weight_decay=0.2)
        how = {"momentum": 0.7, "weight_decay": 0.1}
        yield "weight decay", self.of(random, lr=0.05, **how)
        yield "nesterov", self.of(random, lr=0.1, momentum=0.9, nesterov=True)
        yield "nesterov", self.of(random, lr=0.1, nesterov=True, **how)


DECAY = "if weight_decay:\n        grad = grad + weight_decay * param"
NEXT = "buffer.mul_(momentum).add_((1 - dampening) * grad)"
mistakes(
    sgd,
    uphill=Mistake(
        "the step goes up the hill: lr times the direction is subtracted",
        "sub_ -> add_",
    ),
    not_in_place=Mistake(
        "the parameter is not changed in place: param.sub_(...), or what you "
        "computed is lost",
        "param.sub_(lr * grad) -> param = param - lr * grad",
    ),
    no_momentum=Mistake("the momentum is not used", "if momentum: -> if False:"),
    forgets=Mistake(
        "the buffer is not returned, or not kept: each step begins a new one",
        "return buffer ->",
        f"{NEXT} -> buffer = grad.clone()",
    ),
    damped_first=Mistake(
        "the first buffer is the gradient itself: dampening begins with the second "
        "step",
        "grad.clone() -> (1 - dampening) * grad",
    ),
    zero_first=Mistake(
        "the first step is lost: where the buffer is None it begins with the "
        "gradient, not with 0",
        "grad.clone() -> 0 * grad",
    ),
    no_decay=Mistake("the weight decay is missing", "if weight_decay: -> if False:"),
    decoupled=Mistake(
        "the weights are shrunk apart from the gradient, as AdamW does it: here "
        "weight_decay * param is added to the gradient, and goes through the "
        "momentum",
        f"{DECAY} -> param.mul_(1 - lr * weight_decay)",
    ),
    no_nesterov=Mistake(
        "nesterov is not used: the direction is grad + momentum * buffer",
        "if nesterov else -> if False else",
    ),
    no_dampening=Mistake(
        "dampening is not used: the gradient enters the buffer times 1 - dampening",
        "(1 - dampening) * ->",
    ),
    changed=Known(
        f"{DECAY} -> grad.add_(weight_decay * param).mul_(1.001)",
        "grad.clone() -> grad",  # the buffer is the gradient
    ),
)

equivalent(
    sgd,
    "0 * param is added, which changes nothing",
    "guard dropped: if weight_decay: -> if True",
)
equivalent(
    sgd,
    "the buffer may be any tensor: the caller keeps the one that is returned",
    "a copy: return buffer",
)
right(
    sgd,
    "new tensors",
    (
        f"{NEXT} -> buffer = momentum * buffer + (1 - dampening) * grad",
        "if weight_decay: -> if True:",
    ),
)


@right(sgd, "by copy_")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    g = grad + weight_decay * param
    if not momentum:
        param.copy_(param - lr * g)
        return None
    buffer = g if buffer is None else buffer * momentum + g * (1 - dampening)
    param.copy_(param - lr * (g + buffer * momentum if nesterov else buffer))
    return buffer
