"""Rules of optimizers, beside a step of PyTorch's optimizer at each of theirs."""

import functools

import numpy as np
import torch

from grading.checking.check import Check, call
from grading.checking.compare import close
from grading.checking.describe import Filled
from grading.drivers import modules

from ..inputs import numbers, said

STEPS = 50


def steps(random, state=(), steps=STEPS, dtype=np.float64, **options):
    """Steps by half as many gradients. state: what comes between param and these."""
    param = numbers(random, 3, 2).astype(dtype)
    count = steps // 2 + 1
    grads = [numbers(random, 3, 2).astype(dtype) + param for _ in range(count)]
    order = [n % count for n in range(steps)]
    order = order[:2] + random.sample(order[2:], len(order[2:]))
    tensors = map(Filled, (param, *grads))
    return call(next(tensors), *state, *tensors, order=order, **options)


def by_pytorch(optimizer, param, grad, exp_avg, exp_avg_sq, step, **options):
    """A step of a new optimizer that goes on from here."""
    optimizer, param.grad = optimizer([param], **options), grad
    averages = {"exp_avg": exp_avg, "exp_avg_sq": exp_avg_sq}
    optimizer.state[param] = {"step": torch.tensor(step - 1.0), **averages}
    optimizer.step()


def describe(exercise, case):
    count = len(case.options["order"])
    return f"{count} step{'s'[: count > 1]} with {said(case.options, 'order')}"


def adam_check(exercise, optimizer, core):
    """The check of adam or adamw. core: which part is the heart of it."""

    def cases(random):
        usual = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.0}
        some = [
            ("the first steps", {"steps": 1}), ("the first steps", {"steps": 3}),
            ("fifty steps", {}), ("fifty steps", {"lr": 0.01, "betas": (0.5, 0.8)}),
            ("a large eps", {"eps": 0.3}), ("weight decay", {"weight_decay": 0.3}),
            ("weight decay", {"steps": 2, "weight_decay": 0.1, "lr": 0.5}),
        ]  # fmt: skip
        for part, options in sorted(some, key=lambda case: case[0] != core):
            yield part, steps(random, **usual | options)
        how = usual | {"weight_decay": 0.1, "steps": 3, "dtype": np.float32}
        yield "float32", steps(random, **how)

    return Check(
        exercise,
        cases=cases,
        reference=functools.partial(by_pytorch, optimizer),
        driver=modules.adam,
        compare=close(),
        describe=describe,
        not_tested="shapes but (3, 2): the rule is that of each number alone",
    )
