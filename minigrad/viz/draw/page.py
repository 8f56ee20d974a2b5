"""A picture made of parts that stand under each other; each knows its height."""

import textwrap

from .canvas import RED, Canvas
from .picture import style
from .text import cut_text

WIDTH, MARGIN, LINE = 8.56, 0.2, 0.2  # inches
NARROW = " .,:;'|[]()fijlrt"


def page(parts, alt):
    """The Picture of the parts, from top to bottom."""
    with style():
        canvas = Canvas(WIDTH, 0.3 + sum(part.height for part in parts))
        y = 0.14
        for part in parts:
            part.draw(canvas, y)
            y += part.height
        return canvas.picture(alt)


class Text:
    """Lines of text, wrapped to the width; mono: as in an editor, not wrapped."""

    def __init__(self, lines, size=9.5, mono=False, **look):
        room = int((WIDTH - 2 * MARGIN) / (size * (0.0088 if mono else 0.0071)))
        self.mono, self.size, self.look = mono, size, look
        fitted = [cut_text(t, room) for t in lines]
        self.lines = fitted if mono else wrapped(lines, room)
        self.step = LINE * max(size, 9) / 9
        self.height = self.step * len(self.lines) + 0.04

    def draw(self, canvas, y):
        look = self.look | ({"family": "monospace"} if self.mono else {})
        for number, text in enumerate(self.lines):
            middle = y + self.step * (number + 0.5)
            canvas.write(MARGIN, middle, text, self.size, ha="left", **look)


class SourceLine:
    """A line of a kernel with its number, lit, and a caret under a column."""

    height = 0.46
    ROOM = 94  # characters

    def __init__(self, number, text, column):
        text = text.replace("\t", " ")
        indent = len(text) - len(text.lstrip())
        self.number, self.text = number, text.strip()
        self.at = max(column - 1 - indent, 0)
        if self.at > 60 and len(self.text) > self.ROOM:  # the caret stays in sight
            self.text, self.at = "\u2026" + self.text[self.at - 39 :], 40

    def draw(self, canvas, y):
        canvas.box(MARGIN, y + 0.02, "line", canvas.width - 2 * MARGIN, 0.26)
        look = {"ha": "left", "family": "monospace"}
        text = f"{self.number:4}  {cut_text(self.text, self.ROOM)}"
        canvas.write(MARGIN + 0.06, y + 0.15, text, 8.5, **look)
        look |= {"weight": "bold", "color": RED}
        canvas.write(MARGIN + 0.06, y + 0.37, " " * (6 + self.at) + "^", 8.5, **look)


class Space:
    def __init__(self, height):
        self.height = height

    def draw(self, canvas, y):
        pass


class Legend:
    """(kind of box, what it means), side by side."""

    def __init__(self, entries, width=WIDTH):
        self.rows = rows_of(entries, width)
        self.height = 0.06 + LINE * len(self.rows)

    def draw(self, canvas, y):
        for row in self.rows:
            x, y = MARGIN, y + LINE
            for kind, text in row:
                if kind:
                    canvas.box(x, y - 0.18, kind, 0.22, 0.16)
                canvas.write(x + 0.28 * bool(kind), y - 0.1, text, 8.5, ha="left")
                x += room(kind, text)


def room(kind, text):
    """The width of an entry of a legend, in inches."""
    wide = sum(0.04 if c in NARROW else 0.1 if c in "mwMW" else 0.074 for c in text)
    return 0.28 * bool(kind) + wide + 0.25


def rows_of(entries, width):
    """The legend's entries in rows that are not wider than the picture."""
    rows, x = [], width
    for entry in entries:
        if x + room(*entry) > width - MARGIN:
            rows.append([])
            x = MARGIN
        rows[-1].append(entry)
        x += room(*entry)
    return rows


def wrapped(lines, room):
    return [part for text in lines for part in textwrap.wrap(text, room) or [""]]
