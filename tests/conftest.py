"""What every test may use, and the list of what was not run."""

import contextlib
import functools
import gc
import json
import os
import re
import sys

import pytest

from minigrad import course

if "PYTEST_XDIST_WORKER" in os.environ:  # the workers share the cores
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# jsonschema checks IRIs by it, which no notebook has; importing it takes seconds.
sys.modules.setdefault("rfc3987_syntax", None)

with contextlib.suppress(ImportError):  # an example takes long on a busy machine
    import hypothesis

    hypothesis.settings.register_profile("no clock", deadline=None)
    hypothesis.settings.load_profile("no clock")

gc.disable()  # until all tests are collected: objects by the million, no garbage


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_addoption(parser):
    parser.addoption(
        "--seeds",
        type=int,
        default=1,
        help="of the random cases by which every right and wrong answer is judged",
    )
    words = "more seeds, more architectures, every version: what seldom differs"
    parser.addoption("--nightly", action="store_true", help=words)


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Leave out what is marked `nightly`, unless this is the night.

    A worker has whole files, so that what a file shares is made once; those that take
    long come first.
    """
    if not config.getoption("nightly"):
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)
        for item in items:
            if item.get_closest_marker("xdist_group") is None:
                item.add_marker(pytest.mark.xdist_group(item.path.stem))


@pytest.fixture(scope="session")
def nightly(request):
    """Whether everything is tried, or what most often finds a mistake."""
    return request.config.getoption("nightly")


@pytest.fixture(scope="session")
def targets(nightly):
    """The compute capabilities for which NVRTC compiles."""
    return (75, 90) if nightly else (75,)


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


def pytest_terminal_summary(terminalreporter):
    """Name everything that was skipped, once: `not run: <name> (<reason>)`."""
    lines = [not_run(report) for report in terminalreporter.stats.get("skipped", [])]
    for line in dict.fromkeys(lines):
        terminalreporter.write_line(line, yellow=True)


def not_run(report):
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "no reason"
    reason = reason.removeprefix("Skipped: ")
    if reason.startswith("not run: "):
        return reason
    name = re.sub(r"\[.*", "", report.nodeid)
    return f"not run: {name} ({reason})"


@pytest.fixture(scope="session", autouse=True)
def where_there_is_no_box():
    """Courses of the tests grade without one there; what is about it does not run."""
    try:
        from grading import sandbox
        from grading.classroom import book
    except ImportError:  # without nbgrader nothing is graded
        return
    if sandbox.why_not():
        book.CONFIG += "c.RunAnswers.unsafe = True\n"


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
