"""A tree: half of the values is combined with the other half, step by step."""

import operator

from .draw.canvas import HEIGHT, SOFT, UNIT, Canvas
from .draw.chart import numbers
from .draw.picture import style
from .draw.text import text_of

LEFT, TOP, DOWN, WIDE = 0.75, 0.4, 0.42, 8.5  # inches; DOWN: between two rows
KEY = "blue: values that still count; an arrow: which value is combined with which"


def tree(values, op=operator.add):
    """Draw how n values become one in log2(n) steps: value i takes in value i + d.

    values: as many as a power of two, at most 32. op: of two values, as operator.add or
    max.
    """
    values = numbers(list(values)).tolist()
    count = len(values)
    if count & (count - 1) or not 0 < count <= 32:
        raise ValueError(f"a tree is drawn of 1, 2, 4, 8, 16 or 32 values, not {count}")
    steps = [values]
    while len(steps[-1]) > 1:
        half = len(steps[-1]) // 2
        steps.append([op(*pair) for pair in zip(*halves(steps[-1], half), strict=True)])
    unit = min(0.5, max(UNIT, 4 / count), (WIDE - LEFT - 0.2) / count)
    with style():
        high = TOP + len(steps) * (HEIGHT + DOWN)
        canvas = Canvas(max(LEFT + unit * count + 0.2, 4.4), high)
        for i in range(count):
            canvas.write(LEFT + unit * (i + 0.5), TOP - 0.14, str(i), 7.5, color=SOFT)
        shown = list(values)
        for n, row in enumerate(steps):
            shown[: len(row)] = row
            y = TOP + n * (HEIGHT + DOWN)
            label = f"d = {len(row)}" if n else ""
            canvas.write(LEFT - 0.12, y + HEIGHT / 2, label, 8.5, ha="right")
            draw(canvas, y, unit, shown, len(row), n + 1 < len(steps))
        canvas.write(0.1, high - DOWN / 2, KEY, 8.5, ha="left", color=SOFT)
        return canvas.picture(alt_of(steps))


def halves(row, half):
    return row[:half], row[half:]


def draw(canvas, y, unit, shown, alive, goes_on):
    """A row of boxes, and the arrows to the next row."""
    for i, value in enumerate(shown):
        x = LEFT + unit * i
        kind = "read" if i < alive else "unused"
        canvas.cell(x, y, kind, text_of(value) if i < alive else "", width=unit)
    for i in range(alive // 2 if goes_on else 0):
        begin = LEFT + unit * (i + alive // 2 + 0.5), y + HEIGHT
        end = LEFT + unit * (i + 0.5), y + HEIGHT + DOWN
        canvas.arrow(begin, end, mutation_scale=8)


def alt_of(steps):
    rows = (" ".join(map(text_of, row)) for row in steps)
    return f"A tree of {len(steps[0])} values: {'; then '.join(rows)}."
