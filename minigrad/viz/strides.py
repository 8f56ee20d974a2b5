"""Which storage cell does each element of a tensor read?"""

from .draw.canvas import HEIGHT, INK, UNIT, Canvas
from .draw.page import Legend, Text
from .draw.picture import style
from .draw.planes import planes_of, with_gaps
from .draw.storage_view import view_of
from .draw.strides_captions import (
    alt_of,
    cell_formula,
    marked_name,
    marked_of,
    notes_of,
)
from .draw.text import count, text_of

ACROSS = 8.16  # inches: what fits beside a notebook's margin at 100 % zoom
MARGIN, HEAD = 0.2, 0.42
ABOVE, BELOW = 0.26, 0.42  # room for numbers over cells, and for a grid's name
SLOTS = 72  # storage cells drawn at most


def strides(tensor, index=None, base=None, name="x", base_name="base"):
    """Draw a tensor's storage, its elements, and which element reads which cell.

    tensor: of minigrad or PyTorch, or a NumPy array. index: which elements to mark, an
    int, a slice or a tuple of them as in tensor[index]; the first row without it (where
    there are strides of 0: all elements that read the same cell as the first).
    base: a tensor with the same storage, drawn beside it. name, base_name: what the
    two are called in the picture, as in name="y.T", base_name="y".
    Returns a Picture. Large tensors are cut, and the picture says so.
    """
    view = view_of(tensor)
    whole = None if base is None else view_of(base)
    if whole is not None and (whole.storage, whole.dtype) != (view.storage, view.dtype):
        raise ValueError("base and tensor read different storages: nothing to compare")
    with style():
        return StridesPicture(
            view, marked_of(view, index), whole, name, base_name
        ).picture()


class StridesPicture:
    def __init__(self, view, marked, base, name, base_name):
        self.view, self.marked, self.base = view, marked, base
        self.name, self.base_name = name, base_name
        self.choose(limit=24 if any(view.strides) else 5)  # one cell: few are enough
        if any(len(p.cols) * self.unit + p.indent > ACROSS + 0.01 for p in self.planes):
            self.choose(limit=int(ACROSS / self.unit) - 1)
        self.row = int(ACROSS / self.unit + 0.01)  # storage cells side by side

    # ------------------------------------------------------------ what is drawn

    def choose(self, limit):
        """The planes, the storage cells, their values, and how wide a box must be."""
        firsts = [m[0] if len(m) else 0 for m in self.marked]
        self.planes = planes_of(self.view, self.name, firsts, limit)
        if self.base is not None:
            zeros = [0] * len(self.base.shape)
            whole = planes_of(self.base, self.base_name, zeros, limit)
            self.planes = whole + self.planes
        hits = [c for p in self.planes for _, _, i, c in self.elements(p)
                if self.is_marked(p, i)]  # fmt: skip
        self.hits = dict.fromkeys(hits)  # in the order in which they are read
        self.slots = self.choose_slots()
        cells = {c for p in self.planes for *_, c in self.elements(p)} | {*self.slots}
        cells = sorted(c for c in cells - {None} if self.view.inside(c))
        texts = map(text_of, self.view.take(cells) if cells else [])
        self.values = dict(zip(cells, texts, strict=True))
        self.times = {cell: self.view.times_read(cell) for cell in cells}
        longest = max(map(len, self.values.values()), default=1)
        number = len(str(max(cells, default=0)))
        times = max(len(text_of(t or 0)) for t in [0, *self.times.values()])
        small = 0.08 + 0.065 * max(number, times + 1 if times > 1 else 0)
        self.unit = max(UNIT, min(0.7, 0.06 + 0.088 * longest), small)

    def elements(self, plane):
        """(row's place, column's place, multi-index, cell) of a plane's elements."""
        for y, x, index in plane.places():
            if index is not None:
                yield y, x, index, plane.view.cell(index)

    def choose_slots(self):
        """The storage cells that are drawn, None for a gap: all; or the marked ones,
        those of other elements that are drawn, and the ends."""
        count = self.view.cells
        if count <= SLOTS:
            return list(range(count))
        read = [c for p in reversed(self.planes) for *_, c in self.elements(p)]
        first = dict.fromkeys([*sorted(self.hits), *read])
        keep = [c for c in first if self.view.inside(c)][:40]
        return with_gaps(sorted({0, count - 1, *keep}), count)

    def is_marked(self, plane, index):
        return plane.view is self.view and all(
            i in m for i, m in zip(index, self.marked, strict=True)
        )

    def has_line(self, index):
        """Those of the first marked row have one: below it, no line crosses another."""
        firsts = (m[0] for m in self.marked)
        return all(i == m for i, m in zip(index[:-1], firsts, strict=False))

    def kind(self, cell):
        """How the box of a cell, or of an element that reads it, looks."""
        if not self.view.inside(cell):
            return "outside"
        if cell in self.hits:
            return "marked"
        return "free" if self.times[cell] == 0 else "read"

    # ------------------------------------------------------------ drawing

    def picture(self):
        self.what = marked_name(self.name, self.marked)
        self.heading = cell_formula(self.name, self.view, self.marked)
        self.top = HEAD + 0.2 * (len(self.heading) + 1) + ABOVE
        lines = -(-len(self.slots) // self.row)
        corners, bottom = self.corners(self.top + lines * (HEIGHT + ABOVE) + 0.35)
        self.notes = notes_of(self.view, self.planes, self.slots)
        width = self.width(corners)
        key, notes = Legend(self.key(), width), Text(self.notes, 8.5)
        self.canvas = Canvas(width, bottom + 0.2 + key.height + notes.height)
        self.title()
        self.storage()
        for plane, corner in zip(self.planes, corners, strict=True):
            self.plane(plane, *corner)
        key.draw(self.canvas, bottom + 0.1)
        notes.draw(self.canvas, bottom + 0.1 + key.height)
        words = alt_of(self.view, self.what, [*self.hits], self.notes)
        return self.canvas.picture(words)

    def corners(self, top):
        """Where each plane's first box stands, side by side or wrapped; and the end."""
        corners, x, y, end = [], MARGIN, top, top - (0 if self.planes else 0.4)
        for plane in self.planes:
            wide = plane.indent + self.across(plane)
            if x > MARGIN and x + wide > ACROSS + MARGIN + 0.01:
                x, y = MARGIN, end + 0.2
            corners.append((x + plane.indent, y + 0.4))
            x += wide + 0.3
            end = max(end, y + 0.4 + HEIGHT * len(plane.rows) + BELOW)
        return corners, end

    def across(self, plane):
        return max(self.unit * len(plane.cols), 0.1 * len(plane.title))

    def width(self, corners):
        storage = MARGIN + self.unit * min(self.row, len(self.slots))
        placed = zip(self.planes, corners, strict=True)
        right = [x + self.across(plane) for plane, (x, _) in placed]
        return max(7.2, *(x + MARGIN for x in [storage, *right]))

    def title(self):
        view, write = self.view, self.canvas.write
        text = f"shape {view.shape}   strides {view.strides}   offset {view.offset}"
        room = int(self.canvas.width / 0.1)
        size = 11 if len(text) <= room else 11 * room / len(text)
        write(MARGIN, 0.24, text, size, ha="left", weight="bold")
        for number, line in enumerate(self.heading):
            write(MARGIN, 0.5 + 0.2 * number, line, 9.5, ha="left")
        text = f"storage: {count(view.cells, 'cell')} of {view.dtype}"
        write(MARGIN, self.top - ABOVE - 0.08, text, 9.5, ha="left", weight="bold")

    def storage(self):
        """The cells in rows, their numbers above; from marked ones hang the lines."""
        self.line_starts = {}
        for place, cell in enumerate(self.slots):
            x = MARGIN + self.unit * (place % self.row)
            y = self.top + (HEIGHT + ABOVE) * (place // self.row)
            if cell is None:
                self.canvas.write(x + self.unit / 2, y + HEIGHT / 2, "\u2026", 12)
                continue
            self.line_starts[cell] = x + self.unit / 2, y + HEIGHT
            times = self.times[cell]
            small = "" if times in (0, 1) else f"\u00d7{text_of(times or '?')}"
            self.canvas.label(x + self.unit / 2, y - 0.1, str(cell))
            self.canvas.cell(
                x, y, self.kind(cell), self.values[cell], small, self.unit, over=4
            )

    def plane(self, plane, x, y):
        """A grid of elements: the value, and beneath it the number of its cell.

        Its name and its columns' numbers stand below, where no line passes.
        """
        label, unit = self.canvas.label, self.unit
        low = y + HEIGHT * len(plane.rows)
        label(x, low + 0.28, plane.title, 9.5, ha="left", weight="bold", color=INK)
        if plane.ndim > 0:
            for place, col in enumerate(plane.cols):
                text = "\u2026" if col is None else str(col)
                label(x + unit * (place + 0.5), low + 0.1, text)
        if plane.ndim > 1:
            for place, row in enumerate(plane.rows):
                text = "\u2026" if row is None else str(row)
                label(x - 0.07, y + HEIGHT * (place + 0.5), text, ha="right")
        for down, right, index, cell in self.elements(plane):
            self.element(plane, index, cell, x + unit * right, y + HEIGHT * down, down)

    def element(self, plane, index, cell, x, y, down):
        value = self.values.get(cell, "?")
        self.canvas.cell(x, y, self.kind(cell), value, str(cell), self.unit)
        if not self.is_marked(plane, index):
            return
        self.canvas.box(x, y, "frame", self.unit)
        if cell in self.line_starts and self.has_line(index):
            middle, top = x + self.unit / 2, y - down * HEIGHT
            way = [(x, top), (x, y)] if down else [(middle, y)]  # beside what's above
            self.canvas.line(self.line_starts[cell], *way)

    def key(self):
        """(kind of box or None, what it means) for all that occurs in the picture."""
        drawn = [c for p in self.planes for *_, c in self.elements(p)]
        kinds = {self.kind(cell) for cell in [*self.slots, *drawn] if cell is not None}
        words = {
            "marked": f"{self.what} and its cells",
            "read": "read",
            "free": "not read",
            "outside": "outside the storage",
        }
        key = [(kind, text) for kind, text in words.items() if kind in kinds]
        key += [(None, "under a value: its cell")] * bool(self.planes)
        several = any(times not in (0, 1) for times in self.times.values())
        return key + [(None, "\u00d7n: read by n elements")] * several
