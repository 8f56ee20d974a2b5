"""The update rules, in operators: what one step does to one parameter."""

from ..exercises.registry import exercise


@exercise("09.12", points=2, stars=2, minutes=15)
def sgd(
    param, grad, buffer, lr, momentum=0, dampening=0, weight_decay=0, nesterov=False
):
    """One step of stochastic gradient descent; `param` is changed in place.

    grad: the gradient, to be left as it is. First weight_decay * param is added to it.
    With a momentum the buffer is momentum * buffer + (1 - dampening) * grad, or in the
    first step, where it is None, the grad itself (a copy: the caller keeps the buffer).
    The direction is the buffer; with nesterov it is grad + momentum * buffer; without
    momentum it is the grad. At last lr times the direction is subtracted.

    Returns the buffer for the next step, None without momentum.
    """


@exercise("09.13", points=3, stars=2, minutes=20)
def adam(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    """One step of Adam; param, exp_avg and exp_avg_sq are changed in place.

    First weight_decay * param is added to the grad, which is itself left as it is.
    exp_avg is the moving average of grad, exp_avg_sq that of grad * grad: average =
    beta * average + (1 - beta) * new, with betas = (beta1, beta2). Both begin with 0:
    they are too small by the factor 1 - beta ** step, and are divided by it where they
    are used, not in place. step is 1 in the first step. Subtracted is
    lr * exp_avg / (sqrt(exp_avg_sq) + eps), each corrected. Returns nothing.

    D. P. Kingma, J. Ba: Adam: a method for stochastic optimization (2015).
    """


@exercise("09.14", points=2, stars=1, minutes=10)
def adamw(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    """Adam with the decay apart: the averages never see it.

    The param is first multiplied by 1 - lr * weight_decay. The rest is as in adam
    without weight_decay.

    I. Loshchilov, F. Hutter: Decoupled weight decay regularization (2019).
    """
