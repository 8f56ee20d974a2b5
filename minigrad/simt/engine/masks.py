"""Which lanes run: None is all of them, False none, else a bool array."""

import functools

import numpy as np

from . import lanes

both_of, either_of = lanes.FUNCTIONS["and_"], lanes.FUNCTIONS["or_"]


def take(mask, condition):
    """The lanes of `mask` for which `condition` holds; `mask` itself if all do."""
    if condition.ndim == 0:
        return mask if condition else False
    if mask is None:
        if condition.all():
            return None
        return condition if condition.any() else False
    both = both_of(condition, mask)
    if not both.any():
        return False
    return mask if (both == mask).all() else both


def split(mask, condition):
    """(lanes that go one way, lanes that go the other)."""
    if condition.ndim == 0:
        return (mask, False) if condition else (False, mask)
    yes = take(mask, condition)
    if yes is mask:
        return mask, False
    if yes is False:
        return False, mask
    return yes, ~condition if mask is None else both_of(~condition, mask)


def union(a, b, whole=False):
    """Lanes of either; `whole`, itself, where that is what comes out."""
    if a is False:
        return b
    if b is False:
        return a
    if a is None or b is None:
        return None
    both = either_of(a, b)
    if whole is None:
        return None if both.all() else both
    if whole is not False and (whole == both).all():
        return whole
    return both


def any_of(conditions):
    """Where does one of the conditions hold?"""
    return functools.reduce(either_of, conditions)


def minus(mask, gone):
    """The lanes of `mask` that are not in `gone`."""
    if gone is False or mask is False:
        return mask
    if gone is None:
        return False
    left = ~gone if mask is None else both_of(mask, ~gone)
    return left if left.any() else False


def select(mask, new, old):
    """`new` in the lanes of `mask`, `old` elsewhere: for values of one dtype."""
    if new.dtype.itemsize == 4 and mask.ndim:
        if new.ndim and new.shape != mask.shape:
            mask, new = lanes.spread(mask, new)
        if old.ndim and old.shape != mask.shape:
            mask, old = lanes.spread(mask, old)
        if mask.size >= lanes.SMALL:
            return by_bits(mask, new, old)
    return np.where(mask, new, old)


def by_bits(mask, new, old):
    """np.where for arrays of one shape and 4-byte numbers, in half the time."""
    ones = mask.astype(np.int32)
    bits = old.view(np.int32)
    out = new.view(np.int32) - bits
    out *= ones
    out += bits
    return out.view(new.dtype)


def select_record(mask, new, old):
    """select for structs, field by field."""
    if mask is None:
        return new
    return tuple(select_any(mask, n, o) for n, o in zip(new, old, strict=True))


def select_any(mask, new, old):
    if mask is None or new is old:
        return new
    if isinstance(new, tuple):
        return select_record(mask, new, old)
    if isinstance(new, np.ndarray | np.generic):
        return select(mask, new, old)
    return select_pointer(mask, new, old)


def select_pointer(mask, new, old):
    """select for pointers; where they are in different arrays, by address."""
    from .memory import Addresses, Pointer

    if mask is None or new is old:
        return new
    both = isinstance(new, Pointer) and isinstance(old, Pointer)
    if both and new.region is old.region:
        old = old.cast(new.unit)
        new = new.cast(old.unit)
    if both and new.region is old.region and new.unit == old.unit:
        return Pointer(new.region, np.where(mask, new.offset, old.offset), new.unit)
    return Addresses(np.where(mask, new.address, old.address))
