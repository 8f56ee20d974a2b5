"""Which addresses do the lanes of one warp touch, and what does memory fetch?"""

import numpy as np

from cudasim import SECTOR, pieces

from .draw.canvas import HEIGHT
from .draw.kernel_launch import or_sentence
from .draw.page import MARGIN
from .draw.text import count
from .draw.warp_accesses import (
    PANELS,
    accesses_of,
    accesses_page,
    lanes_text,
    request_text,
    source_line,
    verdict_and_rest,
)

LINE_BYTES, WORD, UNIT, LEFT = 128, 4, 0.22, 1.1
ROWS = 8  # lines of memory, drawn at most


@or_sentence
def access(kernel, grid, block, args, line=None, warp=0, shared_mem=0):
    """Draw the memory that one warp's accesses touch, with its sectors of 32 bytes.

    One panel for each access of global memory in the kernel, or in `line` alone; of an
    access in a loop the first time. warp: counted through the grid. The arguments stay
    as they are.
    """
    run, accesses = accesses_of(
        kernel, grid, block, args, line, warp, "global", shared_mem
    )
    panels = [Strip(run, one) for one in accesses[:PANELS]]
    return accesses_page(run, warp, panels, len(accesses), KEY)


KEY = [
    ("touched", "touched; in it: the lane, or \u00d7n: n lanes"),
    ("unused", "fetched, not used"),
    ("free", "not fetched"),
    ("frame", "a sector of 32 bytes that is fetched"),
    (None, "a row: 128 bytes, four sectors"),
]


class Strip:
    """The words of memory that one access touches, a line of 128 bytes in a row."""

    def __init__(self, run, access):
        self.run, self.access, size = run, access, access.size
        starts = access.address[:, None] + np.arange(0, size, WORD)
        ends = np.minimum(starts + WORD, access.address[:, None] + size) - 1
        self.lanes = {}  # word -> the lanes that touch it
        for lane, begin, end in zip(access.lanes, starts, ends, strict=True):
            for word in {*(begin // WORD), *(end // WORD)}:
                self.lanes.setdefault(int(word), []).append(int(lane))
        self.sectors = sorted({word * WORD // SECTOR for word in self.lanes})
        lines = sorted({word * WORD // LINE_BYTES for word in self.lanes})
        self.count_lines, cut = len(lines), len(lines) > ROWS
        lines = [*lines[: ROWS - 1], lines[-1]] if cut else lines
        self.rows = []
        for before, line in zip([lines[0] - 1, *lines], lines, strict=False):
            self.rows += [line] if line == before + 1 else [None, line]
        self.height = 0.06 + sum(map(self.row_height, self.rows))

    @property
    def used(self):
        """How many different bytes the lanes ask for."""
        every = self.access.address[:, None] + np.arange(self.access.size)
        return len(np.unique(every))

    def row_height(self, row):
        return 0.24 if row is None else HEIGHT + 0.07

    def parts(self):
        words = verdict_and_rest(self.words())
        return [source_line(self.run, self.access.place), *words, self]

    def words(self):
        """What is drawn, and what it costs."""
        one, total = self.access, self.run.report.counts["lines"]
        lines, sectors = count(self.count_lines, "line"), len(self.sectors)
        parts = len(pieces(one.address, one.size))
        asked = f", in {parts} requests" if parts > 1 else ""
        first = (
            f"{request_text(one)}{asked}: {count(sectors, 'sector')}, {self.used} of "
            f"{sectors * SECTOR} bytes used ({lines} of {LINE_BYTES} bytes)."
        )
        whole = total.get(one.place, {})
        requests, sectors = whole.get("requests", 0), whole.get("sectors", 0)
        rest = (
            f"Whole launch: {count(sectors, 'sector')} in {count(requests, 'request')}"
        )
        best = whole.get("ideal_sectors", sectors)
        rest += f"; {best:,} would do." if best < sectors else "."
        if one.times > 1:
            rest = f"This is the first of {one.times:,} times. {rest}"
        return [first, rest]

    def alt(self):
        line, column = self.access.place
        starts = zip(self.access.lanes, self.access.address, strict=True)
        root = self.access.root
        some = [f"lane {n}: {root.describe(int(a))}" for n, a in starts]
        some = some if len(some) < 5 else [*some[:3], "...", some[-1]]
        caption = " ".join([*self.words(), ", ".join(some)])
        return f"Line {line}, column {column}: {caption}."

    # ------------------------------------------------------------ drawing

    def draw(self, canvas, y):
        for row in self.rows:
            if row is None:
                canvas.write(MARGIN + LEFT - 0.2, y + 0.12, "\u2026", 12)
            else:
                self.row(canvas, y + 0.05, row)
            y += self.row_height(row)

    def row(self, canvas, y, row):
        root, begin = self.access.root, row * LINE_BYTES
        name = root.describe(min(begin, max(root.nbytes - 1, 0)))
        canvas.label(MARGIN + LEFT - 0.1, y + HEIGHT / 2, name, 8, ha="right")
        kinds = {"touched": [], "unused": [], "free": []}
        for at in range(LINE_BYTES // WORD):
            word, x = row * (LINE_BYTES // WORD) + at, MARGIN + LEFT + UNIT * at
            if word * WORD < root.nbytes:
                kinds[self.kind(word)].append((x, y))
            if word in self.lanes:
                self.word(canvas, x + UNIT / 2, y, *lanes_text(self.lanes[word]))
        for kind, corners in kinds.items():
            canvas.boxes(corners, kind, UNIT)
        wide, first = UNIT * (SECTOR // WORD), begin // SECTOR
        for at in range(LINE_BYTES // SECTOR):
            if first + at in self.sectors:
                canvas.box(MARGIN + LEFT + wide * at, y, "frame", wide)

    def kind(self, word):
        if word in self.lanes:
            return "touched"
        return "unused" if word * WORD // SECTOR in self.sectors else "free"

    def word(self, canvas, x, y, text, small):
        size = 9 if len(text) < 3 else 6.8
        canvas.write(x, y + HEIGHT * (0.36 if small else 0.5), text, size)
        if small:
            canvas.write(x, y + HEIGHT * 0.79, small, 6.8)
