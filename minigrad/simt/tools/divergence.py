"""Divergence: warps whose lanes disagree on a condition."""

import numpy as np

from .base import Tool, all_lanes, any_lane, both, tally, warps


class Divergence(Tool):
    def begin(self, launch):
        self.launch, self.lines = launch, {}

    def branch(self, site, taken, mask):
        seen = self.lines.setdefault(site, [0, 0])
        if mask is None and np.ndim(taken) == 0:
            seen[0] += self.geometry.warps * len(self.geometry.block_ids)
            return
        weight, (taken, mask, real) = warps(self.geometry, taken, mask)
        active = both(mask, real)
        if active is None:
            some, every = any_lane(taken), all_lanes(taken)
            busy = len(taken)
        else:
            some, every = any_lane(taken & active), all_lanes(taken | ~active)
            busy = np.count_nonzero(any_lane(active))
        split = np.count_nonzero(some & ~every)
        seen[0] += weight * busy
        seen[1] += weight * split

    def end(self):
        for site, (busy, split) in self.lines.items():
            place = self.launch.places[site]
            tally(self.launch.counts, place, branches=busy, divergent_branches=split)
