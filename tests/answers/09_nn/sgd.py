"""Answers of sgd by other algorithms."""

from minigrad.optim.sgd import sgd
from tools.audit.specimens import answer


@answer(sgd, right="by copy_")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    g = grad + weight_decay * param
    if not momentum:
        param.copy_(param - lr * g)
        return None
    buffer = g if buffer is None else buffer * momentum + g * (1 - dampening)
    param.copy_(param - lr * (g + buffer * momentum if nesterov else buffer))
    return buffer
