"""Chapter 08, numerical_jacobian: wrong answers, and right ones."""

import numpy as np

from grading.specimens import mutant, right
from minigrad import no_grad
from minigrad.testing.gradcheck import numerical_jacobian


def values(function, inputs):
    with no_grad():
        return np.array(function(*inputs).numpy(), np.float64).reshape(-1)


def rows(function, inputs, number, eps, ends=(1, -1), divide=2):
    """One row for each element, the input restored."""
    flat, found = inputs[number].detach().view(-1), []
    for i in range(len(flat)):
        before, made = flat[i].item(), []
        for sign in ends:
            flat[i] = before + sign * eps
            made.append(values(function, inputs))
        flat[i] = before
        found.append((made[0] - made[1]) / (divide * eps))
    return np.stack(found)


jacobian = numerical_jacobian


@mutant(jacobian, "one_index")
def _(function, inputs, number, eps=1e-6):
    found = rows(function, inputs, number, eps)
    found[1:] = 0
    return found


@mutant(jacobian, "one_row")
def _(function, inputs, number, eps=1e-6):
    return rows(function, inputs, number, eps)[:1]


@mutant(jacobian, "shape", "rows that are not flat")
def _(function, inputs, number, eps=1e-6):
    found = rows(function, inputs, number, eps)
    with no_grad():
        return found.reshape(len(found), *function(*inputs).shape)


@mutant(jacobian, "in_float32")
def _(function, inputs, number, eps=1e-6):
    return rows(function, [x.float() for x in inputs], number, eps)


@mutant(jacobian, "one_sided")
def _(function, inputs, number, eps=1e-6):
    return rows(function, inputs, number, eps, (1, 0), 1)


@mutant(jacobian, "not_halved")
def _(function, inputs, number, eps=1e-6):
    return rows(function, inputs, number, eps, divide=1)


@mutant(jacobian, "turned")
def _(function, inputs, number, eps=1e-6):
    return rows(function, inputs, number, eps).T.copy()


@mutant(jacobian, "all_together")
def _(function, inputs, number, eps=1e-6):
    ends = []
    for step in (eps, -eps):
        moved = [x + step if i == number else x for i, x in enumerate(inputs)]
        ends.append(values(function, moved))
    one = (ends[0] - ends[1]) / (2 * eps)
    return np.stack([one] * inputs[number].numel())


@mutant(jacobian, "own_eps")
def _(function, inputs, number, eps=1e-6):
    return rows(function, inputs, number, 1e-6)


@mutant(jacobian, "first_input")
def _(function, inputs, number, eps=1e-6):
    return rows(function, inputs, 0, eps)


@mutant(jacobian, "not_restored")
def _(function, inputs, number, eps=1e-6):
    flat, found = inputs[number].detach().view(-1), []
    for i in range(len(flat)):
        flat[i] += eps
        up = values(function, inputs)
        flat[i] -= 2 * eps
        down = values(function, inputs)
        flat[i] += eps
        found.append((up - down) / (2 * eps))
    return np.stack(found)


@right(jacobian, "rows of a matrix")
def _(function, inputs, number, eps=1e-6):
    return rows(function, inputs, number, eps)


@right(jacobian, "copies of the input")
def _(function, inputs, number, eps=1e-6):
    x, others, found = np.array(inputs[number].detach().numpy()), list(inputs), []
    for place in np.ndindex(*x.shape):
        ends = []
        for step in (eps, -eps):
            moved = x.copy()
            moved[place] += step
            others[number] = inputs[number].new_tensor(moved)
            ends.append(values(function, others))
        found.append((ends[0] - ends[1]) / (2 * eps))
    return np.array(found)


@right(jacobian, "filled in")
def _(function, inputs, number, eps=1e-6):
    flat = inputs[number].detach().view(-1)
    result = np.zeros((len(flat), len(values(function, inputs))))
    for i in range(len(flat)):
        old = flat[i].item()
        flat[i] = old + eps
        result[i] += values(function, inputs)
        flat[i] = old - eps
        result[i] -= values(function, inputs)
        flat[i] = old
    return result / (2 * eps)
