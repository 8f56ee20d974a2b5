"""What nbgrader is given in place of a submission that it could not read."""

import shutil
import warnings

import nbformat
from dateutil.parser import parse as parse_time

from . import repair
from .beside import LIMIT, is_ordinary
from .inbox import shown

MOST = 5000  # cells of a submission; a lab has less than two hundred
STAGE = ".staged"  # in place of "submitted", where `grade` has put a replacement


class CannotGrade(ValueError):
    """Something beside the notebook is in the way: the message says what."""


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


def replacement(directory, student, lab):
    """What nbgrader is given where it could not read the submission; else None.

    Its cells, where they can be recognised, or the empty lab, marked with the reason.
    """
    path = directory / "submitted" / student / lab / f"{lab}.ipynb"
    why = refused(directory, student, lab)
    if not why:
        data = path.read_bytes()
        if _is_valid(data):
            return None
        nb = repair.texts_only(data)
        if nb:
            nb.metadata["minigrad"] = {"texts_only": True}
            return nb
        begins = f"it begins with {data[:16]!r}" if data.strip() else "it is empty"
        why = f"the file is no notebook, or is broken off: {begins}"
    nb = nbformat.read(directory / "release" / lab / f"{lab}.ipynb", as_version=4)
    nb.metadata["minigrad"]["not_gradable"] = why
    return nb


def refused(directory, student, lab):
    """Why a submission is not read at all; "" where it is."""
    path = directory / "submitted" / student / lab / f"{lab}.ipynb"
    place = (directory / "submitted").resolve() / student / lab
    if path.parent.resolve() != place or path.is_symlink():
        return "it is a link, and links are not followed"
    if not path.is_file():
        others = sorted(p.name for p in path.parent.iterdir() if p.name != path.name)
        found = f", only {shown(', '.join(others[:9]))}" if others else ""
        return f"there is no file {path.name}{found}"
    if not is_ordinary(path):
        return f"it is larger than {LIMIT / 2**20:.0f} MB"
    cells = len((repair.parsed(path.read_bytes()) or {}).get("cells", []))
    return f"it has {cells} cells; at most {MOST} are read" if cells > MOST else ""


def _is_valid(data):
    try:
        with warnings.catch_warnings():  # of ids that are there twice or not at all
            warnings.simplefilter("ignore")
            nb = nbformat.reads(data.decode(), as_version=4)
            nbformat.validate(nb)
            nbformat.writes(nb).encode()  # half a character cannot be written
        return bool(nb.cells)
    except Exception:
        return False


def staged(config, directory, student, lab, nb):
    """The configuration of a course in which this notebook is the submission."""
    target = directory / STAGE / student / lab / f"{lab}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nb, target)
    stamp = directory / "submitted" / student / lab / "timestamp.txt"
    shutil.copy(stamp, target.parent) if stamp.is_file() else None
    config = config.copy()
    config.CourseDirectory.submitted_directory = STAGE
    return config
