"""Pages of docs/ with a row for each exercise, of which commands write some anew."""

import collections

from minigrad.exercises.registry import exercises, find


def order():
    """The exercises' names, in course order."""
    return [entry.exercise.name for entry in exercises()]


def table(outcomes, numbers, before=""):
    """[("all", sums...), ("03.2 offset_of", numbers...), ...], in course order.

    numbers(of): those of an exercise, of which `of` was found. before: a page, whose
    other rows are kept.
    """
    of = collections.defaultdict(list)
    for one in outcomes:
        of[one.exercise].append(one)
    rows = _rows(before) | {name: numbers(some) for name, some in of.items()}
    numbered = [(f"{find(name).number} {name}", *rows[name])
                for name in order() if name in rows]  # fmt: skip
    _, *columns = zip(*numbered, strict=True)
    return [("all", *map(sum, columns)), *numbered]


def _rows(page):
    """{exercise: its numbers} as a page says them."""
    rows = {}
    for line in page.splitlines():
        name, *numbers = (part.strip() for part in line.strip("|").split("|"))
        if numbers and all(n.isdecimal() for n in numbers):
            rows[name.split()[-1]] = [int(n) for n in numbers]
    return rows


def lines(columns, rows):
    """A table's lines of Markdown."""
    rows = [columns, ("---", *["--:"] * (len(columns) - 1)), *rows]
    return ["| " + " | ".join(map(str, row)) + " |" for row in rows]
