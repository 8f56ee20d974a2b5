"""Coalescing: the global memory that each warp's access touches.

A sector has 32 bytes; a transaction is a line of 128 bytes, four sectors. This models
the requests alone, without caches and time.
"""

import numpy as np

from ..engine.cells import Stretch
from .base import any_lane, both, pieces, tally, warps
from .counting import Counting

SECTOR, LINE = 32, 128  # bytes
NAMES = "requests", "sectors", "ideal_sectors", "transactions"
KINDS = {"read": "reads", "write": "writes", "atomic": "atomics"}


class Coalescing(Counting):
    """own: how often each thread accessed memory, by geometry and kind."""

    def begin(self, launch):
        super().begin(launch)
        self.own, self.shared = {}, {}
        self.longest = {"reads": 0, "writes": 0}

    def batch(self, geometry):
        self._close()
        self.geometry, self.own = geometry, {}

    def access(self, kind, space, root, address, size, mask, site):
        columns = 1
        if type(address) is Stretch:
            address, columns = address.begin, address.columns
        if space == "global" or kind == "atomic":
            self.later((site, KINDS[kind], space, size, columns), address, mask)

    def count(self, geometry, key, address, mask):
        """columns: how many threads' addresses count up from each that is given."""
        site, kind, space, size, columns = key
        times, own = len(address), np.int32(len(address))
        lanes = times * geometry.lanes
        if mask is not None:
            own = mask.sum(axis=0, dtype=np.int32)
            lanes = np.count_nonzero(mask) * (lanes // mask.size)
        self.own[geometry, kind] = self.own.get((geometry, kind), 0) + own
        if space != "global":  # atomics of shared memory are counted, too
            self.shared[site] = self.shared.get(site, 0) + lanes
            return
        seen = self.lines.setdefault((site, kind), np.zeros(5, np.int64))
        seen[4] += lanes
        blocks = times * len(geometry.block_ids)
        for one, part in pieces(address, size):
            for some, those in alike(one, mask, blocks, np.arange(columns) * size):
                weight, (rows, active, real) = warps(geometry, some, those, mask)
                counts = count(rows, part, both(active, real))
                seen[:4] += np.multiply(weight, counts)

    def _close(self):
        """Take the largest count of a thread in the batch that ends."""
        self.count_waiting()
        for (_, name), own in self.own.items():
            self.longest[name] = max(self.longest.get(name, 0), int(own.max()))

    def end(self):
        self._close()
        counts = self.launch.counts
        for (site, kind), (*numbers, lanes) in self.lines.items():
            named = dict(zip(NAMES, numbers, strict=True))
            tally(counts, self.launch.places[site], **named, **{kind: lanes})
        for site, lanes in self.shared.items():
            tally(counts, self.launch.places[site], atomics=lanes)
        for name, most in self.longest.items():
            counts[f"{name}_per_thread"] = most


def alike(address, mask, blocks, ramp):
    """[(number of blocks, addresses)]: blocks that are whole lines apart come once.

    ramp: what is added to each address for the threads that it stands for.
    """
    if len(ramp) == 1 and address.shape[4:] == (1, 1):  # wherever the one address is
        return [(blocks, np.zeros((1,) * 6, np.int64))]
    free = [i < 4 and (mask is None or mask.shape[i] == 1) for i in range(6)]
    one, every = slice(0, 1), slice(None)
    first = address[tuple(one if f else every for f in free)]
    shift = address[tuple(every if f else one for f in free)] - address.flat[0]
    kinds, counts = np.unique(shift % LINE, return_counts=True)
    if 4 * len(kinds) > shift.size or not (address == first + shift).all():
        return [(blocks, address + ramp)]
    share = blocks // shift.size
    return [
        (share * n, first + kind + ramp)
        for kind, n in zip(kinds, counts.tolist(), strict=True)
    ]


def count(address, size, active):
    """(requests, sectors, fewest sectors, transactions) of addresses by warp"""
    if active is not None:
        busy = any_lane(active)
        address, active = address[busy], active[busy]
        if not active.all():
            address = _fill(address, active)
    if (address[:, 1:] < address[:, :-1]).any():
        address = np.sort(address, axis=1)
    changes = np.packbits(_changes(address), axis=1)
    distinct = np.bitwise_count(changes).sum(axis=1, dtype=np.int64) + 1
    ideal = -(-distinct * size // SECTOR)
    sectors, lines = (
        len(address) + np.count_nonzero(_changes(address >> unit.bit_length() - 1))
        for unit in (SECTOR, LINE)
    )
    return len(address), sectors, int(ideal.sum()), lines


def _fill(address, active):
    """Addresses where inactive lanes repeat an active one of their warp."""
    one = active.argmax(axis=1)[:, None]
    return np.where(active, address, np.take_along_axis(address, one, axis=1))


def _changes(rows):
    """Where a number differs from the one before it in its row."""
    return rows[:, 1:] != rows[:, :-1]
