"""One engine for each gradebook, however often nbgrader opens it.

nbgrader makes an engine each time, ten of them for a submission, and SQLAlchemy keeps
the statements that it has compiled for every one.
"""

import functools

import nbgrader.api

nbgrader.api.create_engine = functools.cache(nbgrader.api.create_engine)
