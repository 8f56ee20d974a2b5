"""Recording: Function.apply, leaf_rules, detach; PyTorch does the same."""

import numpy as np
import torch

import minigrad
from grading.exercise import Check, checks, mistake, mistakes, right
from minigrad import Tensor
from minigrad.autograd import Context, Function, is_grad_enabled, no_grad
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


IF = "if is_grad_enabled() and any(ctx.needs_input_grad):"
CONTEXT, WITH = "ctx = Context(cls, args)", "with no_grad():"
mistakes(apply)(rf"""
thrown_away: what ctx.record(results) returns is the result: where forward returns its
    argument, it is another tensor
> return ctx.record(results) -> ctx.record(results)
never_recorded: nothing is recorded: is_grad_enabled() is False inside of `with
    no_grad():`, so ask when that is closed; and then return what ctx.record(results)
    returns
>     {IF}\n        return ctx ->         {IF}\n            return ctx
> {IF} -> if False:
always: a graph is built though no operand asks for a gradient: any(...) of
    ctx.needs_input_grad says whether one does
>  and any(ctx.needs_input_grad) ->
switched_on: recording is on when apply returns, though the caller had switched it off:
    `with no_grad():` puts back what was before
> {IF} -> recording = is_grad_enabled()\n    minigrad.set_grad_enabled(True)\n    if
    recording and any(ctx.needs_input_grad):
left_off: after an error in forward recording stays off, for the rest of the program:
    `with no_grad():` puts it back in any case
> {WITH} results = cls.forward(ctx, *args) -> recording =
    is_grad_enabled()\n    minigrad.set_grad_enabled(False)\n    results =
    cls.forward(ctx, *args)\n    minigrad.set_grad_enabled(recording)
inside: forward is recorded operator by operator: its gradient is what backward says, so
    call it under no_grad()
> {WITH} -> if True:
under_no_grad: a graph is built under no_grad(): ask is_grad_enabled() before ctx.record
? under no_grad() the result requires a gradient
> is_grad_enabled() and ->
twice: forward is called more than once: its work is done again for nothing
> return ctx.record(results) -> return ctx.record(cls.forward(ctx, *args))
kept: ctx is kept though nothing needs it any more: each call makes a Context of its
    own, and only the results hold on to it, neither the class nor a global
? ctx is still in memory
> {CONTEXT} -> cls.kept = ctx = getattr(cls, 'kept', None) or Context(cls, args)
> {CONTEXT} -> {CONTEXT}\n    apply.__dict__.setdefault('all', []).append(ctx)
""")


@right(apply, "by a decorator")
def _(cls, *args):
    ctx = Context(cls, args)
    results = no_grad()(cls.forward)(ctx, *args)
    wanted = is_grad_enabled() and True in ctx.needs_input_grad
    return ctx.record(results) if wanted else results


@right(apply, "switched off and on by hand")
def _(cls, *args):
    ctx, before = Context(cls, args), is_grad_enabled()
    minigrad.set_grad_enabled(False)
    try:
        results = cls.forward(ctx, *args)
    finally:
        minigrad.set_grad_enabled(before)
    return ctx.record(results) if before and max(ctx.needs_input_grad) else results


@right(apply, "asked first")
def _(cls, *args):
    ctx, recording = Context(cls, args), is_grad_enabled()
    finish = ctx.record if recording and any(ctx.needs_input_grad) else lambda y: y
    with no_grad():
        results = cls.forward(ctx, *args)
    return finish(results)


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


REQUIRES, LEAF = "requires_grad = asked or node is not None", "is_leaf = node is None"
BOTH = "requires_grad and is_leaf"
mistakes(leaf_rules)(f"""
grad_on_non_leaf: backward() puts a gradient into leaves alone: what an operator made
    has none
> {BOTH} -> requires_grad
node_itself: a bool is expected, and here stands the node itself, or None: `or` and
    `and` give one of their operands. node is not None is a bool
> {REQUIRES} -> requires_grad = asked or node
& {BOTH} -> asked and is_leaf
asked_alone: what is made from tensors that require a gradient requires one, too: node
>  or node is not None ->
leaf_if_asked: a tensor that nobody asked, and no operator made, is a leaf to PyTorch,
    too
> {LEAF} -> is_leaf = asked and node is None
leaf_if_not_required: is_leaf and requires_grad are two questions: is_leaf asks only for
    the node
> {LEAF} -> is_leaf = not requires_grad
every_leaf_keeps: keeps_grad only if the tensor requires a gradient: a leaf may ask for
    none
> {BOTH} -> is_leaf
right: by cases
> = (asked, True, asked) if node is None else (True, False, False)
""")


@right(leaf_rules, "by a table")
def _(asked, node):
    table = {(0, 0): (0, 1, 0), (0, 1): (1, 0, 0), (1, 0): (1, 1, 1), (1, 1): (1, 0, 0)}
    return tuple(map(bool, table[bool(asked), node is not None]))


@right(leaf_rules, "bit by bit")
def _(asked, node):
    made = not isinstance(node, type(None))
    return asked | made, not made, asked & (not made)


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


mistakes(detach)("""
itself: x itself comes back: detach() makes another tensor over the same memory
? x.detach() is x
> return -> return self if self.is_leaf else
> return -> return self if not self.requires_grad else
recorded: what comes back requires a gradient: every view that is made by as_strided or
    another method is recorded. Make a Tensor of the same numbers
? requires_grad
> Tensor(self.storage, -> self.as_strided(
> = self * 1
forgets: x has lost its gradient: detach() leaves x as it is
copy: a copy: detach() reads the same memory, so a change is seen in both
right: by an alias
> = self._alias()
""")


@mistake(detach)
def forgets(self):
    shape, strides, offset = self._layout
    self.requires_grad_(False) if self.is_leaf else setattr(self, "_meta", None)
    return Tensor(self.storage, shape, strides, offset)


@mistake(detach)
def copy(self):
    with no_grad():
        x = self.clone()
    return Tensor(x.storage, self.shape, x.strides).as_strided(self.shape, x.strides)


@right(detach, "without recording")
def _(self):
    with no_grad():
        x = self.as_strided(self.shape, self.strides, self.offset)
    return Tensor(x.storage, x.shape, x.strides, x.offset)
