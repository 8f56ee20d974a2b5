"""kaiming_uniform_: other numbers than PyTorch's, between the same bounds.

The largest of 27,000 numbers is below 0.999 of the bound once in 5e11 times.
"""

import math

import numpy as np
import torch

from grading.checking.check import Check, call
from grading.checking.compare import close
from grading.drivers import modules
from minigrad.nn.init import kaiming_uniform_

from .chance import by_state, looks_random, repeats, seeds_drawn

SEED, ALL, UNIFORM = (
    "a seed decides every number",
    "every number is drawn anew",
    "all numbers are as likely",
)
CAUSES = {
    SEED: (
        "seed", "minigrad.manual_seed does not decide which numbers are drawn: draw "
        "with uniform_(tensor, low, high)"
    ),
    ALL: ("still", "some numbers are the same in every call: draw all of them"),
    UNIFORM: (
        "not_uniform", "the numbers are not drawn each alone, all between -bound and "
        "bound as likely: uniform_(tensor, low, high)"
    ),
}  # fmt: skip


def cases(random):
    def of(*shape, **options):
        shape = tuple(n + random.randrange(10) * (n > 50) for n in shape)
        return call(shape, seeds_drawn(random), **options)

    yield "for relu", of(150, 300, nonlinearity="relu")
    yield "for relu", of(400, 100, nonlinearity="relu")
    yield "convolutions", of(60, 30, 5, 3, nonlinearity="relu")
    yield "fan_out", of(150, 300, mode="fan_out", nonlinearity="relu")
    yield "fan_out", of(60, 30, 5, 3, mode="fan_out", nonlinearity="relu")
    yield "other gains", of(150, 300, nonlinearity="tanh")
    yield "other gains", of(150, 300, nonlinearity="linear")
    yield "the slope a", of(150, 300, a=math.sqrt(5))
    yield "the slope a", of(150, 300)
    yield "no other mode", of(3, 4, mode="both")


def uniform(values):
    """Are the numbers as likely everywhere, not too evenly, and each by itself?"""
    flat = np.sort(values.reshape(-1))
    grid = np.linspace(-1, 1, flat.size) * abs(flat).max()
    off = abs(flat - grid).max() * np.sqrt(flat.size) / max(2 * grid[-1], 1e-30)
    return bool(0.2 < off < 3 and looks_random(values.reshape(len(values), -1)))


def observe(shown, case):
    shape, seeds = case.args
    values = np.stack([few[0] for few in by_state(shown["drawn"], seeds)])
    return {
        "bound": float(abs(values[0]).max()),
        "returned": shown["returned"],
        SEED: repeats(shown["drawn"], seeds),
        ALL: not (values == values[0]).all(0).any(),
        UNIFORM: uniform(values[0].reshape(shape)),
    }


def describe(exercise, case):
    options = ", ".join(f"{name}={value!r}" for name, value in case.options.items())
    return f"kaiming_uniform_(Parameter(zeros{case.args[0]}), {options})"


def diagnose(got, expected, case):
    if not isinstance(got, dict) or not isinstance(expected, dict):
        return None
    return next((CAUSES[fact] for fact in CAUSES if got.get(fact) is False), ())


check = Check(
    kaiming_uniform_,
    cases=cases,
    reference=torch.nn.init.kaiming_uniform_,
    driver=modules.kaiming,
    observe=observe,
    compare=close(rtol=1e-3),
    describe=describe,
    diagnose=diagnose,
    not_tested="small weights: chance says little; and double: uniform_'s matter",
)
