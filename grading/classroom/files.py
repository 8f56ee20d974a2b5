"""Files of a course directory: written whole, and told apart by their bytes."""

import hashlib
import os
import stat

LIMIT = 200 * 2**20  # bytes of one file, and of all that one student packed into a .zip
STAMP = 1000  # bytes of a timestamp.txt


def write(path, data):
    """Write a file whole or not at all, whatever fails: the disk, or the power."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".tmp")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def digest(data):
    """SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def is_ordinary(path, limit=LIMIT):
    """Is this a file, and no link, pipe or device, and not huge?"""
    try:
        about = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(about.st_mode) and about.st_size <= limit


def opened(path, limit=LIMIT):
    """Open a file to read its bytes; OSError for a link, a pipe, or a huge file."""
    how = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    file = os.fdopen(os.open(path, how), "rb")
    about = os.fstat(file.fileno())
    if stat.S_ISREG(about.st_mode) and (limit is None or about.st_size <= limit):
        return file
    file.close()
    raise OSError(f"{path} is no ordinary file, or it is larger than it was")


def fingerprint(path):
    """That of a file's bytes; None where there is no file. A huge one is not read."""
    try:
        if not path.is_file():
            return None
        size = path.stat().st_size
        if size > LIMIT:
            return f"{size} bytes"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror}"
