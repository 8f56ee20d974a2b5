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


class Warp:
    """Warp operations of a batch; rows are warps, columns lanes."""

    def rows(self, value, fill=0):
        return self.geometry.by_warp(value, fill)

    def active(self, mask):
        """The lanes of each warp that run here."""
        if mask is None:
            return self.geometry.exists
        return self.geometry.by_warp(mask, False)

    def members(self, named, mask, site, what):
        """The lanes that an operation's mask names; missing ones are reported."""
        active = self.active(mask)
        number = self.rows(named).astype(np.uint64)
        named = (number[..., None] >> BITS_SHIFT) & np.uint64(1)
        named = named.astype(bool)  # [warp, lane, lane that it names]
        alive = self.active(self.alive)
        missing = active[..., None] & named & (alive & ~active)[:, None, :]
        self.launch.divided |= bool(missing.any())
        own = active & ~named[:, self.geometry.lane_numbers, self.geometry.lane_numbers]
        if missing.any() or own.any():
            self.report_missing(missing.any(axis=2) | own, mask, site, what)
        return named & active[:, None, :]

    def simple(self, named, mask):
        """Whether all lanes run and the mask names them all, as usual."""
        whole = mask is None or mask is self.alive
        return whole and named.ndim == 0 and int(named) == 0xFFFFFFFF

    def report_missing(self, bad, mask, site, what):
        shaped = self.geometry.from_warps(bad)
        message = (
            f"the mask of {what} names lanes that do not take part, "
            f"or leaves out this one"
        )
        hint = "all lanes that the mask names must run this line together"
        self.fault("divergent-shuffle", site, shaped, message, hint)

    def vote(self, named, value, how, mask, site):
        """__ballot_sync, __any_sync, __all_sync."""
        true = self.rows(value != 0, False)
        if self.simple(named, mask):
            members = self.active(mask)[:, None, :]
        else:
            members = self.members(named, mask, site, f"__{how}_sync")
        if how == "ballot":
            bits = np.where(true[:, None, :] & members, BITS, np.uint64(0))
            out = bits.sum(axis=2, dtype=np.uint64).astype(np.uint32)
        elif how == "any":
            out = (true[:, None, :] & members).any(axis=2).astype(np.int32)
        else:
            out = (true[:, None, :] | ~members).all(axis=2).astype(np.int32)
        return self.from_rows(out)

    def from_rows(self, out):
        out = np.broadcast_to(out, (self.geometry.exists.shape[0], WARP))
        return self.geometry.from_warps(out)

    def activemask(self, named, mask, site):
        bits = np.where(self.active(mask), BITS, np.uint64(0))
        out = bits.sum(axis=1, dtype=np.uint64, keepdims=True).astype(np.uint32)
        return self.from_rows(out)

    def shuffle(self, named, value, lane, width, how, type, mask, site):
        """__shfl_sync and the like: the value of another lane of the same segment."""
        if not self.simple(named, mask):
            self.members(named, mask, site, f"__shfl{how}_sync")
        missing = poison(type)
        if isinstance(value, tuple):
            return tuple(
                self.shuffle_leaf(how, p, v, lane, width, mask, site)
                for p, v in zip(missing, value, strict=True)
            )
        return self.shuffle_leaf(how, missing, value, lane, width, mask, site)

    def shuffle_leaf(self, how, missing, value, lane, width, mask, site):
        if value.ndim == 0 and mask is None and self.geometry.threads % WARP == 0:
            return value
        rows, active = self.rows(value), self.active(mask)
        numbers = np.arange(WARP)
        width = self.rows(width).astype(np.int64) if width.ndim else int(width)
        delta = self.rows(lane).astype(np.int64) if lane.ndim else int(lane)
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
        if mask is not None or self.geometry.threads % WARP:
            there = np.take_along_axis(active, source, axis=1)
            lost = active & ~there
            if lost.any():
                missing = self.from_nobody(missing, lost, source, site)
            out = np.where(there, out, missing)
        return self.geometry.from_warps(out)

    def from_nobody(self, missing, lost, source, site):
        """What lanes get from lanes that are not there; the first case is noted."""
        launch = self.launch
        if site not in launch.lost:
            row = np.flatnonzero(lost.any(axis=1))[0]
            from_lane = int(source[row, lost[row].argmax()])
            exists = self.geometry.exists
            here = np.broadcast_to(exists, lost.shape)[row, from_lane]
            shaped = self.geometry.full(self.geometry.from_warps(lost))
            lane, count = int(np.argmax(shaped)), int(shaped.sum())
            launch.lost[site] = from_lane, bool(here), lane, self.geometry, count
        if launch.again and missing.dtype.kind in "fiu":
            return missing.dtype.type(99)
        return missing

    def match(self, named, value, how, mask, site):
        """The mask of __match_any_sync, or (mask, predicate) of __match_all_sync."""
        members = self.members(named, mask, site, f"__match_{how}_sync")
        rows = self.rows(value)
        if rows.dtype.kind == "f":
            rows = rows.view(f"u{rows.dtype.itemsize}")
        equal = (rows[:, :, None] == rows[:, None, :]) & members
        if how == "all":
            every = (equal == members).all(axis=2)
            equal = members & every[:, :, None]
        bits = np.where(equal, BITS, np.uint64(0)).sum(axis=2, dtype=np.uint64)
        out = self.from_rows(bits.astype(np.uint32))
        if how == "all":
            return out, self.from_rows(every.astype(np.int32))
        return out

    def warp_reduce(self, named, value, how, mask, site):
        """__reduce_add_sync and the like."""
        members = self.members(named, mask, site, f"__reduce_{how}_sync")
        rows = np.broadcast_to(self.rows(value)[:, None, :], members.shape)
        start = {"and": -1, "min": None, "max": None}.get(how, 0)
        dtype = rows.dtype
        if start is None:
            info = np.iinfo(dtype)
            start = info.max if how == "min" else info.min
        start = np.array(start).astype(dtype)
        out = JOIN[how].reduce(np.where(members, rows, start), axis=2, dtype=dtype)
        return self.from_rows(out)

    def tile_reduce(self, named, value, width, how, mask, site):
        """cg::reduce over tiles of `width` lanes, by halves, as with shuffles."""
        if mask is not None and mask is not self.alive:
            self.members(named, mask, site, "cg::reduce")
        rows = self.rows(value)
        numbers, offset = np.arange(WARP), int(width) // 2
        while offset:
            rows = JOIN[how](rows, rows[:, numbers ^ offset]).astype(rows.dtype)
            offset //= 2
        return self.geometry.from_warps(rows)

    def syncwarp(self, named, mask, site):
        if not self.simple(named, mask):
            self.members(named, mask, site, "__syncwarp")

    def converge(self, named, mask, site):
        """An operation of all lanes of the warp, by the name in the text."""
        if not self.simple(named, mask):
            line, column = self.launch.places[site]
            name = re.match(r"[\w:]*", self.launch.lines[line - 1][column - 1 :])[0]
            self.members(named, mask, site, name)

    def fence(self, mask, block_only):
        """__threadfence() and __threadfence_block(): a hook for tools."""

    def asynchronous(self, what, count, mask):
        """What is around asynchronous copies, which are made at once: for tools."""


BITS_SHIFT = np.arange(WARP, dtype=np.uint64)
