"""Atomic operations: lanes take turns, in order."""

import numpy as np

from .memory import Addresses, poison
from .pointers import atomic_anywhere

UFUNC = {
    "add": np.add, "sub": np.subtract, "min": np.minimum, "max": np.maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


def atomic(batch, how, pointer, operands, access, mask, site, used):
    """The old value; `used`: whether the kernel reads it."""
    if type(pointer) is Addresses:
        return atomic_anywhere(batch, how, pointer, operands, access, mask, site, used)
    index, mask = batch.locate(pointer, None, access, mask, site, "updated")
    region = pointer.region
    if mask is False or not batch.writable(region, mask, site):
        return poison(access.type)
    if how == "cas":
        batch.launch.swaps.add(site)
    if how == "exch" and not used:
        batch.launch.puts.add(site)
    batch.touched("atomic", region, index, access.size, access.unit, mask, site)
    out = update(batch, how, region, index, operands, access, mask, used)
    return tuple(out) if access.record else out[0]


def update(batch, how, region, index, operands, access, mask, used):
    """The old value at the index, one number of it after another."""
    lanes = np.arange(batch.geometry.lanes)
    if mask is not None:
        lanes = lanes[batch.geometry.full(mask)]
    out = []
    each = leaf_operands(operands, access)
    for (dtype, ratio, offset, _), parts in zip(access.leaves, each, strict=True):
        at = np.asarray(batch.leaf_index(region, dtype, index, ratio, offset))
        flat, view = batch.geometry.full(at)[lanes], region.root.view(dtype)
        out.append(leaf(batch, how, view, flat, parts, lanes, used))
    return out


def leaf(batch, how, view, index, operands, lanes, used):
    """The old value of one number, lane by lane."""
    values = [batch.geometry.full(o)[lanes] for o in operands]
    if not used and how in UFUNC and not half(view.dtype):
        UFUNC[how].at(view, index, values[0])
        return None
    old = turns(how, view, index, values)
    if not used:
        return None
    out = np.zeros(batch.geometry.lanes, view.dtype)
    out[lanes] = old
    return out.reshape(batch.shape)


def half(dtype):
    """Is this float16, or the bits of bfloat16?"""
    return dtype in (np.float16, np.uint16)


def leaf_operands(operands, access):
    """The operands of each number of a struct."""
    if not access.record:
        return [operands]
    return [[o[i] for o in operands] for i in range(len(access.leaves))]


def turns(how, view, index, values):
    """One lane after another: the value that each one finds."""
    order = np.argsort(index, kind="stable")
    at = index[order]
    starts = np.flatnonzero(np.r_[True, at[1:] != at[:-1]])
    sizes = np.diff(np.r_[starts, len(at)])
    if sizes.max() > 64 and how in UFUNC and not half(view.dtype):
        old = scan(UFUNC[how], view, at, values[0][order], starts, sizes)
    else:
        old = np.empty(len(at), view.dtype)
        sorted_values = [v[order] for v in values]
        for turn in range(int(sizes.max())):
            who = starts[sizes > turn] + turn
            old[who] = view[at[who]]
            view[at[who]] = step(how, old[who], [v[who] for v in sorted_values])
    out = np.empty_like(old)
    out[order] = old
    return out


def scan(ufunc, view, at, values, starts, sizes):
    """Many lanes at one place: a running sum in the order of the lanes."""
    old = np.empty(len(at), view.dtype)
    for start, size in zip(starts, sizes, strict=True):
        run = np.empty(size + 1, view.dtype)
        run[0], run[1:] = view[at[start]], values[start : start + size]
        run = ufunc.accumulate(run, dtype=view.dtype)
        old[start : start + size], view[at[start]] = run[:-1], run[-1]
    return old


def step(how, old, values):
    """All updates at once, for places that are all different."""
    value = values[0]
    if how == "exch":
        return value
    if how == "cas":
        return np.where(old == value, values[1], old)
    if how == "inc":
        return np.where(old >= value, old.dtype.type(0), old + old.dtype.type(1))
    if how == "dec":
        wraps = (old == 0) | (old > value)
        return np.where(wraps, value, old - old.dtype.type(1))
    if old.dtype == np.uint16:
        return add_bfloat16(old, value)
    return UFUNC[how](old, value)


def add_bfloat16(a, b):
    from .. import numerics

    return numerics.half_op("+", True)(a, b)
