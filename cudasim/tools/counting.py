"""Counting: what the tools that only count have in common."""

import numpy as np

from .base import Tool

MANY = 2**15  # lanes that are worth a call of NumPy's


class Counting(Tool):
    """Instructions wait until there are many of one shape, and are counted together."""

    def begin(self, launch):
        self.launch, self.lines, self.waiting, self.most = launch, {}, {}, {}

    def later(self, key, *values):
        """Have `count(geometry, key, *values)` called, with values of many calls.

        values: arrays over lanes, or None; given to `count` as (instructions, Z, Y, X,
        R, C).
        """
        shapes = [None if v is None else np.shape(v) for v in values]
        key = self.geometry, key, *shapes
        rows = self.waiting.get(key)
        if rows is None:
            self.most[key] = MANY // max(np.size(v) for v in values)
            rows = self.waiting[key] = []
        rows.append(values)
        if len(rows) >= self.most[key]:
            self._count(key)

    def _count(self, key):
        columns = zip(*self.waiting.pop(key), strict=True)
        self.count(*key[:2], *map(stacked, columns))

    def count_waiting(self):
        for key in list(self.waiting):
            self._count(key)


def stacked(values):
    """Arrays of one shape, or numbers, as one array of six dimensions."""
    if values[0] is None:
        return None
    array = np.asarray(values[0])[None] if len(values) == 1 else np.array(values)
    return array.reshape(len(array), *(1,) * (6 - array.ndim), *array.shape[1:])
