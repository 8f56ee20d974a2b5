"""How a gradient comes into a leaf's .grad."""

import sys

from .modes import here


def accumulate(x, gradient):
    """Add to x.grad, into the tensor that is there. A first gradient is copied if
    somebody else holds its memory, or the graph of backward itself is wanted."""
    meta = x._meta
    if meta.grad is None:
        meta.grad = gradient if is_own(gradient) else gradient.clone()
    elif here.modes.enabled:
        meta.grad = meta.grad + gradient
    else:
        meta.grad.add_(gradient)


def is_own(gradient):
    """Is this tensor the only one over its memory, and is that just its elements?"""
    if here.modes.enabled:
        return False
    gradient._base = None  # what a formula made on its way
    whole = len(gradient.storage) == gradient.numel() and gradient.is_contiguous()
    return whole and holders(gradient) == ALONE


def holders(x):
    return sys.getrefcount(x.storage)


class _One:
    storage = None

    def __init__(self):
        self.storage = object()


ALONE = holders(_One())  # what Python counts when nobody else holds the storage
