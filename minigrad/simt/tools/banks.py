"""Banks: the number of passes that a warp's access to shared memory takes.

There are 32 banks, 4 bytes wide. Lanes that need the same word share it. 8-byte
accesses are made by half a warp at a time, 16-byte ones by a quarter.
"""

import numpy as np

from .base import Tool, both, pieces, tally, warps

SMALL = 2048  # addresses whose passes are remembered
MOST_KNOWN = 4096


class Banks(Tool):
    """known: passes by addresses, since loops return to the same ones."""

    def begin(self, launch):
        self.launch, self.lines, self.known = launch, {}, {}

    def ignores(self, space, root):
        return space != "shared"

    def access(self, kind, space, root, address, size, mask, site):
        address = np.asarray(address)
        seen = self.lines.setdefault(site, np.zeros(2, np.int64))
        seen += self._count(address, size, mask)

    def _count(self, address, size, mask):
        lanes = None if mask is None else np.asarray(mask)
        if address.size + (0 if lanes is None else lanes.size) > SMALL:
            return self._passes(address, size, lanes)
        key = self.geometry, size, address.shape, address.tobytes()
        if lanes is not None:
            key += lanes.shape, lanes.tobytes()
        if key not in self.known:
            if len(self.known) > MOST_KNOWN:
                self.known.clear()
            self.known[key] = self._passes(address, size, lanes)
        return self.known[key]

    def _passes(self, address, size, mask):
        total = np.zeros(2, np.int64)
        for one, part in pieces(address, size):
            weight, (rows, lanes, real) = warps(self.geometry, one, mask, whole=True)
            total += np.multiply(weight, count(rows, part, both(lanes, real)))
        return total

    def end(self):
        for site, (requests, passes) in self.lines.items():
            place = self.launch.places[site]
            tally(
                self.launch.counts, place, shared_requests=requests, bank_passes=passes
            )


def count(address, size, active):
    """(requests, passes) of addresses by warp."""
    if active is None:
        active = np.ones(address.shape, bool)
    phases = max(1, size // 4)
    words = address.reshape(len(address) * phases, -1) >> 2
    lanes = np.broadcast_to(active, address.shape).reshape(words.shape)
    if phases > 1:
        words = (words[:, :, None] + np.arange(phases)).reshape(len(words), -1)
        lanes = np.repeat(lanes, phases, axis=1)
    passes = _passes(words, lanes).reshape(-1, phases).sum(axis=1)
    return int(np.count_nonzero(passes)), int(passes.sum())


def _passes(words, active):
    """The most different words that one bank must give, by row."""
    bank = words & 31
    key = np.where(active, bank << 40 | words, -1)
    key.sort(axis=1)
    new = np.ones(key.shape, bool)
    new[:, 1:] = key[:, 1:] != key[:, :-1]
    new &= key >= 0
    row = np.arange(len(words))[:, None] * 32
    each = np.bincount((row + (key >> 40))[new], minlength=32 * len(words))
    return each.reshape(-1, 32).max(axis=1)
