"""Boxes with words in them, and arrows between them, for what has no numbers."""

from typing import NamedTuple

from .canvas import SOFT, Canvas
from .picture import style


class Box(NamedTuple):
    """A box, in inches from the top left; its title and, beneath, smaller lines."""

    x: float
    y: float
    width: float
    height: float
    title: str
    lines: tuple = ()
    kind: str = "read"


class Arrow(NamedTuple):
    """From a point to another; its words are `shift` beside its middle."""

    begin: tuple
    end: tuple
    text: str = ""
    shift: tuple = (0, -0.12)


def diagram(size, boxes, arrows, alt):
    """The Picture of boxes and arrows. size: (width, height) in inches."""
    with style():
        canvas = Canvas(*size)
        for box in boxes:
            draw_box(canvas, box)
        for begin, end, text, (right, down) in arrows:
            canvas.arrow(begin, end, linewidth=1.6, mutation_scale=13)
            x, y = (begin[0] + end[0]) / 2 + right, (begin[1] + end[1]) / 2 + down
            side = ("center", "left", "right")[(right > 0) - (right < 0)]
            canvas.write(x, y, text, 8.5, ha=side, color=SOFT)
        return canvas.picture(alt)


def draw_box(canvas, box):
    canvas.box(box.x, box.y, box.kind, box.width, box.height)
    step, middle = 0.19, box.x + box.width / 2
    words = [(box.title, 10, {"weight": "bold"})] if box.title else []
    words += [(text, 8.5, {}) for text in box.lines]
    y = box.y + (box.height - step * (len(words) - 1)) / 2
    for text, size, look in words:
        canvas.write(middle, y, text, size, **look)
        y += step
