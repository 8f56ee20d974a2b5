"""Moving one answer from its notebook into its module.

What a name of the notebook stands for is read off the text: an import, an exercise, or
a helper. In the module it may have another name, so references are edited: what is
`layout.numel(x)` in a notebook is `numel(x)` in layout.py.
"""

import ast
import builtins
import importlib
import inspect
from typing import NamedTuple

from ..exercises.cells import (
    Cell,
    bound_by,
    definition,
    is_definition,
    names_used,
    statements,
)
from ..exercises.registry import Exercise, find
from ..exercises.signature import plain
from . import pieces
from .modules import Origin, imported


class CannotMerge(ValueError):
    """An answer that cannot stand in a module as it is; the message says why."""


class Answer(NamedTuple):
    exercise: Exercise
    cell: Cell
    cells: list  # every cell of its notebook
    notebook: str


class Merger:
    """Writes one answer as text of its module."""

    def __init__(self, answer, module):
        self.answer, self.module = answer, module
        self.helpers = []  # texts, in the order in which they need each other

    def function(self, docstring):
        """The answer's function, as it stands in the module."""
        name, cell = self.answer.exercise.name, self.answer.cell
        node = self.find_answer()
        if isinstance(node, ast.FunctionDef):
            text = pieces.cut(cell.text, node)
            text = pieces.without_decorator(text, lambda d: _solved(d) == name)
        else:
            text, cell = self.of_expression(node, cell)
        text, imports = self.moved(pieces.without_marks(text), cell)
        return pieces.with_opening(pieces.renamed(text, name), docstring, imports)

    def find_answer(self):
        """The `def`, or what stands in the brackets of solves(exercise)(...)."""
        name = self.answer.exercise.name
        for node in reversed(statements(self.answer.cell)):
            if isinstance(node, ast.FunctionDef):
                if name in map(_solved, node.decorator_list):
                    return node
            elif _answers(node) == name:
                return node.value.args[0]
        self.stop("must begin at the left edge of its cell: move it there")

    def of_expression(self, node, cell):
        """A `def` for an answer that is a lambda, a name or any other expression."""
        exercise = self.answer.exercise
        if isinstance(node, ast.Name):
            inner, where = self.look_up(node.id, cell)
            if isinstance(inner, ast.FunctionDef):
                return pieces.cut(where.text, inner), where
        source = ast.get_source_segment(cell.text, node)
        signature = inspect.signature(exercise.__wrapped__)
        if isinstance(node, ast.Lambda):
            body = ast.get_source_segment(cell.text, node.body)
            head = f"def {exercise.name}({ast.unparse(node.args)}):"
            return f"{head}\n    return (\n{body}\n)\n", cell
        name = f"_{exercise.name}"
        passed = ", ".join(map(_passed, signature.parameters.values()))
        text = f"def {exercise.name}{plain(signature)}:\n    return {name}({passed})\n"
        return text, Cell(cell.id, f"{cell.text}\n{name} = (\n{source}\n)\n")

    def moved(self, text, cell, new_names=None):
        """The text with all names as the module has them; imports it needs inside."""
        new_names = new_names or {}
        used, local = names_used(text), pieces.local_names(text)
        for name in used & local - set(dir(builtins)):
            self.stop(
                f"has a local {name} and uses another {name}: rename the local one"
            )
        tree = ast.parse(text)
        edits, imports = self.quoted(tree, used, cell), []
        skipped = [place[:2] for place in edits]
        for chain in pieces.chains(tree):
            root = chain[0].id
            if any(a <= pieces.start(chain[0]) < b for a, b in skipped):
                continue
            if root in new_names:
                edits.append(_edit(chain[0], new_names[root]))
            elif root in used:
                length, new, needed = self.called(chain, cell, local)
                imports += [line for line in needed if line not in imports]
                if new != ast.unparse(chain[length - 1]):
                    edits.append(self.checked(text, chain[length - 1], new))
        return pieces.edited(text, edits), imports

    def quoted(self, tree, used, cell):
        """Edits that quote annotations whose names the module may not have yet."""
        return [
            _edit(annotation, f'"{ast.unparse(annotation)}"')
            for annotation in pieces.annotations(tree)
            for name in names_used(ast.unparse(annotation)) & used
            if not self.is_early(self.meaning(name, cell), name)
        ]

    def is_early(self, meaning, name):
        """Is this there when the module's functions are being defined?"""
        if not isinstance(meaning, Origin):
            return True
        return meaning.is_common and self.module.names.get(name) in (None, meaning)

    def called(self, chain, cell, local):
        """How many links of a chain to replace, by what, and imports needed for it."""
        names = [chain[0].id, *(node.attr for node in chain[1:])]
        meaning = self.meaning(names[0], cell)
        if not isinstance(meaning, Origin):
            return 1, meaning or names[0], []
        if not meaning.in_course:
            return 1, names[0], self.module.take_import(meaning, names[0])
        package, length, first = self.module.package, 1, meaning
        while meaning.name is None and length < len(names):
            meaning = package.settle(Origin(meaning.module, names[length]))
            length += 1
        if not package.has(meaning):
            what = ".".join(names[:length])
            self.stop(f"uses {what}, which is not part of the exported package")
        new = self.module.refer(meaning)
        if new and new.split(".")[0] not in local:
            return length, new, []
        if first.name is None:  # `numel = layout.numel(shape)` in layout.py
            return 1, names[0], [self.module.import_line(first, names[0])]
        return length, meaning.name, [self.module.import_line(meaning)]

    def meaning(self, name, cell):
        """An Origin, the name that a helper has in the module, or None: built in."""
        node, where = self.look_up(name, cell)
        if node is None:
            return self.from_star(name)
        if isinstance(node, ast.Import | ast.ImportFrom):
            return self.module.package.settle(imported(node, name))
        solved = _answers(node) or next(
            filter(None, map(_solved, getattr(node, "decorator_list", []))), None
        )
        if solved:
            exercise = find(solved)
            return Origin(exercise.__module__, exercise.__qualname__)
        if where.id != cell.id and not is_definition(node):
            self.stop(
                f"uses {name}, which {where.title} makes by more than a plain value: "
                f"put it into the answer's own cell"
            )
        return self.bring(name, node, where, cell)

    def look_up(self, name, cell):
        """The statement that binds a name, in this cell or else in any; its cell."""
        node, where = definition(name, [cell])
        return (node, where) if node else definition(name, self.answer.cells)

    def from_star(self, name):
        for node in (n for cell in self.answer.cells for n in statements(cell)):
            star = isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
            if star and hasattr(importlib.import_module(node.module), name):
                return self.module.package.settle(Origin(node.module, name))
        if not hasattr(builtins, name):
            self.stop(
                f"uses {name}, which no cell makes: put it into the answer's cell"
            )

    def bring(self, name, node, where, cell):
        """Write a helper into the module, before the answer; return its name there."""
        own = where.id == cell.id
        nodes = [n for n in statements(where) if name in bound_by(n)] if own else [node]
        key = name, self.closure(nodes, where)
        if key in self.module.brought:
            return self.module.brought[key]
        new_names = {n: self.free_name(n) for node in nodes for n in bound_by(node)}
        for old, new in new_names.items():
            self.module.brought[old, key[1]] = new
            self.module.names[new] = Origin(self.module.name, new)
        for node in nodes:
            self.helpers.append(self.helper(node, where, new_names))
        return new_names[name]

    def helper(self, node, where, new_names):
        text = pieces.without_marks(pieces.cut(where.text, node))
        text, imports = self.moved(text, where, new_names)
        if hasattr(node, "decorator_list"):
            text = pieces.renamed(text, new_names[node.name])
        if not isinstance(node, ast.FunctionDef):
            self.check_early(node, text, imports)
        return pieces.with_opening(text, None, imports) if imports else text

    def check_early(self, node, text, imports):
        """Stop if a helper that is no function needs what the module makes later."""
        late = set()
        if not isinstance(node, ast.ClassDef):
            bound = {
                n for n, o in self.module.names.items() if o.module == self.module.name
            }
            late = names_used(text) & bound - set(self.module.brought.values())
        for need in [*imports, *sorted(late)]:
            self.stop(
                f"uses `{ast.unparse(node)}`, which needs `{need}` too early: make it "
                f"inside of the answer's function"
            )

    def closure(self, nodes, where, seen=()):
        """The text of statements and all they use: of equal texts one is enough."""
        texts = [ast.unparse(node) for node in nodes]
        for name in sorted(set().union(*map(names_used, texts)) - set(seen)):
            inner, at = self.look_up(name, where)
            if inner is not None and inner not in nodes:
                texts.append(self.closure([inner], at, (*seen, name)))
        return "\n".join(texts)

    def free_name(self, name):
        if name not in self.module.names and not name.startswith("__"):
            return name
        new = f"_{self.answer.exercise.name}_{name.strip('_')}"
        while new in self.module.names:
            new += "_"
        return new

    def checked(self, text, node, new):
        """The edit, unless Python 3.11 does not know where in an f-string this is."""
        if pieces.source_at(text, node) != ast.unparse(node):
            self.stop(
                f"uses {ast.unparse(node)} in an f-string: put it into a variable"
            )
        return _edit(node, new)

    def stop(self, problem):
        exercise, cell = self.answer.exercise, self.answer.cell
        raise CannotMerge(
            f"{self.answer.notebook}, {cell.title}: the answer of "
            f"{exercise.name} {problem}"
        )


def _edit(node, new):
    return pieces.start(node), pieces.end(node), new


def _solved(node):
    """The name of the exercise in `solves(exercise)`, else None."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "solves":
        return ast.unparse(node.args[0]).split(".")[-1] if node.args else None


def _answers(node):
    """The name of the exercise in the statement `solves(exercise)(...)`, else None."""
    call = (
        getattr(node, "value", None)
        if isinstance(node, ast.Expr | ast.Assign)
        else None
    )
    return _solved(call.func) if isinstance(call, ast.Call) and call.args else None


def _passed(parameter):
    name = parameter.name
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
    if parameter.kind == parameter.KEYWORD_ONLY:
        return f"{name}={name}"
    return stars.get(parameter.kind, "") + name
