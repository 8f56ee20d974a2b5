"""What a block of threads reads of an image, and how often."""

from collections import Counter

import numpy as np

from .draw.grids import Grid, grids_picture
from .draw.sliding_window import SlidingWindow
from .draw.text import sized


def halo(tile, kernel_size):
    """Draw what a block of tile x tile threads reads, and how often."""
    reach = kernel_size - 1
    window = SlidingWindow(np.zeros((tile + reach,) * 2), kernel_size, 1, 0, 1)
    times = Counter(cell for place in window.places for cell in window.taps(place))
    before = reach // 2
    middle = range(before, before + tile)
    kinds = {2: "read", 1: "line", 0: "touched"}
    cells = {
        cell: (kinds[sum(i in middle for i in cell)], str(times[cell]), "")
        for cell in np.ndindex(window.image.shape)
    }
    heading = (
        f"{tile} x {tile} threads read {sized(window.image.shape)} elements, "
        f"{sum(times.values())} times in all"
    )
    key = [("read", "the tile: an element below each thread"), ("line", "the halo"),
           ("touched", "its corners"),
           (None, "in a box: how many threads read it")]  # fmt: skip
    return grids_picture(heading, [[Grid("", cells)]], key, heading)
