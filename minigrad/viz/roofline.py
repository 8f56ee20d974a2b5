"""Kernels under the roof: how fast each could be, and how fast it is."""

import math
from typing import NamedTuple

from ..devices import gpu_available, to_device
from ..testing import bench
from .draw.canvas import INK, RED, SOFT
from .draw.kernel_launch import ODD
from .draw.picture import Picture, matplotlib, style

SECTOR = 32  # bytes
WIDE, HIGH = 8, 4.8  # inches
SMALL, LARGE = 128, 2048  # sizes at which a kernel is counted, and timed
UNITS = ((1e12, "TFLOP/s"), (1e9, "GFLOP/s"), (1e6, "MFLOP/s"), (1, "FLOP/s"))


class Point(NamedTuple):
    """A kernel. intensity: FLOP for each byte; rate: FLOP a second, None if unknown."""

    name: str
    intensity: float
    rate: float | None = None
    note: str = ""  # what the caption says of it under the picture

    @property
    def is_drawn(self):
        numbers = [n for n in (self.intensity, self.rate) if n is not None]
        return self.intensity is not None and all(0 < n < math.inf for n in numbers)


def point(kernel, launch, small=SMALL, large=LARGE):
    """The Point of a kernel: its traffic is counted in the simulator; timed on a GPU.

    launch: launch(n) gives (grid, block, args, flops) at size n, arrays on the host.
    The intensity is that of what the warps ask for, in whole sectors of 32 bytes, at
    size `small`. The rate is measured at size `large` where a GPU is; the simulator's
    time says nothing.
    """
    try:
        *where, flops = launch(small)
        asked = SECTOR * kernel.check(*where).counts["sectors"]
        intensity = flops / asked if asked else None
        return Point(kernel.name, intensity, _rate(kernel, launch, large))
    except ODD as error:
        return Point(kernel.name, None, None, f"{kernel.name}: {error}")


def _rate(kernel, launch, n):
    if not gpu_available():
        return None
    grid, block, args, flops = launch(n)
    args = tuple(to_device(a) if hasattr(a, "__array__") and a.ndim else a
                 for a in args)  # fmt: skip
    return flops / bench(kernel, grid, block, args, device="cuda").median


def roofline(points, ceilings):
    """Draw kernels under the roof of a machine, both axes logarithmic.

    points: a list of Point. ceilings: a `minigrad.testing.Ceilings`. A point without a
    rate is drawn hollow, on the roof above its intensity: nothing is said of its speed.
    """
    drawn = [p for p in points if p.is_drawn]
    with style():
        figure = matplotlib().figure.Figure(figsize=(WIDE, HIGH), facecolor="white")
        axes = figure.add_axes((0.14, 0.13, 0.83, 0.79))
        _roof(axes, ceilings, *_range(drawn, ceilings))
        taken = [_box(axes, (p.intensity, p.rate), (-6, 0), 2) for p in drawn if p.rate]
        for one in drawn:
            _mark(axes, ceilings, one, taken)
        notes = [_sentence(p, ceilings) for p in points]
    return Picture(figure, " ".join([f"The roofline of {ceilings}.", *notes]))


def _range(points, roof):
    """(the first intensity that is shown, the last): two decades at least."""
    shown = [roof.ridge / 20, roof.ridge * 5]
    shown += [n for p in points for n in (p.intensity / 3, p.intensity * 5)]
    return min(shown), max(shown)


def _roof(axes, roof, low, high):
    ridge = roof.ridge
    axes.plot([low, ridge, high], [roof.rate(low), roof.peak, roof.peak],
              color=INK, linewidth=2.2, zorder=3)  # fmt: skip
    axes.axvline(ridge, color="#A6A6A6", linewidth=0.8, linestyle=":")
    axes.set(xscale="log", yscale="log", xlim=(low, high))
    axes.set_ylim(roof.rate(low) / 2, roof.peak * 2.5)
    axes.set_xlabel("FLOP per byte")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.yaxis.set_major_formatter(lambda y, _: _speed(y))
    axes.minorticks_off()
    axes.grid(color="#E6E6E6", linewidth=0.6)
    axes.set_title(roof.machine, fontsize=11, weight="bold", loc="left")
    slope = f"slope: {roof.bandwidth / 1e9:,.4g} GB/s, {roof.copied_by}"
    flat = f"flat: {_speed(roof.peak)}, {roof.multiplied_by}"
    axes.set_title(f"{slope}   {flat}", fontsize=8.5, color=SOFT, loc="right")


def _mark(axes, roof, one, taken):
    """A point and its name; hollow, and on a dashed line, where there is no rate.

    taken: the boxes that a name must not cover; the name's own is added.
    """
    top, timed = roof.rate(one.intensity), one.rate is not None
    place = one.intensity, one.rate if timed else top
    face, edge = ("#F6C667", INK) if timed else ("white", RED)
    if not timed:
        axes.axvline(one.intensity, color=RED, linewidth=0.9, linestyle="--", zorder=2)
    axes.plot(*place, "o", markersize=7, mfc=face, mec=edge, zorder=5)
    if not timed:
        along = {"rotation": 90, "ha": "right", "va": "top"}
        _write(axes, f"{one.name}, not timed", place, (-3, -12), **along)
    elif one.rate > top:  # on the left of the roof
        _write(axes, one.name, place, (-8, 3), ha="right")
    else:
        beside = (8, 0), (8, -11), (8, 11)
        boxes = {at: _box(axes, place, at, len(one.name)) for at in beside}
        free = [at for at in beside if all(apart(boxes[at], box) for box in taken)]
        at = (free or beside)[0]
        taken.append(boxes[at])
        _write(axes, one.name, place, at, va="center")


def _box(axes, place, offset, length):
    """(left, bottom, right, top) of a text beside a point, in points."""
    pixels = axes.transData.transform(place) * 72 / axes.figure.dpi
    x, y = pixels + offset
    return x, y - 4.5, x + 5.5 * length, y + 4.5


def apart(a, b):
    return a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]


def _write(axes, text, place, offset, **how):
    back = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none", "alpha": 0.8}
    look = {"fontsize": 8.5, "color": INK, "zorder": 6, "bbox": back} | how
    axes.annotate(text, place, offset, textcoords="offset points", **look)


def _sentence(one, roof):
    if not one.is_drawn:
        return one.note or f"{one.name} has no place: nothing is known of its traffic."
    top = roof.rate(one.intensity)
    caption = f"{one.name}: {one.intensity:.3g} FLOP for each byte"
    if one.rate is None:
        return f"{caption}; not timed."
    return f"{caption}, {_speed(one.rate)}, {one.rate / top:.0%} of the roof."


def _speed(rate):
    """1.5e12 as 1.5 TFLOP/s."""
    size, unit = next((u for u in UNITS if rate >= u[0] * 0.9999), UNITS[-1])
    return f"{rate / size:.3g} {unit}"
