"""What the compiler says: errors that stop it, and lints that do not."""

import dataclasses
import difflib

from .python_words import python_note


class CompileError(Exception):
    """A mistake in CUDA C: what is wrong, where, and what to do about it.

    message: one sentence. line, column: from 1, of the learner's text (0: nowhere in
    it). note: what to write instead. file and source_line are filled in by `compile`.
    """

    def __init__(self, message, place=(0, 0), note=""):
        super().__init__(message)
        self.message, self.note = message, note
        self.line, self.column = place
        self.file, self.source_line = "kernel.cu", ""

    @property
    def place(self):
        return self.line, self.column

    def located(self, file, lines):
        """This error, with the name of the file and the line it is about."""
        self.file = file
        if 1 <= self.line <= len(lines):
            self.source_line = lines[self.line - 1]
            self.note = python_note(self.message, self.source_line) or self.note
        return self

    def __str__(self):
        where = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        parts = [f"{where}error: {self.message}", *caret(self.source_line, self.column)]
        return "\n".join(parts + ([f"note: {self.note}"] if self.note else []))


@dataclasses.dataclass(frozen=True)
class Lint:
    """A remark that does not stop the compiler. `kind` is a short fixed name."""

    kind: str
    line: int
    column: int
    message: str
    file: str = "kernel.cu"
    source_line: str = ""

    def __str__(self):
        head = f"{self.file}:{self.line}:{self.column}: warning: {self.message}"
        return "\n".join(
            [f"{head} [{self.kind}]", *caret(self.source_line, self.column)]
        )


def caret(source_line, column):
    """The source line and a line with ^ under its column; nothing without a line."""
    if not source_line:
        return []
    before = "".join(c if c == "\t" else " " for c in source_line[: column - 1])
    return ["    " + source_line, "    " + before + "^"]


def meant(name, known):
    """The note that names the one of the known names that differs by a slip; or ""."""
    allowed = (len(name) >= 3) + (len(name) >= 8)
    near = [k for k in known if abs(len(k) - len(name)) <= allowed]
    near = [k for k in near if distance(name, k) <= allowed]
    alike = {k: difflib.SequenceMatcher(None, name, k).ratio() for k in near}
    best = max(sorted(near), key=lambda k: (-distance(name, k), alike[k]), default="")
    return f"did you mean '{best}'?" if best else ""


def distance(a, b):
    """How many letters to add, drop, change or swap with the next, to get b from a."""
    before, row = None, list(range(len(b) + 1))
    for i, x in enumerate(a):
        old, older = row, before
        row = [i + 1]
        for j, y in enumerate(b):
            row.append(min(old[j] + (x != y), old[j + 1] + 1, row[j] + 1))
            if i and j and x == b[j - 1] and a[i - 1] == y:
                row[-1] = min(row[-1], older[j - 1] + 1)
        before = old
    return row[-1]


def outside(what, place, instead=""):
    """The error for valid CUDA that is not in the subset."""
    return CompileError(f"{what} is outside the subset of CUDA C", place, instead)


class DeductionError(Exception):
    """A template that does not fit a call."""
