"""The list of students that a learning platform exported: names in, grades out.

What the platform wrote stays as it is, cell by cell; only columns of grades change, and
a name that a spreadsheet would take for a formula.
"""

import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from ..isolation.safe_text import defused, visible
from .inbox import Unowned, lab_in, safe

CANVAS_ID = ("id",)
EXACT = ("sis user id", "sis login id", "id number", "idnumber", "useridnumber",
         "email address", "email", "useremail", "username")  # fmt: skip
NAMES = (("student",), ("full name",), ("name",), ("first name", "last name"),
         ("first name", "surname"))  # fmt: skip


class RosterError(ValueError):
    """The roster cannot be used: the message says what was expected."""


class Person(NamedTuple):
    """A student of the gradebook, as far as a roster may know them."""

    id: str
    canvas_id: str | None = None
    email: str | None = None


class Roster:
    """A table: `header`, then `rows`, of which those from `first` on are students."""

    def __init__(self, path):
        text = self._text(Path(path))
        head = text.splitlines()[0] if text.strip() else ""
        self.delimiter = max(",;\t", key=head.count)
        rows = list(csv.reader(io.StringIO(text), delimiter=self.delimiter))
        self.header, self.rows = (rows[0], rows[1:]) if rows else ([], [])
        self.columns = {name.strip().lower(): i for i, name in enumerate(self.header)}
        if not any(map(self._has, [CANVAS_ID, *NAMES, *((name,) for name in EXACT)])):
            raise RosterError(
                f"{path} has no column that says who a student is, such as 'ID', "
                f"'Email address' or 'Student'; it has {', '.join(self.header)}"
            )
        self.first = 1 + (self.possible if self.possible is not None else -1)

    @property
    def possible(self):
        """The number of Canvas's row of maximal points, or None."""
        heads = [row[0].strip().lower() if row else "" for row in self.rows]
        return heads.index("points possible") if "points possible" in heads else None

    def column(self, names):
        """The number of the first column that has one of these names, or None."""
        return next((self.columns[n] for n in names if n in self.columns), None)

    def column_of(self, lab):
        """The number of a lab's column, which is added where there is none."""
        for i, name in enumerate(self.header):
            if lab_in(name, [lab])[0]:
                return i
        return self.add(lab)

    def add(self, name):
        """Add an empty column; return its number."""
        for row in self.rows:
            row += [""] * (len(self.header) + 1 - len(row))
        self.header.append(name)
        return len(self.header) - 1

    def find(self, person):
        """The numbers of the rows that may be this student: by id, else by name."""
        for keys in self._keys(person):
            rows = [r for r in range(self.first, len(self.rows)) if keys(self.rows[r])]
            if rows:
                return rows
        return []

    def name(self, row):
        """(first name, last name) in the row of this number."""
        names = next((names for names in NAMES if self._has(names)), ())
        cells = [_cell(self.rows[row], self.columns[name]) for name in names]
        return first_and_last(", ".join(reversed(cells)))

    def dumps(self):
        """The table as bytes, with the delimiter and byte-order mark that it had."""
        page = io.StringIO()
        writer = csv.writer(page, delimiter=self.delimiter, lineterminator="\n")
        keys = {i for name, i in self.columns.items() if name in (*CANVAS_ID, *EXACT)}
        for row in (self.header, *self.rows):
            writer.writerow(
                [x if i in keys else defused(visible(x)) for i, x in enumerate(row)]
            )
        return page.getvalue().encode("utf-8-sig" if self.mark else "utf-8")

    def _text(self, path):
        if not path.is_file():
            raise RosterError(f"there is no roster {path}")
        data = path.read_bytes()
        self.mark = data.startswith(b"\xef\xbb\xbf")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise RosterError(
                f"{path} is no text in UTF-8: export it again, as CSV"
            ) from None

    def _has(self, names):
        return all(name in self.columns for name in names)

    def _keys(self, person):
        """Tests of a row, the surest first."""
        if person.canvas_id and self._has(CANVAS_ID):
            column = self.columns["id"]
            yield lambda row: _cell(row, column) == person.canvas_id
        wanted = {_plain(person.id), _plain(person.email or "")} - {""}
        for name in EXACT:
            if self._has((name,)):
                yield lambda row, i=self.columns[name]: _plain(_cell(row, i)) in wanted
        for names in NAMES:
            if self._has(names):
                columns = [self.columns[name] for name in names]
                yield lambda row, columns=columns: _same_name(
                    " ".join(_cell(row, i) for i in columns), person.id)  # fmt: skip


def first_and_last(name):
    """("Ada", "Lovelace") of "Ada Lovelace" or "Lovelace, Ada".

    Formgrader doesn't escape names, so only letters, digits, and _ . ' ’ - stay.
    """
    last, comma, first = name.partition(",")
    if not comma:
        first, _, last = name.strip().rpartition(" ")
    first, last = (re.sub(r"[^\w.'’-]+", " ", text).strip() for text in (first, last))
    return first, last


def _cell(row, i):
    return row[i].strip() if i < len(row) else ""


def _plain(text):
    """An identifier as `collect` would write it, to be compared."""
    try:
        return safe(text).casefold()
    except Unowned:
        return ""


def _same_name(name, student):
    """ "Lovelace, Ada" is Ada_Lovelace, and lovelaceada as Canvas names files."""
    words, others = (
        re.findall(r"[^\W_]+", text.casefold()) for text in (name, student)
    )
    return bool(words) and (sorted(words) == sorted(others) or words == others
                            or "".join(words) == "".join(others))  # fmt: skip
