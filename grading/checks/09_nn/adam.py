"""adam: fifty steps beside torch.optim.Adam and torch.optim.AdamW."""

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check, close
from minigrad.optim.adam import adam

from ..inputs import MEMORY
from .optimizers import SHAPES, STILL, describe, one_step, steps

USUAL = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.0}
BOTH = ("weight decay", False), ("weight decay of AdamW", True)


def cases(random):
    def of(**options):
        return steps(random, **USUAL | options)

    yield "the first steps", of(steps=1)
    yield "the first steps", of(steps=3)
    yield "fifty steps", of()
    yield "fifty steps", of(lr=0.01, betas=(0.5, 0.8))
    yield "fifty steps", of(steps=10, still=1)
    yield "a large eps", of(eps=0.3)
    for part, decoupled in BOTH:
        yield part, of(weight_decay=0.3, decoupled=decoupled)
        yield part, of(steps=2, weight_decay=0.1, lr=0.5, decoupled=decoupled)
        for shape in (3,), (), (2, 1, 3):
            how = {"weight_decay": 0.3, "decoupled": decoupled}
            yield part, of(steps=3, shape=shape, **how)
    for how in pairwise(
        random,
        steps=(1, 2, 5),
        dtype=(np.float64, np.float32),
        shape=SHAPES,
        still=STILL,
        memory=MEMORY,
        lr=(0.1, 0, 2),
        betas=((0.9, 0.99), (0.0, 0.9), (0.6, 0.0), (0.3, 0.2)),
        eps=(1e-8, 0.01, 3),
        weight_decay=(0.0, 0.3, 2),
        decoupled=(False, True),
    ):
        single = how["dtype"] is np.float32
        yield "float32" if single else "options together", steps(random, **how)


def reference(param, grad, exp_avg, exp_avg_sq, step, decoupled=False, **options):
    state = {"exp_avg": exp_avg, "exp_avg_sq": exp_avg_sq}
    state["step"] = torch.tensor(step - 1.0)
    optimizer = torch.optim.AdamW if decoupled else torch.optim.Adam
    one_step(optimizer, param, grad, state, **options)


check = Check(
    adam,
    cases=cases,
    reference=reference,
    driver=modules.adam,
    compare=close(),
    describe=describe,
    not_tested="float16, where 1e-8 is 0; and NaN and infinity",
)
