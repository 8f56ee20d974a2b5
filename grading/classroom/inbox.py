"""What students and learning platforms deliver: a folder, or a .zip, of files.

Nothing in there is trusted: links are not followed, archives are read member by member,
and no path of theirs is ever used as a path of ours.
"""

import io
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from .beside import LIMIT

MEMBERS = 1000  # in a .zip within the inbox
JUNK = {
    "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints",
    "timestamp.txt",
}  # fmt: skip
MOODLE = re.compile(r"(?P<student>.+)_(?P<number>\d+)_assignsubmission_file(?:_|$)")
CANVAS = re.compile(r"(?P<student>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_.+")
WRAPPERS = {"submitted", "submissions"}


class InboxError(ValueError):
    """The inbox as a whole cannot be read: the message says why."""


class Delivery(NamedTuple):
    """One file. problem: why it is not to be read, or ""."""

    path: PurePosixPath  # inside the inbox
    time: datetime
    read: Callable | None
    problem: str = ""


class Owner(NamedTuple):
    """Whose file it is. identity: what tells two students of one name apart."""

    student: str
    identity: str
    canvas_id: str | None = None


class Unowned(ValueError):
    """Nothing, or nothing usable, says whose file it is."""


def deliveries(inbox):
    """Yield a Delivery for each file of a folder or a .zip."""
    inbox = Path(inbox)
    if not inbox.exists():
        raise InboxError(
            f"there is no {inbox}: give a folder, or a .zip, of submissions"
        )
    files = _in_folder(inbox) if inbox.is_dir() else _in_archive(inbox)
    for file in files:
        if JUNK.intersection(file.path.parts):
            continue
        packed = file.path.suffix.lower() == ".zip" and not file.problem
        yield from _unpacked(file) if packed else [file]


def owner_of(path, labs, pattern=None):
    """The Owner of a file, from its path in the inbox. Unowned where none is named."""
    if pattern is not None:
        found = re.search(pattern, str(path))
        if not found or not found["student"]:
            raise Unowned("its path does not match the pattern")
        return _owner(found["student"])
    parts = [re.sub(r"(?i)\.(ipynb|zip|json)$", "", part) for part in path.parts]
    for part in parts:
        if found := MOODLE.match(part):
            return _owner(found["student"], found["number"])
        if found := CANVAS.fullmatch(part):
            return _owner(found["student"], found["number"], canvas=True)
    while len(parts) > 1 and (parts[0] in WRAPPERS or parts[0] in labs):
        del parts[0]
    lab, rest = lab_in(parts[0], labs)
    if lab and rest:
        return _owner(rest)
    if len(parts) == 1 or lab:
        raise Unowned(
            "nothing says whose it is: put it into a folder with the student's name, "
            "call it STUDENT_03_strides.ipynb, or give a pattern with (?P<student>...)"
        )
    return _owner(parts[0])


def lab_in(name, labs):
    """(the lab that a name names, what else stands there), or (None, name)."""
    for lab in labs:
        words = "[ _-]?".join(map(re.escape, lab.split("_")))
        found = re.search(rf"(?i)(?<![A-Za-z0-9]){words}(?![A-Za-z0-9])", name)
        if found:
            before = name[: found.start()].strip(" _-.")
            after = re.sub(r"^-\d{1,2}$|\(\d+\)", "", name[found.end() :]).strip(" _-.")
            return lab, before or after
    return None, name


def _owner(name, number="", canvas=False):
    identity = f"{name} ({number})" if number else name
    return Owner(safe(name), identity, number if canvas else None)


def safe(name):
    """A student's name as the name of a folder: letters, digits and . _ - @ only."""
    name = unicodedata.normalize("NFC", name)
    name = re.sub(r"[^\w.@-]+", "_", name).strip("._-@")[:100]
    if not name:
        raise Unowned("the student's name has no letter or digit")
    return name


def shown(text):
    """A name of theirs as it may be printed: a terminal obeys control characters."""
    return "".join(
        c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text)
    )


def _in_folder(inbox):
    unreadable = []
    for folder, folders, files in os.walk(inbox, onerror=unreadable.append):
        folders.sort()
        links = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted(files) + links:
            yield _on_disk(inbox, Path(folder, name))
    for error in unreadable:
        path = PurePosixPath(Path(error.filename).relative_to(inbox).as_posix())
        yield Delivery(path, _now(), None, f"cannot be read: {error.strerror}")


def _on_disk(inbox, path):
    about = path.lstat()
    problem = "" if stat.S_ISREG(about.st_mode) else "is not an ordinary file"
    if stat.S_ISLNK(about.st_mode):
        problem = "is a link, and links are not followed"
    elif about.st_size > LIMIT:
        problem = _too_large(about.st_size)
    time = datetime.fromtimestamp(about.st_mtime, UTC)
    name = PurePosixPath(path.relative_to(inbox).as_posix())
    return Delivery(name, time, path.read_bytes, problem)


def _in_archive(path):
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError) as error:
        raise InboxError(
            f"{path} is neither a folder nor a .zip file: {error}"
        ) from None
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)

    def read(member):
        with zipfile.ZipFile(path) as archive:
            return archive.read(member)

    for member in members:
        if not member.is_dir():
            yield _member(PurePosixPath(), member, read, changed)


def _unpacked(file):
    """The files in a .zip that a student handed in, or that .zip if it is none."""

    def read(member):
        with zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            return archive.read(member)

    try:
        with zipfile.ZipFile(io.BytesIO(file.read())) as archive:
            members = [m for m in archive.infolist() if not m.is_dir()]
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
        return [file]
    total = sum(member.file_size for member in members)
    if len(members) > MEMBERS or total > LIMIT:
        why = (
            f"holds {len(members)} files"
            if len(members) > MEMBERS
            else _too_large(total)
        )
        return [file._replace(problem=f"{why}, too much for a submission")]
    inside = [_member(file.path, member, read, file.time) for member in members]
    return [f for f in inside if not JUNK.intersection(f.path.parts)]


def _member(folder, member, read, otherwise):
    """A Delivery of a member of an archive; it leads nowhere outside of it."""
    name = member.filename.replace("\\", "/")
    parts = PurePosixPath(name).parts
    problem = ""
    if name.startswith("/") or ".." in parts or re.match(r"[A-Za-z]:", name):
        problem = "its path leads out of the archive"
    elif stat.S_ISLNK(member.external_attr >> 16):
        problem = "is a link, and links are not followed"
    elif member.flag_bits & 1:
        problem = "is locked with a password"
    elif member.file_size > LIMIT:
        problem = _too_large(member.file_size)
    try:  # an archive's times are those of the clock on the wall where it was made
        time = datetime(*member.date_time).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        time = otherwise
    return Delivery(folder / name.lstrip("/"), time, lambda: read(member), problem)


def _too_large(size):
    return f"is {size / 2**20:.0f} MB; at most {LIMIT / 2**20:.0f} MB are read"


def _now():
    return datetime.now(UTC)
