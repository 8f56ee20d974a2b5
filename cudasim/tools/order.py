"""What orders the accesses of different threads: barriers, fences, atomics.

Time is the number of the instruction. A thread of the whole grid is one number: its
block << bits | its number in the block, so that number >> 5 identifies its warp. For
shared memory the block's place in the batch replaces the block.
"""

import numpy as np

from .base import active_lanes

SHIFT = 34  # a word is time << SHIFT | thread
THREAD = (1 << SHIFT) - 1
WARP_ONLY, RACE = 1, 2
MOST_THREADS = 1 << 22  # of a grid, for each of which fences and atomics are kept


class Handovers:
    """What threads hand over: by a fence, then an atomic operation; and receive: by an
    atomic operation, then a fence.

    Moments are times << SHIFT | thread, since within one instruction threads take
    turns. covered, released: of the last two times that a thread handed something over,
    the time of the fence and the moment of the atomic operation.
    """

    def __init__(self, threads):
        self.fenced, self.asked, self.received = np.zeros((3, threads), np.int64)
        self.covered, self.released = np.zeros((2, 2, threads), np.int64)

    def fence(self, threads, now):
        self.fenced[threads] = now
        self.received[threads] = self.asked[threads]

    def atomic(self, threads, now):
        self.asked[threads] = now << SHIFT | threads
        new = threads[self.fenced[threads] > self.covered[0, threads]]
        self.covered[1, new], self.released[1, new] = (
            self.covered[0, new], self.released[0, new]
        )  # fmt: skip
        self.covered[0, new], self.released[0, new] = (
            self.fenced[new], now << SHIFT | new
        )  # fmt: skip

    def ordered(self, when, giver, received):
        """Was what `giver` did at a time handed over before it was received?"""
        covered, released = self.covered[:, giver], self.released[:, giver]
        return ((when < covered) & (released < received)).any(axis=0)


class Order:
    """floor: anything earlier is ordered before all that the same block does now.
    grid: before all that any block does.

    split: some block of the batch had a barrier (or __syncwarp) that others did not.
    """

    def __init__(self, grid, block):
        self.blocks = grid[0] * grid[1] * grid[2]
        threads = block[0] * block[1] * block[2]
        self.bits = max(5, (threads - 1).bit_length())
        self.fenced, self.grid = None, 1
        # Handovers to threads of other blocks, and of the same block of the batch.
        self.across = self.within = None

    def batch(self, geometry, now):
        blocks = len(geometry.block_ids)
        self.first, self.floor, self.split = geometry.first_block, now, False
        self.barriers = np.full(blocks, now)
        self.synced, self.numbers, self.within = None, {}, None
        self.turn(geometry)

    def turn(self, geometry):
        self.geometry = geometry

    def threads(self, geometry, rows):
        """The number of each lane; `rows` are the numbers of its blocks."""
        key = geometry, int(rows[0]), len(rows)
        if key not in self.numbers:
            numbers = (rows[:, None] << self.bits) | geometry.per_block
            self.numbers[key] = numbers.reshape(-1)
        return self.numbers[key]

    def barrier(self, blocks, now):
        if blocks is None or np.all(blocks):
            self.barriers[:], self.floor, self.split = now, now, False
            blocks = slice(None)
        else:
            self.barriers[blocks], self.split = now, True
        if self.fenced is not None:
            own = slice(self.first, self.first + len(self.barriers))
            self.received[own][blocks] = self.asked[own][blocks]

    def syncwarp(self, mask, now):
        if self.synced is None:
            self.synced = np.zeros((len(self.barriers), 1 << self.bits), np.int64)
        synced = self.synced[:, self.geometry.per_block]
        took_part = True
        if mask is not None:
            mask = np.asarray(mask)
            self.split |= mask.ndim == 3 and mask.shape[0] > 1
            took_part = self.geometry.full(mask).reshape(synced.shape)
        self.synced[:, self.geometry.per_block] = np.where(took_part, now, synced)

    def fence(self, mask, block_only, now):
        threads = self._threads(mask)
        if self.within is None:
            self.within = Handovers(len(self.barriers) << self.bits)
        self.within.fence(threads - (self.first << self.bits), now)
        if block_only:
            return
        if self.fenced is None:
            self.fenced, self.covered, self.joined, self.released, self.asked = (
                np.zeros(self.blocks, np.int64) for _ in range(5)
            )
            self.maker = np.full(self.blocks, -1)
            self.received = np.zeros(self.blocks, np.int64)
            if self.blocks << self.bits <= MOST_THREADS:
                self.across = Handovers(self.blocks << self.bits)
        self.fenced[self._blocks(mask)] = now
        if self.across is not None:
            self.across.fence(threads, now)

    def atomic(self, mask, space, now):
        """Writes before a block's fence are now visible to later atomics: those of the
        thread that makes this one, and others' that a barrier put before it."""
        if self.within is not None:
            self.within.atomic(self._threads(mask) - (self.first << self.bits), now)
        if self.fenced is None or space != "global":
            return
        if self.across is not None:
            self.across.atomic(self._threads(mask), now)
        blocks = self._blocks(mask)
        moment = now << SHIFT | blocks  # within one instruction, blocks take turns
        first = (self.fenced[blocks] > 0) & (self.released[blocks] == 0)
        self.released[blocks[first]] = moment[first]
        self.covered[blocks] = self.fenced[blocks]
        self.joined[blocks] = np.minimum(
            self.fenced[blocks], self.barriers[blocks - self.first]
        )
        self.maker[blocks] = self._makers(mask, len(blocks))
        self.asked[blocks] = moment

    def _makers(self, mask, count):
        """The number in its block of the one active thread; -1 where there are more."""
        if mask is None or np.ndim(mask) == 0:
            return -1 if self.geometry.per_block.size > 1 else 0
        rows = self.geometry.full(mask).reshape(len(self.geometry.block_ids), -1)
        rows = rows[rows.any(axis=1)][-count:]
        alone = self.geometry.per_block.reshape(-1)[rows.argmax(axis=1)]
        return np.where(rows.sum(axis=1) == 1, alone, -1)

    def _threads(self, mask):
        """The numbers of the active threads."""
        geometry = self.geometry
        lanes = active_lanes(mask, geometry.shape)
        return self.threads(geometry, geometry.block_ids)[lanes]

    def just_fenced(self, mask, now):
        """Is a fence the last thing that these threads did?"""
        if self.within is None:
            return False
        threads = self._threads(mask) - (self.first << self.bits)
        return bool((self.within.fenced[threads] == now - 1).all())

    def _blocks(self, mask):
        """The numbers of the blocks with an active lane."""
        ids = self.geometry.block_ids
        if mask is None or np.ndim(mask) == 0:
            return ids
        return ids[np.broadcast_to(mask.any(axis=(1, 2)), ids.shape)]

    def unordered(self, before, me, space):
        """For each earlier word of another thread: 0 (in order), WARP_ONLY or RACE."""
        when, other = before >> SHIFT, before & THREAD
        block, earlier = me >> self.bits, other >> self.bits
        row = block - (self.first if space == "global" else 0)
        same, warp = block == earlier, me >> 5 == other >> 5
        ordered = same & (when < self.barriers[row])
        if self.synced is not None:
            thread = (1 << self.bits) - 1
            ordered |= (
                warp
                & (when < self.synced[row, me & thread])
                & (when < self.synced[row, other & thread])
            )
        if self.within is not None:
            begin = 0 if space == "shared" else self.first << self.bits
            inside = np.where(same, other, me) - begin
            received = self.within.received[me - begin]
            ordered |= same & self.within.ordered(when, inside, received)
        if self.fenced is not None and space == "global":
            ordered |= ~same & self._chain(when, earlier, block, other, me)
        return np.where(ordered, 0, np.where(warp, WARP_ONLY, RACE))

    def _chain(self, when, earlier, block, other, me):
        """Write, fence and atomic in the one block; then an atomic operation in the
        other, and a fence of this thread or a barrier."""
        maker, thread = self.maker[earlier], other & ((1 << self.bits) - 1)
        own = (maker < 0) | (maker >> 5 == thread >> 5)  # a warp's lanes join unseen
        if self.across is None:
            joined = own | (when < self.joined[earlier])
            return joined & self._announced(when, earlier, self.asked[block])
        own &= maker >= 0
        joined = own | (when < self.joined[earlier])
        received = np.maximum(self.received[block], self.across.received[me])
        by_block = joined & self._announced(when, earlier, received)
        return by_block | self.across.ordered(when, other, received)

    def announced(self, before, block):
        """Was the access in `before` announced to a block, be it by another thread?"""
        earlier = (before & THREAD) >> self.bits
        return self.fenced is not None and self._announced(
            before >> SHIFT, earlier, self.asked[block]
        )

    def _announced(self, when, earlier, received):
        released = self.released[earlier]
        seen = (released > 0) & (released < received)
        return seen & (when < self.covered[earlier])
