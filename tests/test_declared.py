"""Every package that is imported is declared, so no install depends on luck."""

import ast
import functools
import importlib.metadata
import re
import sys
import tomllib

import pytest

from minigrad import course

FOLDERS = "minigrad", "grading", "benchmarks", "tests"
# Packages whose wheels have names of their own, where none is installed.
WHEELS = {
    "cupy": "cupy-cuda13x",
    "cupyx": "cupy-cuda13x",
    "tensorflow": "tensorflow",
    "llvmlite": "numba",
    "numba": "numba",
    "dask_jobqueue": "dask-jobqueue",
}
# What learners may have beside PyTorch, and a platform's own: nothing needs them.
OPTIONAL = {"google", "jax", "pycuda"}
MADE = {"absent", "too_old"}  # by tests


@functools.cache
def imported():
    """{package: files that import it} of what is neither ours nor Python's."""
    ours, found = {*FOLDERS, *MADE, "docs"}, {}
    paths = [p for name in FOLDERS for p in (course.home() / name).rglob("*.py")]
    ours |= {path.stem for path in paths} | {path.parent.name for path in paths}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for name in modules(node):
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top not in ours:
                    found.setdefault(top, set()).add(_shown(path))
    return found


def _shown(path):
    return path.relative_to(course.home()).as_posix()


def modules(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [node.module]
    return []


def declared(*extras):
    """The names of distributions that pyproject.toml asks for."""
    project = tomllib.loads((course.home() / "pyproject.toml").read_text())["project"]
    more = project["optional-dependencies"]
    asked = [*project["dependencies"], *(x for e in extras or more for x in more[e])]
    return {plain(re.match(r"[\w.-]+", text)[0]) for text in asked}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_import_is_declared():
    wheels = importlib.metadata.packages_distributions()
    known, missing = declared(), {}
    for package, files in imported().items():
        names = {plain(name) for name in wheels.get(package, ())}
        names |= {plain(WHEELS.get(package, package))}
        if package not in OPTIONAL and not names & known:
            missing[package] = sorted(files)
    assert not missing, f"declare these in pyproject.toml: {missing}"


def test_what_grading_imports_is_in_its_extra():
    wheels = importlib.metadata.packages_distributions()
    known, missing = declared("grade", "cluster"), {}
    for package, files in imported().items():
        inside = {f for f in files if f.startswith("grading/classroom/")}
        names = {plain(name) for name in wheels.get(package, (package,))}
        if inside and package not in OPTIONAL and not names & known:
            missing[package] = sorted(inside)
    assert not missing


@pytest.mark.parametrize("dead", ["bleach"])
def test_nothing_dead_is_imported(dead):
    assert dead not in imported()
