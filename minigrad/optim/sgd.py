"""Stochastic gradient descent, with momentum."""

from . import fused, rules
from .optimizer import Optimizer, check_at_least_0


class SGD(Optimizer):
    """Steps against the gradient; see rules.sgd.

    fused: run a kernel of its own for several parameters at once, where True; the rule,
    operator by operator, where False; None: the kernel on "sim" and "cuda".
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
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
                "fused": fused,
            },
        )

    def update(self, params, group):
        together, others = fused.split(params, group["fused"])
        if together:
            fused.sgd(together, self.state, group)
        names = "lr", "momentum", "dampening", "weight_decay", "nesterov"
        options = {name: group[name] for name in names}
        for param in others:
            grad = -param.grad if group["maximize"] else param.grad
            buffer = self.state.get(param, {}).get("momentum_buffer")
            buffer = rules.sgd(param, grad, buffer, **options)
            if buffer is not None:
                self.state[param] = {"momentum_buffer": buffer}
