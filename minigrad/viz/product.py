"""A product of matrices: which elements of a and b a part of c is made of."""

import numpy as np

from .draw.canvas import SOFT, Canvas
from .draw.picture import style
from .draw.text import sized, text_of

MARGIN, BETWEEN, MOST, LARGEST = 0.3, 0.35, 5.6, 0.4  # inches
KEY = [
    ("marked", "c: what's computed; a, b: what's read for it in this step"),
    ("read", "a, b: read in other steps along K"),
]


def product(a, b, at, k=slice(None)):
    """Draw a, b and c = a @ b, b above c: what the part `at` of c is made of.

    at: (rows, columns), each a number or a slice. k: the numbers or the slice along K
    that are read in one step; the other steps' are drawn lighter. Where the boxes have
    room, their values stand in them.
    """
    a, b = (np.asarray(x.tolist() if hasattr(x, "tolist") else x) for x in (a, b))
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(
            f"a and b are matrices (M, K) and (K, N); these have shapes {a.shape} "
            f"and {b.shape}"
        )
    (M, K), N = a.shape, b.shape[1]
    rows, columns, step = part(at[0], M), part(at[1], N), part(k, K)
    side = min(LARGEST, MOST / (K + max(M, N)))
    left, top = MARGIN, MARGIN
    right, low = left + K * side + BETWEEN, top + K * side + BETWEEN
    matrices = [
        ("a", a, left, low, marks(a.shape, rows, step), marks(a.shape, rows, range(K))),
        ("b", b, right, top, marks(b.shape, step, columns),
         marks(b.shape, range(K), columns)),
        ("c", a @ b, right, low, marks((M, N), rows, columns), set()),
    ]  # fmt: skip
    key = KEY if len(step) < K else KEY[:1]
    with style():
        canvas = Canvas(max(right + N * side + MARGIN, 4.4), low + M * side + 0.8)
        for matrix in matrices:
            draw(canvas, side, *matrix)
        for n, (kind, words) in enumerate(key):
            y = low + M * side + 0.2 + 0.24 * n
            canvas.box(MARGIN, y, kind, 0.22, 0.16)
            canvas.write(MARGIN + 0.3, y + 0.08, words, 8.5, ha="left", color=SOFT)
        return canvas.picture(alt_of(a, b, rows, columns, step))


def part(chosen, size):
    """The indices that a number or a slice chooses."""
    indices = range(size)[chosen]
    return indices if isinstance(chosen, slice) else [indices]


def marks(shape, rows, columns):
    return {(i, j) for i in rows for j in columns}


def draw(canvas, side, name, values, x, y, marked, light):
    rows, columns = values.shape
    texts = np.array([[text_of(value) for value in row] for row in values.tolist()])
    fit = max(map(len, texts.flat), default=0) * 0.075 < side
    canvas.write(x + columns * side / 2, y - 0.12, name, weight="bold")
    for i in range(rows):
        for j in range(columns):
            kinds = ["marked"] * ((i, j) in marked) + ["read"] * ((i, j) in light)
            kind = [*kinds, "unused"][0]
            corner = x + j * side, y + i * side
            canvas.box(*corner, kind, side, side)
            if fit:
                canvas.write(*(at + side / 2 for at in corner), texts[i, j], 7.5)


def alt_of(a, b, rows, columns, step):
    size = len(rows) * len(columns)
    reads = len(step) * (len(rows) + len(columns))
    shapes = f"a, {sized(a.shape)}; b, {sized(b.shape)}; c = a b."
    if size == 1 and len(step) == a.shape[1]:
        row, column = rows[0], columns[0]
        return (
            f"{shapes} Element ({row}, {column}) of c reads row {row} of a and column "
            f"{column} of b: {reads} elements."
        )
    return (
        f"{shapes} {span('Row', rows)} and {span('column', columns)} of c, {size} "
        f"elements, read {span('column', step)} of these rows of a, and "
        f"{span('row', step)} of these columns of b: {reads} elements at once."
    )


def span(noun, indices):
    first, last = indices[0], indices[-1]
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"
