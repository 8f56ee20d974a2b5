"""Times side by side, as bars on a logarithmic axis."""

import math

from ..testing.timing import duration
from .draw.canvas import INK, SOFT, Canvas
from .draw.picture import style

LEFT, RIGHT, WIDE, HIGH = 2.1, 0.8, 8.56, 0.19
KINDS = "touched", "read", "line", "unused"


def bars(times, names):
    """Draw {row: (seconds, ...)}, a bar for each of the `names` in every row."""
    every = [t for row in times.values() for t in row if t > 0]
    low = math.floor(math.log10(min(every, default=1e-3)))
    high = max(math.ceil(math.log10(max(every, default=1))), low + 1)
    scale = (WIDE - LEFT - RIGHT) / (high - low)
    step = HIGH * len(names) + 0.14
    bottom = 0.4 + step * len(times)
    with style():
        canvas = Canvas(WIDE, bottom + 0.55)
        legend(canvas, names)
        for power in range(low, high + 1):
            x = LEFT + (power - low) * scale
            canvas.line(
                (x, 0.36), (x, bottom), color="#D9D9D9", linewidth=0.7, zorder=1
            )
            canvas.write(x, bottom + 0.14, said(10.0**power), 8, color=SOFT)
        middle = LEFT + (high - low) * scale / 2
        canvas.write(middle, bottom + 0.36, "time (logarithmic)", 8, color=SOFT)
        for number, (row, values) in enumerate(times.items()):
            y = 0.4 + step * number
            middle = y + HIGH * len(names) / 2
            canvas.write(LEFT - 0.1, middle, row, 9, ha="right")
            for k, value in enumerate(values):
                width = max((math.log10(value) - low) * scale, 0.02)
                canvas.box(LEFT, y + HIGH * k, KINDS[k], width, HIGH)
                place = LEFT + width + 0.06, y + HIGH * (k + 0.5)
                canvas.write(*place, said(value), 8, ha="left", color=INK)
        return canvas.picture(alt_of(times, names))


def said(seconds):
    return duration(seconds).replace("us", "\u00b5s")


def legend(canvas, names):
    for k, name in enumerate(names):
        canvas.box(LEFT + 1.6 * k, 0.08, KINDS[k], 0.22, 0.16)
        canvas.write(LEFT + 1.6 * k + 0.28, 0.16, name, 8.5, ha="left")


def alt_of(times, names):
    rows = (
        f"{row}: "
        + ", ".join(map(" ".join, zip(names, map(duration, values), strict=True)))
        for row, values in times.items()
    )
    return "; ".join(rows) + "."
