"""Taking in what students hand in, whatever it is and however it is named.

Submissions go to DIR/submitted/STUDENT/LAB/LAB.ipynb, with their time. The newest
counts; every other one that ever came is kept in DIR/submitted-earlier/STUDENT/LAB/.
"""

import re
import zipfile
import zlib
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from dateutil.parser import parse as parse_time

from minigrad.course import CHAPTERS
from minigrad.exercises.cells import answered_in
from minigrad.exercises.registry import exercises

from .files import digest, write
from .inbox import Delivery, Owner, Unowned, deliveries, lab_in, owner_of, shown
from .lock import alone
from .repair import parsed, source_of

TIME = "%Y-%m-%d %H:%M:%S.%f %Z"  # as nbgrader writes timestamp.txt
UNREADABLE = OSError, RuntimeError, zipfile.BadZipFile, zlib.error


class CannotCollect(ValueError):
    """Nothing can be taken in at all: the message says why."""


class Done(NamedTuple):
    """What became of one file.

    what: "taken in", "newer" (an earlier one is kept beside), "older" (kept beside the
    newer one), "known" (nothing to do) or "not placed", and then why.
    """

    student: str
    lab: str
    file: str
    what: str
    why: str = ""


class Claim(NamedTuple):
    """A file whose student and lab are known."""

    file: Delivery
    owner: Owner
    lab: str
    notebook: bool

    def done(self, what, why=""):
        return Done(self.owner.student, self.lab, shown(self.file.path), what, why)

    def age(self):
        """Sorts the oldest first; of one time, `x-2.ipynb` after `x-1.ipynb`."""
        digits = re.split(r"(\d+)", self.file.path.stem)
        return self.file.time, [int(d) if d.isdigit() else d for d in digits]


class NotPlaced(ValueError):
    """This file cannot be placed: the message says why."""


def collect(directory, inbox, lab=None, pattern=None):
    """Take the files of `inbox`, a folder or a .zip, into a course; return the Dones.

    lab: of the files that do not say it themselves. pattern: a regular expression for
    the path of a file, with (?P<student>...).
    """
    directory = Path(directory)
    labs = released(directory)
    lab = lab and _lab_named(lab, labs)
    _examine(pattern)
    done, claims = [], []
    for file in deliveries(inbox):
        try:
            claims.append(_claim(file, labs, lab, pattern))
        except (NotPlaced, Unowned) as error:
            done.append(Done("", "", shown(file.path), "not placed", str(error)))
    if not done and not claims:
        raise CannotCollect(f"{inbox} is empty: there is nothing to collect")
    with alone(directory):  # not beside `grade`, which reads what is written here
        claims, refused = _sort_out(claims, directory)
        claims.sort(key=Claim.age)
        _note_canvas_ids(directory, claims)
        return done + refused + [_place(directory, claim) for claim in claims]


def released(directory):
    """The labs of a course directory, by name."""
    found = sorted(Path(directory).glob("release/*/*.ipynb"))
    labs = [path.stem for path in found if path.stem == path.parent.name]
    if not labs:
        what = "has no released lab" if Path(directory).is_dir() else "does not exist"
        raise CannotCollect(
            f"the course directory {directory} {what}: make one with "
            f"`python -m grading release {directory}`"
        )
    return labs


def _lab_named(name, labs):
    for lab in labs:
        if name in (lab, lab.split("_")[0]):
            return lab
    raise CannotCollect(f"no released lab is called {name}, only {', '.join(labs)}")


def _examine(pattern):
    try:
        named = pattern is None or "student" in re.compile(pattern).groupindex
    except re.error as error:
        raise CannotCollect(f"the pattern {pattern!r} is wrong: {error}") from None
    if not named:
        raise CannotCollect(f"the pattern {pattern!r} has no (?P<student>...)")


def _claim(file, labs, lab, pattern):
    """Whose file it is, and of which lab; NotPlaced or Unowned if nothing says so."""
    if file.problem:
        raise NotPlaced(file.problem)
    owner = owner_of(file.path, labs, pattern)
    nb = parsed(_read(file))
    found = _lab_of(file, nb, labs, lab)
    return Claim(file, owner, found, nb is not None or file.path.suffix == ".ipynb")


def _read(file):
    try:
        return file.read()
    except UNREADABLE as error:
        raise NotPlaced(f"cannot be read: {error}") from None


def _lab_of(file, nb, labs, otherwise):
    """From its metadata, its answers, its name; else the lab that is given."""
    about = _about(nb)
    if about.get("kind") == "lesson":
        raise NotPlaced(f"is the lesson {about.get('chapter')}, not its lab")
    said = (
        about.get("chapter") if isinstance(about.get("chapter"), str) else _answered(nb)
    )
    for part in reversed(file.path.parts):
        said = said or lab_in(part, [c.name for c in CHAPTERS])[0]
    said = said or otherwise
    if not said:
        raise NotPlaced(
            "nothing in it, or in its name, says which lab it is: give --lab"
        )
    if said not in labs:
        raise NotPlaced(f"is of {said[:40]!r}, which is not released here")
    return said


def _about(nb):
    metadata = (nb or {}).get("metadata")
    about = metadata.get("minigrad") if isinstance(metadata, dict) else None
    return about if isinstance(about, dict) else {}


def _answered(nb):
    """The chapter of most of the holes that the notebook answers."""
    chapters = {entry.hole.name: entry.chapter for entry in exercises()}
    named = [answered_in(text) for text in map(source_of, (nb or {}).get("cells", []))]
    found = Counter(chapters[name] for name in named if name in chapters)
    return found.most_common(1)[0][0] if found else None


def _sort_out(claims, directory):
    """The claims that hold, and Dones for the others."""
    groups, kept, refused = defaultdict(list), [], []
    for claim in claims:
        groups[claim.owner.student.casefold(), claim.lab].append(claim)
    for group in groups.values():
        names = sorted({shown(claim.owner.identity) for claim in group})
        names += _others(directory, group[0].owner.student)
        if len(names) > 1:
            why = f"{' and '.join(names)} would be one: rename, or give a pattern"
            refused += [claim.done("not placed", why) for claim in group]
            continue
        notebooks = any(claim.notebook for claim in group)
        for claim in group:
            if claim.notebook or not notebooks:
                kept.append(claim)
            else:
                why = "is no notebook, and the student has handed in one"
                refused.append(claim.done("not placed", why))
    return kept, refused


def _others(directory, student):
    """Students of the course whose names differ only in upper and lower case."""
    known = [path.name for path in directory.glob("submitted/*")]
    return [k for k in known if k != student and k.casefold() == student.casefold()]


def _note_canvas_ids(directory, claims):
    """Keep Canvas's numbers of students in the gradebook; the export needs them."""
    ids = {c.owner.student: c.owner.canvas_id for c in claims if c.owner.canvas_id}
    if ids:
        from .book import open_course

        with open_course(directory).gradebook as book:
            for student, number in ids.items():
                book.update_or_create_student(student, lms_user_id=number)


def _place(directory, claim):
    try:
        return _put(directory.resolve(), claim, claim.file.read())
    except UNREADABLE as error:
        return claim.done("not placed", f"cannot be copied: {error}")


def _put(directory, claim, data):
    """Copy a submission to its place; what it replaces is kept elsewhere."""
    own = Path(claim.owner.student, claim.lab)
    folder = directory / "submitted" / own
    earlier = directory / "submitted-earlier" / own
    for place in (folder, earlier):
        if place.resolve() != place:
            raise OSError(f"{place} leads elsewhere, to {place.resolve()}")
    target, stamp = folder / f"{claim.lab}.ipynb", folder / "timestamp.txt"
    what = "taken in"
    if target.exists():
        if digest(target.read_bytes()) == digest(data):
            return claim.done("known")
        if claim.file.time < _time(stamp, target):
            new = _keep(data, earlier, claim.file.time)
            return claim.done("older" if new else "known")
        _keep(target.read_bytes(), earlier, _time(stamp, target))
        what = "newer"
    write(stamp, claim.file.time.strftime(TIME).encode())
    write(target, data)
    return claim.done(what)


def _keep(data, folder, time):
    """Keep a submission that does not count; False where it is there already."""
    if any(digest(p.read_bytes()) == digest(data) for p in folder.glob("*.ipynb")):
        return False
    name, number = time.strftime("%Y-%m-%dT%H-%M-%S"), 1
    while (folder / f"{name}.ipynb").exists():
        number += 1
        name = f"{time:%Y-%m-%dT%H-%M-%S}-{number}"
    write(folder / f"{name}.ipynb", data)
    return True


def _time(stamp, target):
    """When the submission that is there was handed in."""
    try:
        time = parse_time(stamp.read_text(encoding="utf-8").strip())
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(target.stat().st_mtime, UTC)
