"""Chapter 08, recording: Function.apply, leaf_rules, detach; PyTorch does the same."""

import torch

from grading.checking import Check, cause, checks
from minigrad import Tensor
from minigrad.autograd import Function
from minigrad.autograd.tensor_methods import leaf_rules

from .gradients import Differs, ScenarioCheck, differs, drawn

REQUIRES = "the result requires a gradient"
RECORDED = "operators inside of forward are recorded"


@checks(Function.apply)
class Apply(ScenarioCheck):
    def cases(self, random):
        def pair():
            return [drawn(random, 2, 3), drawn(random, 2, 3)]

        for k in 3, random.randint(2, 9):
            yield "one call", "one_call", pair(), (True, True), k
        for needs in (True, False), (False, True):
            yield "one call", "one_call", pair(), needs, 2
        for k in 2, random.randint(3, 9):
            yield "several calls", "two_calls", [*pair(), drawn(random, 2, 3)], k
        yield "nothing asks", "one_call", pair(), (False, False), 2
        yield "no_grad", "without_recording", pair(), 2
        yield "several results", "two_results", pair(), (2.0, -3.0)
        yield "an error in forward", "failing", pair()

    def torch(self, cls, *args):
        return cls.apply(*args)

    def told(self, name, *args):
        return {
            "one_call": "y = Product.apply(a, b, k); y.sum().backward()",
            "two_calls": "two Product.apply(...), then backward() from each",
            "without_recording": "with no_grad(): y = Product.apply(a, b, k)",
            "two_results": "s, p = SumAndProduct.apply(a, b), then backward()",
            "failing": "Product.apply(a, b, None), whose forward raises ValueError",
        }[name]

    @cause(
        "nothing is recorded: is_grad_enabled() is False inside of `with no_grad():`, "
        "so ask when that is closed; and then return what ctx.record(results) returns"
    )
    def never_recorded(self, *args):
        wanted = self.right(*args).get(REQUIRES)
        return Differs(REQUIRES if wanted else "")

    on_the_class = differs(
        "gradients of the first call",
        "the second call changes what the first has saved: each call needs a Context "
        "of its own, and nothing may be kept on the class",
    )
    inside = differs(
        RECORDED,
        "forward is recorded operator by operator: its gradient is what backward says, "
        "so call it under no_grad()",
    )
    under_no_grad = differs(
        "under no_grad() the result requires a gradient",
        "a graph is built under no_grad(): ask is_grad_enabled() before ctx.record",
    )

    @cause(
        "a graph is built though no operand asks for a gradient: any(...) of "
        "ctx.needs_input_grad says whether one does"
    )
    def always(self, *args):
        wanted = self.right(*args).get(REQUIRES)
        return Differs(REQUIRES if wanted is False else "")

    switched_on = differs(
        "recording is on afterwards, under no_grad()",
        "recording is on when apply returns, though the caller had switched it off: "
        "`with no_grad():` puts back what was before",
    )
    left_off = differs(
        "recording is on after an error",
        "after an error in forward recording stays off, for the rest of the program: "
        "`with no_grad():` puts it back in any case",
    )

    @cause(
        "ctx.record is for results that are recorded; where none is, forward's stand"
    )
    def two_lost(self, name, *args):
        return Differs("a tuple comes back")


@checks(leaf_rules)
class LeafRules(Check):
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

    def lines(self, case):
        asked, made = case.args
        node = "<MulBackward0>" if made else "None"
        names = "requires_grad, is_leaf, keeps_grad"
        lines = dict(super().lines(case))
        lines["case"] = f"leaf_rules(asked={asked}, node={node}): {names}"
        return list(lines.items())

    @cause(
        "backward() puts a gradient into leaves alone: what an operator made has none"
    )
    def grad_on_non_leaf(self, asked, made):
        return asked or made, not made, asked or made

    @cause(
        "a bool is expected, and here stands the node itself, or None: `or` and `and` "
        "give one of their operands. node is not None is a bool"
    )
    def node_itself(self, asked, made):
        node = "<MulBackward0>" if made else None
        return asked or node, not made, asked and not made

    @cause("what is made from tensors that require a gradient requires one, too: node")
    def asked_alone(self, asked, made):
        return asked, not made, asked and not made

    @cause(
        "a tensor that nobody asked, and no operator made, is a leaf to PyTorch, too"
    )
    def leaf_if_asked(self, asked, made):
        return asked or made, asked and not made, asked and not made

    @cause(
        "is_leaf and requires_grad are two questions: is_leaf asks only for the node"
    )
    def leaf_if_not_required(self, asked, made):
        return asked or made, not (asked or made), False

    @cause("keeps_grad only if the tensor requires a gradient: a leaf may ask for none")
    def every_leaf_keeps(self, asked, made):
        return asked or made, not made, not made

    @cause("a node decides, whether the tensor was asked or not: it is no leaf")
    def asked_is_leaf(self, asked, made):
        return asked or made, asked or not made, asked


@checks(Tensor.detach)
class Detach(ScenarioCheck):
    def cases(self, random):
        values = drawn(random, 3, 2)
        yield "no history", "detached", values, "plain"
        yield "any view", "detached", drawn(random, 3, 2), "turned"
        yield "any view", "detached", drawn(random, 4, 2), "part"
        yield "a leaf", "detached", drawn(random, 3, 2), "leaf"

    def torch(self, x):
        return x.detach()

    def told(self, name, *args):
        made = {"plain": "x * 2", "turned": "(x * 2).T", "part": "(x * 2)[1:]"}
        return f"d = y.detach(), where y = {made.get(args[1], 'a leaf')}"

    recorded = differs(
        "requires_grad",
        "what comes back requires a gradient: every view that is made by as_strided or "
        "another method is recorded. Make a Tensor of the same numbers",
    )
    itself = differs(
        "x.detach() is x",
        "x itself comes back: detach() makes another tensor over the same memory",
    )
    forgets = differs(
        "x still requires a gradient",
        "x has lost its gradient: detach() leaves x as it is (detach_() does not)",
    )
    copy = differs(
        "what is added to it, x has too",
        "a copy: detach() reads the same memory, so a change is seen in both",
    )
    row_major = differs(
        "shape, strides, offset",
        "the layout is another: a view has strides and an offset of its own",
    )
