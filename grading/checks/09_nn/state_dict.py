"""Module.state_dict: names and memory of what is saved of a tree."""

import torch

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check
from minigrad.nn import Module

from .trees import (
    DEEP,
    FROZEN,
    LEAF,
    NAMED_TWICE,
    NET,
    NORM,
    SHARED,
    TIED,
    TWO,
    describe,
    on_tree,
)


def cases(random):
    for spec in (LEAF, TWO, DEEP):
        yield "parameters by name", on_tree(random, spec)
    for spec in (NORM, NET):
        yield "buffers", on_tree(random, spec)
    for spec in (TIED, SHARED, NAMED_TWICE):
        yield "shared ones under all names", on_tree(random, spec)
    for keep in False, True:
        yield "frozen ones", on_tree(random, FROZEN, keep_vars=keep)
    yield "a prefix", on_tree(random, NET, prefix="model.")
    yield "keep_vars", on_tree(random, NET, keep_vars=True)
    yield "keep_vars", on_tree(random, {"modules": {"a": NORM}}, keep_vars=True)
    for row in pairwise(
        random,
        spec=({}, LEAF, TWO, DEEP, NET, TIED, SHARED, NAMED_TWICE, FROZEN),
        prefix=("", "model."),
        keep_vars=(False, True),
    ):
        prefix = row.pop("prefix")
        row |= {"prefix": prefix} if prefix else {}
        yield "options together", on_tree(random, **row)


check = Check(
    Module.state_dict,
    cases=cases,
    reference=torch.nn.Module.state_dict,
    driver=modules.state_dict,
    describe=describe,
    not_tested="sizes and dtypes of tensors: names and memory alone are promised",
)
