"""leaf_rules: a tensor that was asked for gradients, or was made by an operator."""

import torch

from grading.drivers.graphs import leaf
from grading.exercise import Check, call
from minigrad.autograd.tensor_methods import leaf_rules

NODE = "<MulBackward0>"


def cases(random):
    yield "asked, or made by an operator", call(True, None)
    yield "asked, or made by an operator", call(False, NODE)
    yield "neither", call(False, None)
    yield "both", call(True, NODE)


def reference(asked, node):
    x = torch.ones(2, requires_grad=asked or node is not None)
    x = x * 2 if node else x
    if x.requires_grad:
        x.sum().backward()
    return x.requires_grad, x.is_leaf, x.is_leaf and x.grad is not None


check = Check(
    leaf_rules,
    cases=cases,
    reference=reference,
    driver=leaf,
    not_tested="nothing: all four pairs of the two arguments are tried",
)
