"""Which addresses do the lanes of one warp touch, and what does memory fetch?"""

import numpy as np

from ..simt.tools.base import pieces
from ..simt.tools.coalescing import SECTOR
from .canvas import HEIGHT
from .recorders import WarpAccesses, warps_of
from .runs import CannotRun, or_sentence, setup
from .sheet import MARGIN, Legend, SourceLine, Space, Words, sheet
from .words import count

LINE_BYTES, WORD, UNIT, LEFT = 128, 4, 0.22, 1.1
ROWS, PANELS = 8, 8  # lines of memory, and accesses, drawn at most
KINDS = {"read": "read", "write": "written", "atomic": "updated atomically"}


@or_sentence
def access(kernel, grid, block, args, line=None, warp=0, shared_mem=0):
    """Draw the memory that one warp's accesses touch, with its sectors of 32 bytes.

    One panel for each access of global memory in the kernel, or in `line` alone; of an
    access in a loop the first time. warp: counted through the grid. The arguments stay
    as they are.
    """
    run, seen = accesses(kernel, grid, block, args, line, warp, "global", shared_mem)
    panels = [Strip(run, one) for one in seen[:PANELS]]
    return panels_sheet(run, warp, panels, len(seen), KEY)


KEY = [
    ("touched", "touched; in it: the lane, or \u00d7n: n lanes"),
    ("unused", "fetched, not used"),
    ("free", "not fetched"),
    ("frame", "a sector of 32 bytes that is fetched"),
    (None, "a row: 128 bytes, four sectors"),
]


def accesses(kernel, grid, block, args, line, warp, space, shared_mem):
    """(Run, Accesses of one warp by place); CannotRun where there are none."""
    ready = setup(kernel, grid, block, args)
    each = warps_of(ready.block)
    most = each * ready.grid[0] * ready.grid[1] * ready.grid[2]
    if not 0 <= warp < most:
        raise ValueError(f"warp={warp}: this launch has warps 0 to {most - 1}")
    if line is not None and not 1 <= line <= ready.kernel.code.count("\n") + 1:
        raise ValueError(
            f"line={line}: the text has lines 1 to "
            f"{ready.kernel.code.count(chr(10)) + 1}"
        )
    tool = WarpAccesses(warp, space)
    run = ready.run(shared_mem, ["coalescing", "banks", tool])
    seen = [a for a in tool.seen.values() if line in (None, a.place[0])]
    if not seen:
        where = "" if line is None else f" in line {line}"
        notes = " ".join(run.notes())
        raise CannotRun(
            f"Warp {warp} of {run.kernel.name} makes no access of {space} memory"
            f"{where}. {notes}".strip()
        )
    return run, sorted(seen, key=lambda a: (a.place[0], a.kind == "write", a.place))


def panels_sheet(run, warp, panels, total, key):
    """The panels under one heading."""
    where = divmod(warp, warps_of(run.block))
    head = f"{run.heading}   warp {warp}"
    about = f"Warp {where[1]} of block {where[0]}: its 32 lanes are threads that run "
    about += "together."
    notes = run.notes()
    if total > len(panels):
        notes.append(f"Cut: {len(panels)} of {total} accesses are drawn; line=... "
                     f"chooses others.")  # fmt: skip
    parts = [Words([head], 11, weight="bold")]
    for panel in panels:
        parts += [Space(0.1), *panel.parts()]
    parts += [Space(0.08), Legend(key), Words(notes, 8.5)]
    alt = " ".join([f"{head}. {about}", *(p.alt() for p in panels), *notes])
    return sheet(parts, alt)


def source_line(run, place):
    """The line of an access, with a caret under it."""
    line, column = place
    return SourceLine(line, run.lines[line - 1], column)


def asked_for(access):
    """Who asks for what: x is read by 32 lanes, 4 bytes each"""
    lanes, nbytes = count(len(access.lanes), "lane"), count(access.size, "byte")
    return f"{access.name} is {KINDS[access.kind]} by {lanes}, {nbytes} each"


def spoken(words):
    """What a panel says: the verdict in bold, then the rest."""
    return [Words(words[:1], weight="bold"), Words(words[1:])]


def many(number, noun):
    return count(number, noun).replace(str(number), f"{number:,}")


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
        words = spoken(self.words())
        return [source_line(self.run, self.access.place), *words, self]

    def words(self):
        """What is drawn, and what it costs."""
        one, total = self.access, self.run.report.counts["lines"]
        lines, sectors = count(self.count_lines, "line"), len(self.sectors)
        parts = len(pieces(one.address, one.size))
        asked = f", in {parts} requests" if parts > 1 else ""
        first = (
            f"{asked_for(one)}{asked}: {count(sectors, 'sector')}, {self.used} of "
            f"{sectors * SECTOR} bytes used ({lines} of {LINE_BYTES} bytes)."
        )
        whole = total.get(one.place, {})
        requests, sectors = whole.get("requests", 0), whole.get("sectors", 0)
        rest = f"Whole launch: {many(sectors, 'sector')} in {many(requests, 'request')}"
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
        size = 9 if len(text) < 3 else 6.5
        canvas.write(x, y + HEIGHT * (0.36 if small else 0.5), text, size)
        if small:
            canvas.write(x, y + HEIGHT * 0.79, small, 6.5)


def lanes_text(lanes):
    """(text, small text) for the lanes that share a box: 5; 4 to 7; or how many."""
    first, last = lanes[0], lanes[-1]
    if first == last:
        return str(first), ""
    if lanes == list(range(first, last + 1)):
        return str(first), f"\u2026{last}"
    return f"\u00d7{len(lanes)}", ""
