"""Operations of a whole warp: shuffles, votes, reductions."""

import re

import numpy as np

from .geometry import WARP
from .memory import poison

BITS = (np.uint64(1) << np.arange(WARP, dtype=np.uint64)).astype(np.uint64)
JOIN = {
    "add": np.add, "min": np.minimum, "max": np.maximum,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip


def active_lanes(batch, mask):
    """The lanes of each warp that run here."""
    if mask is None:
        return batch.geometry.exists
    return batch.geometry.by_warp(mask, False)


def named_lanes(batch, named, mask, site, what):
    """The lanes that an operation's mask names; missing ones are reported."""
    active = active_lanes(batch, mask)
    number = batch.geometry.by_warp(named).astype(np.uint64)
    named = (number[..., None] >> BITS_SHIFT) & np.uint64(1)
    named = named.astype(bool)  # [warp, lane, lane that it names]
    alive = active_lanes(batch, batch.alive)
    missing = active[..., None] & named & (alive & ~active)[:, None, :]
    batch.launch.divided |= bool(missing.any())
    own = active & ~named[:, batch.geometry.lane_numbers, batch.geometry.lane_numbers]
    others = number[:, :, None] != number[:, None, :]
    own |= (active[..., None] & named & active[:, None, :] & others).any(axis=2)
    if missing.any() or own.any():
        report_missing(batch, missing.any(axis=2) | own, mask, site, what)
    return named & active[:, None, :]


def is_whole_warp(batch, named, mask):
    """Whether all lanes run and the mask names them all, as usual."""
    whole = mask is None or mask is batch.alive
    return whole and named.ndim == 0 and int(named) == 0xFFFFFFFF


def report_missing(batch, bad, mask, site, what):
    shaped = batch.geometry.from_warps(bad)
    message = (
        f"the mask of {what} names lanes that do not take part or have another mask, "
        "or leaves out this one"
    )
    hint = "all lanes that the mask names must run this line together, with this mask"
    batch.fault("divergent-shuffle", site, shaped, message, hint)


def vote(batch, named, value, how, mask, site):
    """__ballot_sync, __any_sync, __all_sync."""
    true = batch.geometry.by_warp(value != 0, False)
    if is_whole_warp(batch, named, mask):
        members = active_lanes(batch, mask)[:, None, :]
    else:
        members = named_lanes(batch, named, mask, site, f"__{how}_sync")
    if how == "ballot":
        bits = np.where(true[:, None, :] & members, BITS, np.uint64(0))
        out = bits.sum(axis=2, dtype=np.uint64).astype(np.uint32)
    elif how == "any":
        out = (true[:, None, :] & members).any(axis=2).astype(np.int32)
    else:
        out = (true[:, None, :] | ~members).all(axis=2).astype(np.int32)
    return from_rows(batch, out)


def from_rows(batch, out):
    out = np.broadcast_to(out, (batch.geometry.exists.shape[0], WARP))
    return batch.geometry.from_warps(out)


def activemask(batch, named, mask, site):
    bits = np.where(active_lanes(batch, mask), BITS, np.uint64(0))
    out = bits.sum(axis=1, dtype=np.uint64, keepdims=True).astype(np.uint32)
    return from_rows(batch, out)


def shuffle(batch, named, value, lane, width, how, type, mask, site):
    """__shfl_sync and the like: the value of another lane of the same segment."""
    members = None
    if not is_whole_warp(batch, named, mask):
        members = named_lanes(batch, named, mask, site, f"__shfl{how}_sync")
    missing = poison(type)
    if isinstance(value, tuple):
        return tuple(
            shuffle_leaf(batch, how, p, v, lane, width, mask, site, members)
            for p, v in zip(missing, value, strict=True)
        )
    return shuffle_leaf(batch, how, missing, value, lane, width, mask, site, members)


def shuffle_leaf(batch, how, missing, value, lane, width, mask, site, members):
    """members: which lanes each lane's mask names; None: all of the warp."""
    if value.ndim == 0 and members is None and batch.geometry.threads % WARP == 0:
        return value
    rows, active = batch.geometry.by_warp(value), active_lanes(batch, mask)
    numbers = np.arange(WARP)
    width = batch.geometry.by_warp(width).astype(np.int64) if width.ndim else int(width)
    delta = batch.geometry.by_warp(lane).astype(np.int64) if lane.ndim else int(lane)
    first = numbers & ~(width - 1)
    if how == "":
        source = first + (delta & (width - 1))
    elif how == "_up":
        source = numbers - delta
        source = np.where(source < first, numbers, source)
    else:
        source = numbers + delta if how == "_down" else numbers ^ delta
        source = np.where(source >= first + width, numbers, source)
    source = np.broadcast_to(source & (WARP - 1), rows.shape)
    out = np.take_along_axis(rows, source, axis=1)
    if members is not None or batch.geometry.threads % WARP:
        there = np.take_along_axis(active, source, axis=1)
        if members is not None:
            there = np.take_along_axis(members, source[..., None], axis=2)[..., 0]
        lost = active & ~there
        if lost.any():
            missing = from_nobody(batch, missing, lost, source, site)
        out = np.where(there, out, missing)
    return batch.geometry.from_warps(out)


def from_nobody(batch, missing, lost, source, site):
    """What lanes get from lanes that are not there; the first case is noted."""
    launch = batch.launch
    if site not in launch.lost:
        row = np.flatnonzero(lost.any(axis=1))[0]
        from_lane = int(source[row, lost[row].argmax()])
        exists = batch.geometry.exists
        here = np.broadcast_to(exists, lost.shape)[row, from_lane]
        shaped = batch.geometry.full(batch.geometry.from_warps(lost))
        lane, count = int(np.argmax(shaped)), int(shaped.sum())
        launch.lost[site] = from_lane, bool(here), lane, batch.geometry, count
    if launch.again and missing.dtype.kind in "fiu":
        return missing.dtype.type(99)
    return missing


def match(batch, named, value, how, mask, site):
    """The mask of __match_any_sync, or (mask, predicate) of __match_all_sync."""
    members = named_lanes(batch, named, mask, site, f"__match_{how}_sync")
    rows = batch.geometry.by_warp(value)
    if rows.dtype.kind == "f":
        rows = rows.view(f"u{rows.dtype.itemsize}")
    equal = (rows[:, :, None] == rows[:, None, :]) & members
    if how == "all":
        every = (equal == members).all(axis=2)
        equal = members & every[:, :, None]
    bits = np.where(equal, BITS, np.uint64(0)).sum(axis=2, dtype=np.uint64)
    out = from_rows(batch, bits.astype(np.uint32))
    if how == "all":
        return out, from_rows(batch, every.astype(np.int32))
    return out


def warp_reduce(batch, named, value, how, mask, site):
    """__reduce_add_sync and the like."""
    members = named_lanes(batch, named, mask, site, f"__reduce_{how}_sync")
    rows = np.broadcast_to(batch.geometry.by_warp(value)[:, None, :], members.shape)
    start = {"and": -1, "min": None, "max": None}.get(how, 0)
    dtype = rows.dtype
    if start is None:
        info = np.iinfo(dtype)
        start = info.max if how == "min" else info.min
    start = np.array(start).astype(dtype)
    out = JOIN[how].reduce(np.where(members, rows, start), axis=2, dtype=dtype)
    return from_rows(batch, out)


def tile_reduce(batch, named, value, width, how, mask, site):
    """cg::reduce over tiles of `width` lanes, by halves, as with shuffles."""
    if mask is not None and mask is not batch.alive:
        named_lanes(batch, named, mask, site, "cg::reduce")
    rows = batch.geometry.by_warp(value)
    numbers, offset = np.arange(WARP), int(width) // 2
    while offset:
        rows = JOIN[how](rows, rows[:, numbers ^ offset]).astype(rows.dtype)
        offset //= 2
    return batch.geometry.from_warps(rows)


def syncwarp(batch, named, mask, site):
    if not is_whole_warp(batch, named, mask):
        named_lanes(batch, named, mask, site, "__syncwarp")


def converge(batch, named, mask, site):
    """An operation of all lanes of the warp, by the name in the text."""
    if not is_whole_warp(batch, named, mask):
        line, column = batch.launch.places[site]
        name = re.match(r"[\w:]*", batch.launch.lines[line - 1][column - 1 :])[0]
        named_lanes(batch, named, mask, site, name)


BITS_SHIFT = np.arange(WARP, dtype=np.uint64)
