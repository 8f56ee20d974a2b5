"""What every test of the course may use."""

import contextlib
import functools
import gc
import json
import os
import sys

import pytest

from minigrad import course

if "PYTEST_XDIST_WORKER" in os.environ:  # the workers share the cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# jsonschema checks IRIs by it, which no notebook has; importing it takes seconds.
sys.modules.setdefault("rfc3987_syntax", None)

collect_ignore = ["answers"]  # some are tests that learners write, and no tests of ours

gc.disable()  # until all tests are collected: objects by the million, no garbage


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_addoption(parser, pluginmanager):
    for name in ("running", "nvrtc_answers"):  # of cudasim/tests
        pluginmanager.import_plugin(name)
    pluginmanager.import_plugin("reuse")
    parser.addoption(
        "--seeds",
        type=int,
        default=1,
        help="of the random cases by which every right and wrong answer is judged",
    )


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory):
    """A JupyterLab on a copy of the course, one for all tests; group "browser"."""
    from lab_server import Server, copy_course

    folder = tmp_path_factory.mktemp("browser")
    with Server(copy_course(folder), folder / "jupyter") as server:
        yield server


@pytest.fixture(scope="session")
def chrome():
    """Headless Chromium, one for all tests: chrome.new_page()."""
    from lab_server import browser, chromium

    if chromium() is None:
        pytest.skip("not run: browser tests (no Chromium: apt-get install chromium)")
    with browser() as page:
        yield page.context


@pytest.fixture(scope="session", autouse=True)
def where_there_is_no_box():
    """Courses of the tests grade without one there; what is about it does not run."""
    try:
        from grading.classroom import course_dir
        from grading.isolation import sandbox
    except ImportError:  # without nbgrader nothing is graded
        return
    if sandbox.why_not():
        course_dir.CONFIG += "c.RunAnswers.unsafe = True\n"


@pytest.fixture(scope="session", autouse=True)
def alembic_says_its_version_here():
    """In a process of its own it takes seconds, for each new gradebook."""
    with contextlib.suppress(ImportError):  # without nbgrader there is none
        from alembic.config import Config
        from alembic.script import ScriptDirectory
        from nbgrader import api, dbutil

        @functools.cache
        def version():
            with dbutil._temp_alembic_ini("sqlite://") as path:
                scripts = ScriptDirectory.from_config(Config(path))
                return scripts.get_current_head()

        api.get_alembic_version = version


@pytest.fixture
def course_home(tmp_path, monkeypatch):
    """An empty course folder, which the course takes for its own."""
    for folder in ("labs", "lessons", "solutions"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(course, "home", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def write_notebook():
    """write_notebook(path, ("id", "code" or "markdown", "text"), ...)"""

    def write(path, *cells, **metadata):
        notebook = {
            "cells": [cell(*parts) for parts in cells],
            "metadata": metadata,
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path.write_text(json.dumps(notebook))
        return path

    return write


def cell(key, kind, text, **metadata):
    plain = {"cell_type": kind, "id": key, "metadata": metadata, "source": text}
    code = {"outputs": [], "execution_count": None}
    return plain | (code if kind == "code" else {})
