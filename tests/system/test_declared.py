"""Every package that is imported is declared, so no install depends on luck."""

import ast
import functools
import importlib
import importlib.metadata
import re
import sys
import tomllib
from importlib.util import find_spec

import pytest

import cudasim
from minigrad import course

FOLDERS = "minigrad", "grading", "cudasim", "benchmarks", "site", "tests", "tools"
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
    ours, results = {*FOLDERS, *MADE, "docs"}, {}
    paths = [p for name in FOLDERS for p in (course.home() / name).rglob("*.py")]
    ours |= {path.stem for path in paths} | {path.parent.name for path in paths}
    for path in paths:
        for name in names_in(path):
            top = name.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in ours:
                results.setdefault(top, set()).add(_shown(path))
    return results


@functools.cache
def names_in(path):
    """The modules that a file imports."""
    tree = ast.parse(path.read_text("utf-8"))
    return {name for node in ast.walk(tree) for name in modules(node)}


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


@functools.cache
def wheels():
    """{package: the distributions that have it} of all that is installed."""
    return importlib.metadata.packages_distributions()


@pytest.mark.slow
def test_every_import_is_declared():
    known, missing = declared(), {}
    for package, files in imported().items():
        names = {plain(name) for name in wheels().get(package, ())}
        names |= {plain(WHEELS.get(package, package))}
        if package not in OPTIONAL and not names & known:
            missing[package] = sorted(files)
    assert not missing, f"declare these in pyproject.toml: {missing}"


@pytest.mark.slow
def test_what_grading_imports_is_in_its_extra():
    known, missing = declared("grade", "cluster", "torch"), {}
    for package, files in imported().items():
        inside = {f for f in files if f.startswith("grading/classroom/")}
        names = {plain(name) for name in wheels().get(package, (package,))}
        if inside and package not in OPTIONAL and not names & known:
            missing[package] = sorted(inside)
    assert not missing


# What is between the course and cudasim

USERS = "minigrad", "grading", "benchmarks", "docs", "examples", "lessons", "solutions"
OF_THE_COURSE = {"minigrad", "grading", "benchmarks", "docs"}
NAME = "cudasim"


def not_public(tree):
    """What a text uses of cudasim's insides."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if "cudasim." in alias.name]
        elif isinstance(node, ast.ImportFrom) and node.module == "cudasim":
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module] if node.module.startswith("cudasim.") else []
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == NAME:
            names = [node.attr]
        yield from (n for n in names if n not in cudasim.__all__ and n[:2] != "__")


def test_the_course_uses_what_is_public_of_cudasim_alone():
    inside = {}
    for folder in USERS:
        for path in (course.home() / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            used = set(not_public(ast.parse(text))) if NAME in text else set()
            if folder == "benchmarks":  # they share clocks and tables
                used = {name for name in used if "cudasim.benchmarks" not in name}
            if used:
                inside[_shown(path)] = used
    assert inside == {}


@pytest.mark.parametrize(
    "text",
    ["import cudasim.front", "from cudasim.front import lex", "cudasim.front.compile()",
     "from cudasim import engine"],
)  # fmt: skip
def test_what_is_inside_is_seen(text):
    assert [*not_public(ast.parse(text))]


def test_cudasim_needs_nothing_of_the_course():
    home = course.home()
    others = OF_THE_COURSE | {path.stem for path in (home / "tests").rglob("*.py")}
    others -= {path.stem for path in (home / "cudasim/tests").glob("*.py")}
    guilty = {}
    for path in (home / "cudasim").rglob("*.py"):
        if wrong := {n for n in names_in(path) if n.partition(".")[0] in others}:
            guilty[_shown(path)] = wrong
    assert guilty == {}


def test_every_public_name_of_cudasim_is_documented():
    table = (course.home() / "cudasim/README.md").read_text("utf-8")
    table = table.partition("## What is public")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line[:3] == "| `"]
    assert sorted(re.findall(r"`(\w+)`", "".join(cells))) == sorted(cudasim.__all__)


def test_every_room_of_cudasim_is_installed():
    home = course.home() / "cudasim"
    project = tomllib.loads((home / "pyproject.toml").read_text())
    rooms = [path.parent.relative_to(home) for path in home.rglob("*/__init__.py")]
    rooms = [".".join(["cudasim", *p.parts]) for p in rooms if p.parts[0] != "tests"]
    packages = project["tool"]["setuptools"]["packages"]
    assert sorted(packages) == sorted(["cudasim", *rooms])


@pytest.mark.parametrize("dead", ["bleach"])
def test_nothing_dead_is_imported(dead):
    assert dead not in imported()


@pytest.mark.parametrize("folder", ["minigrad", "grading", "benchmarks", "tools"])
def test_what_is_imported_from_our_own_modules_is_there(folder):
    """Imports inside functions too, which no other test may reach."""
    for path in (course.home() / folder).rglob("*.py"):
        package = path.relative_to(course.home()).with_suffix("").parts[:-1]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            if module.partition(".")[0] not in FOLDERS:
                continue
            there = importlib.import_module(module)
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                assert hasattr(there, alias.name) or find_spec(inner), (path, inner)
