"""Putting a submission right, without touching what the student wrote.

Editors lose metadata and ids, and students delete, copy and edit cells. What a cell is
can still be read off its text: `@solves(NAME)` is an answer, `check(NAME)` a check. The
checks are put back as they were released, and every answer keeps its place.
"""

import functools

import nbformat

from minigrad.exercises.cells import answered_in, is_setup

from ..isolation.reader import CHECK

MISSING = "the answer cell of {} is missing"
ADDED = {"added": True}  # the mark of a cell that is not the student's, and is not run


def released(root, lab):
    """The notebook of a lab as it was handed out; it stays as it is."""
    return _read((root / "release" / lab / f"{lab}.ipynb").read_bytes())


@functools.lru_cache(8)
def _read(data):
    return nbformat.reads(data.decode(), as_version=4)


def repaired(cells, released):
    """(notebook, warnings): what was read of a submission, with the released checks."""
    lab, warnings = Released(released), []
    cells = [lab.cleaned(cell, warnings) for cell in cells]
    cells = [cell for cell in cells if cell is not None]
    lab.add_setup(cells, warnings)
    for name in lab.checks:
        lab.mark_answer(name, cells, warnings)
        lab.add_missing(name, cells, warnings)
    for i, cell in enumerate(cells):
        cell["id"] = grade_id(cell) or f"student-{i}"
        cell.pop("answers", None)
    return nbformat.from_dict({**released, "cells": cells}), warnings


def holding(warnings, verdicts):
    """The warnings without those that are false: a cell may answer in other ways."""
    none = "not answered", "solution"
    answered = {MISSING.format(v.name) for v in verdicts if v.state not in none}
    return [warning for warning in warnings if warning not in answered]


def grade_id(cell):
    """nbgrader's name of a cell that is ours, or None."""
    return cell["metadata"].get("nbgrader", {}).get("grade_id")


def _cell(code, source, metadata):
    """A cell of which only this is known; its id comes later."""
    kind = "code" if code else "markdown"
    more = {"outputs": [], "execution_count": None} if code else {}
    cell = {"cell_type": kind, "source": source, "metadata": metadata}
    return nbformat.from_dict(cell | more)


def graded(nb):
    """The check cells of a notebook, by the name of their exercise."""
    cells = [c for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade")]
    return {CHECK.search(cell.source)[1]: cell for cell in cells}


class Released:
    """The lab as it was handed out."""

    def __init__(self, nb):
        self.checks = graded(nb)
        self.answers = {
            answered_in(c.source): c for c in nb.cells if answered_in(c.source)
        }
        self.setup = next(cell for cell in nb.cells if is_setup(cell.source))
        self.check_ids = {grade_id(cell): cell for cell in self.checks.values()}
        self.names = {grade_id(cell): name for name, cell in self.checks.items()}
        self.unplaced = dict(self.checks)
        self.answer_ids = {grade_id(cell) for cell in self.answers.values()}

    def cleaned(self, cell, warnings):
        """A Cell as nbgrader's; a check as released, once, then None."""
        answer, code = next(iter(cell.answers), None), cell.code
        if not answer and cell.claimed in self.check_ids:
            if cell.source.strip() != self.check_ids[cell.claimed].source.strip():
                warnings.append(f"the check {cell.claimed} was edited, and is put back")
            return self.placed(self.names[cell.claimed])
        if not answer and cell.checks:
            return self.placed(cell.check)
        if answer and not code and cell.claimed in self.answer_ids:
            warnings.append(
                f"the answer of `{answer}` was no code cell, and is one again"
            )
            code = True
        new = _cell(code, cell.source, {"tags": cell.tags} if cell.tags else {})
        new["answers"] = cell.answers
        return new

    def placed(self, name):
        """The released check of an exercise, the first time it is needed."""
        check = self.unplaced.pop(name, None)
        return check and _added(check)

    def add_setup(self, cells, warnings):
        """Put the released set-up in front, where the submission has not this very one.

        A set-up cell that the student has changed stays, and runs after it.
        """
        if all(cell.source.split() != self.setup.source.split() for cell in cells):
            warnings.append("the set-up cell was changed or lost, and is put back")
            cells.insert(0, _cell(True, self.setup.source, {}))

    def mark_answer(self, name, cells, warnings):
        """Give an answer cell its id again; of several, the last that is not empty."""
        original = self.answers[name]
        answers = [c for c in cells if c.cell_type == "code" and _answers(c, name)]
        empty = [c for c in answers if c.source.split() == original.source.split()]
        solved = [c for c in answers if c not in empty]
        if len(solved) > 1:
            warnings.append(
                f"{name} is answered in {len(solved)} cells: the last counts"
            )
        elif len(answers) > 1:
            warnings.append(f"the answer cell of {name} is there {len(answers)} times")
        for cell in empty if solved else []:  # an empty copy must not undo the answer
            cell.metadata["minigrad"] = dict(ADDED)
        if answers:
            chosen = (solved or answers)[-1]
            chosen.metadata.setdefault("nbgrader", dict(original.metadata["nbgrader"]))

    def add_missing(self, name, cells, warnings):
        """Put back a lost answer cell, and a lost check after it."""
        answer = self.answers[name]
        place = next(
            (i for i, c in enumerate(cells) if grade_id(c) == grade_id(answer)), None
        )
        if place is None:
            if not any(c.cell_type == "code" and _answers(c, name) for c in cells):
                warnings.append(MISSING.format(name))
            cells.append(_added(answer))
            place = len(cells) - 1
        if name in self.unplaced:
            cells.insert(place + 1, self.placed(name))


def _answers(cell, name):
    return name in cell.get("answers", ())


def _added(original):
    cell = nbformat.from_dict(dict(original))
    cell.metadata = nbformat.from_dict({**original.metadata, "minigrad": ADDED})
    return cell
