"""The learner's working copies: labs/NN_name.ipynb is the course's, work/'s is theirs.

A copy is made once and never written over. It remembers, in its metadata, the lab that
it was made from and a hash of each cell: so `update` can tell what the learner wrote.
"""

import copy
import hashlib
import json
import shutil
import uuid
from datetime import date

from minigrad import course
from minigrad.exercises.cells import NotANotebook, answered_in
from minigrad.exercises.registry import exercises

from .progress import free_name, replace

HEADING = "## From your earlier notebook"


def make_copies():
    """Copy every lab that has no working copy yet; return the names of the new ones."""
    folder = course.home() / "work"
    folder.mkdir(exist_ok=True)
    missing = [c.name for c in chapters() if not working_copy(c.name).exists()]
    for name in missing:
        replace(working_copy(name), as_text(marked(read(lab(name)), name)))
    return missing


def outdated():
    """Names of the working copies whose lab has changed since they were made."""
    return [c.name for c in chapters() if is_outdated(c.name)]


def is_outdated(name):
    if not working_copy(name).exists():
        return False
    try:
        return made_from(read(working_copy(name))).get("made_from") != digest(name)
    except NotANotebook as error:
        print(error)
        return False


def update(name):
    """A copy of the newest lab with the learner's cells.

    Returns where the old one is, and the names of the exercises that are `gone`.
    """
    mine = working_copy(name)
    old, new = read(mine), read(lab(name))
    merged = marked(merge(old, new), name)
    aside = free_name(mine.with_name(f"{name}.before-update-{date.today()}.ipynb"))
    shutil.copy2(mine, aside)
    replace(mine, as_text(merged))
    return aside, [hole(cell) for cell in gone(old)]


def merge(old, new):
    """The new lab, with every cell of `old` that the learner wrote or changed."""
    merged = copy.deepcopy(new)
    lost = gone(old)
    kept = [cell for cell in old["cells"] if cell not in lost]
    answers, added, last = sort_out(old | {"cells": kept}, new)
    last += map(quoted, lost)
    merged["cells"] = []
    for cell in copy.deepcopy(new["cells"]):
        mine = answers.get(hole(cell), [])
        merged["cells"] += [as_added(twice) for twice in mine[:-1]]
        merged["cells"] += [answer(cell, mine[-1]) if mine else cell]
        merged["cells"] += [as_added(note) for note in added.get(cell.get("id"), [])]
    if last:
        heading = {"cell_type": "markdown", "metadata": {}, "source": HEADING}
        merged["cells"] += [as_added(cell) for cell in [heading, *last]]
    return with_unique_ids(merged)


def sort_out(old, new):
    """The learner's cells: {hole: answers}, {id: cells that follow it}, all others."""
    ids = {cell.get("id") for cell in new["cells"]}
    holes = {hole(cell): cell.get("id") for cell in new["cells"] if hole(cell)}
    given = set(made_from(old).get("cells") or map(mark, new["cells"]))
    answers, added, last, here = {}, {}, [], None
    for cell in old["cells"]:
        at = holes.get(hole(cell), cell.get("id"))
        here = at if at in ids else here
        written = text(cell).strip() and mark(cell) not in given
        if written and hole(cell) in holes:
            answers.setdefault(hole(cell), []).append(cell)
        elif written:
            (added.setdefault(here, []) if here else last).append(cell)
    return answers, added, last


def gone(old):
    """The learner's answers to what is no exercise of the course any more."""
    known = {None, *(entry.name for entry in exercises())}
    given = made_from(old).get("cells", [])
    return [c for c in old["cells"] if hole(c) not in known and mark(c) not in given]


def quoted(cell):
    """An answer that no exercise takes, as text: it could not be run."""
    source = f"Your {hole(cell)}, no exercise any more:\n\n```python\n{text(cell)}\n```"
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def answer(cell, mine):
    """The new lab's answer cell, with the learner's text and output."""
    kept = ("source", "outputs", "execution_count")
    return cell | {key: mine[key] for key in kept if key in mine}


def as_added(cell):
    """A cell of the learner's own: what nbgrader knew about it no longer holds."""
    metadata = {k: v for k, v in cell["metadata"].items() if k != "nbgrader"}
    for lock in ("deletable", "editable"):
        metadata.pop(lock, None)
    return cell | {"metadata": metadata, "id": cell.get("id", new_id())}


def with_unique_ids(notebook):
    seen = set()
    for cell in notebook["cells"]:
        if cell.get("id") in seen:
            cell["id"] = new_id()
        seen.add(cell.get("id"))
    return notebook


def marked(notebook, name):
    """The notebook, with a note of the lab that it comes from and that lab's cells."""
    cells = [mark(cell) for cell in read(lab(name))["cells"]]
    note = {"made_from": digest(name), "cells": cells}
    metadata = notebook["metadata"] | {"minigrad": note}
    return notebook | {"metadata": metadata}


def made_from(notebook):
    note = notebook["metadata"].get("minigrad")
    return note if isinstance(note, dict) else {}


def hole(cell):
    return answered_in(text(cell)) if cell["cell_type"] == "code" else None


def mark(cell):
    return hashlib.sha256(text(cell).strip().encode()).hexdigest()[:16]


def text(cell):
    return "".join(cell["source"])


def new_id():
    return uuid.uuid4().hex[:8]


def digest(name):
    return hashlib.sha256(lab(name).read_bytes()).hexdigest()


def chapters():
    """The chapters that have a lab today."""
    return [chapter for chapter in course.CHAPTERS if lab(chapter.name).exists()]


def lab(name):
    return course.home() / "labs" / f"{name}.ipynb"


def working_copy(name):
    return course.home() / "work" / f"{name}.ipynb"


def read(path):
    """A notebook as a dict, or NotANotebook, which says what to do."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        needed = {"source", "metadata", "cell_type"}
        whole = all(needed <= set(cell) for cell in notebook["cells"])
        whole = whole and isinstance(notebook["metadata"], dict)
    except (ValueError, KeyError, TypeError):
        whole = False
    if whole:
        return notebook
    place = path.relative_to(course.home())
    raise NotANotebook(
        f"{place} is not a notebook, or a damaged one. It was not touched. Rename it, "
        "then `minigrad lab` makes a new one; copy over from it what you can."
    )


def as_text(notebook):
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
