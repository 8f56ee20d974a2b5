"""How the rooms are built: each kind of node has its function, imports go one way."""

import ast as python
import dataclasses
import graphlib
import pathlib

import cudasim
from cudasim.front import ast, tree
from cudasim.front.sema.node_checks import TABLE
from cudasim.generate.function_code import PLACES, STATEMENTS, VALUES

HOME = pathlib.Path(cudasim.__file__).parent
# Parts of another node, which its function reads.
PARTS = {"PackOf", "Expand", "Parameter", "TemplateParameter", "Variable"}
CODE_PARTS = {"Case", "EnumValue", "Function", "Label", "Variable"}
# Types and expressions contain each other; the parser reads them in two files.
TOGETHER = {"front.parse.parse_types", "front.parse.parse_expressions"}


def kinds(module):
    return {c for c in vars(module).values() if dataclasses.is_dataclass(c)}


def test_each_kind_of_node_has_its_function():
    assert {kind.__name__ for kind in kinds(ast) - {*TABLE}} == PARTS
    written = {*VALUES, *PLACES, *STATEMENTS}
    assert {kind.__name__ for kind in kinds(tree) - written} == CODE_PARTS


def modules():
    """name -> path of each module of the package, without tests and benchmarks."""
    files = [p for p in HOME.rglob("*.py") if p.relative_to(HOME).parts[0] not in (
        "tests", "benchmarks", "build")]  # fmt: skip
    return {".".join(p.relative_to(HOME).with_suffix("").parts): p for p in files}


def imports(name, path, known):
    """The modules of the package that a module imports when it is imported."""
    rooms = name.split(".")[:-1]
    for node in python.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, python.ImportFrom) and node.level:
            at = [*rooms[: len(rooms) + 1 - node.level], node.module]
            for alias in node.names:
                whole = [*filter(None, at), alias.name]
                likely = (
                    whole,
                    [*whole, "__init__"],
                    whole[:-1],
                    [*whole[:-1], "__init__"],
                )
                yield next(n for n in map(".".join, likely) if n in known)


def test_imports_go_one_way():
    known = modules()
    graph = {name: {*imports(name, path, known)} - {name, "__init__"}
             for name, path in known.items()}  # fmt: skip
    for name in TOGETHER:
        graph[name] -= TOGETHER
    assert {*graph} > TOGETHER
    graphlib.TopologicalSorter(graph).prepare()  # CycleError names a circle
