"""Tensor.detach: the same memory, without a history."""

import numpy as np
import torch

from grading.drivers.scenarios import detached
from grading.exercise import Check, call, close
from minigrad import Tensor

from .inputs import drawn


def cases(random):
    yield "no history", call(drawn(random, 3, 2), "x * 2")
    yield "any view", call(drawn(random, 3, 2), "(x * 2).T")
    yield "any view", call(drawn(random, 4, 2), "(x * 2)[1:]")
    yield "any view", call(drawn(random, 4), "(x * 2).sum()")
    yield "any view", call(drawn(random, 3, 1), "(x * 2).expand(3, 4)")
    yield "any view", call(drawn(random, 0, 3), "(x * 2).T")
    yield "any view", call(np.arange(6000.0).reshape(60, 100), "(x * 2).T")
    yield "a leaf", call(drawn(random, 3, 2), "a leaf")
    yield "a leaf", call(drawn(random, 3, 2), "a tensor without requires_grad")


check = Check(
    Tensor.detach,
    cases=cases,
    reference=torch.Tensor.detach,
    compare=close(),
    driver=detached,
    describe=lambda exercise, case: f"d = y.detach(), where y = {case.args[1]}",
    not_tested="other dtypes: the contract names none",
)
