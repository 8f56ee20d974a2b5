"""What happened when: a bar for each thing, in lanes, over one axis of time."""

from .draw.canvas import INK, Canvas
from .draw.picture import style

LEFT, WIDE, HIGH = 1.5, 8.56, 0.46
KINDS = [f"block {i}" for i in range(6)]


def spans(lanes, title="", unit="ms"):
    """Draw {lane: [(name, begin, end), ...]}, from the first on.

    unit: "ms" if the times are in seconds; any other is the unit of the times.
    """
    factor = 1e3 if unit == "ms" else 1
    every = [span for lane in lanes.values() for span in lane]
    start = min((begin for _, begin, _ in every), default=0)
    length = max((end for *_, end in every), default=0) - start or 1e-9
    scale = (WIDE - LEFT - 0.25) / length
    kinds = {name: KINDS[n % 6] for n, name in enumerate(dict.fromkeys(
        name for name, *_ in every))}  # fmt: skip
    top = 0.34 if title else 0.08
    with style():
        canvas = Canvas(WIDE, top + 0.41 + HIGH * len(lanes))
        canvas.write(0.1, 0.16, title, 10, ha="left", weight="bold")
        for row, (lane, things) in enumerate(lanes.items()):
            y = top + HIGH * row
            canvas.write(0.1, y + 0.18, lane, 9, ha="left")
            for name, begin, end in things:
                x, width = LEFT + (begin - start) * scale, (end - begin) * scale
                canvas.box(x, y, kinds[name], max(width, 0.01), HIGH - 0.1)
                if width > 0.075 * len(name):
                    canvas.write(x + width / 2, y + 0.18, name, 8.5, color=INK)
        bottom = top + HIGH * len(lanes)
        canvas.axis(LEFT, bottom, factor * length, scale / factor, unit)
        return canvas.picture(alt_of(lanes, title, start, factor, unit))


def alt_of(lanes, title, start, factor, unit):
    captions = [
        f"{lane}: " + ", ".join(
            f"{name} from {factor * (begin - start):.3g} to "
            f"{factor * (end - start):.3g} {unit}"
            for name, begin, end in things
        )
        for lane, things in lanes.items()
    ]  # fmt: skip
    return "; ".join([title, *captions] if title else captions) + "."
