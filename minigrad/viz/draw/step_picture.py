"""Some statements of a block as a picture, where there is no slider."""

import numpy as np

from .page import MARGIN, WIDTH, Legend, SourceLine, Space, Text, page
from .step_values import is_new, named, plain, title, unset
from .text import count

CHOSEN, ROWS = 6, 4  # statements; rows of threads
WITH_VALUES = 64  # threads of a block, and elements of a shared array, that are shown


class StepPicture:
    """Some statements under each other: the line, who runs it, and values."""

    def __init__(self, run, recording, before):
        self.run, self.trace, self.before = run, recording, before

    def picture(self):
        chosen, steps = self.chosen(), self.trace.steps
        head = title(self.run, self.trace)
        about = f"{len(chosen)} of {count(len(steps), 'statement')} of one block."
        notes = self.run.notes()
        parts = [Text([head], 11, weight="bold"), Text([about]), Space(0.06)]
        for before, number in zip([None, *chosen], chosen, strict=False):
            parts += [*self.parts(number, before), Space(0.1)]
        written = self.written()
        if written:
            parts += [Text(["When the block is done:"], 9), *written, Space(0.1)]
        key = [("touched", "runs this statement"), ("free", "waits, or is done"),
               *[("read", "shared by the block")] * bool(steps[-1].shared),
               *[("line", "has changed")] * bool(written)]  # fmt: skip
        parts += [Legend(key), Text(notes, 8.5)]
        caption = [self.caption(number) for number in chosen]
        return page(parts, " ".join([f"{head}.", about, *caption, *notes]))

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

    def parts(self, number, before):
        """A statement, and what has changed since the one that is drawn before it."""
        one = self.trace.steps[number]
        last = self.trace.steps[before] if before is not None else None
        line = SourceLine(one.line, self.run.lines[one.line - 1], one.column)
        words = Text([self.head(number), *self.values(one)], 9)
        rows, lanes = [], ["touched" if on else "free" for on in one.active]
        if len(lanes) <= WITH_VALUES:
            own = {k: v for k, v in named(one.values) if differs(v)}
            new = changed(own, last and dict(named(last.values))) or [*own]
            rows += [Lanes(name, texts(own[name]), lanes) for name in new[-2:]]
        rows = rows or [Lanes("", [""] * len(lanes), lanes)]
        for name in changed(one.shared, last and last.shared):
            if one.shared[name].size <= WITH_VALUES:
                values = texts(one.shared[name], fresh=True)
                rows.append(Lanes(name, values, ["read"] * len(values)))
        return [line, words, *rows]

    def written(self):
        """A row for each array that has changed, and is not too large."""
        rows = []
        for name, array in self.run.arrays.items():
            new = is_new(array, self.before[name])
            if new.any() and array.size <= WITH_VALUES:
                kinds = ["line" if one else "unused" for one in new]
                rows.append(Lanes(name, texts(array), kinds))
        return rows

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


def differs(value):
    """Is it an array in which not all threads have the same?"""
    return isinstance(value, np.ndarray) and len(set(map(repr, value.tolist()))) > 1


def changed(arrays, before):
    """The names of the arrays that are not what they were, or are new."""
    before = {k: v.tobytes() for k, v in (before or {}).items() if hasattr(v, "size")}
    return [k for k, v in arrays.items() if v.tobytes() != before.get(k)]


def texts(values, fresh=False):
    """Each value in few characters; fresh: "" for what nothing was written to."""
    flat = values.reshape(-1)
    shown = [str(plain(v)) for v in flat.tolist()]
    hidden = fresh & unset(flat)
    return ["" if hide else v for hide, v in zip(hidden, shown, strict=True)]


class Lanes:
    """A box for each thread, or for each value of an array."""

    def __init__(self, name, values, kinds):
        self.name, self.values, self.kinds = name, values, kinds
        self.longest = max(map(len, values), default=0)
        self.across = 32 if len(values) <= WITH_VALUES else 64
        self.across = 16 if self.longest > 3 else self.across  # 9 px need more room
        self.unit = (WIDTH - 2 * MARGIN - 0.8) / self.across
        rows = -(-len(values) // self.across)
        self.rows, self.cut = min(rows, ROWS), rows > ROWS
        self.height = 0.18 * (self.rows + self.cut) + 0.06

    def draw(self, canvas, y):
        left, corners = MARGIN + 0.8, {}
        for number, kind in enumerate(self.kinds[: self.rows * self.across]):
            row, column = divmod(number, self.across)
            x, top = left + self.unit * column, y + 0.04 + 0.18 * row
            corners.setdefault(kind, []).append((x, top))
            if column == 0:
                text = self.name if self.name and row == 0 else str(number)
                canvas.label(left - 0.07, top + 0.08, text, 7, ha="right")
            value = self.values[number]
            size = min(7, 118 * self.unit / max(self.longest, 1))
            canvas.write(x + self.unit / 2, top + 0.08, value, size)
        for kind, places in corners.items():
            canvas.boxes(places, kind, self.unit, 0.16)
        if self.cut:
            more = len(self.values) - self.rows * self.across
            middle = y + 0.1 + 0.18 * self.rows
            canvas.write(left, middle, f"and {more} more threads", 8, ha="left")
