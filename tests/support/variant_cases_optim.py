"""Launches of the optimizers' kernels; see variant_cases.py."""

import numpy as np
import torch
from variant_cases import TYPES, Case, family, numbers, whole

SIZES = (33, 1, 0, 257), (31, 64, 1000), (5,)
SGD = {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "weight_decay": 0.3}
ADAM = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.3}


@family("optim")
def _():
    for sizes, kind in [*((s, "float") for s in SIZES), (SIZES[0], "double")]:
        for nesterov, first, maximize in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)):
            yield sgd(sizes, kind, nesterov, first, maximize, 0.9)
        yield sgd(sizes, kind, 0, 0, 0, 0)
        for decoupled, maximize in ((0, 0), (1, 1)):
            yield adam(sizes, kind, decoupled, maximize)


def tensors(sizes, kind, count):
    """For each size so many arrays, the last ones positive; eight rows in all."""
    dtype = TYPES[kind]
    rows = [
        [numbers(n, dtype=dtype, seed=k + 7 * i) / 100 for k in range(count)]
        for i, n in enumerate(sizes)
    ]
    for row in rows:
        row[-1] = abs(row[-1])
    return rows + rows[:1] * (8 - len(rows))


def sgd(sizes, kind, nesterov, first, maximize, momentum):
    rows, dtype = tensors(sizes, kind, 3), TYPES[kind]
    options = {**SGD, "momentum": momentum}
    more = {"nesterov": bool(nesterov), "maximize": bool(maximize)}
    if nesterov:
        options["dampening"] = 0
    after = {}
    for i, (p, g, b) in enumerate(rows[: len(sizes)]):
        x, optimizer = one(torch.optim.SGD, p, g, {**options, **more})
        if momentum and not first:
            optimizer.state[x]["momentum_buffer"] = torch.tensor(b).double()
        optimizer.step()
        after[3 * i] = x.detach().numpy()
        if momentum:
            after[3 * i + 2] = optimizer.state[x]["momentum_buffer"].numpy()
    scalars = [dtype(n) for n in options.values()]
    flags = [np.int32(flag) for flag in (nesterov, first, maximize)]
    memory = [np.array(scalars[:1])] if maximize else [None]
    scalars[0] *= not maximize
    return launch("sgd_8", kind, rows, sizes, [*scalars, *flags, *memory], after)


def adam(sizes, kind, decoupled, maximize, step=3):
    rows, dtype = tensors(sizes, kind, 4), TYPES[kind]
    make = torch.optim.AdamW if decoupled else torch.optim.Adam
    after = {}
    for i, (p, g, m, v) in enumerate(rows[: len(sizes)]):
        x, optimizer = one(make, p, g, {**ADAM, "maximize": bool(maximize)})
        optimizer.state[x] = {
            "step": torch.tensor(step - 1.0),
            "exp_avg": torch.tensor(m).double(),
            "exp_avg_sq": torch.tensor(v).double(),
        }
        optimizer.step()
        state = optimizer.state[x]
        after[4 * i] = x.detach().numpy()
        after[4 * i + 2] = state["exp_avg"].numpy()
        after[4 * i + 3] = state["exp_avg_sq"].numpy()
    lr, (beta1, beta2), eps, decay = ADAM.values()
    scalars = lr, beta1, beta2, eps, decay, lr / (1 - beta1**step)
    scalars = [dtype(n) for n in (*scalars, (1 - beta2**step) ** 0.5)]
    flags = [np.int32(decoupled), np.int32(maximize)]
    memory = [None, None]
    if maximize:  # the learning rate and the step lie in memory
        memory = [np.array([n], dtype) for n in (lr, step)]
        scalars[0] = scalars[-2] = scalars[-1] = dtype(0)
    return launch("adam_8", kind, rows, sizes, [*scalars, *flags, *memory], after)


def one(make, p, g, options):
    """A parameter in double, with its gradient and optimizer."""
    x = torch.nn.Parameter(torch.tensor(p).double())
    x.grad = torch.tensor(g).double()
    return x, make([x], **options)


def launch(name, kind, rows, sizes, rest, after):
    counts = [np.int64(n) for n in (*sizes, *[0] * 7)[:8]]
    grid = whole(max(sizes), 64 * 3), len(sizes)  # some threads have several elements
    args = (*(array for row in rows for array in row), *counts, *rest)
    near = {"float": 4e-6, "double": 1e-14}[kind]
    return Case(f"{name}<{kind}, {kind}>", grid, (64,), args, after, near)
