"""Files of a data set: found, checked, and downloaded where they are missing."""

import gzip
import hashlib
import http.client
import os
import tempfile
import urllib.request
import zlib
from pathlib import Path
from typing import NamedTuple

CHUNK = 2**16
SECONDS = 30  # without a byte, and a mirror is given up


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


def fetched(file, folder, mirrors, progress):
    """Download a file into a folder, whole or not at all; its unpacked bytes.

    Each mirror is tried. Raises OSError with what every one of them said.
    """
    folder.mkdir(parents=True, exist_ok=True)
    said = []
    for mirror in mirrors:
        handle, part = tempfile.mkstemp(dir=folder, prefix=file.name + ".")
        os.close(handle)
        try:
            download(mirror + file.name, part, file, progress)
            data = checked(file, Path(part))
            os.replace(part, folder / file.name)
            return data
        except (OSError, http.client.HTTPException, Damaged) as error:
            said.append(f"{mirror}: {getattr(error, 'reason', None) or error}")
        finally:
            Path(part).unlink(missing_ok=True)
    raise OSError("\n".join(said))


def download(address, path, file, progress):
    """Fetch an address into a file, and say how far it is."""
    asked = urllib.request.Request(address, headers={"User-Agent": "minigrad"})
    with (
        urllib.request.urlopen(asked, timeout=SECONDS) as answer,
        open(path, "wb") as out,
        progress(file.name, file.size) as advance,
    ):
        while chunk := answer.read(CHUNK):
            out.write(chunk)
            advance(len(chunk))
