"""Banks: the number of passes that a warp's access to shared memory takes.

There are 32 banks, 4 bytes wide. Lanes that need the same word share it. 8-byte
accesses are made by half a warp at a time, 16-byte ones by a quarter.
"""

import numpy as np

from .base import both, pieces, tally, warps
from .counting import Counting

# Lanes that ask nothing, or again: each is in a bank of its own.
NOBODY, AGAIN = -np.arange(1, 65, dtype=np.int32).reshape(2, 32) << 16


class Banks(Counting):
    def ignores(self, space, root):
        return space != "shared"

    def access(self, kind, space, root, address, size, mask, site):
        self.later((site, size), np.asarray(address), mask)

    def count(self, geometry, key, address, mask):
        site, size = key
        seen = self.lines.setdefault(site, np.zeros(2, np.int64))
        blocks = len(address) * len(geometry.block_ids)
        alike = mask is not None and address.shape[1:4] == (1, 1, 1) != mask.shape[1:4]
        for one, part in pieces(address, size):
            if alike:
                _, (rows, _) = warps(geometry, blocks, one, whole=True)
                weight, (lanes, real) = warps(geometry, blocks, mask, whole=True)
                lanes = both(lanes, real).reshape(len(mask), -1, 32)
                counts = count_under(rows, part, lanes)
            else:
                weight, (rows, lanes, real) = warps(
                    geometry, blocks, one, mask, whole=True
                )
                counts = count(rows, part, both(lanes, real))
            seen += np.multiply(weight, counts)

    def end(self):
        self.count_waiting()
        for site, (requests, passes) in self.lines.items():
            place = self.launch.places[site]
            tally(
                self.launch.counts, place, shared_requests=requests, bank_passes=passes
            )


def count(address, size, active):
    """(requests, passes) of addresses by warp."""
    key, phases = keys(address, size)
    if active is not None:
        lanes = np.broadcast_to(active, address.shape).reshape(len(key), -1)
        key = np.where(np.repeat(lanes, phases, axis=1), key, NOBODY)
    key.sort(axis=1)
    key[:, 1:] = np.where(key[:, 1:] == key[:, :-1], AGAIN[1:], key[:, 1:])
    key.sort(axis=1)
    bank, passes = (key >> 16).astype(np.int8), (key[:, -1] >= 0).astype(np.int8)
    for distance in range(1, 32):  # as many of one bank side by side
        again = (bank[:, distance:] == bank[:, :-distance]).any(axis=1)
        if not again.any():
            break
        passes += again
    return total(passes.reshape(-1, phases))


def count_under(address, size, masks):
    """(requests, passes) of addresses that come again and again, under other masks.

    masks: (instructions, blocks * warps, 32); address: (instructions * warps, 32).
    """
    key, phases = keys(address, size)
    order = key.argsort(axis=1)
    key = np.take_along_axis(key, order, axis=1)
    level, row = levels(key), np.arange(len(key))[:, None]
    lane = order // phases + row % phases * (32 // phases)
    words = np.zeros((level.max() + 1, len(key), 32), np.uint32)  # the lanes of each
    np.bitwise_or.at(words, (level, row, key >> 16), np.uint32(1) << lane.astype("u4"))
    words = words.reshape(len(words), len(masks), 1, -1, phases, 32)
    lanes = np.packbits(masks, axis=-1, bitorder="little").view(np.uint32)
    lanes = lanes.reshape(len(masks), -1, words.shape[3], 1, 1)
    needed = sum(((lanes & of_level) != 0).view(np.uint8) for of_level in words)
    return total(needed.max(axis=-1))


def total(passes):
    """(requests, passes) from the passes of each warp's phases."""
    return np.count_nonzero(passes.any(axis=-1)), int(passes.sum(dtype=np.int64))


def keys(address, size):
    """(bank << 16 | word of each lane that is served together, phases of an access)"""
    phases = max(1, size // 4)
    words = (address.astype(np.int32) >> 2).reshape(len(address) * phases, -1)
    if phases > 1:
        words = words[:, :, None] + np.arange(phases, dtype=np.int32)
        words = words.reshape(len(words), -1)
    return (words & 31) << 16 | words, phases


def levels(key):
    """Which of its bank's different words each one is, in sorted rows of keys."""
    new = np.ones((2, *key.shape), bool)
    for one, part in zip(new, (key, key >> 16), strict=True):
        np.not_equal(part[:, 1:], part[:, :-1], out=one[:, 1:])
    number = np.cumsum(new[0], axis=1, dtype=np.int8)
    return number - np.maximum.accumulate(np.where(new[1], number, 0), axis=1)
