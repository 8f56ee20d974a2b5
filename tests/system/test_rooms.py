"""The rooms of grading: each imports only what its docstring says, all of it below."""

import ast
import re

import pytest

from minigrad import course

GRADING = course.home() / "grading"
ROOMS = sorted(path.parent.name for path in GRADING.glob("*/__init__.py"))


def allowed(room):
    """The rooms that its docstring says it imports."""
    doc = ast.get_docstring(ast.parse((GRADING / room / "__init__.py").read_text()))
    said = re.search(r"^Imports (.+)\.$", doc, re.M)[1]
    return {*said.removesuffix("nothing of grading").split(", ")}


def imported(path):
    """The rooms that a file imports from, and what it imports from the top."""
    package = path.relative_to(GRADING.parent).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        place = package[: len(package) + 1 - node.level] if node.level else ()
        place = [*place, *(node.module or "").split(".")]
        for name in node.names:
            whole = [part for part in (*place, name.name) if part]
            if whole[0] == "grading":
                yield whole[1] if whole[1] in ROOMS else ".".join(whole[:2])


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_what_it_says(room):
    files = [*(GRADING / room).rglob("*.py")]
    assert {n for path in files for n in imported(path)} <= allowed(room) | {room}


def test_imports_go_downward():
    above = dict.fromkeys(ROOMS, frozenset())
    for _ in ROOMS:
        for room in ROOMS:
            for lower in allowed(room) & {*ROOMS}:
                above[lower] |= above[room] | {room}
    assert all(room not in above[room] for room in ROOMS)
