"""linear_regression: the training loop of a line."""

import numpy as np

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check, close
from minigrad.training import linear_regression

from ..inputs import numbers, on_tensors, said


def line(random, w, b, epochs, lr, momentum=0.0, held=1.0):
    """A training on points near the line y = w x + b."""
    x = numbers(random, 20, w.shape[1])
    y = x @ w.T + np.array(b) + numbers(random, 20, w.shape[0], scale=0.01)
    start = numbers(random, *w.shape), numbers(random, len(b))
    options = {"epochs": epochs, "lr": lr, "momentum": momentum, "held": held}
    return on_tensors(x, y, *start, **options)


def cases(random):
    yield "y = 3x + 2", line(random, np.array([[3.0]]), [2.0], 30, 0.1)
    yield "every epoch", line(random, numbers(random, 1, 1), [0.5], 4, 0.1)
    for held in 1.0, np.nan:
        w = numbers(random, 1, 1)
        yield "every epoch", line(random, w, [0.5], 1, 0.3, held=held)
    yield "every epoch", line(random, numbers(random, 1, 1), [1.0], 0, 0.3)
    w = numbers(random, 2, 3)
    yield "several numbers, momentum", line(random, w, [1.0, 2.0], 10, 0.05, 0.9)
    for row in pairwise(
        random,
        shape=((1, 1), (2, 3)),
        epochs=(1, 4),
        lr=(0.1, 0, 1.5, 1e200),  # losses that stay, that grow, infinity, and NaN
        momentum=(0, 0.9),
        held=(None, 1.0, np.nan),
    ):
        w = numbers(random, *row.pop("shape"))
        yield "whatever the losses", line(random, w, [1.0, 2.0][: len(w)], **row)


def reference(model, loss_fn, optimizer, x, y, epochs):
    def closure():
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        return loss

    return [optimizer.step(closure).item() for _ in range(epochs)]


def describe(exercise, case):
    x, held = case.args[0].values, case.options["held"]
    before = "no gradients" if held is None else f"gradients of {held} * parameter"
    how = said(case.options, "held")
    return f"SGD, {how}; x: {x.dtype} {x.shape}; before the first epoch {before}"


check = Check(
    linear_regression,
    cases=cases,
    reference=reference,
    driver=modules.training,
    compare=close(),
    describe=describe,
    not_tested="other models and optimizers: the loop only calls what all have",
)
