"""The branch of `if constexpr` that is not taken: what is wrong there all the same.

Outside of templates it is checked like any other. Within one, what depends on the
template's parameters may be anything; the rest is checked.
"""

import copy
import dataclasses

from . import ast

DEPENDENT = ("dependent", "type_dependent", "result_depends")


def walk(node):
    """A node of the parser's tree and all that stands within it."""
    if isinstance(node, list | tuple):
        for part in node:
            yield from walk(part)
    elif dataclasses.is_dataclass(node):
        yield node
        for name in node.__slots__:
            yield from walk(getattr(node, name))


def names_in(node):
    """Every name of a variable, a function or a type in a part of the tree."""
    kinds = (ast.Name, ast.NamedType, ast.TemplateType)
    return {str(part.name) for part in walk(node) if isinstance(part, kinds)}


class Discarded:
    """Checks what is not taken.

    dependent: names whose meaning the parameters of a template give. type_dependent:
    those whose types they give. result_depends: so is the type that it returns.
    """

    dependent = type_dependent = frozenset()
    result_depends = False

    def depends(self, node):
        return not self.dependent.isdisjoint(names_in(node))

    def begin_dependent(self, node):
        """Note the dependent names of a function: a template's parameters, and its own
        parameters whose types mention those."""
        types = [p.name for p in node.template or () if p.type is None]
        self.dependent = frozenset(p.name for p in node.template or ())
        self.result_depends = self.depends(node.result)
        mine = [p.name for p in node.parameters if self.depends(p.type)]
        self.dependent = self.dependent.union(mine)
        self.type_dependent = frozenset(types + mine)

    def note_dependent(self, node):
        """A local variable whose type or value depends is dependent itself."""
        if not self.dependent:
            return
        auto = "auto" in names_in(node.type)
        from_value = auto and not self.type_dependent.isdisjoint(names_in(node.init))
        if from_value or self.depends(node.type):
            self.type_dependent = self.type_dependent | {node.name}
        if from_value or self.depends([node.type, node.init]):
            self.dependent = self.dependent | {node.name}

    def discarded(self, node):
        """Check a branch that is not taken, and leave no trace of it."""
        kept = {
            name: copy.copy(getattr(self, name))
            for name in ("warnings", "unset", "locals", "linted", *DEPENDENT)
        }
        loops, function = copy.deepcopy(self.loops), self.function
        self.function = copy.copy(function)
        self.function.calls = dict(function.calls)
        self.function.shared = list(function.shared)
        self.scopes.append({})
        try:
            self.unless_dependent(node)
        finally:
            self.scopes.pop()
            self.__dict__.update(kept, loops=loops, function=function)

    def unless_dependent(self, node):
        """Check a statement, or the parts of it that do not depend."""
        later = self.dependent and ast.StaticAssert in map(type, walk(node))
        if isinstance(node, ast.Return):
            later = self.result_depends
        if not later and not self.depends(node):
            self.statement(node)
        elif isinstance(node, ast.Block):
            self.scopes.append({})
            for part in node.statements:
                self.unless_dependent(part)
            self.scopes.pop()
        elif isinstance(node, ast.If):
            self.names_exist(node.condition)
            for part in (node.yes, node.no):
                if part is not None:
                    self.unless_dependent(part)
        else:
            self.names_exist(node)

    def names_exist(self, node):
        """Refuse names that nothing declares; arguments may bring a function's."""
        parts = list(walk(node))
        new = [p for p in parts if isinstance(p, ast.Variable)]
        for variable in new:
            self.note_dependent(variable)
        self.dependent = self.dependent.union(v.name for v in new)
        free = [
            part.function
            for part in parts
            if isinstance(part, ast.Call)
            and not self.type_dependent.isdisjoint(names_in(part.arguments))
        ]
        for part in parts:
            if not isinstance(part, ast.Name) or any(part is f for f in free):
                continue
            name = part.name
            known = name in self.dependent or name in self.builtin_names()
            if not known and self.find(name) is None:
                raise self.undeclared(name, part.place)
