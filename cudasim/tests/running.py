"""How tests are run: `--nightly`, whole files to a worker, and what was not run.

A plugin of pytest, for these tests and the course's.
"""

import contextlib
import os
import re

import pytest

with contextlib.suppress(ImportError):  # an example takes long on a busy machine
    import hypothesis

    hypothesis.settings.register_profile("no clock", deadline=None)
    hypothesis.settings.load_profile("no clock")


def pytest_addoption(parser):
    words = "more seeds, more architectures, every version: what seldom differs"
    parser.addoption("--nightly", action="store_true", help=words)
    words = "reuse nothing of earlier runs"
    parser.addoption("--fresh", action="store_true", help=words)


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
