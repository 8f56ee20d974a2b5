"""A curve that grows while something is trained, with a progress bar."""

import math
import time
from html import escape

from .draw.canvas import RED
from .draw.chart import COLORS

WIDTH, HEIGHT, LEFT, RIGHT, BOTTOM = 560, 214, 76, 20, 38
DASHES = "", "6 3", "6 3 2 3", "2 3"
SECONDS = 0.1  # between two pictures


class Curve:
    """Values over steps, drawn again and again in the same place of a notebook.

        curve = viz.curve(100, "epochs")
        for epoch in range(100):
            ...
            curve.add(loss=loss.item())

    total: how many steps there will be. log: draw the values by their powers of ten.
    title: what stands above. From the first value on that is no finite number, a cross
    marks the step, and below they are counted.
    Outside of a notebook nothing is drawn; `str(curve)` is the last line of numbers.
    """

    def __init__(self, total, what="steps", log=False, title=""):
        self.total, self.what, self.log, self.title = total, what, log, title
        self.series, self.done = {}, 0
        self._shown, self._last, self._begin = None, 0.0, time.perf_counter()

    def add(self, **values):
        """One step, and its values by name."""
        self.done += 1
        for name, value in values.items():
            self.series.setdefault(name, []).append((self.done, float(value)))
        now = time.perf_counter()
        if now - self._last > SECONDS or self.done >= self.total:
            self._last = now
            self._show()

    def __str__(self):
        numbers = [f"{name} {pairs[-1][1]:.4g}" for name, pairs in self.series.items()]
        return ", ".join([f"{self.done} of {self.total} {self.what}", *numbers])

    __repr__ = __str__

    def _repr_html_(self):
        seconds = time.perf_counter() - self._begin
        share = min(1, self.done / max(1, self.total))
        text = escape(f"{self}, {seconds:.1f} s{self._lost()}")
        bar = (
            f'<div style="width:{WIDTH}px;height:6px;margin:4px 0;background:#8883">'
            f'<div style="width:{100 * share:.1f}%;height:6px;background:{COLORS[0]}">'
            "</div></div>"
        )
        title = f"<div><b>{escape(self.title)}</b></div>" if self.title else ""
        inside = f"{title}{self._svg()}{bar}<div>{text}</div>"
        return f'<div style="font:13px sans-serif">{inside}</div>'

    def _lost(self):
        """How many values cannot be drawn, and from which step on."""
        return "".join(
            f"; {name} is not finite in {len(steps)} steps from {steps[0]} on"
            for name, pairs in self.series.items()
            if (steps := lost(pairs))
        )

    def _show(self):
        """Draw, or draw anew in the same place, where there is a notebook."""
        try:
            from IPython import get_ipython
            from IPython.display import display
        except ImportError:
            return
        if get_ipython() is None:
            return
        if self._shown is None:
            self._shown = display(self, display_id=True)
        else:
            self._shown.update(self)

    def _svg(self):
        points = {name: self._seen(pairs) for name, pairs in self.series.items()}
        heights = [y for pairs in points.values() for _, y in pairs]
        if not heights:
            return ""
        low, high = min(heights), max(heights)
        if low == high:  # the other end is 0, or 1
            low, high = min(low, 0), max(high, 0 if low else 1)
        drawn = [self._ticks(low, high)]
        for number, (name, pairs) in enumerate(points.items()):
            color = COLORS[number % len(COLORS)]
            line = " ".join(self._at(x, y, low, high) for x, y in pairs)
            look = f'fill="none" stroke="{color}" stroke-width="1.5" '
            look += f'stroke-dasharray="{DASHES[number % len(DASHES)]}"'
            top = 16 + 15 * number
            drawn += [
                f'<polyline points="{line}" {look}/>',
                self._dot(pairs, color, low, high),
                self._cross(lost(self.series[name])),
                f'<path d="M{WIDTH - 38},{top - 4}h30" {look}/>',
                f'<text x="{WIDTH - 44}" y="{top}" fill="{color}" '
                f'text-anchor="end">{escape(name)}</text>',
            ]
        said = escape(f"{self}{self._lost()}")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{HEIGHT}" font-size="12" role="img" aria-label="{said}">'
            f"{''.join(drawn)}</svg>"
        )

    def _dot(self, pairs, color, low, high):
        """A dot where the line ends, so that one value is seen, too."""
        if not pairs:
            return ""
        x, y = self._at(*pairs[-1], low, high).split(",")
        return f'<circle cx="{x}" cy="{y}" r="2.5" fill="{color}"/>'

    def _cross(self, steps):
        """A cross where the line is lost."""
        if not steps:
            return ""
        x, y = self._at(steps[0], 1, 0, 1).split(",")
        return (
            f'<path d="M{x},{y}m-4,-4l8,8m0,-8l-8,8" stroke="{RED}" stroke-width="2"/>'
        )

    def _seen(self, pairs):
        """What is drawn: finite values, or their logarithms, and not too many."""
        fits = [
            (x, y) for x, y in pairs if math.isfinite(y) and (y > 0 or not self.log)
        ]
        fits = fits[: -1 : -(-len(fits) // 600) or 1] + fits[-1:]
        return [(x, math.log10(y)) for x, y in fits] if self.log else fits

    def _at(self, x, y, low, high):
        across = LEFT + (WIDTH - LEFT - RIGHT) * x / max(1, self.total)
        up = (y / 2 - low / 2) / (high / 2 - low / 2 or 1)  # high - low may be infinite
        return f"{across:.1f},{HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 8) * up:.1f}"

    def _ticks(self, low, high):
        """Numbers at the side and below, and lines across."""
        drawn = []
        for value, said in scale(low, high, self.log):
            y = self._at(0, value, low, high).partition(",")[2]
            drawn.append(
                f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" '
                f'stroke="#8885"/><text x="{LEFT - 6}" y="{float(y) + 4:.1f}" '
                f'fill="currentColor" text-anchor="end">{said}</text>'
            )
        steps = [tick for tick in ticks(0, max(1, self.total), 6) if tick[0] % 1 == 0]
        low = HEIGHT - BOTTOM
        drawn.append(f'<path d="M{LEFT},{low}H{WIDTH - RIGHT}" stroke="#888"/>')
        below = [(self._at(x, 0, 0, 1).partition(",")[0], low + 15, text)
                 for x, text in steps]  # fmt: skip
        below.append(((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, escape(self.what)))
        drawn += [
            f'<text x="{x}" y="{y}" fill="currentColor" text-anchor="middle">{text}'
            "</text>" for x, y, text in below
        ]  # fmt: skip
        return "".join(drawn)


def scale(low, high, log):
    """(position, text) of the numbers at the side; log: positions are powers of ten."""
    if not log:
        return ticks(low, high, 4) or ends(low, high)
    powers = [(power, text) for power, text in ticks(low, high, 4) if power % 1 == 0]
    if len(powers) < 2:
        return ends(low, high, log)
    return [(p, f"{10**p:g}" if -4 < p < 6 else f"1e{p:g}") for p, _ in powers]


def ticks(low, high, most):
    """(value, text) of at most so many round numbers from low to high."""
    length = high / most - low / most  # high - low may be infinite
    if not 1e-300 < length < 1e300:
        return []
    power = math.floor(math.log10(length))
    for step in (times * 10.0**power for times in (1, 2, 5, 10, 20)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            break
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    values = [step * n for n in range(first, last + 1)]
    plain = digits <= 4 and max(map(abs, values)) < 1e7
    return [(v, f"{v:,.{digits}f}" if plain else f"{v:.3g}") for v in values]


def ends(low, high, log=False):
    """(position, text) of the lowest value, the middle, and the highest value."""
    values = [(1 - part) * low + part * high for part in (0, 0.5, 1)]
    return [(value, f"{10**value if log else value:.3g}") for value in values]


def lost(pairs):
    """The steps whose values cannot be drawn."""
    return [step for step, value in pairs if not math.isfinite(value)]


def curve(total, what="steps", log=False, title=""):
    """A Curve of `total` steps."""
    return Curve(total, what, log, title)
