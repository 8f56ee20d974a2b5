"""Shadow memory: the last threads to touch each cell of one allocation."""

import numpy as np

from .base import as_numbers, cells_of, differs
from .order import SHIFT, THREAD

LOG_LIMIT = 64 << 20  # bytes of addresses that are kept for later


class Shadow:
    """A word (time, thread) a cell for the last write and atomic, and two for readers.

    The second reader is the one farthest from the first: in another block, or warp.
    A cell is as large as the smallest access so far, say 4 bytes. While all blocks of a
    batch do the same in shared memory, the words of the first one serve for all.
    log: accesses that cannot conflict with each other (all reads, all atomic, or each
    cell of shared memory by one thread alone), not examined until another comes. kinds:
    those seen (since the barrier). owner: of each cell, that one thread's number in its
    block, -1 if nobody has come; False once it is of no use, None until it is needed.
    runs: the stretches, while each thread has its own stretch of global memory; None
    once there are words. Most kernels that stream through memory need only runs.
    """

    def __init__(self, space, nbytes, size):
        self.space, self.nbytes, self.unit = space, nbytes, size & -size
        self.cells = -(-nbytes // self.unit)
        self.rows, self.wide = 1, False
        self.words, self.log, self.logged, self.kinds = {}, [], 0, set()
        self.runs = [] if space == "global" else None
        self.owner, self.owned = None, 0  # owned: how much of the log `owner` has

    def forget(self):
        """Everything so far is ordered before all that follows."""
        self.kinds.clear()
        self.log.clear()
        self.logged, self.wide = 0, False
        self.owner, self.owned = None, 0

    def keep(self, entry, order):
        """Defer an access; False if it has to be examined now."""
        self.kinds.add(entry.kind)
        alike = len(self.kinds) == 1 and entry.kind != "write"
        if self.logged > LOG_LIMIT or not (alike or self._apart(entry, order)):
            self.owner = False
            return False
        self.log.append(entry)
        self.logged += entry.address.nbytes
        return True

    def _apart(self, entry, order):
        """Whether each cell was accessed by one thread alone, in whatever blocks."""
        if self.owner is False or self.space == "global" or "atomic" in self.kinds:
            return False
        if self.owner is None:
            self.owner = np.full(self.cells, -1)
        new, self.owned = [*self.log[self.owned :], entry], len(self.log) + 1
        return all(self._own(one, order) for one in new)

    def _own(self, entry, order):
        """Take the cells of an access for its threads; False if others have them."""
        if differs(entry.address, None):
            return False
        self.fit(entry.size, order)
        mask, geometry = entry.mask, entry.geometry
        if np.ndim(mask):
            mask = mask.any(axis=0, keepdims=True)
        shape = 1, *geometry.shape[1:]
        lanes, cells = cells_of(entry.address, mask, shape, entry.size, self.unit)
        threads, before = self.each(entry, geometry.per_block[lanes]), self.owner[cells]
        if ((before != threads) & (before >= 0)).any():
            return False
        self.owner[cells] = threads
        return isinstance(cells, slice) or bool((self.owner[cells] == threads).all())

    def column(self, name):
        """The words of this name, one a cell."""
        if name not in self.words:
            self.words[name] = np.zeros(self.rows * self.cells, np.int64)
        return self.words[name]

    def is_run(self, entry, lanes, cells):
        """Whether this is a stretch past all others, or within the last by its owners.

        Such accesses cannot conflict, and are recorded only here.
        """
        if self.runs is None or not isinstance(cells, slice):
            return False
        per_lane = max(1, entry.size // self.unit)
        owner = entry.geometry, cells.start - lanes.start * per_lane, per_lane
        begin, end, last = self.runs[-1][:3] if self.runs else (0, 0, None)
        if cells.start < end and (owner != last or cells.stop > end):
            return False
        if cells.start < begin:
            return False
        begin, end = (begin, end) if owner == last else (cells.start, cells.stop)
        entry.address = entry.mask = None  # not needed again, and large
        self.runs.append((begin, max(end, cells.stop), owner, entry, lanes, cells))
        return True

    def stop_runs(self, order):
        """From here on words are kept."""
        runs, self.runs = self.runs, None
        for *_, entry, lanes, cells in runs or ():
            rows = entry.geometry.block_ids
            threads = order.threads(entry.geometry, rows)[lanes]
            self.remember(entry, cells, self.each(entry, threads), order)

    def each(self, entry, threads):
        """The thread of each cell, if a thread accesses several."""
        per_lane = entry.size // self.unit
        return np.repeat(threads, per_lane) if per_lane > 1 else threads

    def remember(self, entry, cells, threads, order):
        """The lanes of a write that others of the same instruction overwrite."""
        words = threads + (entry.time << SHIFT)
        if entry.kind == "read":
            self.read(cells, words, order)
            return None
        column = self.column(entry.kind)
        column[cells] = words
        if entry.kind == "write" and not isinstance(cells, slice):
            return column[cells] != words
        return None

    def fit(self, size, order):
        """Make the cells small enough for accesses of `size` bytes."""
        times = self.unit // min(self.unit, size & -size)
        if times > 1:
            if self.runs:
                self.stop_runs(order)
            self.unit //= times
            self.cells *= times
            self.words = {k: np.repeat(w, times) for k, w in self.words.items()}
            if self.owner is not None:
                self.owner = self.owner is not False and np.repeat(self.owner, times)

    def widen(self, rows, bits):
        """From here on each block of the batch has its own words."""
        if not self.wide:
            first = {k: w[: self.cells] for k, w in self.words.items()}
            block = np.arange(rows)[:, None] << bits
            self.words = {k: (w | block).reshape(-1) for k, w in first.items()}
            self.rows, self.wide = rows, True

    def locate(self, entry, order):
        """(lanes, cells, threads): one cell and thread for each unit accessed."""
        self.fit(entry.size, order)
        shape, geometry, rows = entry.geometry.shape, entry.geometry, None
        if self.space == "global":
            rows = geometry.block_ids
        elif self.wide or order.split or differs(entry.address, entry.mask):
            self.widen(shape[0], order.bits)
            rows = np.arange(shape[0])
        else:
            rows, shape = np.zeros(1, np.int64), (1, *shape[1:])
        lanes, cells = cells_of(entry.address, entry.mask, shape, entry.size, self.unit)
        threads = self.each(entry, order.threads(geometry, rows)[lanes])
        if self.space == "shared" and self.wide:
            cells = as_numbers(cells) + (threads >> order.bits) * self.cells
        return lanes, cells, threads

    def read(self, cells, words, order):
        """Record the readers."""
        first = self.column("read")
        old = first[cells].copy()
        first[cells] = words
        won = words if isinstance(cells, slice) else first[cells]
        since = 1 if self.space == "global" else order.floor
        for other in (words, old):
            if other is not won and int(other.max()) >= since << SHIFT:
                self._second(cells, won, other, since, order)

    def _second(self, cells, won, other, since, order):
        """Make `other` the second reader where it is farther away, or later."""
        differ = np.flatnonzero((won ^ other) & THREAD)
        if not len(differ):
            return
        second = self.column("reader")
        cells, won, other = as_numbers(cells)[differ], won[differ], other[differ]
        score = distance(other, won, since, order)
        while True:
            better = score > distance(second[cells], won, since, order)
            if not better.any():
                return
            second[cells[better]] = other[better]


def distance(word, other, since, order):
    """The distance of two readers, then how late one read; 0 if no longer relevant."""
    apart = (word ^ other) & THREAD
    rank = (apart > 0).astype(np.int64) + (apart >> 5 > 0) + (apart >> order.bits > 0)
    limit = np.where(apart >> order.bits > 0, since, order.floor)
    when = word >> SHIFT
    return np.where((rank > 0) & (when >= limit), rank << 32 | when, 0)
