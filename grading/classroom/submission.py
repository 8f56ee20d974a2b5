"""What is taken of a submission: its cells, as far as they can be recognized."""

import shutil
from typing import NamedTuple

import nbformat
from dateutil.parser import parse as parse_time

from . import reading, repair
from .files import LIMIT, STAMP, is_ordinary, opened
from .inbox import shown

STAGE = ".staged"  # in place of "submitted", where there is no notebook


class CannotGrade(ValueError):
    """Something beside the notebook is in the way: the message says what."""


class Taken(NamedTuple):
    """The repaired notebook; or the empty lab, and `why` nothing was taken."""

    nb: nbformat.NotebookNode
    warnings: list
    why: str


def examine(directory, student, lab):
    """CannotGrade for what nbgrader would stumble over, or take for something else."""
    if set("*?[]") & set(student):
        raise CannotGrade(
            f"submitted/{student}: give the folder a name without * ? [ ]"
        )
    folder = directory / "submitted" / student / lab
    stamp, notebook = folder / "timestamp.txt", folder / f"{lab}.ipynb"
    try:
        if is_ordinary(stamp, STAMP):
            parse_time(stamp.read_text(encoding="utf-8").strip() or "2000-01-01")
    except OSError as error:
        raise CannotGrade(f"{stamp} cannot be read: {error.strerror}") from None
    except (ValueError, OverflowError):
        raise CannotGrade(f"{stamp} holds no time: mend it, or delete it") from None
    if is_ordinary(notebook):
        try:
            opened(notebook).close()
        except OSError as error:
            raise CannotGrade(f"{notebook} cannot be read: {error.strerror}") from None


def staged(config, directory, student, lab):
    """The configuration of a course that has a file where the notebook is missing."""
    target = directory / STAGE / student / lab / f"{lab}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.touch()
    stamp = directory / "submitted" / student / lab / "timestamp.txt"
    shutil.copy(stamp, target.parent) if stamp.is_file() else None
    config = config.copy()
    config.CourseDirectory.submitted_directory = STAGE
    return config


def taken(root, student, lab):
    """What is taken of a submission, whatever is there."""
    released = root / "release" / lab / f"{lab}.ipynb"
    path = root / "submitted" / student / lab / f"{lab}.ipynb"
    place = (root / "submitted").resolve() / student / lab
    why = _refused(path, place)
    notebook = reading.Notebook(why, [], []) if why else reading.notebook(path)
    cells = (reading.notebook(released) if notebook.why else notebook).cells
    nb, warnings = repair.repaired(cells, repair.released(root, lab))
    return Taken(nb, warnings + notebook.notes, shown(notebook.why))


def _refused(path, place):
    """Why a file is not read at all; "" where it is."""
    if path.parent.resolve() != place or path.is_symlink():
        return "it is a link, and links are not followed"
    if not path.is_file():
        others = sorted(p.name for p in path.parent.iterdir() if p.name != path.name)
        instead = f", only {shown(', '.join(others[:9]))}" if others else ""
        return f"there is no file {path.name}{instead}"
    if not is_ordinary(path):
        return f"it is larger than {LIMIT / 2**20:.0f} MB"
    return ""
