"""Matrices of boxes, side by side, with a heading and a legend."""

from .canvas import HEIGHT, SOFT, UNIT, Canvas
from .picture import style
from .text import text_of

ACROSS, MARGIN, BETWEEN = 8.16, 0.2, 0.45  # inches


class Grid:
    """A matrix of boxes. cells: {(row, column): (kind, value, what stands beneath)}.

    numbered: whether rows and columns have their numbers.
    """

    def __init__(self, title, cells, numbered=False):
        self.title, self.cells, self.numbered = title, cells, numbered
        self.first = [min(place[i] for place in cells) for i in (0, 1)]
        self.size = [1 + max(p[i] for p in cells) - self.first[i] for i in (0, 1)]
        longest = max(len(text) for _, *texts in cells.values() for text in texts)
        self.unit = max(UNIT, 0.1 + 0.085 * longest)
        self.room = 0.24 * numbered
        self.width = self.room + max(self.unit * self.size[1], 0.085 * len(title))
        self.height = 0.3 + self.room + HEIGHT * self.size[0]

    def draw(self, canvas, x, y):
        canvas.write(x, y + 0.12, self.title, ha="left", weight="bold")
        for (row, column), (kind, value, small) in self.cells.items():
            left = x + self.room + self.unit * (column - self.first[1])
            top = y + 0.3 + self.room + HEIGHT * (row - self.first[0])
            canvas.cell(left, top, kind, value, small, self.unit)
            if self.numbered and row == self.first[0]:
                canvas.label(left + self.unit / 2, top - 0.1, str(column))
            if self.numbered and column == self.first[1]:
                canvas.label(left - 0.07, top + HEIGHT / 2, str(row), ha="right")


def grids_picture(heading, grids, key, alt):
    """The picture: the heading, the grids side by side, and what the boxes mean.

    grids: groups of grids that stand in one row.
    """
    top = 0.5 if heading else MARGIN
    x, y, low, placed = MARGIN, top, top, []
    for group in grids:
        if x > MARGIN and x + sum(grid.width + BETWEEN for grid in group) > ACROSS:
            x, y = MARGIN, low + 0.2
        for grid in group:
            placed.append((grid, x, y))
            x, low = x + grid.width + BETWEEN, max(low, y + grid.height)
    wide = max(7.2, *(x + grid.width + MARGIN for grid, x, _ in placed))
    with style():
        canvas = Canvas(wide, low + 0.2 + 0.3 * len(key) + 0.05)
        canvas.write(MARGIN, 0.24, heading, 11, ha="left", weight="bold")
        for grid, *corner in placed:
            grid.draw(canvas, *corner)
        for n, (kind, words) in enumerate(key):
            y = low + 0.18 + 0.3 * n
            if kind:
                canvas.box(MARGIN, y, kind, 0.26, 0.22)
            canvas.write(MARGIN + 0.36, y + 0.11, words, 8.5, ha="left", color=SOFT)
        return canvas.picture(alt)


def rows(matrix):
    return " / ".join(" ".join(map(text_of, row)) for row in matrix.tolist())
