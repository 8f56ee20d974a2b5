"""Recording: Function.apply, leaf_rules, detach; PyTorch does the same."""

import numpy as np
import torch

from grading.exercise import Check, checks
from minigrad import Tensor
from minigrad.autograd import Function
from minigrad.autograd.tensor_methods import leaf_rules

from .gradients import ScenarioCheck, drawn

apply, detach = Function.apply, Tensor.detach


@checks(apply)
class Apply(ScenarioCheck):
    """Leaves out other dtypes, layouts and sizes: apply hands on what it is given."""

    def cases(self, random):
        def pair():
            return [drawn(random, 2, 3), drawn(random, 2, 3)]

        def one(k, *needs):
            return "one_call", pair(), needs, k, random.sample(range(1, 9), 4)

        for k in 3, random.randint(2, 9):
            yield "one call", *one(k, True, True)
        for needs in (True, False), (False, True):
            yield "one call", *one(2, *needs)
        for k in 2, random.randint(3, 9):
            yield "several calls", "two_calls", [*pair(), drawn(random, 2, 3)], k
        yield "nothing asks", *one(2, False, False)
        yield "no_grad", "without_recording", pair(), 2
        three = [*pair(), drawn(random, 2, 3)]
        yield "several results", "two_results", three, (2.0, -3.0)
        yield "an argument as the result", "passed_on", drawn(random, 3), 3
        yield "an error in forward", "failing", pair()

    def torch(self, cls, *args):
        return cls.apply(*args)

    def words(self, name, *args):
        return {
            "one_call": "y = Product.apply(a, b, k); y.sum().backward()",
            "two_calls": "two Product.apply(...), then backward() from each",
            "without_recording": "with no_grad(): y = Product.apply(a, b, k)",
            "two_results": "s, p = SumAndProduct.apply(a, b, c), then backward()",
            "passed_on": "y = PassedOn.apply(x), whose forward returns x",
            "failing": "Product.apply(a, b, None), whose forward raises ValueError",
        }[name]


@checks(leaf_rules)
class LeafRules(Check):
    """Leaves out nothing: all four pairs of the two arguments are tried."""

    scene = "leaf"

    def cases(self, random):
        yield "asked, or made by an operator", True, False
        yield "asked, or made by an operator", False, True
        yield "neither", False, False
        yield "both", True, True

    def expected(self, asked, made):
        """As PyTorch has it: `made` from a tensor that requires a gradient, or not."""
        x = torch.ones(2, requires_grad=made or asked)
        x = (x * 2).requires_grad_(asked or made) if made else x
        leaf, requires = x.is_leaf, x.requires_grad
        if not requires:
            return False, leaf, False
        x.sum().backward()
        kept = torch.Tensor.grad.__get__(x) is not None if leaf else False
        return requires, leaf, kept

    def words(self, asked, made):
        node = "<MulBackward0>" if made else "None"
        names = "requires_grad, is_leaf, keeps_grad"
        return f"leaf_rules(asked={asked}, node={node}): {names}"


@checks(detach)
class Detach(ScenarioCheck):
    """Leaves out other dtypes: the contract names none."""

    def cases(self, random):
        values = drawn(random, 3, 2)
        yield "no history", "detached", values, "plain"
        yield "any view", "detached", drawn(random, 3, 2), "turned"
        yield "any view", "detached", drawn(random, 4, 2), "part"
        yield "any view", "detached", drawn(random, 4), "number"
        yield "any view", "detached", drawn(random, 3, 1), "expanded"
        yield "any view", "detached", drawn(random, 0, 3), "turned"
        yield "any view", "detached", np.arange(6000.0).reshape(60, 100), "turned"
        for how in "leaf", "constant":
            yield "a leaf", "detached", drawn(random, 3, 2), how

    def torch(self, x):
        return x.detach()

    def words(self, name, *args):
        made = {"plain": "x * 2", "turned": "(x * 2).T", "part": "(x * 2)[1:]",
                "number": "(x * 2).sum()", "leaf": "a leaf",
                "expanded": "(x * 2).expand(3, 4)",
                "constant": "a tensor without requires_grad"}  # fmt: skip
        return f"d = y.detach(), where y = {made[args[1]]}"
