"""Which lanes of one warp go to which bank of shared memory?"""

from cudasim import pieces

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

BANKS, UNIT, HIGH, LEFT = 32, 0.22, 0.36, 1.05
ROWS = 10  # words of one bank, drawn at most


@or_sentence
def banks(kernel, grid, block, args, line=None, warp=0, shared_mem=0):
    """Draw the 32 banks of shared memory, and which lanes of one warp go to which.

    One panel for each access of shared memory in the kernel, or in `line` alone; of an
    access in a loop the first time. Different words in one bank take turns: each is a
    pass of its own. warp: counted through the grid. The arguments stay as they are.
    """
    run, accesses = accesses_of(
        kernel, grid, block, args, line, warp, "shared", shared_mem
    )
    panels = [Bank(run, one) for one in accesses[:PANELS]]
    return accesses_page(run, warp, panels, len(accesses), KEY)


KEY = [("read", "lanes that find their bank free"),
       ("wrong", "another word of the same bank: one more pass"),
       (None, "a\u2026b or \u00d7n: lanes that share a word")]  # fmt: skip


class Bank:
    """The words that one access wants, above each other in the columns of the banks."""

    def __init__(self, run, access):
        self.run, self.access = run, access
        self.turns = [
            turn
            for address, size in pieces(access.address, access.size)
            for turn in turns(access.lanes, address, size)
        ]
        self.passes = sum(map(high, self.turns))
        shown = [min(high(t), ROWS) + (high(t) > ROWS) for t in self.turns]
        self.height = 0.28 + sum(HIGH * n + 0.1 for n in shown)

    def parts(self):
        words = verdict_and_rest(self.words())
        return [source_line(self.run, self.access.place), *words, self]

    def words(self):
        one = self.access
        best, parts = len(self.turns), ""
        if best > 1:
            parts = f", {best} groups of lanes or of bytes one after the other"
        verdict = "no conflict" if self.passes == best else (
            f"{best} would do"
        )  # fmt: skip
        first = f"{request_text(one)}{parts}: {passes(self.passes)}, {verdict}."
        whole = self.run.report.counts["lines"].get(one.place, {})
        asked, actual = whole.get("shared_requests", 0), whole.get("bank_passes", 0)
        rest = f"Whole launch: {passes(actual)} for {count(asked, 'request')}."
        if one.times > 1:
            rest = f"This is the first of {one.times:,} times. {rest}"
        return [first, rest, self.samples()]

    def samples(self):
        """What a few lanes want, by name, and in which bank it lies."""
        pairs = list(zip(self.access.lanes, self.access.address, strict=True))
        texts = [
            f"lane {lane}: {self.access.root.describe(int(a))} in bank {a // 4 % BANKS}"
            for lane, a in pairs
        ]
        return "; ".join(texts if len(texts) < 4 else [*texts[:2], "\u2026", texts[-1]])

    def alt(self):
        line, column = self.access.place
        return f"Line {line}, column {column}: {' '.join(self.words())}."

    def draw(self, canvas, y):
        left = MARGIN + LEFT
        canvas.label(left - 0.1, y + 0.14, "bank", 8, ha="right")
        for bank in range(BANKS):
            canvas.label(left + UNIT * (bank + 0.5), y + 0.14, str(bank))
        y, before = y + 0.26, 0
        for turn in self.turns:
            y = self.turn(canvas, left, y, turn, before) + 0.1
            before += high(turn)

    def turn(self, canvas, left, y, turn, before):
        """One group of lanes, after so many passes; the y below it."""
        rows, most = high(turn), ROWS
        drawn = [*range(rows)] if rows <= most else [*range(most - 1), None, rows - 1]
        for at, row in enumerate(drawn):
            top = y + HIGH * at
            if row is None:
                canvas.write(left - 0.2, top + HIGH / 2, "\u2026", 12)
                continue
            middle = top + HIGH / 2
            canvas.label(left - 0.1, middle, f"pass {before + row + 1}", 8, ha="right")
            self.row(canvas, left, top, turn, row)
        return y + HIGH * len(drawn)

    def row(self, canvas, left, y, turn, row):
        """One pass: for each bank the lanes that get their word."""
        places = [(left + UNIT * bank, y) for bank in range(BANKS)]
        kinds = {"free": [], "read": [], "wrong": []}
        for corner, words in zip(places, turn, strict=True):
            if row < len(words):
                kinds["wrong" if row else "read"].append(corner)
                self.lanes(canvas, *corner, words[row])
            elif row == 0:
                kinds["free"].append(corner)
        for kind, corners in kinds.items():
            canvas.boxes(corners, kind, UNIT, HIGH)

    def lanes(self, canvas, x, y, lanes):
        text, small = lanes_text(lanes)
        middle = x + UNIT / 2
        size = 8.5 if len(text) < 3 else 6.8
        canvas.write(middle, y + HIGH * (0.34 if small else 0.5), text, size)
        if small:
            canvas.write(middle, y + HIGH * 0.76, small, 6.8)


def turns(lanes, address, size):
    """For each group of lanes that goes at a time: by bank, the lanes of each word."""
    groups = max(1, size // 4)
    for group in range(groups):
        chosen = lanes * groups // 32 == group
        if not chosen.any():
            continue
        lanes_of = [{} for _ in range(BANKS)]
        for lane, start in zip(lanes[chosen], address[chosen], strict=True):
            for word in range(start // 4, -(-(start + size) // 4)):
                lanes_of[word % BANKS].setdefault(word, []).append(int(lane))
        yield [list(words.values()) for words in lanes_of]


def high(turn):
    """How many passes a group takes: the most words in one bank."""
    return max(map(len, turn))


def passes(number):
    return f"{number:,} pass{'' if number == 1 else 'es'}"
