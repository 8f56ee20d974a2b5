"""What students and learning platforms deliver: a folder, or a .zip, of files.

Nothing in there is trusted: links are not followed, archives are read member by member,
and no path of theirs is ever used as a path of ours.
"""

import collections
import contextlib
import functools
import io
import os
import re
import stat
import tempfile
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import NamedTuple

from ..isolation.archives import JUNK, too_large
from . import reading
from .files import LIMIT, opened

PLUGIN = r"_assignsubmission_(?:file|onlinetext)"  # Moodle's, of what is handed in
MARK = re.compile(rf"(?=_\d+{PLUGIN})")
MOODLE = re.compile(rf"(?P<student>.+?)_(?P<number>\d+){PLUGIN}(?:_|$)")
CANVAS = re.compile(r"(?P<student>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_.+")
ENDING = re.compile(
    r"(?i)(\.(ipynb|json|txt|zip|tar|gz|tgz|bz2|tbz2?|xz|txz|7z|rar))+$"
)
WRAPPERS = {"submitted", "submissions"}
LONGEST = 200  # bytes of a student's name as a folder's


class InboxError(ValueError):
    """The inbox as a whole cannot be read: the message says why."""


class Delivery(NamedTuple):
    """One file.

    place: the part of its path that the platform or the instructor has made. time: of
    handing in. open: for its bytes. problem: why it is not to be read, or "". about: an
    About, if it is a notebook. date: by the student's own archive, in seconds.
    """

    path: PurePosixPath  # inside the inbox
    place: PurePosixPath
    time: datetime
    open: Callable | None
    problem: str = ""
    about: reading.About | None = None
    date: int = 0


class Owner(NamedTuple):
    """Whose a file is. number: a platform's, of the student or the submission."""

    student: str
    identity: str
    number: str = ""
    canvas: bool = False

    @property
    def name(self):
        """As the platform writes it."""
        return self.identity.removesuffix(f" ({self.number})")


class Unowned(ValueError):
    """Nothing, or nothing usable, says whose file it is."""


def deliveries(inbox, whose):
    """Yield a Delivery for each file of a folder or a .zip, unpacked.

    whose(place): its Owner, or Unowned. All files of one are read in SECONDS.
    """
    inbox, spool = Path(inbox), Spool()
    if not inbox.exists():
        raise InboxError(
            f"there is no {inbox}: give a folder, or a .zip, of submissions"
        )
    files = _in_folder(inbox) if inbox.is_dir() else _in_archive(inbox)
    left = collections.defaultdict(lambda: reading.SECONDS)  # whose -> seconds
    for file in files:
        if not JUNK.isdisjoint(file.path.parts):
            continue
        begun, owner = monotonic(), file.place
        with contextlib.suppress(Unowned):
            owner = whose(file.place)
        if left[owner] <= 0:
            why = "the student's other files took all the time there is to read them"
            file = file._replace(problem=file.problem or why)
        yield from [file] if file.problem else _unpacked(file, spool, left[owner])
        left[owner] -= monotonic() - begun


def owner_of(path, labs, pattern=None):
    """The Owner of a file, from the part of its path that its student has not made.

    Unowned where none is named. A pattern is for the first part of the path; one that
    has a / is for the path, from its beginning.
    """
    if pattern is not None:
        search = re.match if "/" in pattern else re.search
        match = search(pattern, str(path) if "/" in pattern else path.parts[0])
        if not match or not match["student"]:
            raise Unowned("its path does not match the pattern")
        return _owner(match["student"])
    parts = [ENDING.sub("", part) for part in path.parts]
    while len(parts) > 1 and (parts[0] in WRAPPERS or parts[0] in labs):
        del parts[0]
    if owner := of_platform(parts[0]):
        return owner
    lab, rest = lab_in(parts[0], labs)
    if lab and rest:
        return _owner(rest)
    if len(parts) == 1 or lab:
        raise Unowned(
            "nothing says whose it is: put it into a folder with the student's name, "
            "call it STUDENT_03_strides.ipynb, or give a pattern with (?P<student>...)"
        )
    return _owner(parts[0])


def of_platform(name):
    """The Owner that a name in Canvas's or Moodle's form names, or None.

    Unowned where it can be read in two ways: students choose some of its words.
    """
    canvas, moodle = CANVAS.fullmatch(name), MOODLE.match(name)
    if len(MARK.findall(name)) > 1 or canvas and moodle:
        raise Unowned("its name is that of two students: rename it")
    if canvas:
        return _owner(canvas["student"], canvas["number"], canvas=True)
    return moodle and _owner(moodle["student"], moodle["number"])


def lab_in(name, labs):
    """(the lab that a name names, what else stands there), or (None, name)."""
    for lab in labs:
        words = "[ _-]?".join(map(re.escape, lab.split("_")))
        match = re.search(rf"(?i)(?<![A-Za-z0-9]){words}(?![A-Za-z0-9])", name)
        if match:
            before = name[: match.start()].strip(" _-.")
            after = re.sub(r"^-\d{1,2}$|\(\d+\)", "", name[match.end() :]).strip(" _-.")
            return lab, before or after
    return None, name


def _owner(name, number="", canvas=False):
    name = unicodedata.normalize("NFC", name)
    identity = f"{name} ({number})" if number else name
    return Owner(safe(name), identity, number, canvas)


def safe(name):
    """A student's name as the name of a folder: letters, digits and . _ - @ only."""
    name = unicodedata.normalize("NFC", name)
    name = re.sub(r"[^\w.@-]+", "_", name).strip("._-@")[:100]
    name = name.encode()[:LONGEST].decode(errors="ignore")
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
        yield Delivery(path, path, _now(), None, f"cannot be read: {error.strerror}")


def _on_disk(inbox, path):
    name, time = PurePosixPath(path.relative_to(inbox).as_posix()), _now()
    try:
        about = path.lstat()
    except OSError as error:
        return Delivery(name, name, time, None, f"cannot be read: {error.strerror}")
    problem = "" if stat.S_ISREG(about.st_mode) else "is not an ordinary file"
    if stat.S_ISLNK(about.st_mode):
        problem = "is a link, and links are not followed"
    elif about.st_size > LIMIT:
        problem = too_large(about.st_size, LIMIT)
    with contextlib.suppress(ValueError, OverflowError, OSError):
        time = datetime.fromtimestamp(about.st_mtime, UTC)
    return Delivery(name, name, time, functools.partial(opened, path), problem)


def _in_archive(path):
    """The members of a platform's own .zip; each is read when it is opened."""
    archive = reading.Archive(path)
    try:
        members = archive.members()
    except reading.Broken as error:
        raise InboxError(
            f"{path} is neither a folder nor a .zip file: {error}"
        ) from None
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)

    def open_member(number):
        file = tempfile.TemporaryFile()  # noqa: SIM115
        file.write(archive.read(number))
        file.seek(0)
        return file

    for number, (name, problem, date) in enumerate(members):
        try:  # such times are those of the clock on the wall where it was made
            time = datetime(*date).astimezone(UTC)
        except (ValueError, OverflowError, OSError, TypeError):
            time = changed
        where = PurePosixPath(name.lstrip("/") or "?")
        get = functools.partial(open_member, number)
        yield Delivery(where, where, time, get, problem)


def _unpacked(file, spool, seconds):
    """The file as it was handed in, or what is packed in it; of the same time."""
    try:
        with file.open() as data:
            for entry in reading.entries(data, file.path.name, seconds):
                yield _entry(file, entry, spool)
    except (OSError, reading.Broken) as error:
        why = getattr(error, "strerror", None) or error
        yield file._replace(problem=f"cannot be read: {why}")


def _entry(file, entry, spool):
    if not entry.path:
        return file._replace(problem=entry.problem, about=entry.about)
    inside = entry.path.lstrip("/")
    return file._replace(
        path=file.path / inside,
        place=file.place / "packed",
        open=None if entry.problem else spool.put(entry.data),
        problem=entry.problem,
        about=entry.about,
        date=entry.date,
    )


class Spool:
    """What was packed, in one file without a name: it ends with this process."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()  # noqa: SIM115

    def put(self, data):
        """Keep bytes; return what opens them."""
        begin = self.file.seek(0, os.SEEK_END)
        self.file.write(data)
        return functools.partial(self._get, begin, len(data))

    def _get(self, begin, size):
        self.file.seek(begin)
        return io.BytesIO(self.file.read(size))


def _now():
    return datetime.now(UTC)
