"""Two tensors that are broadcast: each stretched, and the result."""

import numpy as np

from .draw.chart import numbers
from .draw.grids import Grid, grids_picture, rows
from .draw.text import sized, text_of

COPIES = "an element that is used again: stride 0, nothing is stored"


def broadcast(a, b, op=np.add):
    """Draw how two tensors of at most two dimensions fit: each stretched, and op."""
    a, b = (np.asarray(numbers(x)) for x in (a, b))
    shape = np.broadcast_shapes(a.shape, b.shape)
    if len(shape) > 2:
        raise ValueError(f"at most two dimensions can be drawn; this has {len(shape)}")
    titles = f"a {a.shape}", f"b {b.shape}"
    grids = [[stretched(t, x, shape)] for t, x in zip(titles, (a, b), strict=True)]
    result = np.atleast_2d(op(a, b))
    cells = {at: ("read", text_of(result[at].item()), "")
             for at in np.ndindex(result.shape)}  # fmt: skip
    grids.append([Grid(f"result {shape}", cells)])
    alt = (
        f"a of shape {a.shape}, {rows(np.atleast_2d(a))}, and b of shape {b.shape}, "
        f"{rows(np.atleast_2d(b))}, stretched to {sized(shape)}: {rows(result)}."
    )
    copied = a.shape != shape or b.shape != shape
    return grids_picture("", grids, [("free", COPIES)] if copied else [], alt)


def stretched(title, x, shape):
    """x in a Grid of the common shape, its copies hatched."""
    whole = np.atleast_2d(np.broadcast_to(x, shape))
    sizes = (1,) * (2 - x.ndim) + x.shape
    cells = {}
    for at in np.ndindex(whole.shape):
        own = all(i < n for i, n in zip(at, sizes, strict=True))
        cells[at] = "read" if own else "free", text_of(whole[at].item()), ""
    return Grid(title, cells)
