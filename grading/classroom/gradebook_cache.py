"""One Gradebook of nbgrader's for each database, however often it is opened.

nbgrader opens it ten times for a submission. Each time it makes an engine, for which
SQLAlchemy keeps all statements that it has compiled, and looks for every table.
"""

import functools
import os

from nbgrader.api import Gradebook
from nbgrader.converters import autograde
from nbgrader.preprocessors import latesubmissions
from sqlalchemy.engine import make_url

_gradebook = functools.lru_cache(8)(Gradebook)


def gradebook(url, course_id="default_course"):
    """The Gradebook; its `close` lets go of the database until it is used again."""
    database = make_url(url)
    if database.drivername == "sqlite" and not _has_tables(database.database):
        _gradebook.cache_clear()
    return _gradebook(url, course_id)


def _has_tables(path):
    return os.path.isfile(path) and os.path.getsize(path) > 0


autograde.Gradebook = latesubmissions.Gradebook = gradebook
