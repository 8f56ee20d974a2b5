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
    """From a point to another, its words beside its middle.

    From a point to itself there are the words alone.
    """

    begin: tuple
    end: tuple
    text: str = ""
    shift: tuple = (0, -0.12)


def diagram(size, boxes, arrows, alt):
    """The Picture of boxes and arrows. size: (width, height) in inches."""
    with style():
        canvas = Canvas(*size)
        for box in boxes:
            draw(canvas, box)
        for arrow in arrows:
            point(canvas, arrow)
        return canvas.picture(alt)


def draw(canvas, box):
    canvas.box(box.x, box.y, box.kind, box.width, box.height)
    step, middle = 0.19, box.x + box.width / 2
    words = [(box.title, 10, {"weight": "bold"})] if box.title else []
    words += [(text, 8.5, {}) for text in box.lines]
    y = box.y + (box.height - step * (len(words) - 1)) / 2
    for text, size, look in words:
        canvas.write(middle, y, text, size, **look)
        y += step


def point(canvas, arrow):
    if arrow.begin != arrow.end:
        canvas.arrow(arrow.begin, arrow.end, linewidth=1.6, mutation_scale=13)
    if arrow.text:
        x = (arrow.begin[0] + arrow.end[0]) / 2 + arrow.shift[0]
        y = (arrow.begin[1] + arrow.end[1]) / 2 + arrow.shift[1]
        side = ("center", "left", "right")[(arrow.shift[0] > 0) - (arrow.shift[0] < 0)]
        canvas.write(x, y, arrow.text, 8.5, ha=side, color=SOFT)
