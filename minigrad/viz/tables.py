"""Small tensors as boxes with their numbers, side by side."""

import numpy as np

from .draw.chart import numbers
from .draw.grids import Grid, grids_picture, rows
from .draw.text import text_of


def tables(values, marked=None, key="", numbered=False):
    """Draw {title: matrix} side by side; a vector is a row.

    marked: of which boxes this is true; key: what they are. numbered: whether rows and
    columns have their numbers.
    """
    matrices = {t: np.atleast_2d(np.asarray(numbers(v))) for t, v in values.items()}
    grids = [
        [Grid(title, {
            at: ("read" if marked is None or not marked[at] else "marked",
                 text_of(x[at].item()), "")
            for at in np.ndindex(x.shape)
        }, numbered)]
        for title, x in matrices.items()
    ]  # fmt: skip
    alt = ". ".join(f"{title}: {rows(x)}" for title, x in matrices.items())
    return grids_picture("", grids, [("marked", key)] if key else [], alt + ".")
