"""In how many windows does each element of an image lie?"""

from collections import Counter

import numpy as np

from .draw.grids import Grid, grids_picture
from .draw.sliding_window import SlidingWindow


def overlaps(shape, kernel_size, stride=1, padding=0, dilation=1):
    """Draw in how many windows each element of an image lies."""
    window = SlidingWindow(np.zeros(shape), kernel_size, stride, padding, dilation)
    times = Counter(cell for place in window.places for cell in window.taps(place))
    cells = {c: (shade(times[c]), str(times[c]), "") for c in np.ndindex(*shape)}
    alt = f"In how many windows each element lies, {window.text()}: " + "; ".join(
        " ".join(str(times[row, col]) for col in range(shape[1]))
        for row in range(shape[0])
    )
    return grids_picture(window.text(), [[Grid("in how many windows", cells)]], [], alt)


def shade(times):
    """A tint for each number of windows."""
    return f"block {times % 6}" if times else "unused"
