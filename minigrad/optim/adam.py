"""Adam and AdamW: a step size of its own for every element."""

from . import fused, rules
from .optimizer import Optimizer, check_at_least_0


class Adam(Optimizer):
    """Averages of the gradient and of its square; see rules.adam.

    fused: run a kernel of its own for several parameters at once, where True; the rule,
    operator by operator, where False; None: the kernel on "sim" and "cuda".
    """

    decoupled = False

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        *,
        maximize=False,
        fused=None,
    ):
        check_at_least_0(lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas(betas)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": tuple(betas),
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
                "fused": fused,
            },
        )

    def rule(self, *args):
        rules.adam(*args)

    def update(self, params, group):
        for param in params:
            kept = self.state.setdefault(param, {})
            if not kept:
                kept["step"] = 0
                for name in ("exp_avg", "exp_avg_sq"):
                    kept[name] = param.new_zeros(param.shape)
            kept["step"] += 1
        together, others = fused.split(params, group["fused"])
        if together:
            fused.adam(together, self.state, group, self.decoupled)
        options = [group[name] for name in ("lr", "betas", "eps", "weight_decay")]
        for param in others:
            grad = -param.grad if group["maximize"] else param.grad
            self.rule(param, grad, *averages(self.state[param]), *options)


class AdamW(Adam):
    """Adam whose weight decay does not go through the averages; see rules.adamw."""

    decoupled = True

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        *,
        maximize=False,
        fused=None,
    ):
        options = {"maximize": maximize, "fused": fused}
        super().__init__(params, lr, betas, eps, weight_decay, **options)

    def rule(self, *args):
        rules.adamw(*args)


def check_betas(betas):
    """Raise unless they are two numbers of [0, 1)."""
    if not isinstance(betas, list | tuple) or len(betas) != 2:
        raise TypeError(f"betas are two numbers, as (0.9, 0.999), not {betas!r}")
    for number, beta in enumerate(betas):
        if isinstance(beta, str) or not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {number}: {beta}")


def averages(kept):
    """exp_avg, exp_avg_sq and the step of a parameter's state."""
    return kept["exp_avg"], kept["exp_avg_sq"], kept["step"]
