"""Taking in what students hand in, whatever it is and however it is named.

Submissions go to DIR/submitted/STUDENT/LAB/LAB.ipynb, with their time. The newest
counts; every other one that ever came is kept in DIR/submitted-earlier/STUDENT/LAB/.
"""

import contextlib
import functools
import json
import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from dateutil.parser import parse as parse_time

from minigrad import course
from minigrad.exercises.registry import exercises

from .files import LIMIT, STAMP, digest, fingerprint, is_ordinary, write
from .inbox import (
    Delivery,
    Owner,
    Unowned,
    deliveries,
    lab_in,
    of_platform,
    owner_of,
    shown,
)
from .lock import alone
from .lookalikes import note, skeleton
from .notes import kind, named
from .reading import About, Broken
from .roster import Person, Roster, first_and_last

TIME = "%Y-%m-%d %H:%M:%S.%f %Z"  # as nbgrader writes timestamp.txt
IDENTITIES = ".identities.json"  # {lab: whose it is} of a name's submissions


class CannotCollect(ValueError):
    """Nothing can be taken in at all: the message says why."""


class Done(NamedTuple):
    """What became of one file.

    what: "taken in", "newer" (an earlier one is kept beside), "older" (kept beside the
    newer one), "known" (nothing to do) or "not placed", and then why.
    of: whose it is as far as is known, where it is not placed.
    """

    student: str
    lab: str
    file: str
    what: str
    why: str = ""
    of: str = ""


class Claim(NamedTuple):
    """A file whose student and lab are known."""

    file: Delivery
    owner: Owner
    lab: str

    @property
    def notebook(self):
        return self.file.about is not None or self.file.path.suffix == ".ipynb"

    def done(self, what, why=""):
        return Done(self.owner.student, self.lab, shown(self.file.path), what, why)

    def age(self):
        """Sorts the oldest first; of one time, `x-2.ipynb` after `x-1.ipynb`.

        The date in a student's own archive only tells which of the files in it is last.
        """
        digits = re.split(r"([0-9]+)", self.file.path.stem)
        name = [(len(d), d) if d.isdigit() else (0, d) for d in digits]
        return self.file.time, self.file.date, name


class NotPlaced(ValueError):
    """This file cannot be placed: the message says why."""


def collect(directory, inbox, lab=None, pattern=None, roster=None):
    """Take the files of `inbox`, a folder or a .zip, into a course; return the Dones.

    lab: of the files that do not say it themselves. pattern: a regular expression for
    the first part of a file's path, or for the path if it has a /, with
    (?P<student>...). roster: the platform's list of students, for their names.
    """
    directory = Path(directory)
    labs = released(directory)
    lab = lab and _lab_named(lab, labs)
    _examine(pattern)
    roster = roster and Roster(roster)
    done, claims = [], []
    whose = functools.partial(owner_of, labs=labs, pattern=pattern)
    for file in deliveries(inbox, whose):
        try:
            claims.append(_claim(file, labs, lab, pattern))
        except (NotPlaced, Unowned) as error:
            path, of = shown(file.path), _student(whose, file.place)
            done.append(Done("", "", path, "not placed", str(error), of))
    if not done and not claims:
        raise CannotCollect(f"{inbox} is empty: there is nothing to collect")
    with alone(directory):  # not beside `grade`, which reads what is written here
        claims, refused = _sort_out(claims, directory)
        claims.sort(key=Claim.age)
        _note_students(directory, claims, roster)
        return done + refused + [*_placed(directory, claims)]


def summed(done):
    """Dones to be read: one for each student, lab, and kind of reason."""
    groups = defaultdict(list)
    for one in done:
        groups[one.student or one.of, one.lab, one.what, kind(one.why)].append(one)
    return [
        group[0]._replace(student=student, file=named([one.file for one in group]))
        for (student, *_), group in groups.items()
    ]


def released(directory):
    """The labs of a course directory, by name."""
    notebooks = sorted(Path(directory).glob("release/*/*.ipynb"))
    labs = [path.stem for path in notebooks if path.stem == path.parent.name]
    if not labs:
        what = "has no released lab" if Path(directory).is_dir() else "does not exist"
        raise CannotCollect(
            f"the course directory {directory} {what}: make one with "
            f"`python -m grading release {directory}`"
        )
    return labs


def _lab_named(name, labs):
    lab = course.chapter(name).name
    if lab not in labs:
        raise CannotCollect(f"{lab} is not released here, only {', '.join(labs)}")
    return lab


def _examine(pattern):
    try:
        named = pattern is None or "student" in re.compile(pattern).groupindex
    except re.error as error:
        raise CannotCollect(f"the pattern {pattern!r} is wrong: {error}") from None
    if not named:
        raise CannotCollect(f"the pattern {pattern!r} has no (?P<student>...)")


def _student(whose, place):
    try:
        return whose(place).student
    except Unowned:
        return ""


def _claim(file, labs, lab, pattern):
    """Whose file it is, and of which lab; NotPlaced or Unowned if nothing says so."""
    if file.problem:
        raise NotPlaced(shown(file.problem))
    owner = owner_of(file.place, labs, pattern)
    return Claim(file, owner, _lab_of(file, labs, lab))


def _lab_of(file, labs, otherwise):
    """From its metadata, its answers, its name; else the lab that is given."""
    about = file.about or About("", "", [])
    if about.kind == "lesson":
        raise NotPlaced(f"is the lesson {shown(about.chapter)!r}, not its lab")
    said = about.chapter or _answered(about.answers)
    for part in reversed(file.path.parts):
        said = said or lab_in(part, [c.name for c in course.CHAPTERS])[0]
    said = said or otherwise
    if not said:
        raise NotPlaced(
            "nothing in it, or in its name, says which lab it is: give --lab"
        )
    if said not in labs:
        raise NotPlaced(f"is of {shown(said[:40])!r}, which is not released here")
    return said


def _answered(names):
    """The chapter of most of the exercises that these are the names of."""
    chapters = {entry.exercise.name: entry.chapter for entry in exercises()}
    answers = Counter(chapters[name] for name in names if name in chapters)
    return answers.most_common(1)[0][0] if answers else None


def _sort_out(claims, directory):
    """The claims that hold, and Dones for the others."""
    groups, accepted, refused = defaultdict(list), [], []
    for claim in claims:
        groups[claim.owner.student.casefold(), claim.lab].append(claim)
    for group in groups.values():
        if why := _contested(group, directory):
            refused += [claim.done("not placed", why) for claim in group]
            continue
        notebooks = any(claim.notebook for claim in group)
        for claim in group:
            if claim.notebook or not notebooks:
                accepted.append(claim)
            else:
                why = "is no notebook, and the student has handed in one"
                refused.append(claim.done("not placed", why))
    return accepted, refused


def _contested(group, directory):
    """Why nobody knows whose these claims of one name and lab are, or ""."""
    owner, lab = group[0].owner, group[0].lab
    names = sorted(shown(name) for name in {c.owner.identity for c in group})
    names += _others(directory, owner.student)
    if len(names) > 1:
        return f"{' and '.join(names)} would be one: rename, or give a pattern"
    identity = _identities(directory, owner.student).get(lab, owner.identity)
    if identity != owner.identity:
        return (
            f"submitted/{owner.student} is that of {shown(identity)}, not of "
            f"{shown(owner.identity)}: rename, or give a pattern"
        )
    theirs = set()
    for part in {part for c in group for part in c.file.place.parts[1:2]}:
        with contextlib.suppress(Unowned):
            theirs |= {whose.identity for whose in [of_platform(part)] if whose}
    if not owner.number and len(theirs) > 1:
        folder = shown(group[0].file.place.parts[0])
        return f"{folder} holds files of several students: collect that folder itself"
    return ""


def _identities(directory, student):
    """{lab: whose it is, in the platform's words} of what has a student's name."""
    path = Path(directory, "submitted", student, IDENTITIES)
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _others(directory, student):
    """Students of the course whose names differ only in upper and lower case."""
    students = [path.name for path in directory.glob("submitted/*")]
    return [k for k in students if k != student and k.casefold() == student.casefold()]


def _note_students(directory, claims, roster):
    """Keep names, and Canvas's numbers, in the gradebook; a name that's there stays."""
    owners = {c.owner.student: c.owner for c in claims if c.owner.number or roster}
    if not owners:
        return
    from .course_dir import open_course

    with open_course(directory).gradebook as book:
        for student, owner in owners.items():
            number = {"lms_user_id": owner.number} if owner.canvas else {}
            entry = book.update_or_create_student(student, **number)
            if not (entry.first_name or entry.last_name):
                entry.first_name, entry.last_name = _name(owner, roster)
        book.db.commit()


def _name(owner, roster):
    """(first name, last name) of an Owner, or (None, None)."""
    number = owner.number if owner.canvas else None
    rows = roster.find(Person(owner.student, number)) if roster else []
    name = "", ""
    if len(rows) == 1:
        name = roster.name(rows[0])
    elif owner.number and not owner.canvas:  # Moodle writes the whole name
        name = first_and_last(owner.name)
    return name if any(name) else (None, None)


class Place:
    """Where the submissions of one student to one lab are."""

    def __init__(self, directory, owner, lab):
        self.root, self.owner, self.lab = directory.resolve(), owner, lab
        own = Path(owner.student, lab)
        self.folder = self.root / "submitted" / own
        self.earlier = self.root / "submitted-earlier" / own
        self.target = self.folder / f"{lab}.ipynb"
        self.stamp = self.folder / "timestamp.txt"
        for place in (self.folder, self.earlier):
            if place.resolve() != place:
                raise OSError(f"{place} leads elsewhere, to {place.resolve()}")
        self.current = fingerprint(self.target)
        self.kept = {fingerprint(p): p.name for p in self.earlier.glob("*.ipynb")}

    def put(self, data, time):
        """Put a submission here; return what became of it, as in Done."""
        sum_, what = digest(data), "taken in"
        if sum_ == self.current:
            return "known"
        if self.current:
            last = self._time()
            if time < last or time == last and sum_ in self.kept:
                return "older" if self._keep(data, time) else "known"
            self._keep(self.target.read_bytes(), last)
            what = "newer"
        self._note_identity()
        write(self.stamp, time.strftime(TIME).encode())
        write(self.target, data)
        self.current = sum_
        return what

    def _note_identity(self):
        identities = _identities(self.root, self.owner.student)
        if self.lab not in identities:
            text = json.dumps(identities | {self.lab: self.owner.identity})
            write(self.folder.parent / IDENTITIES, text.encode())

    def _keep(self, data, time):
        """Keep a submission that does not count; False where it is there already."""
        sum_ = digest(data)
        if sum_ in self.kept:
            return False
        name, number, names = f"{time:%Y-%m-%dT%H-%M-%S}", 1, {*self.kept.values()}
        while f"{name}.ipynb" in names:
            number += 1
            name = f"{time:%Y-%m-%dT%H-%M-%S}-{number}"
        write(self.earlier / f"{name}.ipynb", data)
        self.kept[sum_] = f"{name}.ipynb"
        return True

    def _time(self):
        """When the submission that is there was handed in."""
        try:
            if is_ordinary(self.stamp, STAMP):
                time = parse_time(self.stamp.read_text(encoding="utf-8").strip())
                return time if time.tzinfo else time.replace(tzinfo=UTC)
        except (ValueError, OverflowError, OSError):
            pass
        return datetime.fromtimestamp(self.target.stat().st_mtime, UTC)


def _placed(directory, claims):
    """Put the files of claims to their places, the oldest first; yield the Dones."""
    places, notes = {}, _notes(directory, claims)
    for claim in claims:
        key = claim.owner.student, claim.lab
        try:
            with claim.file.open() as file:
                data = file.read(LIMIT + 1)
            if key not in places:
                places[key] = Place(directory, claim.owner, claim.lab)
            what = places[key].put(data, claim.file.time)
            yield claim.done(what, notes[claim.owner.student])
        except (OSError, Broken) as error:
            places.pop(key, None)
            yield claim.done("not placed", f"cannot be copied: {shown(error)}")


def _notes(directory, claims):
    """{student: what is odd about the name, or ""}."""
    students = [path.name for path in Path(directory).glob("submitted/*")]
    names = {s: next(iter(_identities(directory, s).values()), s) for s in students}
    names = {s: re.sub(r" \(\d+\)$", "", str(name)) for s, name in names.items()}
    names |= {claim.owner.student: claim.owner.name for claim in claims}
    alike = defaultdict(set)
    for name in names.values():
        alike[skeleton(name)].add(name)
    name_of = {c.owner.student: c.owner.name for c in claims}
    return {s: shown(note(name, alike[skeleton(name)])) for s, name in name_of.items()}
