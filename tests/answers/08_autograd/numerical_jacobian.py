"""Answers of numerical_jacobian by other algorithms."""

import numpy as np

from minigrad import no_grad
from minigrad.autograd.gradcheck import numerical_jacobian
from tools.audit.specimens import answer


@answer(numerical_jacobian, right="copies of the input")
def _(function, inputs, number, eps=1e-6):
    x, others, found = np.array(inputs[number].detach().numpy()), list(inputs), []
    for place in np.ndindex(*x.shape):
        ends = []
        for step in (eps, -eps):
            moved = x.copy()
            moved[place] += step
            others[number] = inputs[number].new_tensor(moved)
            ends.append(np.array(function(*others).detach().numpy()).reshape(-1))
        found.append((ends[0] - ends[1]) / (2 * eps))
    return np.array(found).reshape(x.size, function(*inputs).numel())


@answer(numerical_jacobian, right="a matrix that is filled")
def _(function, inputs, number, eps=1e-6):
    x = inputs[number]
    with no_grad():
        found = np.empty((x.numel(), function(*inputs).numel()))
        for row, place in zip(found, np.ndindex(*x.shape), strict=True):
            before = x[place].item()
            x[place] = before + eps
            row[:] = function(*inputs).numpy().ravel()
            x[place] = before - eps
            row -= function(*inputs).numpy().ravel()
            x[place] = before
    return found / (2 * eps)


@answer(numerical_jacobian, right="steps are rows of a matrix")
def _(function, inputs, number, eps=1e-6):
    x = inputs[number].detach()

    def at(step):
        moved = x + x.new_tensor(step).reshape(x.shape)
        inputs_ = [*inputs[:number], moved, *inputs[number + 1 :]]
        return function(*inputs_).detach().numpy().flatten()

    steps = eps * np.eye(x.numel())
    rows = [at(step) - at(-step) for step in steps]
    width = function(*inputs).numel()
    return np.array(rows).reshape(len(rows), width) / (2 * eps)
