"""Module.train: the mode of a module and of all below it."""

import itertools

import torch

from grading.drivers import modules
from grading.exercise import Check, call
from minigrad.nn import Module

FAMILY = {"is": 1, "modules": {
    "a": {"is": 2, "modules": {"b": {"is": 3}, "none": None}},
    "c": {"is": 4, "modules": {"d": {"is": 5}}}}}  # fmt: skip
BELOW = {1: "2, 3, 4, 5", 2: "3", 3: "no others", 4: "5", 5: "no others"}


def on_family(of, flags, mode):
    return call(FAMILY, of, dict(zip(BELOW, flags, strict=True)), mode)


def cases(random):
    flags = [*itertools.product((True, False), repeat=len(BELOW))]
    for mode in True, False:
        for some in random.sample(flags, len(flags)):
            yield "training of all", on_family(1, some, mode)
        for module in BELOW:
            for some in random.sample(flags, 4):
                yield "training of all", on_family(module, some, mode)
    for mode in (1, 0, 1.0, None, "", "yes"):
        yield "only True and False", on_family(1, random.choice(flags), mode)


def describe(exercise, case):
    _, of, _, mode = case.args
    return f"m.train({mode!r}) of module {of}, below which are {BELOW[of]}"


check = Check(
    Module.train,
    cases=cases,
    reference=torch.nn.Module.train,
    driver=modules.train,
    describe=describe,
    not_tested="a module met twice: its mode is then set twice, to the same; and "
    "whether modules below are set by their own train",
)
