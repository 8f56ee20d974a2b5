"""Some statements of a block as a picture, where there is no slider."""

import numpy as np

from .sheet import MARGIN, WIDTH, Legend, SourceLine, Space, Words, sheet
from .steps import named, plain, title
from .words import count

CHOSEN, ACROSS, ROWS = 6, 64, 4  # statements; threads in a row; rows of threads


class Still:
    """Some statements under each other: the line, who runs it, and values."""

    def __init__(self, run, found):
        self.run, self.trace = run, found

    def picture(self):
        chosen, steps = self.chosen(), self.trace.steps
        head = title(self.run, self.trace)
        about = f"{len(chosen)} of {count(len(steps), 'statement')} of one block."
        notes = self.run.notes()
        parts = [Words([head], 11, weight="bold"), Words([about]), Space(0.06)]
        for number in chosen:
            parts += [*self.parts(number), Space(0.1)]
        key = [("touched", "runs this statement"), ("free", "waits, or is done")]
        parts += [Legend(key), Words(notes, 8.5)]
        caption = [self.caption(number) for number in chosen]
        return sheet(parts, " ".join([f"{head}.", about, *caption, *notes]))

    def chosen(self):
        """First visits of statements: where only some threads go, and others."""
        steps, first = self.trace.steps, {}
        for number, one in enumerate(steps):
            first.setdefault((one.line, one.column), number)
        visits = sorted({*first.values(), len(steps) - 1})
        some = [n for n in visits if not steps[n].active.all()]
        keep = {0, *spaced(some, CHOSEN // 2)}
        rest = [n for n in visits if n not in keep]
        return sorted(keep | {*spaced(rest, CHOSEN - len(keep))})

    def parts(self, number):
        one = self.trace.steps[number]
        line = SourceLine(one.line, self.run.lines[one.line - 1], one.column)
        return [
            line,
            Words([self.head(number), *self.values(one)], 9),
            Lanes(one.active),
        ]

    def head(self, number):
        one = self.trace.steps[number]
        on, all_of_them = int(one.active.sum()), len(one.active)
        return f"Statement {number + 1}: {on} of {count(all_of_them, 'thread')}."

    def values(self, one):
        """A line about the variables that are numbers, in the active threads."""
        texts = [
            f"{name} = {between(value[one.active])}"
            for name, value in named(one.values)
            if isinstance(value, np.ndarray)
        ]
        return [", ".join(texts[:8])] if texts else []

    def caption(self, number):
        one = self.trace.steps[number]
        return f"Line {one.line}: {self.head(number)} {' '.join(self.values(one))}"


def spaced(items, most):
    """At most so many of the items, evenly, with the last one."""
    if len(items) <= most:
        return items
    return [items[(i + 1) * len(items) // most - 1] for i in range(most)]


def between(values):
    """Values in few characters: 3, or 0 \u2026 31."""
    if not len(values) or values.dtype.kind not in "biuf":
        return "\u2013"
    ends = [str(plain(v.item())) for v in (values.min(), values.max())]
    return ends[0] if ends[0] == ends[1] else " \u2026 ".join(ends)


class Lanes:
    """The threads of a block as small boxes, those that run filled."""

    def __init__(self, active):
        self.active = active
        self.unit = (WIDTH - 2 * MARGIN - 0.6) / ACROSS
        rows = -(-len(active) // ACROSS)
        self.rows, self.cut = min(rows, ROWS), rows > ROWS
        self.height = 0.16 * (self.rows + self.cut) + 0.06

    def draw(self, canvas, y):
        left, corners = MARGIN + 0.6, {True: [], False: []}
        for number, on in enumerate(self.active[: self.rows * ACROSS].tolist()):
            row, column = divmod(number, ACROSS)
            top = y + 0.04 + 0.16 * row
            corners[on].append((left + self.unit * column, top))
            if column == 0:
                canvas.label(left - 0.07, top + 0.07, str(number), 7, ha="right")
        canvas.boxes(corners[True], "touched", self.unit, 0.14)
        canvas.boxes(corners[False], "free", self.unit, 0.14)
        if self.cut:
            left = len(self.active) - self.rows * ACROSS
            middle = y + 0.1 + 0.16 * self.rows
            text = f"and {left} more threads"
            canvas.write(MARGIN + 0.6, middle, text, 8, ha="left")
