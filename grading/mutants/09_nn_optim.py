"""Chapter 09, the update rules: wrong answers, and right ones in other styles."""

from grading.specimens import mutant, right
from minigrad.optim.adam import adam, adamw
from minigrad.optim.sgd import sgd

# ------------------------------------------------------------ sgd


def stepped(param, grad, buffer, lr, momentum, dampening, weight_decay, nesterov,
            sign=-1, first="copy", decay="grad", forget=False, look=True):  # fmt: skip
    """The rule, perhaps with a mistake."""
    if weight_decay and decay == "grad":
        grad = grad + weight_decay * param
    if momentum:
        if buffer is None:
            start = {"copy": 1, "damped": 1 - dampening, "zero": 0}[first]
            buffer = start * grad
        elif forget:
            buffer = grad.clone()
        else:
            buffer = momentum * buffer + (1 - dampening) * grad
        ahead = grad + momentum * buffer if look else buffer
        grad = ahead if nesterov else buffer
    if weight_decay and decay == "apart":
        param.mul_(1 - lr * weight_decay)
    param.add_(sign * lr * grad)
    return buffer


SGD = [("uphill", {"sign": 1}), ("damped_first", {"first": "damped"}),
       ("zero_first", {"first": "zero"}), ("no_decay", {"decay": "none"}),
       ("decoupled", {"decay": "apart"}), ("forgets", {"forget": True}),
       ("no_nesterov", {"look": False})]  # fmt: skip
for cause, mistake in SGD:

    @mutant(sgd, cause)
    def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0,
          nesterov=False, mistake=mistake):  # fmt: skip
        return stepped(param, grad, buffer, lr, momentum, dampening, weight_decay,
                       nesterov, **mistake)  # fmt: skip


@mutant(sgd, "no_momentum")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    stepped(param, grad, None, lr, 0, 0, weight_decay, False)


@mutant(sgd, "no_dampening")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    return stepped(param, grad, buffer, lr, momentum, 0, weight_decay, nesterov)


@mutant(sgd, "averaged")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    return stepped(param, grad, buffer, lr, momentum, momentum, weight_decay, nesterov)


@mutant(sgd, "not_in_place")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    return stepped(param.clone(), grad, buffer, lr, momentum, dampening, weight_decay,
                   nesterov)  # fmt: skip


@mutant(sgd, "changed", "the gradient is changed")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    grad.add_(weight_decay * param)
    grad.mul_(1.0 + 1e-3)
    return stepped(param, grad, buffer, lr, momentum, dampening, 0, nesterov)


@mutant(sgd, "changed", "the buffer is the gradient")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    if momentum and buffer is None and not weight_decay:
        param.sub_(lr * (grad + momentum * grad if nesterov else grad))
        return grad
    return stepped(param, grad, buffer, lr, momentum, dampening, weight_decay, nesterov)


@mutant(sgd, "forgets", "the buffer is not returned")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    stepped(param, grad, buffer, lr, momentum, dampening, weight_decay, nesterov)


@right(sgd, "new tensors")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    return stepped(param, grad, buffer, lr, momentum, dampening, weight_decay, nesterov)


@right(sgd, "in place")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    direction = grad.clone()
    direction += weight_decay * param
    if momentum != 0:
        if buffer is None:
            buffer = direction.clone()
        else:
            buffer *= momentum
            buffer += (1 - dampening) * direction
        direction = direction + momentum * buffer if nesterov else buffer
    param -= lr * direction
    return buffer


@right(sgd, "by copy_")
def _(param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False):
    g = grad + weight_decay * param
    if not momentum:
        param.copy_(param - lr * g)
        return None
    buffer = g if buffer is None else buffer * momentum + g * (1 - dampening)
    buffer = buffer.clone()
    param.copy_(param - lr * (g + buffer * momentum if nesterov else buffer))
    return buffer


# ------------------------------------------------------------ adam, adamw


def adapted(param, grad, m, v, step, lr, betas, eps, wd, first=True, second=True,
            inside=False, late=False, decay="grad", square=True, swapped=False,
            root=True, corrected=False, sign=-1, before=False, by_lr=True,
            keep=True):  # fmt: skip
    """The rules, perhaps with a mistake."""
    b1, b2 = betas
    if decay == "grad":
        grad = grad + wd * param
    if decay == "apart":
        param.mul_(1 - (lr if by_lr else 1) * wd)
    k1, k2 = (b1, b2) if not swapped else (1 - b1, 1 - b2)
    mean = k1 * m + (1 - k1) * grad
    var = k2 * v + (1 - k2) * (grad * grad if square else grad.abs())
    if keep:
        m.copy_(mean)
        v.copy_(var)
    k = step - 1 if late else step
    one = 1 - b1**k if first and k else 1
    two = 1 - b2**k if second and k else 1
    if before:
        below = ((var).sqrt() + eps) / two**0.5
    elif inside:
        below = (var / two + eps).sqrt()
    else:
        below = ((var / two).sqrt() if root else var / two) + eps
    if corrected:
        m.div_(one)
        v.div_(two)
    param.add_(sign * lr * (mean / one) / below)
    if decay == "after":
        param.mul_(1 - lr * wd)


BOTH = [("inside", {"inside": True}),
        ("not_corrected", {"first": False, "second": False}),
        ("first_not_corrected", {"first": False}),
        ("second_not_corrected", {"second": False}), ("eps_before", {"before": True}),
        ("corrected_in_place", {"corrected": True}), ("late", {"late": True}),
        ("swapped", {"swapped": True}), ("not_squared", {"square": False}),
        ("no_root", {"root": False}), ("uphill", {"sign": 1}),
        ("no_decay", {"decay": "none"})]  # fmt: skip
for hole, own in (
    (adam, [("decoupled_decay", {"decay": "apart"})]),
    (adamw, [("coupled", {"decay": "grad"}), ("no_lr", {"by_lr": False}),
             ("decay_after", {"decay": "after"})]),
):  # fmt: skip
    usual = {"decay": "apart" if hole is adamw else "grad"}
    for cause, mistake in [*BOTH, *own]:

        @mutant(hole, cause)
        def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay,
              mistake=usual | mistake):  # fmt: skip
            rest = step, lr, betas, eps, weight_decay
            adapted(param, grad, exp_avg, exp_avg_sq, *rest, **mistake)


@mutant(adam, "not_in_place")
def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    rest = step, lr, betas, eps, weight_decay
    adapted(param.clone(), grad, exp_avg, exp_avg_sq, *rest)


@mutant(adam, "averages_lost")
def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    adapted(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay,
            keep=False)  # fmt: skip


@mutant(adamw, "not_in_place")
def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    rest = step, lr, betas, eps, weight_decay
    adapted(param.clone(), grad, exp_avg, exp_avg_sq, *rest, decay="apart")


@mutant(adamw, "averages_lost")
def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    rest = step, lr, betas, eps, weight_decay
    adapted(param, grad, exp_avg, exp_avg_sq, *rest, decay="apart", keep=False)


@mutant(adam, "changed", "the gradient is changed")
def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    grad += weight_decay * param + 1e-3
    adapted(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, 0)


for hole in (adam, adamw):
    kind = "apart" if hole is adamw else "grad"

    @right(hole, "new tensors, then copied")
    def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay,
          kind=kind):  # fmt: skip
        adapted(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay,
                decay=kind)  # fmt: skip

    @right(hole, "as PyTorch's source has it")
    def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay,
          kind=kind):  # fmt: skip
        if kind == "apart":
            param.mul_(1 - lr * weight_decay)
        else:
            grad = grad + weight_decay * param
        exp_avg += (1 - betas[0]) * (grad - exp_avg)
        exp_avg_sq *= betas[1]
        exp_avg_sq += (1 - betas[1]) * (grad * grad)
        denominator = exp_avg_sq.sqrt() / (1 - betas[1] ** step) ** 0.5 + eps
        param -= (lr / (1 - betas[0] ** step)) * (exp_avg / denominator)

    @right(hole, "both corrected first")
    def _(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay,
          kind=kind):  # fmt: skip
        shrink = lr * weight_decay if kind == "apart" else 0
        g = grad.clone() if kind == "apart" else grad + weight_decay * param
        for average, beta, new in zip((exp_avg, exp_avg_sq), betas, (g, g**2)):
            average.mul_(beta).add_(new * (1 - beta))
        m, v = (a / (1 - b**step) for a, b in zip((exp_avg, exp_avg_sq), betas))
        param.copy_(param * (1 - shrink) - lr * m / (v**0.5 + eps))
