"""What is taken of a submission: its cells, as far as they can be recognised."""

import json
import shutil
import warnings
from typing import NamedTuple

import nbformat
from dateutil.parser import parse as parse_time
from nbformat import convert, reader

from . import repair
from .beside import LIMIT, is_ordinary
from .inbox import shown

MOST = 5000  # cells of a submission; a lab has less than two hundred
STAGE = ".staged"  # in place of "submitted", where there is no notebook
DAMAGED = "the file is damaged: only the texts of its cells are read"


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
    stamp = directory / "submitted" / student / lab / "timestamp.txt"
    try:
        if is_ordinary(stamp):
            parse_time(stamp.read_text(encoding="utf-8").strip() or "2000-01-01")
    except (ValueError, OverflowError):
        raise CannotGrade(f"{stamp} holds no time: mend it, or delete it") from None


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
    released = repair.released(root, lab)
    path = root / "submitted" / student / lab / f"{lab}.ipynb"
    place = (root / "submitted").resolve() / student / lab
    why = _refused(path, place)
    nb, damaged, why = (None, False, why) if why else _read(path.read_bytes())
    nb, found = repair.repaired(released if why else nb, released)
    return Taken(nb, [*found, *[DAMAGED] * damaged], why)


def _refused(path, place):
    """Why a file is not read at all; "" where it is."""
    if path.parent.resolve() != place or path.is_symlink():
        return "it is a link, and links are not followed"
    if not path.is_file():
        others = sorted(p.name for p in path.parent.iterdir() if p.name != path.name)
        found = f", only {shown(', '.join(others[:9]))}" if others else ""
        return f"there is no file {path.name}{found}"
    if not is_ordinary(path):
        return f"it is larger than {LIMIT / 2**20:.0f} MB"
    return ""


def _read(data):
    """(notebook, is it damaged?, why it is none)."""
    found = repair.parsed(data) or {}
    count = len(found.get("cells", []))
    if count > MOST:
        return None, False, f"it has {count} cells; at most {MOST} are read"
    nb = _valid(data)
    if nb:
        return nb, False, ""
    nb = repair.texts_only(found)
    if nb:
        return nb, True, ""
    begins = f"it begins with {data[:16]!r}" if data.strip() else "it is empty"
    return None, False, f"the file is no notebook, or is broken off: {begins}"


def _valid(data):
    """The notebook, if nbformat takes it, and it has cells."""
    try:
        with warnings.catch_warnings():  # of ids that are there twice or not at all
            warnings.simplefilter("ignore")
            nb = convert(reader.reads(data.decode()), 4)
            nbformat.validate(nb)
        json.dumps(nb, ensure_ascii=False).encode()  # half a character: no
        return nb if nb.cells else None
    except Exception:
        return None
