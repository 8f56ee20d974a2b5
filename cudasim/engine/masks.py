"""Which lanes run: None is all of them, False none, else a bool array."""

import functools

import numpy as np

from . import lanes

both_of, either_of = lanes.FUNCTIONS["and_"], lanes.FUNCTIONS["or_"]
FEW = 4  # few lanes: fewer than one in four
plus, minus_of, times = (lanes.FUNCTIONS[name] for name in ("add", "sub", "mul"))


def take(mask, condition):
    """The lanes of `mask` where `condition` holds; `mask` itself if it holds in all."""
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
    """(lanes that take one branch, lanes that take the other)"""
    if condition.ndim == 0:
        return (mask, False) if condition else (False, mask)
    yes = take(mask, condition)
    if yes is mask:
        return mask, False
    if yes is False:
        return False, mask
    return yes, ~condition if mask is None else both_of(~condition, mask)


def union(a, b, whole=False):
    """The lanes of either; the object `whole` if the result equals it."""
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
    """The lanes where one of the conditions holds."""
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
    """`new` in the lanes of `mask`, `old` elsewhere, for values of one dtype."""
    large = max(mask.size, new.size, old.size) >= lanes.SMALL
    if large and new.dtype.itemsize == 4 and mask.ndim:
        return by_bits(mask, new, old)
    return np.where(mask, new, old)


def by_bits(mask, new, old):
    """np.where for 4-byte numbers, in half the time."""
    bits = old.view(np.int32)
    out, ones = minus_of(new.view(np.int32), bits), mask.astype(np.int32)
    out = times(out, ones) if out.shape != mask.shape else np.multiply(out, ones, out)
    out = plus(out, bits) if out.shape != bits.shape else np.add(out, bits, out)
    return out.view(new.dtype)


def patch(new, where, old):
    """`new`, changed in place, with `old` in the lanes of `where`.

    None if that would take longer than `select`.
    """
    if new.size < lanes.SMALL or (old.ndim and old.shape != new.shape):
        return None
    if np.broadcast_shapes(where.shape, new.shape) != new.shape:
        return None
    rows = len(new) if len(where) == 1 else 1
    at = np.flatnonzero(np.broadcast_to(where, (len(where), *new.shape[1:])))
    if FEW * rows * len(at) > new.size:
        return None
    new.reshape(rows, -1)[:, at] = old.reshape(rows, -1)[:, at] if old.ndim else old
    return new


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
    """select for pointers; by address if they are in different arrays."""
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
