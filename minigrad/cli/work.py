"""The learner's copies of labs and lessons, in work/: git never touches them.

A copy is never written over once the learner has changed a cell. It remembers, in its
metadata, the notebook that it was made from and a hash of each cell, so `update` can
tell what the learner wrote. Links between notebooks lead to the copies.
"""

import copy
import hashlib
import json
import os
import re
import shutil
import sys
import uuid
from datetime import date
from typing import NamedTuple

from minigrad import course
from minigrad.exercises.cells import NotANotebook, answered_in
from minigrad.exercises.registry import exercises

from .progress import free_name, replace

HEADING = "## From your earlier notebook"
BADGE = re.compile(r"\n*\[!\[Open in Colab\][^\n]*")  # opens the original, not the copy
LINK = re.compile(r"(?<=\]\()([\w./-]+)(?=[)#])")  # the target of a link to a file
KERNEL = {
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "name": "python3",
}
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": sys.version_info[0]},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": sys.version.split()[0],
}
# What the kernel would write: a notebook with anything else opens as changed.
RUNNING = {"kernelspec": KERNEL, "language_info": LANGUAGE}


class Copy(NamedTuple):
    """A learner's notebook: work/03_strides.ipynb or work/lessons/03_strides.ipynb."""

    kind: str  # "labs" or "lessons", where the original is
    name: str

    @property
    def original(self):
        return course.home() / self.kind / f"{self.name}.ipynb"

    @property
    def place(self):
        """Its path below the course's folder, as text."""
        folder = {"labs": "work", "lessons": "work/lessons"}[self.kind]
        return f"{folder}/{self.name}.ipynb"

    @property
    def path(self):
        return course.home() / self.place


def copies(name=None):
    """The Copy of every lab and lesson that the course has; or of one chapter's."""
    every = [
        Copy(kind, one)
        for chapter in course.CHAPTERS
        if name in (None, chapter.name)
        for kind, names in (("labs", [chapter.name]), ("lessons", chapter.lessons))
        for one in names
    ]
    return [one for one in every if one.original.exists()]


def make_copies():
    """Make what is missing, renew what nobody has written in; return the new ones."""
    missing = []
    for one in copies():
        try:
            mine = read(one.path) if one.path.exists() else None
        except NotANotebook as error:
            print(error)
            continue
        if mine is None:
            missing.append(one)
            write(one)
        elif is_stale(one, mine) and not is_written(mine):
            write(one)
        elif mine != (fresh := for_this_kernel(mine)):
            replace(one.path, as_text(fresh))
    return missing


def outdated():
    """The copies whose original has changed since they were made."""
    return [one for one in copies() if is_outdated(one)]


def is_outdated(one):
    try:
        return one.path.exists() and is_stale(one, read(one.path))
    except NotANotebook as error:
        print(error)
        return False


def is_stale(one, mine):
    """Has the original changed since the copy was made?"""
    return made_from(mine).get("made_from") != digest(one)


def is_written(mine):
    """Has the learner changed, added, or removed a cell?"""
    return [*map(mark, mine["cells"])] != made_from(mine).get("cells")


def update(one):
    """A copy of the newest notebook with the learner's cells.

    Returns where the old one is, and the names of the exercises that are `gone`.
    """
    old = read(one.path)
    aside = free_name(
        one.path.with_name(f"{one.name}.before-update-{date.today()}.ipynb")
    )
    shutil.copy2(one.path, aside)
    write(one, old)
    return aside, [exercise(cell) for cell in gone(old)]


def published(one):
    """The course's notebook, with links that lead on from where the copy is.

    It has no badge, whose image needs a network.
    """
    notebook = read(one.original)
    kept = {other.original.resolve(): other.path for other in copies()}

    def moved(link):
        target = (one.original.parent / link[1]).resolve()
        if not target.exists():
            return link[1]
        target = kept.get(target, target)
        return os.path.relpath(target, one.path.parent).replace(os.sep, "/")

    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = LINK.sub(moved, BADGE.sub("", text(cell)))
    return notebook


def write(one, mine=None):
    """Write a new copy with the cells of `mine`, and a note of where it comes from."""
    new = published(one)
    notebook = merge(mine, new) if mine else new
    note = {"made_from": digest(one), "cells": [*map(mark, new["cells"])]}
    metadata = notebook["metadata"] | {"minigrad": note}
    one.path.parent.mkdir(parents=True, exist_ok=True)
    replace(one.path, as_text(for_this_kernel(notebook | {"metadata": metadata})))


def for_this_kernel(notebook):
    return notebook | {"metadata": notebook["metadata"] | RUNNING}


def merge(old, new):
    """The new notebook, with every cell of `old` that the learner wrote or changed."""
    merged = copy.deepcopy(new)
    lost = gone(old)
    kept = [cell for cell in old["cells"] if cell not in lost]
    answers, added, last = sort_out(old | {"cells": kept}, new)
    last += map(quoted, lost)
    merged["cells"] = []
    for cell in copy.deepcopy(new["cells"]):
        mine = answers.get(exercise(cell), [])
        merged["cells"] += [as_added(twice) for twice in mine[:-1]]
        merged["cells"] += [answer(cell, mine[-1]) if mine else cell]
        merged["cells"] += [as_added(note) for note in added.get(cell.get("id"), [])]
    if last:
        heading = {"cell_type": "markdown", "metadata": {}, "source": HEADING}
        merged["cells"] += [as_added(cell) for cell in [heading, *last]]
    return with_unique_ids(merged)


def sort_out(old, new):
    """The learner's cells: {exercise: answers}, {id: cells after it}, all others."""
    ids = {cell.get("id") for cell in new["cells"]}
    exercises = {
        exercise(cell): cell.get("id") for cell in new["cells"] if exercise(cell)
    }
    given = set(made_from(old).get("cells") or map(mark, new["cells"]))
    answers, added, last, here = {}, {}, [], None
    for cell in old["cells"]:
        at = exercises.get(exercise(cell), cell.get("id"))
        here = at if at in ids else here
        written = text(cell).strip() and mark(cell) not in given
        if written and exercise(cell) in exercises:
            answers.setdefault(exercise(cell), []).append(cell)
        elif written:
            (added.setdefault(here, []) if here else last).append(cell)
    return answers, added, last


def gone(old):
    """The learner's answers to what is no exercise of the course any more."""
    known = {None, *(entry.name for entry in exercises())}
    given = made_from(old).get("cells", [])
    return [
        c for c in old["cells"] if exercise(c) not in known and mark(c) not in given
    ]


def quoted(cell):
    """An answer that no exercise takes, as text: it could not be run."""
    source = (
        f"Your {exercise(cell)}, no exercise any more:\n\n```python\n{text(cell)}\n```"
    )
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def answer(cell, mine):
    """The new lab's answer cell, with the learner's text and output."""
    keys = ("source", "outputs", "execution_count")
    return cell | {key: mine[key] for key in keys if key in mine}


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


def made_from(notebook):
    note = notebook["metadata"].get("minigrad")
    return note if isinstance(note, dict) else {}


def exercise(cell):
    return answered_in(text(cell)) if cell["cell_type"] == "code" else None


def mark(cell):
    return hashlib.sha256(text(cell).strip().encode()).hexdigest()[:16]


def text(cell):
    return "".join(cell["source"])


def new_id():
    return uuid.uuid4().hex[:8]


def digest(one):
    return hashlib.sha256(one.original.read_bytes()).hexdigest()


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
