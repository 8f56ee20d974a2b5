"""When does each warp of a block read and write, and what do barriers put in order?"""

from cudasim import spread

from .draw.canvas import INK, SOFT, TINTS
from .draw.kernel_launch import (
    CannotRun,
    block_number,
    extent,
    or_sentence,
    place,
    prepared,
)
from .draw.page import LINE, MARGIN, WIDTH, Legend, Space, Text, page
from .draw.planes import with_gaps
from .draw.recorders import BlockEvents
from .draw.text import count, cut_text

ROWS, HIGH, LEFT = 12, 0.36, 0.85  # warps drawn; inches of a row, and before it
STEP, BAR, MOST = 0.3, 0.24, 24  # inches of an access and a barrier; drawn at most
TEXT, LETTER = 70, 0.07  # characters of a line of source; inches of one
RACES = "race", "race-warp"


@or_sentence
def timeline(kernel, grid, block, args, only=(0, 0, 0), shared_mem=0):
    """Draw what the warps of one block do with shared memory, from barrier to barrier.

    Time runs from left to right; between two barriers nothing says which warp comes
    first. A race is a red arc between its two accesses. Where a kernel has no shared
    memory, its accesses of global memory are drawn. only: the block, (x, y, z). The
    arguments stay as they are.
    """
    ready = prepared(kernel, grid, block, args)
    number = block_number(only, ready.grid)
    tool = BlockEvents(number)
    run = ready.run(shared_mem, ["race", tool])
    return TimelinePicture(run, tool, spread(number, ready.grid)).picture()


class TimelinePicture:
    def __init__(self, run, tool, only):
        self.run, self.tool, self.only = run, tool, only
        shared = any(e.space == "shared" for e in tool.events)
        self.space = "shared" if shared else "global"
        self.events = [e for e in tool.events if e.kind == "barrier" or self.wanted(e)]
        if not any(e.space for e in self.events):
            notes = " ".join(run.notes())
            raise CannotRun(f"Block {extent(only)} touches no memory. {notes}".strip())
        self.arcs = [a for a in map(self.arc_of, self.races()) if a]
        ends = {side[0] for arc in self.arcs for side in arc}
        self.columns = chosen(len(self.events), MOST, ends)
        rows = {side[1] for arc in self.arcs for side in arc}
        self.rows = chosen(tool.warps, ROWS, rows)
        names = [self.events[i].name for i in self.columns if i is not None]
        names = filter(None, dict.fromkeys(names))
        self.tints = {name: i % len(TINTS) for i, name in enumerate(names)}

    def wanted(self, event):
        """Is this access drawn: of shared memory, or one that takes part in a race?"""
        places = {(f.line, f.column) for f in self.races()}
        places |= {(f.other["line"], f.other["column"]) for f in self.races()}
        return event.space == self.space or event.place in places

    def races(self):
        findings = self.run.report.findings
        return [
            f for f in findings if f.kind in RACES and f.other and f.block == self.only
        ]

    def arc_of(self, race):
        """((event, warp), (event, warp)) of a race, where both are in this block."""
        if race.other["block"] != self.only:
            return None
        sides = (race.other["line"], race.other["column"]), (race.line, race.column)
        warps = [self.warp(race.other["thread"]), self.warp(race.thread)]
        before, last = [], None
        for i, event in enumerate(self.events):
            if event.kind == "barrier":
                before = []
            if event.place == sides[0] and event.warps[warps[0]]:
                before.append(i)
            if event.place == sides[1] and event.warps[warps[1]] and before:
                last = (before[0], warps[0]), (i, warps[1])
                break
        return last

    def warp(self, thread):
        x, y, _ = self.run.block
        return (thread[0] + x * (thread[1] + y * thread[2])) // 32

    # ------------------------------------------------------------ the picture

    def picture(self):
        block = place(self.only, self.run.grid)
        head = f"{self.run.heading}   the warps of block {block}"
        notes = self.notes()
        parts = [Text([head], 11, weight="bold"), Text([self.about()]), Space(0.05),
                 self, Legend(self.key()), Text(notes, 8.5)]  # fmt: skip
        return page(
            parts, " ".join([head + ".", self.about(), *self.caption(), *notes])
        )

    def about(self):
        barriers = sum(e.kind == "barrier" for e in self.events)
        accesses = len(self.events) - barriers
        return (
            f"{count(self.tool.warps, 'warp')}, {count(accesses, 'access')} of "
            f"{self.space} memory, {count(barriers, 'barrier')}. Between two barriers "
            f"nothing says which warp comes first."
        ).replace("accesss", "accesses")

    def caption(self):
        """What happens, in words, for those who cannot see it."""
        texts = []
        for i in self.columns:
            if i is None:
                texts.append("...")
            elif self.events[i].kind == "barrier":
                texts.append("barrier")
            else:
                one = self.events[i]
                warps = one.warps.nonzero()[0]
                whom = f"warps {warps[0]} to {warps[-1]}" if len(warps) > 1 else (
                    f"warp {warps[0]}"
                )  # fmt: skip
                texts.append(f"line {one.place[0]}: {whom} {one.kind} {one.name}")
        return ["In order: " + "; ".join(texts) + "."]

    def notes(self):
        block = self.run.block
        notes = [
            f"Race, line {f.line}: thread {place(f.thread, block)} {f.message}."
            for f in self.races()
        ]
        rest = [f for f in self.run.report.findings
                if f.kind in RACES and f.block != self.only]  # fmt: skip
        if rest and not self.races():
            where = rest[0].block
            notes.append(f"A race was found in another block: only={where} draws it.")
        drawn = sum(i is not None for i in self.columns)
        total = len(self.events) + self.tool.total - len(self.tool.events)
        if drawn < total:
            notes.append(f"Cut: {drawn} of {total:,} accesses and barriers are drawn.")
        if None in self.rows:
            shown = sum(r is not None for r in self.rows)
            notes.append(f"Cut: {shown} of {self.tool.warps} warps are drawn.")
        return notes + self.run.notes(but=RACES)

    def key(self):
        key = [(f"block {tint}", name) for name, tint in self.tints.items()]
        key.append((None, "r: read   w: write   a: atomic"))
        if any(e.kind == "barrier" for e in self.events):
            key.append((None, "thick line: a barrier"))
        return key + [("wrong", "a race")] * bool(self.arcs)

    # ------------------------------------------------------------ drawing

    @property
    def height(self):
        return self.head + HIGH * len(self.rows) + 0.3

    @property
    def head(self):
        return 0.3 + LINE * len(self.texts())

    def texts(self):
        """{line: its source}, in the order of the columns."""
        events = [self.events[i] for i in self.columns if i is not None]
        numbers = dict.fromkeys(e.place[0] for e in events if e.kind != "barrier")
        return {n: cut_text(self.run.lines[n - 1].strip(), TEXT) for n in numbers}

    def draw(self, canvas, y):
        top = y + self.head
        low = top + HIGH * len(self.rows)
        self.at, x, texts = {}, MARGIN + LEFT, self.texts()
        heights = {n: y + LINE * (k + 0.5) for k, n in enumerate(texts)}
        for i in self.columns:
            event = None if i is None else self.events[i]
            barrier = event and event.kind == "barrier"
            step = self.wide() * (BAR / STEP if barrier else 1)
            middle = x + step / 2
            if event is None:
                canvas.write(middle, top - 0.12, "\u2026", 10)
            elif barrier:
                canvas.bar(middle, top - 0.06, low)
            else:
                if (number := event.place[0]) in heights:
                    place = middle, heights.pop(number)
                    self.text(canvas, *place, top - 0.2, f"{number}  {texts[number]}")
                self.column(canvas, middle, top, i)
            x += step
        for row, warp in enumerate(self.rows):
            self.lane(canvas, top + HIGH * (row + 0.5), warp, x)
        ends = (MARGIN + LEFT, low + 0.12), (x, low + 0.12)
        canvas.arrow(*ends, linewidth=1.6, mutation_scale=13)
        canvas.write(x + 0.08, low + 0.12, "time", 8.5, ha="left", color=SOFT)
        for arc in self.arcs:
            self.arc(canvas, *arc)

    def text(self, canvas, x, y, low, text):
        """A line of source above the first of its columns."""
        canvas.line((x, y), (x, low), color="#8C8C8C", linewidth=0.7, zorder=1)
        right = canvas.width - MARGIN - LETTER * len(text)
        canvas.label(min(x - 0.05, right), y, text, 8, ha="left", color=INK,
                     family="monospace")  # fmt: skip

    def wide(self):
        """The width of a column: few events stand further apart."""
        room = WIDTH - 2 * MARGIN - LEFT
        return min(0.6, room / max(len(self.columns), 1))

    def lane(self, canvas, y, warp, end):
        if warp is None:
            canvas.write(MARGIN + LEFT - 0.2, y, "\u2026", 12)
            return
        canvas.label(MARGIN, y, f"warp {warp}", 9, ha="left", color=INK)
        canvas.line(
            (MARGIN + LEFT, y), (end, y), color="#BFBFBF", linewidth=0.8, zorder=1
        )

    def column(self, canvas, x, top, i):
        """One instruction: a mark for each warp that takes part."""
        event = self.events[i]
        canvas.label(x, top - 0.12, str(event.place[0]), 8)
        red = {side for arc in self.arcs for side in arc}
        for row, warp in enumerate(self.rows):
            if warp is None or not event.warps[warp]:
                continue
            y = top + HIGH * (row + 0.5)
            kind = "wrong" if (i, warp) in red else f"block {self.tints[event.name]}"
            canvas.box(x - 0.12, y - 0.13, kind, 0.24, 0.26)
            bold = "normal" if event.kind == "read" else "bold"
            canvas.write(x, y, event.kind[0], 9, weight=bold)
            self.at[i, warp] = x, y

    def arc(self, canvas, one, other):
        if one != other and one in self.at and other in self.at:
            canvas.arc(self.at[one], self.at[other])


def chosen(total, most, wanted):
    """About `most` of 0 ... total - 1: the wanted ones and the ends; None: a gap."""
    if total <= most:
        return list(range(total))
    wanted = sorted(wanted)[: most // 2]
    keep = {n + i for n in wanted for i in (-1, 0, 1)} | {total - 1}
    for n in range(total):
        if len(keep) >= most - 3:
            break
        keep.add(n)
    return with_gaps(sorted(n for n in keep if 0 <= n < total), total)
