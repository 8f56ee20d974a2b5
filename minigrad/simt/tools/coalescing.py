"""Coalescing: the global memory that each warp's access touches.

A sector has 32 bytes; a transaction is a line of 128 bytes, four sectors. This models
the requests alone, without caches and time.
"""

import numpy as np

from .base import Tool, any_lane, both, pieces, run_start, tally, warps

SECTOR, LINE = 32, 128  # bytes
SMALL = 8192  # addresses, up to which several patterns of a place are kept
NAMES = "requests", "sectors", "ideal_sectors", "transactions"
KINDS = {"read": "reads", "write": "writes", "atomic": "atomics"}


class Coalescing(Tool):
    """known: the result for the last access of a place; often the next one lies a
    whole number of lines away from it in all lanes."""

    def begin(self, launch):
        self.launch, self.lines, self.own, self.shared = launch, {}, {}, {}
        self.most = {"reads": 0, "writes": 0}

    def batch(self, geometry):
        self._close()
        self.geometry, self.own, self.known = geometry, {}, {}

    def access(self, kind, space, root, address, size, mask, site):
        if space != "global":
            if kind == "atomic":  # counted for shared memory too
                lanes = self._lanes(kind, mask)
                self.shared[site] = self.shared.get(site, 0) + lanes
            return
        seen = self.lines.setdefault((site, KINDS[kind]), np.zeros(5, np.int64))
        seen[4] += self._lanes(kind, mask)
        for i, (one, part) in enumerate(pieces(address, size)):
            seen[:4] += self._count(one, part, mask, (site, kind, i))

    def _count(self, address, size, mask, site):
        """Requests, sectors, the fewest that could hold those bytes, transactions."""
        geometry = self.geometry
        full = mask is None and np.size(address) == geometry.lanes
        if full and geometry.threads % 32 == 0 and 32 * size % LINE == 0:
            start = run_start(address, slice(0, geometry.lanes), size)
            if start is not None:
                n = geometry.lanes // 32
                spans = [-(-(start % u + 32 * size) // u) for u in (SECTOR, LINE)]
                return n, n * spans[0], n * size, n * spans[1]
        address = np.asarray(address)
        first = int(address.flat[0])
        pattern = address - first
        key = site, size, first % LINE if address.size <= SMALL else 0
        known = self.known.get(key)
        if (
            known
            and known[:2] == (first % LINE, geometry)
            and known[2] is mask
            and np.array_equal(pattern, known[3])
        ):
            return known[4]
        weight, (rows, lanes, real) = warps(geometry, address, mask)
        result = tuple(weight * n for n in count(rows, size, both(lanes, real)))
        self.known[key] = first % LINE, geometry, mask, pattern, result
        return result

    def _lanes(self, kind, mask):
        """The number of threads that take part; also counts for each thread."""
        key = self.geometry, KINDS[kind]
        everybody, own = self.own.get(key, (0, None))
        if mask is None:
            self.own[key] = everybody + 1, own
            return self.geometry.lanes
        if own is None:
            own = np.zeros(self.geometry.shape, np.int32)
        own += mask
        self.own[key] = everybody, own
        return np.count_nonzero(mask) * (self.geometry.lanes // np.size(mask))

    def _close(self):
        """Take the largest count of a thread in the batch that ends."""
        for (_, name), (everybody, own) in self.own.items():
            most = everybody + (0 if own is None else int(own.max()))
            self.most[name] = max(self.most.get(name, 0), most)

    def end(self):
        self._close()
        counts = self.launch.counts
        for (site, kind), (*numbers, lanes) in self.lines.items():
            named = dict(zip(NAMES, numbers, strict=True))
            tally(counts, self.launch.places[site], **named, **{kind: lanes})
        for site, lanes in self.shared.items():
            tally(counts, self.launch.places[site], atomics=lanes)
        for name, most in self.most.items():
            counts[f"{name}_per_thread"] = most


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
