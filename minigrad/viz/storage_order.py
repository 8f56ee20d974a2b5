"""In which order do a tensor's elements, row by row, visit the cells of its storage?"""

import numpy as np

from .draw.canvas import HEIGHT, INK, RED, UNIT, Canvas
from .draw.page import MARGIN
from .draw.picture import style
from .draw.storage_view import view_of
from .draw.text import text_of

MOST = 24  # cells side by side
KINDS = "free", "read", "line"  # a cell that nobody, one and more than one element read


def storage_order(views):
    """Draw {name: tensor}: the steps through the storage from element to element.

    The elements are taken row by row. Steps forwards are arcs above the storage, those
    backwards dashed arcs below; in a box stand the value and the element's number.
    Where all steps are the same, one stride reads the tensor: view(-1) works.
    """
    views = {name: view_of(tensor) for name, tensor in views.items()}
    for name, view in views.items():
        if max(view.cells, view.numel) > MOST:
            raise ValueError(
                f"at most {MOST} cells and elements are drawn; {name} has {view.cells} "
                f"cells and {view.numel} elements: take a smaller tensor"
            )
    rows = {name: ElementSteps(name, view) for name, view in views.items()}
    width = 2 * MARGIN + UNIT * max(view.cells for view in views.values())
    with style():
        canvas = Canvas(max(7.2, width), 0.1 + sum(w.height for w in rows.values()))
        y = 0.1
        for one in rows.values():
            one.draw(canvas, y)
            y += one.height
        return canvas.picture(" ".join(one.words for one in rows.values()))


class ElementSteps:
    """One tensor's way, and what its steps say."""

    def __init__(self, name, view):
        self.view = view
        self.cells = [view.cell(index) for index in np.ndindex(*view.shape)]
        self.steps = np.diff(self.cells).tolist()
        self.above = high(max(self.steps, default=0)) + 0.16
        self.height = (
            0.3 + self.above + HEIGHT + high(-min(self.steps, default=0)) + 0.26
        )
        some = ", ".join(map(str, self.steps[:7])) or "none"
        more = " and so on" * (len(self.steps) > 7)
        same = len({*self.steps}) == 1
        text = f"every step is {self.steps[0]}" if same else f"steps {some}{more}"
        self.words = f"{name}: {text}."

    def draw(self, canvas, y):
        canvas.write(MARGIN, y + 0.14, self.words, 9.5, ha="left", weight="bold")
        top = y + 0.3 + self.above
        values = self.view.take([*range(self.view.cells)])
        for cell, value in enumerate(values):
            visits = [str(n) for n, c in enumerate(self.cells) if c == cell]
            small = visits[0] if len(visits) == 1 else f"\u00d7{len(visits)}"
            kind = KINDS[min(len(visits), 2)]
            place = MARGIN + UNIT * cell, top
            canvas.cell(*place, kind, text_of(value), small if visits else "")
        for begin, step in zip(self.cells, self.steps, strict=False):
            if step:
                self.arc(canvas, begin, step, top if step > 0 else top + HEIGHT)

    def arc(self, canvas, begin, step, y):
        """A bow from cell to cell, with the step at its middle."""
        along = np.linspace(-1, 1, 25)
        middle = MARGIN + UNIT * (begin + 0.5 + step / 2)
        up = high(step) - high(-step)
        bow = y - up * (1 - along**2)
        look = {"color": INK} if step > 0 else {"color": RED, "linestyle": "--"}
        canvas.line(*zip(middle + UNIT * step / 2 * along, bow, strict=True), **look)
        text = f"{step:+}".replace("-", "\u2212")
        beyond = 0.08 if step > 0 else -0.1  # where bows of the same height don't pass
        canvas.label(middle, y - up - beyond, text, 7.5, color=look["color"])


def high(step):
    """How far a bow over so many cells rises, in inches; a step back does not."""
    return min(0.14 + 0.06 * step, 0.6) if step > 0 else 0
