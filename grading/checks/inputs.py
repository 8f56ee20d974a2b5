"""Numbers that checks of several chapters draw, and calls with tensors of them."""

import numpy as np

from grading.checking.describe import Filled, shown
from grading.exercise import call

MEMORY = "row by row", "apart"  # how tensors that are changed in place lie there


def numbers(random, *shape, scale=1.0):
    """Normal numbers in double."""
    draw = np.random.default_rng(random.getrandbits(64))
    return draw.normal(size=shape) * scale


def on_tensors(*arrays, **options):
    """A call with a tensor for each array."""
    return call(*(a if a is None else Filled(a) for a in arrays), **options)


def said(options, *hidden):
    """Options as in a call, but for those that only a driver has."""
    shown_options = ((k, v) for k, v in options.items() if k not in hidden)
    return ", ".join(f"{name}={shown(value)}" for name, value in shown_options)
