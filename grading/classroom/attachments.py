"""What lies beside a notebook, as nbgrader takes it: it copies files, and reads a time.

nbgrader follows links: to a file of the teacher's, or to a device that never ends. So
what is no ordinary file, too large, or too much is as if it were not there.
"""

import itertools
import os
import stat
from fnmatch import fnmatch
from pathlib import Path

from nbgrader.converters import base
from nbgrader.coursedir import CourseDirectory

LIMIT = 200 * 2**20  # bytes of one file, and of all that one student packed into a .zip
STAMP = 1000  # bytes of a timestamp.txt
MOST, LONGEST = 1000, 1000  # files that are copied, and characters of a path


def is_ordinary(path, limit=LIMIT):
    """Is this a file, and no link, pipe or device, and not huge?"""
    try:
        about = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(about.st_mode) and about.st_size <= limit


def files(folder, exclude=()):
    """The files below a folder that nbgrader shall copy; `exclude` are patterns."""
    return [*itertools.islice(_files(folder, exclude), MOST)]


def time(self, folder):
    """nbgrader's time of a submission."""
    stamp = Path(folder, "timestamp.txt")
    return _time(self, folder) if is_ordinary(stamp, STAMP) else None


def _files(folder, exclude):
    for place, folders, names in os.walk(folder):
        folders[:] = _kept(folders, exclude)
        paths = [os.path.join(place, name) for name in _kept(names, exclude)]
        yield from (p for p in paths if len(p) < LONGEST and is_ordinary(p))


def _kept(names, exclude):
    return [n for n in names if not any(fnmatch(n, pattern) for pattern in exclude)]


_time = CourseDirectory.get_existing_timestamp
base.find_all_files = files
CourseDirectory.get_existing_timestamp = time
