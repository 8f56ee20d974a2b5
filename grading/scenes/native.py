"""Scenes of chapter 11: an answer in C++, gradients from outside, a verification."""

import gc
import weakref

import numpy as np

import minigrad
from minigrad.ops.special import erf

from .. import course_answers, native
from ..watch import unwatched
from .registry import scene


@scene
def built(hole, cases):
    """A C++ function, built and called in a process of its own, in all its cases."""
    return native.called(hole.name, hole.text, cases)


class Context:
    """`ctx`, as PyTorch hands it to setup_context and backward."""

    def __init__(self, needs):
        self.needs_input_grad, self.saved_tensors = needs, ()

    def save_for_backward(self, *tensors):
        if self.saved_tensors:
            raise RuntimeError("save_for_backward is called once, with all tensors")
        self.saved_tensors = tensors


class Kernels:
    """The kernels that the answer is given: they note their calls."""

    def __init__(self):
        self.runs = []

    def bias_gelu_backward(self, dy, x, bias):
        self.takes("bias_gelu_backward", dy=dy, x=x, bias=bias)
        if dy.shape != x.shape:
            raise RuntimeError(f"dy is {dy.shape}, x is {x.shape}")
        u = (x + bias).numpy().astype(np.float64)
        share = minigrad.tensor(0.5 * (1 + erf(u / 2**0.5)))
        slope = share.numpy() + u * np.exp(-u * u / 2) / (2 * np.pi) ** 0.5
        return minigrad.tensor(dy.numpy() * slope)

    def bias_backward(self, dx):
        self.takes("bias_backward", dx=dx)
        return minigrad.tensor(dx.numpy().reshape(-1, dx.shape[-1]).sum(0))

    def takes(self, kernel, **tensors):
        self.runs.append(kernel)
        for name, x in tensors.items():
            if not hasattr(x, "storage"):
                raise TypeError(f"{kernel}: {name} must be a tensor, not {x!r:.40}")
            if not x.is_contiguous():
                raise RuntimeError(f"{kernel}: {name} must be contiguous")


LAYOUTS = {
    "contiguous": lambda dy: dy,
    "transposed": lambda dy: dy.transpose(-1, -2).contiguous().transpose(-1, -2),
    "one number": lambda dy: dy.sum().expand(dy.shape),
}


@scene
def from_outside(hole, x, bias, dy, layout, needs, several):
    """The gradients of one call among several, and which kernels ran for it."""
    kernels = Kernels()
    pair = hole(kernels.bias_gelu_backward, kernels.bias_backward)
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError("the pair (setup_context, backward) is to be returned")
    setup_context, backward = pair
    contexts = [Context(needs) for _ in range(1 + several)]
    inputs = [
        (minigrad.tensor(x + number), minigrad.tensor(bias))
        for number in range(len(contexts))
    ]
    other = Context(needs)  # a call with the same x, which has another dy
    for ctx, given in zip([other, *contexts], [inputs[0], *inputs], strict=True):
        setup_context(ctx, given, minigrad.tensor(x))
    saved = [sorted(map(id, c.saved_tensors)) for c in contexts]
    known = vars(Context(needs)).keys()
    alone = all(vars(ctx).keys() == known for ctx in contexts)
    if not alone or saved != [sorted(map(id, pair)) for pair in inputs]:
        raise ValueError("x and bias are to be saved for backward, and nothing else")
    up = LAYOUTS[layout](minigrad.tensor(dy))
    before = np.array(up.numpy())
    found = backward(other, LAYOUTS[layout](minigrad.tensor(dy + 1)))
    for ctx in contexts[::-1]:
        kernels.runs.clear()
        earlier, found = found, backward(ctx, up)
    given = [(up, before), (inputs[0][0], x), (inputs[0][1], bias)]
    if not all(np.array_equal(t.numpy(), was) for t, was in given):
        raise ValueError("x, bias or dy has changed")
    if not isinstance(found, tuple | list):
        raise TypeError("backward returns the pair (dx, dbias)")
    own = {id(g.storage.data) for g in found if g is not None}
    if own & {id(g.storage.data) for g in earlier if g is not None}:
        raise ValueError("dx or dbias lies in the memory of an earlier call")
    held = [weakref.ref(x) for pair in inputs for x in pair]
    del other, contexts, ctx, inputs, given
    if any(x() is not None for x in held):
        gc.collect()
    outside = any(x() is not None for x in held)
    return {
        "gradients": [None if g is None else np.array(g.numpy()) for g in found],
        "kernels": sorted(kernels.runs),
        "x or bias is held outside of ctx": outside or _kept(pair, x, bias, up, needs),
    }


def _kept(pair, x, bias, dy, needs):
    """Is something kept outside of ctx until backward runs, which may be never?"""
    setup_context, backward = pair
    first, second = Context(needs), Context(needs)
    inputs = minigrad.tensor(x), minigrad.tensor(bias)
    setup_context(first, inputs, minigrad.tensor(x))
    second.saved_tensors = first.saved_tensors
    held, waits = [weakref.ref(t) for t in inputs], weakref.ref(first)
    del first, inputs
    if waits() is not None:
        gc.collect()
    try:
        backward(second, dy)  # it has what was saved, and nothing else
    except Exception:
        return True
    setup_context(second := Context(needs), (minigrad.tensor(x), minigrad.tensor(bias)),
                  minigrad.tensor(x))  # fmt: skip
    held += [weakref.ref(t) for t in second.saved_tensors]
    del second
    if any(t() is not None for t in held):
        gc.collect()
    return any(t() is not None for t in held)


@scene
def verified(hole, text, name):
    """A verification, which raises unless it lets an operator of the text pass."""
    op = operator(text, name) if text else course_answers.candidate()
    hole(unwatched(op), unwatched(reference))
    return "accepted"


def reference(a, b):
    return a.unsqueeze(2) * b.unsqueeze(1)


def operator(text, name):
    names = {"__name__": "operators"}
    exec(compile(text, "<operators>", "exec"), names)
    return names["OF_NAME"][name]
