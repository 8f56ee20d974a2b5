"""Adam and AdamW: a step size of its own for every element."""

from ..dtypes import float32
from ..exercises.registry import exercise
from . import fused as kernels
from .optimizer import Optimizer, check_at_least_0


@exercise(points=5, stars=2, minutes=25, level="good to know")
def adam(
    param,
    grad,
    exp_avg,
    exp_avg_sq,
    step,
    lr,
    betas,
    eps,
    weight_decay,
    decoupled=False,
):
    """Make one step of Adam, or of AdamW if `decoupled`.

    param, exp_avg, and exp_avg_sq change in place.

    1. Adam adds weight_decay * param to the gradient. AdamW instead multiplies param by
       1 - lr * weight_decay, so the averages never see the decay.
    2. Move both averages: average = beta * average + (1 - beta) * new. For exp_avg, new
       is the gradient. For exp_avg_sq, it's the gradient's square.
    3. Correct both averages: divide them by 1 - beta ** step, but not in place.
    4. Subtract lr * exp_avg / (sqrt(exp_avg_sq) + eps), with the corrected averages.

    grad: must stay as it is.
    betas: (beta1, beta2), for exp_avg and exp_avg_sq.
    step: an int, which is 1 in the first step. Both averages are 0 before it.

    D. P. Kingma, J. Ba: Adam: a method for stochastic optimization (2015).
    I. Loshchilov, F. Hutter: Decoupled weight decay regularization (2019).
    """


class Adam(Optimizer):
    """Averages of the gradient and of its square, by the rule adam.

    fused: one kernel for several parameters at once, where True; the rule, operator by
    operator, where False; None: the kernel on "sim" and "cuda". capturable: the steps
    are counted in a tensor, and lr may be one: a CUDA graph reads both at each replay.
    """

    decoupled = False  # does the weight decay go by the averages?

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        *,
        maximize=False,
        capturable=False,
        fused=None,
    ):
        check_at_least_0(lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas(betas)
        if hasattr(lr, "storage") and not capturable:
            raise ValueError(
                "lr as a Tensor is not supported for capturable=False: with "
                "capturable=True lr and the number of the step stay in memory"
            )
        rule = {"lr": lr, "betas": tuple(betas), "eps": eps}
        rule |= {"weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {**rule, "capturable": capturable, "fused": fused})

    def update(self, params, group):
        for param in params:
            state = self.state.setdefault(param, {})
            if "step" not in state:
                state["step"] = self.counter(param, group)
            for name in "exp_avg", "exp_avg_sq":
                if name not in state:
                    state[name] = param.new_zeros(param.shape)
        self.count(params)
        by_kernel, others = kernels.split(params, group["fused"])
        kernels.adam(by_kernel, self.state, group, self.decoupled)
        options = [group[name] for name in ("lr", "betas", "eps", "weight_decay")]
        for param in others:
            grad = -param.grad if group["maximize"] else param.grad
            state = [self.state[param][k] for k in ("exp_avg", "exp_avg_sq", "step")]
            adam(param, grad, *state, *options, self.decoupled)

    def counter(self, param, group):
        """Where the steps are counted: 0; or, capturable, a tensor for all of them."""
        if not group["capturable"]:
            return 0
        for state in self.state.values():
            step = state.get("step")
            if hasattr(step, "storage") and step.device == param.device:
                return step
        return param.new_zeros((), float32)

    def count(self, params):
        """One step more."""
        counted = set()
        for state in (self.state[p] for p in params):
            if isinstance(state["step"], int):
                state["step"] += 1
            elif id(state["step"]) not in counted:
                counted.add(id(state["step"]))
                state["step"].add_(1)


class AdamW(Adam):
    """Adam whose weight decay does not go through the averages: `decoupled`."""

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
        capturable=False,
        fused=None,
    ):
        options = {"maximize": maximize, "capturable": capturable, "fused": fused}
        super().__init__(params, lr, betas, eps, weight_decay, **options)


def check_betas(betas):
    """Raise unless they are two numbers of [0, 1)."""
    if not isinstance(betas, list | tuple) or len(betas) != 2:
        raise TypeError(f"betas are two numbers, as (0.9, 0.999), not {betas!r}")
    for number, beta in enumerate(betas):
        if isinstance(beta, str) or not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {number}: {beta}")
