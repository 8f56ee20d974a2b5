"""Module.named_parameters: names of the parameters of a tree."""

import torch

from grading.checking.pairwise import pairwise
from grading.drivers import modules
from grading.exercise import Check
from minigrad.nn import Module

from .trees import DEEP, FROZEN, LEAF, NAMED_TWICE, SHARED, TIED, TWO, describe, on_tree


def cases(random):
    for spec in (LEAF, TWO, DEEP):
        yield "names", on_tree(random, spec)
    for spec in (TIED, SHARED, NAMED_TWICE):
        yield "a shared one once", on_tree(random, spec)
        part = "a shared one twice, if asked"
        yield part, on_tree(random, spec, remove_duplicate=False)
    for once in True, False:
        how = {"recurse": False, "remove_duplicate": once}
        yield "its own alone", on_tree(random, NAMED_TWICE, **how)
    for spec in (DEEP, LEAF):
        yield "a prefix", on_tree(random, spec, prefix="net")
        yield "its own alone", on_tree(random, spec, recurse=False)
    yield "a prefix", on_tree(random, DEEP, prefix="net", recurse=False)
    yield "frozen ones", on_tree(random, FROZEN)
    yield "frozen ones", on_tree(random, FROZEN, remove_duplicate=False)
    yield "nothing", on_tree(random, {})
    twins = {"parameters": {"a": 1, "b": 1.5}, "modules": {"c": LEAF}}
    yield "equal in value", on_tree(random, twins)
    for row in pairwise(
        random,
        spec=(LEAF, DEEP, TIED, SHARED, NAMED_TWICE, FROZEN, twins),
        prefix=("", "net"),
        recurse=(True, False),
        remove_duplicate=(True, False),
        late=(None, 99),
    ):
        late, prefix = row.pop("late"), row.pop("prefix")
        row |= ({"late": late} if late else {}) | ({"prefix": prefix} if prefix else {})
        yield "options together", on_tree(random, **row)
    yield "one that comes late", on_tree(random, DEEP, late=99)
    yield "one that comes late", on_tree(random, {}, late=99)


check = Check(
    Module.named_parameters,
    cases=cases,
    reference=torch.nn.Module.named_parameters,
    driver=modules.named_parameters,
    describe=describe,
    not_tested="sizes and dtypes of parameters: names and identity alone count",
)
