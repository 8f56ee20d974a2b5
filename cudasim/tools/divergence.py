"""Divergence: warps whose lanes disagree on a condition."""

import numpy as np

from .base import all_lanes, any_lane, both, tally, warps
from .counting import Counting


class Divergence(Counting):
    def branch(self, site, taken, mask):
        if mask is None and (not taken.ndim or taken.all() or not taken.any()):
            geometry = self.geometry
            self._add(site, geometry.warps * len(geometry.block_ids), 0)
        else:
            self.later(site, taken, mask)

    def count(self, geometry, site, taken, mask):
        blocks = len(taken) * len(geometry.block_ids)
        weight, (taken, mask, real) = warps(geometry, blocks, taken, mask)
        active = both(mask, real)
        if active is None:
            some, every = any_lane(taken), all_lanes(taken)
            busy = len(taken)
        else:
            some, every = any_lane(taken & active), all_lanes(taken | ~active)
            busy = np.count_nonzero(any_lane(active))
        self._add(site, weight * busy, weight * np.count_nonzero(some & ~every))

    def _add(self, site, busy, split):
        seen = self.lines.setdefault(site, [0, 0])
        seen[0] += busy
        seen[1] += split

    def end(self):
        self.count_waiting()
        for site, (busy, split) in self.lines.items():
            place = self.launch.places[site]
            tally(self.launch.counts, place, branches=busy, divergent_branches=split)
