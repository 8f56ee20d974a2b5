"""Replacements for four functions of nbgrader, where it has no extension point.

- nbgrader copies the files beside a notebook, and reads timestamp.txt there. It would
  follow a link to one of the teacher's files, or to a device that never ends. So
  `files` and `timestamp` take only ordinary files that aren't too large, and `files`
  takes at most 1,000 of them.
- nbgrader opens its gradebook about ten times per submission. Each time, it creates a
  SQLAlchemy engine, which keeps all its compiled statements, and looks for every table.
  So `gradebook` keeps the gradebooks that it has opened.
- nbgrader removes earlier results before it converts a notebook. So
  `convert_notebooks` takes the course's lock first. Meanwhile, it stays connected to
  the gradebook's database.
"""

import contextlib
import functools
import itertools
import os
from fnmatch import fnmatch
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.converters import autograde, base
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import latesubmissions
from sqlalchemy.engine import make_url

from .files import STAMP, is_ordinary
from .lock import Busy, alone, is_held

MOST, LONGEST = 1000, 1000  # files that are copied, and characters of a path

_timestamp = CourseDirectory.get_existing_timestamp
_convert = autograde.Autograde.convert_notebooks


class Book(Gradebook):
    """A Gradebook whose `close` lets go of the database until it's used again."""

    is_connected = False

    @contextlib.contextmanager
    def connected(self):
        """Have `close` only forget what was read: the next use needs no connection."""
        self.is_connected = True
        try:
            yield
        finally:
            self.is_connected = False
            self.close()

    def close(self):
        self.db.remove()
        if not self.is_connected:
            self.engine.dispose()


_gradebook = functools.lru_cache(8)(Book)


def files(folder, exclude=()):
    """The files below a folder that nbgrader shall copy; `exclude` are patterns."""
    return [*itertools.islice(_files(folder, exclude), MOST)]


def _files(folder, exclude):
    for place, folders, names in os.walk(folder):
        folders[:] = _included(folders, exclude)
        paths = [os.path.join(place, name) for name in _included(names, exclude)]
        yield from (p for p in paths if len(p) < LONGEST and is_ordinary(p))


def _included(names, exclude):
    return [n for n in names if not any(fnmatch(n, pattern) for pattern in exclude)]


def timestamp(self, folder):
    """nbgrader's time of a submission."""
    stamp = Path(folder, "timestamp.txt")
    return _timestamp(self, folder) if is_ordinary(stamp, STAMP) else None


def gradebook(url, course_id="default_course"):
    """The Book of a database."""
    database = make_url(url)
    if database.drivername == "sqlite" and not _has_tables(database.database):
        _gradebook.cache_clear()
    return _gradebook(url, course_id)


def _has_tables(path):
    return os.path.isfile(path) and os.path.getsize(path) > 0


def convert_notebooks(self):
    """Convert under the course's lock."""
    root = self.coursedir.root
    try:
        with contextlib.nullcontext() if is_held(root) else alone(root):
            url, name = self.coursedir.db_url, self.coursedir.course_id
            with gradebook(url).connected(), gradebook(url, name).connected():
                _convert(self)
    except Busy as problem:
        self.log.error(problem)
        raise base.NbGraderException(problem) from None


base.find_all_files = files
CourseDirectory.get_existing_timestamp = timestamp
autograde.Gradebook = latesubmissions.Gradebook = gradebook
autograde.Autograde.convert_notebooks = convert_notebooks
