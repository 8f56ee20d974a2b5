"""The tests of the course that need nothing but the exported package."""

import ast
import functools
import re
import sys

from .. import course
from .assemble import HERE, path_of

AT_HAND = {
    "numpy",
    "torch",
    "pytest",
    "hypothesis",
    "matplotlib",
    "PIL",
    "safetensors",
    "cudasim",
}
AT_HAND |= sys.stdlib_module_names
FILLING = re.compile(r"(?m)^from answers import .*\n")  # here are no exercises to fill
OF_THE_COURSE = re.compile(r"course\.home|solutions|answers_from|\bfilled\b")


def tests(modules):
    """{path in tests/: text} of tests, of what they import, and of what they read.

    modules: the paths in the package of what is exported.
    """
    folder = course.home() / "tests"
    paths = {path.stem: path for path in sorted(folder.rglob("*.py"))}
    texts = {stem: path.read_text("utf-8") for stem, path in paths.items()}
    texts = {stem: FILLING.sub("", text) for stem, text in texts.items()}
    names = {stem: set(imported(ast.parse(text))) for stem, text in texts.items()}

    def is_there(name):
        top = name.split(".")[0]
        if top == "minigrad":
            path = path_of(name)
            return path is None or path.relative_to(HERE) in modules
        return top in AT_HAND or top in paths and stands_alone(top)

    @functools.cache
    def stands_alone(stem):
        ours = not OF_THE_COURSE.search(texts[stem])
        return ours and all(map(is_there, names[stem] - {stem}))

    stems, queue = set(), [s for s in paths if s[:5] == "test_" and stands_alone(s)]
    while queue:
        stems.add(stem := queue.pop())
        queue += {name.split(".")[0] for name in names[stem]} & set(paths) - stems
    said = "".join(texts[stem] for stem in stems)
    data = [p for p in folder.rglob("*.txt") if f'{p.name}"' in said]
    files = {paths[stem]: texts[stem] for stem in sorted(stems)}
    files |= {path: path.read_text("utf-8") for path in data}
    return {path.relative_to(folder): text for path, text in files.items()}


def imported(tree):
    """The names of the modules that a text imports, and of what may be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
