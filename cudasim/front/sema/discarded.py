"""The branch of `if constexpr` that is not taken: what is wrong there all the same.

Outside of templates it is checked like any other. Within one, what depends on the
template's parameters may be anything; the rest is checked.
"""

import copy
import dataclasses

from .. import ast, builtins
from .node_checks import check


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


def depends(scope, node):
    return not scope.body.dependent.isdisjoint(names_in(node))


def begin_dependent(scope, node):
    """Note the dependent names of a function: a template's parameters, and its own
    parameters whose types mention those."""
    types = [p.name for p in node.template or () if p.type is None]
    scope.body.dependent = frozenset(p.name for p in node.template or ())
    scope.body.result_depends = depends(scope, node.result)
    mine = [p.name for p in node.parameters if depends(scope, p.type)]
    scope.body.dependent = scope.body.dependent.union(mine)
    scope.body.type_dependent = frozenset(types + mine)


def note_dependent(scope, node):
    """A local variable whose type or value depends is dependent itself."""
    if not scope.body.dependent:
        return
    auto = "auto" in names_in(node.type)
    from_value = auto and not scope.body.type_dependent.isdisjoint(names_in(node.init))
    if from_value or depends(scope, node.type):
        scope.body.type_dependent = scope.body.type_dependent | {node.name}
    if from_value or depends(scope, [node.type, node.init]):
        scope.body.dependent = scope.body.dependent | {node.name}


def check_discarded(scope, node):
    """Check a branch that is not taken, and leave no trace of it."""
    warnings, linted, body = scope.warnings[:], set(scope.linted), scope.body
    function = copy.copy(body.function)
    function.calls, function.shared = dict(function.calls), list(function.shared)
    scope.body = dataclasses.replace(
        body, function=function, unset=set(body.unset), locals=body.locals[:],
        loops=copy.deepcopy(body.loops),
    )  # fmt: skip
    scope.names.append({})
    try:
        check_independent(scope, node)
    finally:
        scope.names.pop()
        scope.warnings, scope.linted, scope.body = warnings, linted, body


def check_independent(scope, node):
    """Check a statement, or the parts of it that do not depend."""
    later = scope.body.dependent and ast.StaticAssert in map(type, walk(node))
    if isinstance(node, ast.Return):
        later = scope.body.result_depends
    if not later and not depends(scope, node):
        check(scope, node)
    elif isinstance(node, ast.Block):
        scope.names.append({})
        for part in node.statements:
            check_independent(scope, part)
        scope.names.pop()
    elif isinstance(node, ast.If):
        require_names(scope, node.condition)
        for part in (node.yes, node.no):
            if part is not None:
                check_independent(scope, part)
    else:
        require_names(scope, node)


def require_names(scope, node):
    """Refuse names that nothing declares; arguments may bring a function's."""
    parts = list(walk(node))
    new = [p for p in parts if isinstance(p, ast.Variable)]
    for variable in new:
        note_dependent(scope, variable)
    scope.body.dependent = scope.body.dependent.union(v.name for v in new)
    free = [
        part.function
        for part in parts
        if isinstance(part, ast.Call)
        and not scope.body.type_dependent.isdisjoint(names_in(part.arguments))
    ]
    for part in parts:
        if not isinstance(part, ast.Name) or any(part is f for f in free):
            continue
        name = part.name
        known = name in scope.body.dependent or name in builtins.NAMES
        if not known and scope.find(name) is None:
            raise scope.undeclared(name, part.place)
