"""Putting a submission right, without touching what the student wrote.

Editors lose metadata and ids, and students delete, copy and edit cells. What a cell is
can still be read off its text: `@solves(NAME)` is an answer, `check(NAME)` a check. The
checks are put back as they were released, and every answer keeps its place.
"""

import re

import nbformat

from minigrad.answers import answered_in

CHECK = re.compile(r"^\s*check\(\s*(?:\w+\.)*(\w+)\s*\)", flags=re.M)


def repaired(nb, released):
    """The submission with the released check cells in place, and the warnings.

    nb, released: notebooks. The cells that were added get `minigrad: {"added": true}`.
    """
    warnings, cells = [], []
    for cell in nb.cells:
        cell = _cleaned(cell, released, warnings)
        if cell is not None:
            cells.append(cell)
    _mark_answers(cells, released, warnings)
    _add_missing(cells, released, warnings)
    _number(cells)
    metadata = {**released.metadata}
    return nbformat.v4.new_notebook(cells=cells, metadata=metadata), warnings


def answers(released):
    """The answer cells of the released lab, by the name of the hole."""
    return {
        answered_in(cell.source): cell
        for cell in released.cells
        if cell.cell_type == "code" and answered_in(cell.source)
    }


def checks(released):
    """The check cells of the released lab, by the name of the hole."""
    graded = [c for c in released.cells if c.metadata.get("nbgrader", {}).get("grade")]
    return {CHECK.search(cell.source)[1]: cell for cell in graded}


def _cleaned(cell, released, warnings):
    """The cell without nbgrader's marks; None for a check cell, which is replaced."""
    claimed = cell.metadata.get("nbgrader", {}) or {}
    claimed = claimed.get("grade_id") or cell.get("id")
    answer = answered_in(cell.source)
    graded = {c.metadata["nbgrader"]["grade_id"]: c for c in checks(released).values()}
    if not answer and claimed in graded:
        if cell.source.strip() != graded[claimed].source.strip():
            warnings.append(f"the check cell {claimed} was edited, and is put back")
        return None
    if not answer and cell.cell_type == "code" and _only_checks(cell.source):
        return None
    code = cell.cell_type == "code"
    if answer and not code and claimed in _ids(released):
        warnings.append(f"the answer of {answer} was no code cell, and is made one again")
        code = True
    kind = nbformat.v4.new_code_cell if code else nbformat.v4.new_markdown_cell
    tags = cell.metadata.get("tags", [])
    return kind(cell.source, metadata={"tags": tags} if tags else {})


def _only_checks(text):
    """Is this nothing but calls of `check`, as in a copied check cell?"""
    lines = [line for line in text.splitlines() if line.split("#")[0].strip()]
    return bool(lines) and all(CHECK.fullmatch(line.split("#")[0].rstrip()) for line in lines)


def _ids(released):
    return {cell["id"] for cell in released.cells}


def _mark_answers(cells, released, warnings):
    """Give each answer cell its id again; of several the last that is not empty."""
    for name, original in answers(released).items():
        found = [c for c in cells if c.cell_type == "code" and _answers(c, name)]
        solved = [c for c in found if not _is_stub(c, original)]
        if len(solved) > 1:
            warnings.append(f"{name} is answered in {len(solved)} cells: the last counts")
        elif len(found) > 1:
            warnings.append(f"the answer cell of {name} is there {len(found)} times")
        chosen = (solved or found or [None])[-1]
        for cell in found:
            if solved and _is_stub(cell, original):  # an empty copy must not undo it
                cell.metadata["minigrad"] = {"added": True}
        if chosen is not None and "nbgrader" not in chosen.metadata:
            chosen.metadata["nbgrader"] = dict(original.metadata["nbgrader"])


def _answers(cell, name):
    pattern = rf"^\s*@?solves\(\s*(?:\w+\.)*{re.escape(name)}\s*\)"
    return re.search(pattern, cell.source, flags=re.M)


def _is_stub(cell, original):
    return cell.source.split() == original.source.split()


def _add_missing(cells, released, warnings):
    """Put back the check of every exercise, after its answer, and lost answer cells."""
    for name, original in checks(released).items():
        answer = answers(released)[name]
        place = [i for i, c in enumerate(cells) if _marked(c) == _marked(answer)]
        if not place:
            elsewhere = any(c.cell_type == "code" and _answers(c, name) for c in cells)
            if not elsewhere:
                warnings.append(f"the answer cell of {name} is missing")
            cells.append(_added(answer))
            place = [len(cells) - 1]
        check = _added(original)
        cells.insert(place[0] + 1, check)


def _marked(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def _added(original):
    cell = nbformat.from_dict(dict(original))
    cell.metadata = nbformat.from_dict({**original.metadata, "minigrad": {"added": True}})
    return cell


def _number(cells):
    """Ids: of marked cells their grade_id, of the others their place."""
    for i, cell in enumerate(cells):
        cell["id"] = _marked(cell) or f"student-{i}"
