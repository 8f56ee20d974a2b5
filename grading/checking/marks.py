"""Marks in a solution, and wrong answers as edits of the lines that they name.

A mark is a comment at the end of a line of the course's solution, or above a line that
has no room for it: `#: guard` in Python, `//: guard` in CUDA C and C++. It names the
statement that begins there: of an `if`, `for`, or `with` the head alone, of any other
all its lines. The same mark on lines below each other names them together. Marks are
removed before anything else reads the solution (minigrad/exercises/cells.py).

Edits are {mark: text}. The text takes the place of what the mark names, and "" drops
it. {"after": {mark: text}} inserts text below it; below the head of a loop or an `if`,
inside.
"""

import ast
import re
import textwrap
from typing import NamedTuple

from minigrad.exercises.cells import MARK

NAME = re.compile(r"(?:#|//): (\w+)$")


class Marked(NamedTuple):
    """What a mark names: lines[first:end]."""

    first: int
    end: int


def edited(marked, edits):
    """A solution's text, with its marks, after edits. LookupError: no such mark."""
    lines, places = marked.splitlines(), marks_in(marked)
    after = edits.get("after", {})
    changes = [(mark, False, new) for mark, new in edits.items() if mark != "after"]
    changes += [(mark, True, new) for mark, new in after.items()]
    if unknown := [mark for mark, *_ in changes if mark not in places]:
        names = ", ".join(places) or "none"
        raise LookupError(f"the solution has no mark {unknown[0]!r}; it has: {names}")
    for mark, below, new in sorted(changes, key=lambda c: (places[c[0]], c[1]))[::-1]:
        first, end = places[mark]
        first = end if below else first
        lines[first:end] = _indented(new, lines[places[mark].first : end], below)
    return MARK.sub("", "\n".join(lines) + "\n")


def _indented(new, old, below):
    """The lines of a new text, where others stand or stood."""
    indent = re.match(r"\s*", old[0])[0]
    if below and NAME.sub("", old[-1]).rstrip().endswith((":", "{")):
        indent += "    "
    text = textwrap.dedent(new).strip("\n")
    return textwrap.indent(text, indent).splitlines()


def marks_in(text):
    """{mark: Marked} of a text with marks."""
    lines, heads, marked = text.splitlines(), None, {}
    for n, line in enumerate(lines):
        mark = NAME.search(line)
        if not mark:
            continue
        heads = _heads(text) if heads is None else heads
        above = not line[: mark.start()].strip()
        end = heads.get(n + above, n + above + 1)
        first = marked.get(mark[1], Marked(n, n))
        if first.end != n:
            raise ValueError(f"the mark {mark[1]!r} stands in two places")
        marked[mark[1]] = Marked(first.first, end)
    return marked


def _heads(text):
    """{line: the line after it} of the head of each statement; {} where it is C."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    ends, lines = {}, text.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        end = node.end_lineno
        if hasattr(node, "body"):
            inner = node.body[0]
            end = (
                min(n.lineno for n in [inner, *getattr(inner, "decorator_list", ())])
                - 1
            )
        while lines[end - 1].lstrip().startswith("#"):  # what is above the next
            end -= 1
        ends.setdefault(node.lineno - 1, max(end, node.lineno))
    return ends
