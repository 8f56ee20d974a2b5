"""What docs/benchmarks says: the cells of its tables, for lessons."""

import functools
import re

from .. import course


def published(table, row, column=None, page="kernels"):
    """A cell of a table in docs/benchmarks/PAGE.md, as it is written there.

    table and row: how its heading and its row begin, as far as is needed, or the row's
    whole name. column: the rate, GB/s or TFLOP/s, where nothing is given.
    LookupError: there is no such cell, or more than one.
    """
    rows = [cells for head, cells in _rows(page) if head.startswith(table)]
    named = [(next(iter(cells.values())), cells) for cells in rows]
    found = [cells for name, cells in named if name == row]
    found = found or [cells for name, cells in named if name.startswith(row)]
    if found and column is None:
        column = [*found[0]][2]
    if len(found) != 1 or column not in found[0]:
        cells = f"{len(found)} cells {table!r}, {row!r}, {column!r}"
        raise LookupError(f"docs/benchmarks/{page}.md has {cells}; one is wanted")
    return found[0][column]


@functools.cache
def _rows(page):
    """[(heading, {column: cell})] of every row of every table of a page."""
    path, rows = course.home() / f"docs/benchmarks/{page}.md", []
    for section in re.split(r"^#+ ", path.read_text(encoding="utf-8"), flags=re.M):
        lines = [line for line in section.splitlines() if line.startswith("|")]
        names, _, *cells = [[c.strip() for c in line.split("|")[1:-1]]
                            for line in lines] or [(), ()]  # fmt: skip
        rows += [(section, dict(zip(names, c, strict=True))) for c in cells]
    return rows
