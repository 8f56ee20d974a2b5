"""What docs/benchmarks says: the cells of its tables, for lessons."""

import functools
import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs" / "benchmarks"


def published(table, row, column=None):
    """A cell of a table in docs/benchmarks, as it is written there.

    All three are named by as much of their beginning as is needed. column: the rate,
    GB/s or TFLOP/s, where nothing is given; "GPU": where it was measured. A table of
    another page than kernels.md: "mnist/mnist on cuda". LookupError: there is no such
    cell, or more than one.
    """
    page, rows = _table(table)
    tables = _called(row, [(next(iter(cells.values())), cells) for cells in rows])
    if len(tables) == 1:
        columns = [*tables[0].items()]
        tables = _called(column, columns) if column else [columns[2][1]]
    if len(tables) != 1:
        cell = " | ".join((table, row, column or "the rate"))
        raise LookupError(f"docs/benchmarks/{page}.md: {len(tables)} cells are {cell}")
    return tables[0]


def rate(table, row, column=None):
    """A cell of a table as a number."""
    return _number(published(table, row, column))


def rates(table, rows, column=None):
    """{name: number} of several rows of a table. rows: {name: the row's beginning}."""
    return {name: rate(table, row, column) for name, row in rows.items()}


def series(table, column):
    """(xs, ys): a table's first column and another one, as numbers."""
    _, rows = _table(table)
    xs = [next(iter(cells.values())) for cells in rows]
    return [_number(x) for x in xs], [rate(table, x, column) for x in xs]


def _called(name, pairs):
    """What is called just so, else all whose names begin so."""
    exact = [thing for key, thing in pairs if key == name]
    return exact or [thing for key, thing in pairs if key.startswith(name)]


def _number(cell):
    return float(cell.replace(",", ""))


def _table(table):
    """The name of a table's page, and its rows."""
    page, _, heading = table.rpartition("/")
    page = page or "kernels"
    return page, [cells for name, cells in _rows(page) if name.startswith(heading)]


@functools.cache
def _rows(page):
    """[(heading, {column: cell})] of every row of every table of a page.

    The rate of PyTorch's copy, which a page names with its machine, is such a row.
    """
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    copies = re.findall(r"(PyTorch's copy): ([\d,]+) GB/s", text)
    rows = [("machine", {"": name, "GB/s": named}) for name, named in copies]
    gpu = {}
    for section in re.split(r"^(?=(?:#+|<!--) \w)", text, flags=re.M):
        mark, _, section = section.partition(" ")
        named = re.search(r"NVIDIA \w+", section)
        if named or mark == "<!--":  # below its headings the same machine is meant
            gpu = {"GPU": named[0]} if named else {}
        for table in re.findall(r"(?:^\|.*\n)+", section, re.M):
            lines = [line.split("|")[1:-1] for line in table.splitlines()]
            names, _, *cells = [[cell.strip() for cell in line] for line in lines]
            rows += [
                (section, dict(zip(names, row, strict=True)) | gpu) for row in cells
            ]
    return rows
