"""sgd: fifty steps beside torch.optim.SGD."""

import numpy as np
import torch

from grading.checking.check import Check
from grading.checking.compare import close
from grading.checking.describe import Filled
from grading.drivers import modules
from minigrad.optim.sgd import sgd

from ..inputs import numbers
from .optimizers import describe, steps


def cases(random):
    both = {"momentum": 0.7, "weight_decay": 0.1}
    for part, options in [
        ("plain steps", {}), ("plain steps", {"steps": 1}),
        ("plain steps", {"lr": 0.03}),
        ("momentum", {"momentum": 0.9}), ("momentum", {"momentum": 0.5}),
        ("dampening", {"dampening": 0.5}),
        ("dampening", {"momentum": 0.8, "dampening": 0.3}),
        ("weight decay", {"weight_decay": 0.2}), ("weight decay", both),
        ("nesterov", {"momentum": 0.9, "nesterov": True}),
        ("nesterov", both | {"nesterov": True}),
    ]:  # fmt: skip
        yield part, steps(random, [None], **{"lr": 0.1} | options)
    yield "plain steps", steps(random, [Filled(numbers(random, 3, 2))], 1, lr=0.1)
    for dtype in np.float32, np.float16:
        how = {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}
        yield dtype.__name__, steps(random, [None], 2, dtype, **how)


def reference(param, grad, buffer, **options):
    """A step of a new optimizer that goes on from here."""
    optimizer, param.grad = torch.optim.SGD([param], **options), grad
    optimizer.state[param] = {"momentum_buffer": buffer}
    optimizer.step()
    buffer = optimizer.state[param]["momentum_buffer"]
    return buffer if "momentum" in options else None


check = Check(
    sgd,
    cases=cases,
    reference=reference,
    driver=modules.sgd,
    compare=close(),
    describe=describe,
    not_tested="shapes but (3, 2): the rule is that of each number alone; and nesterov "
    "without momentum or with dampening, which PyTorch refuses",
)
