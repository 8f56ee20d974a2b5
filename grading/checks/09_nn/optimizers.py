"""Rules of optimizers, beside a step of PyTorch's optimizer at each of theirs."""

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check, close

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


def adam_check(exercise, optimizer, core):
    """The check of adam or adamw. core: which part is the heart of it."""

    def cases(random):
        usual = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.0}
        some = [
            ("the first steps", {"steps": 1}), ("the first steps", {"steps": 3}),
            ("fifty steps", {}), ("fifty steps", {"lr": 0.01, "betas": (0.5, 0.8)}),
            ("fifty steps", {"steps": 10, "still": 1}),
            ("a large eps", {"eps": 0.3}), ("weight decay", {"weight_decay": 0.3}),
            ("weight decay", {"steps": 2, "weight_decay": 0.1, "lr": 0.5}),
            *(("weight decay", {"steps": 3, "weight_decay": 0.3, "shape": shape})
              for shape in ((3,), (), (2, 1, 3))),
        ]  # fmt: skip
        for part, options in sorted(some, key=lambda case: case[0] != core):
            yield part, steps(random, **usual | options)
        for how in pairwise(
            random,
            steps=(1, 2, 5),
            dtype=(np.float64, np.float32),
            shape=SHAPES,
            still=STILL,
            lr=(0.1, 0, 2),
            betas=((0.9, 0.99), (0.0, 0.9), (0.6, 0.0), (0.3, 0.2)),
            eps=(1e-8, 0.01, 3),
            weight_decay=(0.0, 0.3, 2),
        ):
            single = how["dtype"] is np.float32
            yield "float32" if single else "options together", steps(random, **how)

    def reference(param, grad, exp_avg, exp_avg_sq, step, **options):
        state = {"exp_avg": exp_avg, "exp_avg_sq": exp_avg_sq}
        state["step"] = torch.tensor(step - 1.0)
        one_step(optimizer, param, grad, state, **options)

    return Check(
        exercise,
        cases=cases,
        reference=reference,
        driver=modules.adam,
        compare=close(),
        describe=describe,
        not_tested="float16, where 1e-8 is 0; and NaN and infinity",
    )
