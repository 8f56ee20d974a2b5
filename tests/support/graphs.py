"""What tests of autograd share: leaves, and what a program of (m) comes to."""

from both import torch

import minigrad


def leaf(m, *values):
    return m.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True)


def outcome(run, m):
    """What a program of (m) makes: a plain value, or the kind of its error."""
    try:
        return plain(run(m))
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        return f"an error: {type(error).__name__}"


def plain(value):
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return value.tolist() if hasattr(value, "tolist") else value


def quiet(m, function, *args):
    """Call a function in no_grad()."""
    with m.no_grad():
        return function(*args)


def twice(m, y, *tensors):
    """The gradients of the squared gradient of y by the first tensor."""
    result, *_ = m.autograd.grad(y.sum(), tensors[0], create_graph=True)
    return result, m.autograd.grad((result * result).sum(), tensors)


def lines(table):
    """The programs of a table, in which an indented line goes on."""
    return table.strip().replace(";\n    ", "; ").split("\n")


def program(line):
    """The function of m whose body stands in a line of a table."""
    body = line.replace("; ", "\n    ")
    if line.startswith("with "):
        head, _, rest = line.partition(": ")
        body = f"{head}:\n        " + rest.replace("; ", "\n        ")
    space = {"leaf": leaf, "quiet": quiet, "twice": twice}
    exec(f"def run(m):\n    {body}", space)
    return space["run"]


def both_of(line):
    """What a program comes to in minigrad, and in PyTorch."""
    run = program(line)
    return [rounded(outcome(run, m)) for m in (minigrad, torch)]


def rounded(value):
    """Floats by five digits, in lists of any depth."""
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value
