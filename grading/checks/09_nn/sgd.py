"""sgd: fifty steps beside torch.optim.SGD."""

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check, close
from minigrad.optim.sgd import sgd

from ..inputs import MEMORY, numbers
from .optimizers import SHAPES, STILL, describe, one_step, steps


def cases(random):
    both = {"momentum": 0.7, "weight_decay": 0.1}
    for part, options in [
        ("plain steps", {"steps": 1}), ("plain steps", {}),
        ("momentum", {"momentum": 0.9}), ("momentum", {"momentum": 0.5, "steps": 3}),
        ("dampening", {"dampening": 0.5, "steps": 3}),
        ("dampening", {"momentum": 0.8, "dampening": 0.3}),
        ("weight decay", {"weight_decay": 0.2, "steps": 3}), ("weight decay", both),
        ("nesterov", both | {"nesterov": True}),
    ]:  # fmt: skip
        yield part, steps(random, [None], **{"lr": 0.1} | options)
    for how in pairwise(
        random,
        buffer=(None, 0, 1),
        steps=(1, 2, 5),
        dtype=(np.float64, np.float32, np.float16),
        lr=(0.1, 0, 2),
        momentum=(0, 0.9, 0.4, 1),
        dampening=(0, 0.3, 1),
        weight_decay=(0, 0.1, 2),
        nesterov=(False, True),
        shape=SHAPES,
        still=STILL,
        memory=MEMORY,
    ):
        dtype, times = how["dtype"], how.pop("buffer")
        buffer = times if times is None else numbers(random, *how["shape"], scale=times)
        if not how["momentum"] or how["dampening"]:
            how["nesterov"] = False
        if dtype is np.float16:
            how |= {"lr": 0.1, "steps": 1}
        part = "options together" if dtype is np.float64 else dtype.__name__
        state = buffer if buffer is None else np.asarray(buffer, dtype)
        yield part, steps(random, [state], **how)


def reference(param, grad, buffer, **options):
    state = {"momentum_buffer": buffer}
    one_step(torch.optim.SGD, param, grad, state, **options)
    return state["momentum_buffer"] if options.get("momentum") else None


check = Check(
    sgd,
    cases=cases,
    reference=reference,
    driver=modules.sgd,
    compare=close(),
    describe=describe,
    not_tested="nesterov without momentum or with dampening, which PyTorch refuses; "
    "and NaN and infinity",
)
