"""kaiming_uniform_: other numbers than PyTorch's, between the same bounds.

The largest of 27,000 numbers is below 0.999 of the bound once in 5e11 times.
"""

import math

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check, close
from minigrad.nn.init import kaiming_uniform_

from ..inputs import MEMORY, on_tensors
from .chance import by_seed, looks_random, seeds_drawn

CASED = "FAN_IN", "Fan_Out", "fan_OUT"


def cases(random):
    def of(*shape, seeds=None, **options):
        shape = [n + random.randrange(10) * (n > 50) for n in shape]
        weight = np.zeros(shape, np.float32)
        seeds = seeds or seeds_drawn(random)
        return on_tensors(weight, seeds=seeds, **options)

    yield "for relu", of(150, 300, nonlinearity="relu")
    yield "for relu", of(400, 100, nonlinearity="relu")
    yield "convolutions", of(60, 30, 5, 3, nonlinearity="relu")
    yield "convolutions", of(20, 30, 3, 5, 3, nonlinearity="relu")
    yield "fan_out", of(150, 300, mode="fan_out", nonlinearity="relu")
    yield "other gains", of(150, 300, nonlinearity="tanh")
    yield "the slope a", of(150, 300, a=math.sqrt(5))
    yield "the slope a", of(150, 300)
    for row in pairwise(
        random,
        shape=((90, 301), (400, 90), (60, 30, 5, 3), (60, 90, 5), (20, 30, 3, 5, 3)),
        mode=("fan_in", "fan_out"),
        nonlinearity=("relu", "tanh", "linear", "leaky_relu"),
        a=(0, 0.5, -2, math.sqrt(5)),
        memory=MEMORY,
    ):
        seeds = [random.getrandbits(32)]
        yield "options together", of(*row.pop("shape"), seeds=seeds, **row)
    for mode in "both", "fan", "fan_avg", "fan_in_out", "in", "out", "", *CASED:
        yield "errors", of(3, 4, mode=mode)
    yield "errors", of(3)
    yield "errors", of()


def reference(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    if mode in CASED:
        raise ValueError  # PyTorch takes it
    return torch.nn.init.kaiming_uniform_(tensor, a, mode, nonlinearity)


def uniform(values):
    """Are the numbers as likely everywhere, not too evenly, and each by itself?"""
    flat = np.sort(values.reshape(-1))
    grid = np.linspace(-1, 1, flat.size) * abs(flat).max()
    off = abs(flat - grid).max() * np.sqrt(flat.size) / max(2 * grid[-1], 1e-30)
    return bool(0.2 < off < 3 and looks_random(values.reshape(len(values), -1)))


@np.errstate(all="ignore")
def observe(shown, case):
    values, same = by_seed(shown["drawn"], case.options["seeds"])
    still = np.all([array == values[0] for array in values], 0)
    return {
        "a seed decides every number": same,
        "every number is drawn anew": not still.any(),
        "all numbers are as likely": uniform(values[0]),
        "bound": float(abs(values[0]).max()),
        "returned": shown["returned"],
    }


check = Check(
    kaiming_uniform_,
    cases=cases,
    reference=reference,
    driver=modules.kaiming,
    observe=observe,
    compare=close(rtol=1e-3),
    not_tested="small weights: chance says little; and double: uniform_'s matter",
)
