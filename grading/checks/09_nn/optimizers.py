"""Rules of optimizers, beside a step of PyTorch's optimizer at each of theirs."""

import numpy as np

from ..inputs import numbers, on_tensors, said

SHAPES = (4, 2), (3,), (), (1, 1), (0,), (2, 1, 3)
STILL = None, 0, 1  # from which gradient on all are 0: none, the first or second


def steps(
    random, state=(), steps=50, dtype=np.float64, shape=(4, 2), still=None, **options
):
    """Steps by half as many gradients. state: what comes between param and these.

    Numbers of the parameter are 0, and so are gradients: of one number at every step,
    and of others at some, or from gradient `still` on of all.
    """

    def drawn():
        return np.asarray(numbers(random, *shape), dtype)

    param, count = drawn(), steps // 2 + 1
    grads = [np.asarray(drawn() + param) for _ in range(count)]
    for n, grad in enumerate(grads):
        if still is not None and n >= still:
            grad[...] = 0
        elif shape == (4, 2):
            grad[0, 0] = grad.flat[2 + n % 6] = 0
    param.flat[3:4] = 0
    order = [n % count for n in range(steps)]
    order = order[:2] + random.sample(order[2:], len(order[2:]))
    return on_tensors(param, *state, *grads, order=order, **options)


def one_step(optimizer, param, grad, state, **options):
    """A step of PyTorch's optimizer, which goes on from a state, and changes it."""
    optimizer, param.grad = optimizer([param], **options), grad
    optimizer.state[param] = state
    optimizer.step()


def describe(exercise, case):
    param, *_, last = (arg and arg.values for arg in case.args)
    count = len(case.options["order"])
    what = "" if param.shape == (4, 2) else f" of a param of shape {param.shape}"
    how = said(case.options, "order") + ("" if last.any() else "; the last grad is 0")
    return f"{count} step{'s'[: count > 1]}{what} with {how}"
