"""Bodies of functions: sequences of statements, and what a constructor begins with."""

from .. import ast, ctype as C, tree as T
from ..errors import CompileError
from .discarded import begin_dependent
from .node_checks import check, checks
from .scope import Body
from .values import read, this_object

NO_CODE = ast.Case, ast.Alias, ast.Label


@checks(ast.Block)
def check_block(scope, node):
    scope.names.append({})
    statements, falls = check_sequence(scope, node.statements)
    scope.names.pop()
    return T.Block(node.place, statements), falls


def check_sequence(scope, statements):
    """Statements one after another; what cannot be reached is a lint."""
    out, falls = [], True
    scope.body.around.append((labels_in(scope, statements), out))
    for statement in statements:
        if not falls and not isinstance(statement, NO_CODE):
            scope.lint("unreachable", statement.place, "this is never reached")
            falls = True
        checked, falls = check(scope, statement)
        if checked is not None:
            out += checked if isinstance(checked, list) else [checked]
    scope.body.around.pop()
    return out, falls


def labels_in(scope, statements):
    """name -> how many statements of this block stand before each goto to it."""
    labels = [s for s in statements if isinstance(s, ast.Label)]
    for label in labels:
        if label.name in scope.body.labels:
            raise CompileError(f"a second label '{label.name}'", label.place)
        scope.body.labels.add(label.name)
    return {label.name: [] for label in labels}


def check_scoped(scope, node):
    """A statement as a Block of its own."""
    if isinstance(node, ast.Block):
        return check_block(scope, node)
    return check_block(scope, ast.Block(node.place, [node], node.place))


def require_body(scope, function):
    """Check a method's body, if that has not been done."""
    if function not in scope.pending:
        return
    names, node = scope.pending.pop(function)
    outer, scope.names = scope.names, names
    scope.functions.append(function)
    check_body(scope, function, node)
    scope.names = outer


def check_body(scope, function, node):
    """Check the body of a function."""
    outer, scope.body = scope.body, Body(function)
    begin_dependent(scope, node)
    function.body = T.Block(node.place, [])
    names = {}
    scope.names.append(names)
    packed = [p for pack in function.packs.values() for p in pack]
    for parameter in function.parameters:
        if parameter in packed:
            continue
        if parameter.name in names:
            message = f"a second parameter '{parameter.name}'"
            raise CompileError(message, parameter.place)
        if parameter.name:
            names[parameter.name] = parameter
    names.update(function.packs)
    first = member_defaults(scope, function, node, names) if function.makes else []
    statements, falls = check_sequence(scope, node.body.statements)
    if function.makes and falls:
        this = read(scope, this_object(scope, node.body.end))
        statements, falls = [*statements, T.Return(node.body.end, this)], False
    if function.result is None:
        function.result = C.VOID
    scope.names.pop()
    function.body = T.Block(node.body.place, first + statements)
    function.end = node.body.end
    if falls and function.result is not C.VOID:
        function.falls_off = True
        message = f"'{function.name}' can end here without returning a value"
        scope.lint("missing-return", node.body.end, message)
    lint_unused(scope)
    scope.body = outer


def member_defaults(scope, function, node, names):
    """What a constructor begins with: the struct, and its members' first values."""
    this = T.Variable("this", function.makes, "local", node.place)
    names["this"] = this
    out = [T.Declare(node.place, this, None)]
    values = [getattr(s, "value", None) for s in node.body.statements]
    targets = [v.target for v in values if isinstance(v, ast.Assign)]
    given = {getattr(target, "name", None) for target in targets}
    for name, value in function.makes.defaults.items():
        if name == ast.BASE and name in given:
            continue
        target = ast.Member(value.place, ast.This(value.place), name, True)
        assign = ast.Assign(value.place, "=", target, value)
        out.append(T.Evaluate(value.place, check(scope, assign)))
    return out


def lint_unused(scope):
    for variable in scope.body.locals:
        if not variable.used and variable.init is None:
            message = f"'{variable.name}' is never used"
            scope.lint("unused", variable.place, message)
