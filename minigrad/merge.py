"""Merging answers into a module: each hole becomes the learner's own function.

What a name of the notebook stands for is read off the text: an import, an exercise, or
a helper. In the module the same thing may have another name, so references are edited:
`layout.numel(x)` in a notebook is `numel(x)` in layout.py.
"""

import ast
import builtins
import importlib.util
import sys
from typing import NamedTuple

from . import pieces
from .cells import bound_by, definition, is_definition, names_used, statements
from .exercise import find


class CannotMerge(ValueError):
    """An answer that cannot stand in a module as it is; the message says why."""


class Origin(NamedTuple):
    """What a name stands for: a module, or (`name`, perhaps dotted) a thing in it."""

    module: str
    name: str | None = None


class Module:
    """A module of the package while holes are replaced in its text."""

    def __init__(self, name, text, is_package=False):
        self.name, self.text = name, text
        self.package = name if is_package else name.rpartition(".")[0]
        self.tree = ast.parse(text)
        self.names = {}  # what each name at top level stands for
        self.imports = []  # lines to add at the top
        self.edits = []
        self.brought = {}  # (cell, name) in the notebook -> name here
        for node in self.tree.body:
            for name in bound_by(node):
                self.names[name] = self.origin_of(node, name)

    def origin_of(self, node, name):
        if isinstance(node, ast.Import | ast.ImportFrom):
            return imported(node, name, self.package)
        return Origin(self.name, name)


def imported(node, name, package=""):
    """The Origin of a name that an import statement binds."""
    alias = next(a for a in node.names if name in (a.asname, a.name.split(".")[0]))
    if isinstance(node, ast.Import):
        return Origin(alias.name if alias.asname else name)
    parent = ".".join(package.split(".")[: 1 - node.level or None]) if node.level else ""
    return Origin(".".join(filter(None, [parent, node.module])), alias.name)


class Package:
    """The modules of the exported package, {name: Module}."""

    def __init__(self, modules):
        self.modules = modules

    def settle(self, origin):
        """The Origin where a thing is really defined, behind every re-export."""
        module = self.modules.get(origin.module)
        if module is None or origin.name is None:
            return origin
        head, _, rest = origin.name.partition(".")
        found = module.names.get(head)
        inner = f"{origin.module}.{head}"
        if found is None and inner in self.modules:
            found = Origin(inner)
        if found is None or found == Origin(origin.module, head):
            return origin
        if rest:
            found = Origin(found.module, ".".join(filter(None, [found.name, rest])))
        return self.settle(found)

    def has(self, origin):
        """Does the exported package have this? (Of other packages: yes.)"""
        if origin.module.split(".")[0] != "minigrad":
            return True
        module = self.modules.get(origin.module)
        if module is None or origin.name is None:
            return module is not None
        return origin.name.split(".")[0] in module.names

    def needs(self, module, other, seen=()):
        """Does importing `module` import `other`?"""
        found = {o.module for o in map(self.settle, self.modules[module].names.values())}
        found &= set(self.modules) - {module, *seen}
        return other in found or any(
            self.needs(name, other, (*seen, module)) for name in found
        )


class Answer(NamedTuple):
    """A hole, the cell that answers it, and all cells of that notebook."""

    hole: object
    cell: object
    cells: list
    place: str


class Merger:
    """Puts one answer into its module."""

    def __init__(self, answer, module, package):
        self.answer, self.module, self.package = answer, module, package
        self.prelude = []  # helpers, in the order in which they need each other

    def function(self):
        """The text of the answer's function, as it stands in the module."""
        hole, cell = self.answer.hole, self.answer.cell
        node = self.find_answer()
        if isinstance(node, ast.FunctionDef):
            text = pieces.without_decorator(pieces.cut(cell.text, node), _is_solves)
        else:
            text, cell = self.of_expression(node, cell)
        text, imports = self.moved(text, cell)
        return pieces.renamed(text, hole.name), imports

    def find_answer(self):
        """The `def`, or what stands in the brackets of solves(hole)(...)."""
        for node in reversed(statements(self.answer.cell)):
            if isinstance(node, ast.FunctionDef):
                if any(_solved(d) == self.answer.hole.name for d in node.decorator_list):
                    return node
            elif isinstance(node, ast.Expr | ast.Assign):
                call = node.value
                if isinstance(call, ast.Call) and _is_solves(call.func) and call.args:
                    return call.args[0]
        self.stop("is not at the left edge of its cell: move it there")

    def of_expression(self, node, cell):
        """A `def` for an answer that is a lambda, a name or any other expression."""
        if isinstance(node, ast.Lambda):
            body = ast.get_source_segment(cell.text, node.body)
            head = f"def {self.answer.hole.name}({ast.unparse(node.args)}):\n"
            return f"{head}    return (\n{body}\n)\n", cell
        if isinstance(node, ast.Name):
            where, at = definition(node.id, [cell])
            if where is None:
                where, at = definition(node.id, self.answer.cells)
            if isinstance(where, ast.FunctionDef):
                return pieces.cut(at.text, where), at
        name = f"_{self.answer.hole.name}"
        self.prelude.append(self.constant(f"{name} = {ast.unparse(node)}\n", cell))
        self.module.names[name] = Origin(self.module.name, name)
        return self.forwarding(name), cell

    def stop(self, problem):
        raise CannotMerge(
            f"{self.answer.place}, {self.answer.cell.title}: the answer {problem}"
        )
