"""A small picture of a wrong answer: which storage cell each element reads."""

import html
import math

import numpy as np

from .describe import Seen

WIDE, HIGH, GAP, LABEL = 30, 20, 12, 84  # pixels: a cell, between panels, at the left
MOST = 72  # elements that are drawn of each tensor
WRONG, PLAIN = ("#f5c396", "#8a3000", "bold"), ("#ffffff", "#222222", "normal")


def tensors(args, expected, got):
    """x, the view that is expected, and the one that came; "" for no tensors."""
    if not (isinstance(expected, Seen) and isinstance(got, Seen) and got.shares):
        return ""
    x = cells(*args[0])
    return compared(x, cells(*expected[:3]), cells(*got[:3]))


def of_tensors(case, expected, got):
    """The same of a case."""
    return tensors(case.args, expected, got)


def cells(shape, strides, offset=0):
    """The storage cell of every element, as an array."""
    steps = zip(np.indices(shape), strides, strict=True)
    return offset + sum((i * s for i, s in steps), np.zeros(shape, int))


def compared(x, expected, got):
    """SVG: x (or None), expected and got. "" where they are too large, or equal."""
    rows = [("x", x), ("expected", expected), ("got", got)]
    rows = [(label, array) for label, array in rows if array is not None]
    if any(not 0 < array.size <= MOST or array.ndim > 4 for _, array in rows):
        return ""
    if expected.shape == got.shape and np.array_equal(expected, got):
        return ""
    wrong = _differs(expected, got)
    top, width, parts = 30, 380, []
    for label, array in rows:
        marks = wrong if label == "got" else np.zeros(array.shape, bool)
        drawn, right, bottom = _tensor(label, array, marks, top)
        parts.append(drawn)
        top, width = bottom + GAP, max(width, right)
    return _svg(width + 8, top, "".join(parts), rows)


def _differs(expected, got):
    """Which elements of `got` read another cell than they should."""
    if expected.shape == got.shape:
        return expected != got
    return np.zeros(got.shape, bool)  # the shapes, which are written there, differ


def _tensor(label, array, marks, top):
    """(SVG, right edge, lower edge) of a tensor: its last two dimensions as panels."""
    rows, cols = (1, 1, *array.shape)[-2:]
    count = math.prod(array.shape[:-2])
    each = max(1, (640 - LABEL) // (WIDE * cols + GAP))  # panels side by side
    shape = "(" + ", ".join(map(str, array.shape)) + (",)" if array.ndim == 1 else ")")
    parts = [_text(8, top + 14, label, "bold"), _text(8, top + 28, shape)]
    panels = zip(
        array.reshape(count, rows, cols), marks.reshape(count, rows, cols), strict=True
    )
    for n, (panel, wrong) in enumerate(panels):
        x = LABEL + n % each * (WIDE * cols + GAP)
        y = top + n // each * (HIGH * rows + GAP)
        for (i, j), cell in np.ndenumerate(panel):
            parts.append(_cell(x + WIDE * j, y + HIGH * i, cell, wrong[i, j]))
    right = LABEL + min(each, count) * (WIDE * cols + GAP)
    lines = -(-count // each)
    return "".join(parts), right, top + max(lines * (HIGH * rows + GAP) - GAP, 30)


def _cell(x, y, cell, wrong):
    fill, ink, weight = WRONG if wrong else PLAIN
    return (
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" fill="{fill}"/>'
        f'<text x="{x + WIDE / 2}" y="{y + 14}" text-anchor="middle" stroke="none" '
        f'fill="{ink}" font-weight="{weight}">{cell}</text>'
    )


def _text(x, y, text, weight="normal"):
    return (
        f'<text x="{x}" y="{y}" stroke="none" fill="#222222" font-weight="{weight}">'
        f"{html.escape(text)}</text>"
    )


def _svg(width, height, inside, rows):
    said = "; ".join(f"{label}: {array.tolist()}" for label, array in rows)
    title = "Each number is the storage cell that an element reads."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="12" stroke="#888888">'
        f"<title>{html.escape(title)} {html.escape(said)}</title>"
        f'<rect width="{width}" height="{height}" fill="#ffffff" stroke="none"/>'
        f"{_text(8, 18, title)}{inside}</svg>"
    )
