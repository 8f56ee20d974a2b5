"""Scenes of chapter 11: an answer in C++, gradients from outside, a verification."""

import gc
import weakref

import numpy as np

import minigrad

from ..kernels import cpp
from . import reference_calls
from .candidates import compiled
from .guards import Misuse, unwatched
from .registry import scene

STRIDES = (
    "{0} reads the storage in order, but {1} may have any strides. Pass "
    "`{1}.contiguous()`."
)
PAIR = (
    "A pair is missing. Return `setup_context, backward`, and from `backward`, return "
    "`dx, dbias`."
)
SAVED = (
    "`ctx` holds something other than x and bias. Save the two themselves, with one "
    "call of `ctx.save_for_backward`."
)


@scene
def built(exercise, cases):
    """A C++ function, built and called in a process of its own, in all its cases."""
    return cpp.called(exercise.name, exercise.text, cases)


class Context:
    """`ctx`, as PyTorch hands it to setup_context and backward."""

    def __init__(self, needs):
        self.needs_input_grad, self.saved_tensors = needs, ()

    def save_for_backward(self, *tensors):
        if self.saved_tensors:
            raise Misuse(
                "saved",
                "`save_for_backward` is called twice. Pass both tensors in one call.",
            )
        self.saved_tensors = tensors


def kernel(ask, name, *names):
    """A kernel of the check's: it reads the memory of its tensors from front to end."""

    def run(*tensors):
        for what, x in zip(names, tensors, strict=True):
            if not hasattr(x, "storage"):
                raise TypeError(f"{name}: {what} must be a tensor, not {x!r:.40}")
            if not x.is_contiguous():
                raise Misuse("strides", STRIDES.format(name, what))
        read = [
            x.storage.data[x.offset : x.offset + x.numel()].reshape(x.shape)
            for x in tensors
        ]
        return minigrad.tensor(ask(name, *read))

    return run


class Incoming(minigrad.Tensor):
    """A dy, whose clone keeps the order of its strides, as PyTorch's does."""

    __slots__ = ()

    def contiguous(self):
        return self if self.is_contiguous() else super().clone()

    def clone(self):
        order = sorted(range(self.ndim), key=lambda d: -self.strides[d])
        in_order = self.permute(order)
        if not in_order.is_contiguous():  # it has gaps, or is expanded
            return super().clone()
        return in_order.clone().permute([*map(order.index, range(self.ndim))])


def incoming(dy, layout):
    dy = LAYOUTS[layout](minigrad.tensor(dy))
    return Incoming(dy.storage, dy.shape, dy.strides, dy.offset)


LAYOUTS = {
    "contiguous": lambda dy: dy,
    "transposed": lambda dy: dy.transpose(-1, -2).contiguous().transpose(-1, -2),
    "one number": lambda dy: dy.sum().expand(dy.shape),
}


@scene
def from_outside(exercise, ask, inputs, calls, ups, layout, steps, needs):
    """The gradients of several calls, and whether their inputs stay in memory.

    inputs: (x, bias), and calls: the number of each call's. ups: of these, what dy may
    be. needs: of each call, which gradients. steps: of each backward, in order, its
    call, its dy, and whether it has another ctx, which holds what that of the call has
    saved.
    """
    pair = exercise(
        kernel(ask, "bias_gelu_backward", "dy", "x", "bias"),
        kernel(ask, "bias_backward", "dx"),
    )
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise Misuse("pair", PAIR)
    setup_context, backward = pair
    tensors = [tuple(map(minigrad.tensor, arrays)) for arrays in inputs]
    contexts = [*map(Context, needs)]
    for ctx, n in zip(contexts, calls, strict=True):
        setup_context(ctx, tensors[n], minigrad.tensor(inputs[n][0]))
    saved = [sorted(map(id, ctx.saved_tensors)) for ctx in contexts]
    alone = all(vars(ctx).keys() == vars(Context(needs[0])).keys() for ctx in contexts)
    if not alone or saved != [sorted(map(id, tensors[n])) for n in calls]:
        raise Misuse("saved", SAVED)
    del ctx
    dys = [[incoming(dy, layout) for dy in pair] for pair in ups]
    given = [t for several in (*dys, *tensors) for t in several]
    gradients, lost = [], False
    before = [np.array(t.numpy()) for t in given]
    for call, dy, moved in steps:
        if moved:
            contexts[call] = another(contexts, call)
        try:
            gradients.append(backward(contexts[call], dys[calls[call]][dy]))
        except Exception:
            if not moved:
                raise
            lost = True  # it has what was saved, and nothing else
            break
        if not isinstance(gradients[-1], tuple | list):
            raise Misuse("pair", PAIR)
    own = [id(g.storage.data) for pair in gradients for g in pair if g is not None]
    if len({*own}) < len(own):
        raise Misuse(
            "reused",
            "dx or dbias shares the memory of an earlier result. Return new tensors.",
        )
    if not all(map(np.array_equal, (t.numpy() for t in given), before)):
        raise Misuse("changed", "x, bias, or dy has changed. Compute new tensors.")
    held = [weakref.ref(x) for x in sum(tensors, ())]
    last = Context(needs[0]), *map(minigrad.tensor, inputs[0])
    setup_context(last[0], last[1:], minigrad.tensor(inputs[0][0]))  # and no backward
    held += map(weakref.ref, last[1:])
    del contexts, tensors, given, last
    if any(x() is not None for x in held):
        gc.collect()
    return {
        "gradients": [[g if g is None else np.array(g.numpy()) for g in pair]
                      for pair in gradients],
        "x or bias is held outside of ctx": lost or any(x() is not None for x in held),
    }  # fmt: skip


def another(contexts, call):
    """A ctx that has what another has saved, which is gone."""
    new, old = Context(contexts[call].needs_input_grad), weakref.ref(contexts[call])
    new.saved_tensors, contexts[call] = contexts[call].saved_tensors, None
    if old() is not None:
        gc.collect()
    return new


@scene
def verified(exercise, text, name):
    """A verification, which raises unless it lets an operator of the text pass."""
    op = operator(text, name) if text else reference_calls.candidate()
    exercise(unwatched(op), unwatched(reference))
    return "accepted"


def reference(a, b):
    return a.unsqueeze(2) * b.unsqueeze(1)


def operator(text, name):
    names = {"__name__": "operators"}
    exec(compiled(text, "<operators>", "exec"), names)
    return names["OF_NAME"][name]
