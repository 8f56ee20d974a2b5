"""SGD: stochastic gradient descent, with momentum."""

from ..exercises.registry import exercise
from . import fused as kernels
from .optimizer import Optimizer, check_at_least_0


@exercise(points=2, stars=2, minutes=15)
def sgd(
    param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False
):
    """Make one step of stochastic gradient descent, and return the buffer.

    1. Add weight_decay * param to the gradient.
    2. If momentum isn't 0, the new buffer is momentum * buffer + (1 - dampening) *
       gradient. If `buffer` is None, as in the first step, the new buffer is a copy of
       the gradient, without dampening.
    3. The direction is the buffer. With nesterov, it's gradient + momentum * buffer.
       Without momentum, it's the gradient.
    4. Subtract lr * direction from param, in place.

    grad: must stay as it is, and the buffer must not share its memory.
    buffer: None, or the buffer that the step before returned, which may change in
        place. Without momentum, it has no effect.
    param: all its numbers are finite, and the call is inside no_grad().
    nesterov: True only with momentum and without dampening.

    Returns the buffer for the next step, or None without momentum.
    """


class SGD(Optimizer):
    """Steps against the gradient, by the rule sgd.

    fused: one kernel for several parameters at once, where True; the rule, operator by
    operator, where False; None: the kernel on "sim" and "cuda".
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        fused=None,
    ):
        check_at_least_0(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        rule = {"lr": lr, "momentum": momentum, "dampening": dampening}
        rule |= {"weight_decay": weight_decay, "nesterov": nesterov}
        super().__init__(params, {**rule, "maximize": maximize, "fused": fused})

    def update(self, params, group):
        by_kernel, others = kernels.split(params, group["fused"])
        kernels.sgd(by_kernel, self.state, group)
        names = "lr", "momentum", "dampening", "weight_decay", "nesterov"
        options = {name: group[name] for name in names}
        for param in others:
            grad = -param.grad if group["maximize"] else param.grad
            buffer = self.state.get(param, {}).get("momentum_buffer")
            buffer = sgd(param, grad, buffer, **options)
            if buffer is not None:
                self.state[param] = {"momentum_buffer": buffer}
