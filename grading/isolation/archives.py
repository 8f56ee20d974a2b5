"""Archives that students hand in, and all that is packed in them; see reader.py."""

import bz2
import calendar
import contextlib
import functools
import gzip
import io
import lzma
import re
import stat
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import NamedTuple

DEEPEST = 3  # archives in archives
PATH = 1000  # characters
JUNK = {
    "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints",
    "timestamp.txt",
}  # fmt: skip
ZIP, TAR = (b"PK\x03\x04", b"PK\x05\x06"), b"ustar"
COMPRESSED = {b"\x1f\x8b": gzip, b"BZh": bz2, b"\xfd7zXZ\0": lzma}
FOREIGN = {
    b"7z\xbc\xaf\x27\x1c": ".7z", b"Rar!": ".rar", b"\x28\xb5\x2f\xfd": ".zst",
}  # fmt: skip
# These are .zip archives, too, and nobody packs a notebook into one.
WHOLE = {".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".pages", ".epub", ".whl",
         ".jar", ".npz", ".pt", ".pth"}  # fmt: skip
NO_DATE = 1980, 1, 1, 0, 0, 0


class Entry(NamedTuple):
    """A file. path: "" where it was not packed. date: in seconds, by its archive."""

    path: str
    problem: str
    date: int
    data: bytes = b""


class Budget:
    """What is left of what one student may hand in."""

    def __init__(self, members, size):
        self.members, self.size, self.most = members, size, size

    def spend(self, members):
        """Why it is too much, or ""."""
        self.members -= len(members)
        self.size -= sum(member.size for member in members)
        if self.members < 0:
            return f"holds {len(members)} files, too much for a submission"
        if self.size < 0:
            size = sum(member.size for member in members)
            return f"{too_large(size, self.most)}, too much for a submission"
        return ""


class Member(NamedTuple):
    """A file in an archive. kind: "", "link", "locked", or "odd"."""

    path: str
    kind: str
    size: int
    date: list  # year, month, day, hour, minute, second, by an unknown clock
    read: Callable

    def problem(self, limit):
        """Why it is not to be read, or ""."""
        leads_out = self.path.startswith("/") or re.match(r"[A-Za-z]:", self.path)
        if leads_out or ".." in PurePosixPath(self.path).parts:
            return "its path leads out of the archive"
        if len(self.path) > PATH:
            return f"its path has {len(self.path)} characters"
        why = {"link": "is a link, and links are not followed",
               "locked": "is locked with a password",
               "odd": "is not an ordinary file"}  # fmt: skip
        return why.get(self.kind) or (
            too_large(self.size, limit) if self.size > limit else ""
        )


def members_of_zip(file):
    """The Members of a .zip, which may have names that are no UTF-8."""
    zipfile._MASK_UTF_FILENAME = 0  # zipfile gives up at one: `_decoded` reads them
    archive = zipfile.ZipFile(file)
    return [_of_zip(archive, one) for one in archive.infolist() if not one.is_dir()]


def members_of_tar(file):
    """The Members of a .tar."""
    archive = tarfile.TarFile(fileobj=file, errors="replace")
    return [_of_tar(archive, one) for one in archive if not one.isdir()]


def entries(data, name, left, path="", date=0, depth=0):
    """Yield an Entry for a file, or for each that is packed in it."""
    foreign = [kind for first, kind in FOREIGN.items() if data.startswith(first)]
    if foreign:
        why = f"is a {foreign[0]} archive; only .zip and .tar.gz are unpacked"
        yield Entry(path, why, date)
        return
    if PurePosixPath(name).suffix.lower() in WHOLE:
        yield Entry(path, "", date, data)
        return
    try:
        members = _members(data, name, left)
    except MemoryError:
        raise
    except Exception:  # it only looks like an archive, or is broken
        members = None
    why = "" if members is None else _refused(members, left, depth)
    if members is None or why:
        yield Entry(path, why, date, data)
        return
    for member in members:
        yield from _unpacked(member, left, path, depth)


def _unpacked(member, left, path, depth):
    where = f"{path}/{member.path}".lstrip("/")
    why, date = member.problem(left.most), _seconds(member.date)
    try:
        data = b"" if why else member.read()
    except MemoryError:
        raise
    except Exception as error:
        why = f"cannot be read: {error}"
    if why:
        yield Entry(where[:PATH], why, date)
    else:
        yield from entries(data, member.path, left, where, date, depth + 1)


def _refused(members, left, depth):
    """Why an archive is not unpacked, or ""."""
    if not members:
        return "is an empty archive"
    if depth >= DEEPEST:
        return f"is packed in more than {DEEPEST} archives"
    return left.spend(members)


def _members(data, name, left):
    """The Members of an archive without what systems add; None where it is none."""
    members = None
    if data.startswith(ZIP):
        members = members_of_zip(io.BytesIO(data))
    for first, module in COMPRESSED.items():
        if data.startswith(first):
            with module.open(io.BytesIO(data)) as file:
                data = file.read(left.size + 1)
            get = functools.partial(bytes, data)
            members = [Member(PurePosixPath(name).stem, "", len(data), [*NO_DATE], get)]
    if data[257:262] == TAR:
        members = members_of_tar(io.BytesIO(data))
    return members and [
        m for m in members if JUNK.isdisjoint(PurePosixPath(m.path).parts)
    ]


def _of_zip(archive, one):
    mode = one.external_attr >> 16
    kind = "link" if stat.S_ISLNK(mode) else "locked" if one.flag_bits & 1 else ""
    path = _decoded(one.orig_filename).replace("\\", "/")

    def read():
        with archive.open(one) as file:
            return file.read(one.file_size)

    return Member(path, kind, one.file_size, list(one.date_time), read)


def _of_tar(archive, one):
    kind = "" if one.isreg() else "link" if one.islnk() or one.issym() else "odd"
    path, date = one.name.encode("utf-8", "replace").decode(), _date(one.mtime)
    return Member(path, kind, one.size, date, lambda: archive.extractfile(one).read())


def _decoded(name):
    """The name of a .zip's member, in UTF-8 or else as MS-DOS wrote it."""
    with contextlib.suppress(UnicodeError):
        name = name.encode("cp437").decode()
    return name.split("\0")[0]


def _date(seconds):
    try:
        return list(time.gmtime(seconds)[:6])
    except (ValueError, OverflowError, OSError):
        return [*NO_DATE]


def _seconds(date):
    try:
        return calendar.timegm((*date, 0, 0, 0))
    except (ValueError, OverflowError):
        return 0


def too_large(size, limit):
    return f"is {size / 2**20:.0f} MB; at most {limit / 2**20:.0f} MB are read"
