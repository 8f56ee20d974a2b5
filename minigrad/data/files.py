"""Files of a data set: found, and checked."""

import gzip
import hashlib
import os
import zlib
from pathlib import Path
from typing import NamedTuple


class File(NamedTuple):
    """A gzip file: its name, the SHA-256 of its bytes unpacked, its size packed."""

    name: str
    sha256: str
    size: int

    @property
    def plain(self):
        """Its name where it lies unpacked."""
        return self.name.removesuffix(".gz")


class Damaged(ValueError):
    """A file is there, but its bytes are not those that were published."""


class DataMissing(FileNotFoundError):
    """A data set is not on this computer, and could not be fetched."""


def cache():
    """Where downloads are kept: a folder of the user's."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "minigrad"


def places(name, root=None):
    """The folders in which a data set may lie, the first asked first."""
    if root is not None and not isinstance(root, str | os.PathLike):
        raise TypeError(f"root is the path of a folder, not {root!r}")
    given = os.environ.get("MINIGRAD_DATA")
    roots = [Path(r).expanduser() for r in (root, given) if r]
    return [p for r in roots for p in (r, r / name)] + [cache() / name]


def unpacked(file, folder, others=()):
    """The bytes of a file in a folder; None if it is not there, Damaged if wrong.

    others: Files that it may have been mistaken for.
    """
    try:
        paths = [p for p in (folder / file.name, folder / file.plain) if p.is_file()]
    except OSError as error:
        raise Damaged(f"{folder} cannot be read ({error.strerror})") from None
    for path in paths:
        try:
            return checked(file, path, others)
        except Damaged:
            if path is paths[-1]:
                raise
    return None


def checked(file, path, others=()):
    """The unpacked bytes at `path`; Damaged says what is wrong with them."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Damaged(f"{path} cannot be read ({error.strerror})") from None
    if not data:
        raise Damaged(f"{path} is empty")
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except EOFError:
            raise Damaged(
                f"{path} is cut off ({path.stat().st_size:,} bytes)"
            ) from None
        except (OSError, zlib.error) as error:
            raise Damaged(f"{path} is damaged ({error})") from None
    digest = hashlib.sha256(data).hexdigest()
    for other in others:
        if digest == other.sha256 != file.sha256:
            raise Damaged(f"{path} is {other.name}, under another name")
    if digest != file.sha256:
        raise Damaged(f"{path} is not the published file: its checksum differs")
    return data
