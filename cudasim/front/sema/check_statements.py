"""Statements: where control can go.

The function of a statement gives (typed statement or None, is its end reached).
"""

from .. import ast, constant, ctype as C, tree as T
from ..errors import CompileError, outside
from .conversions import converted, number
from .discarded import check_discarded
from .function_bodies import check_scoped, check_sequence
from .function_calls import bind_reference
from .initializers import initialize, initialize_from
from .node_checks import check, checks
from .values import (
    check_condition,
    check_value,
    constant_integer,
    constant_value,
    read,
    this_object,
)


@checks(ast.Expression)
def check_expression_statement(scope, node):
    if node.value is None:
        return None, True
    typed = check(scope, node.value)
    if isinstance(typed.type, C.FunctionType):
        typed = read(scope, typed)
    if isinstance(typed, (T.Binary, T.Logical, T.VariableRef, T.Index, T.Literal)):
        message = "this computes a value that nobody uses"
        scope.lint("no-effect", node.place, message)
    return T.Evaluate(node.place, typed), True


@checks(ast.If)
def check_if(scope, node):
    condition = check_condition(scope, node.condition)
    if node.constexpr:
        return check_if_constexpr(scope, node, condition)
    before = set(scope.body.unset)
    yes, falls_yes = check_scoped(scope, node.yes)
    after, scope.body.unset = scope.body.unset, before
    no, falls_no = check_scoped(scope, node.no) if node.no else (None, True)
    if not falls_no:
        scope.body.unset = after
    elif falls_yes:
        scope.body.unset &= after
    return T.If(node.place, condition, yes, no), falls_yes or falls_no


def check_if_constexpr(scope, node, condition):
    """The branch that is not taken leaves nothing."""
    message = "if constexpr needs a condition known when compiling"
    value = constant_value(condition, message, node.place)
    chosen, other = (node.yes, node.no) if value else (node.no, node.yes)
    if other is not None:
        check_discarded(scope, other)
    return check_scoped(scope, chosen) if chosen else (None, True)


def check_loop(scope, body):
    """(body, did it break) of a loop."""
    scope.body.loops.append([True, False])
    statement, falls = check_scoped(scope, body)
    return statement, scope.body.loops.pop()[1], falls


def is_always(condition):
    return condition is None or bool(constant.value_of(condition))


@checks(ast.While)
def check_while(scope, node):
    condition = check_condition(scope, node.condition)
    before = set(scope.body.unset)
    body, broke, _ = check_loop(scope, node.body)
    # The body may not run at all: what it set may be unset after it.
    scope.body.unset &= before
    falls = broke or not is_always(condition)
    return T.While(node.place, condition, body), falls


@checks(ast.Do)
def check_do(scope, node):
    body, broke, _ = check_loop(scope, node.body)
    condition = check_condition(scope, node.condition)
    falls = broke or not is_always(condition)
    return T.Do(node.place, body, condition), falls


@checks(ast.For)
def check_for(scope, node):
    scope.names.append({})
    init = []
    if node.init is not None:
        first, _ = check(scope, node.init)
        init = first if isinstance(first, list) else [first]
    condition = check_condition(scope, node.condition) if node.condition else None
    if isinstance(node.body, ast.Block):
        refuse_redeclared(scope, node.body)
    body, broke, _ = check_loop(scope, node.body)
    step = check(scope, node.step) if node.step else None
    scope.names.pop()
    falls = broke or not is_always(condition)
    return T.For(node.place, init, condition, step, body), falls


def refuse_redeclared(scope, body):
    """`for (int i...) { int i; }` is an error in C++."""
    for statement in body.statements:
        if isinstance(statement, ast.Declaration):
            for variable in statement.variables:
                if variable.name in scope.names[-1]:
                    message = f"'{variable.name}' is the variable of this loop"
                    raise CompileError(message, variable.place)


@checks(ast.Switch)
def check_switch(scope, node):
    subject = check_value(scope, node.subject)
    if not number(subject.type) and not isinstance(subject.type.plain, C.Enum):
        message = f"switch needs an integer, not '{subject.type.plain}'"
        raise CompileError(message, node.subject.place)
    type = C.promoted(subject.type)
    if type.is_float:
        message = f"switch needs an integer, not '{type}'"
        raise CompileError(message, node.subject.place)
    if not isinstance(node.body, ast.Block):
        raise outside("a switch without { }", node.place)
    scope.body.loops.append([False, False])
    scope.names.append({})
    cases, falls = check_cases(scope, node.body, type)
    scope.names.pop()
    broke = scope.body.loops.pop()[1]
    has_default = any(case.value is None for case in cases)
    switch = T.Switch(node.place, converted(subject, type), cases)
    return switch, falls or broke or not has_default


def check_cases(scope, body, type):
    """The cases of a switch, in order."""
    cases, seen, run, begin, falls = [], {}, [], None, True
    early = "a statement before the first case"
    before = set(scope.body.unset)

    def close():
        if begin is None:
            return True
        statements, end = check_sequence(scope, run)
        cases.append(
            T.Case(begin.place, case_value(scope, begin, type, seen), statements)
        )
        return end

    for statement in body.statements:
        if isinstance(statement, ast.Case):
            if begin is None and run:
                raise outside(early, run[0].place)
            falls = close()
            begin, run, scope.body.unset = statement, [], set(before)
        else:
            run.append(statement)
    if begin is None and run:
        raise outside(early, run[0].place)
    falls = close()
    scope.body.unset &= before
    return cases, falls


def case_value(scope, node, type, seen):
    """The value of a case; each may stand once."""
    value = None
    if node.value is not None:
        value = constant_integer(scope, node.value, "the value of a case")
        if type.is_integer and type.wrap(value) != value:
            message = f"{value} is no value of '{type}', of which the switch is"
            raise CompileError(message, node.value.place)
    if value in seen:
        what = "default" if value is None else f"case {value}"
        raise CompileError(f"a second '{what}' in this switch", node.place)
    seen[value] = node.place
    return value


@checks(ast.Case)
def check_case(scope, node):
    if any(not is_loop for is_loop, _ in scope.body.loops):
        what = "a case inside another statement"
        raise outside(what, node.place, "write it directly in the switch's { }")
    raise CompileError("case stands directly within the { } of a switch", node.place)


@checks(ast.Jump)
def check_jump(scope, node):
    if node.word == "break":
        if not scope.body.loops:
            raise CompileError("break stands in a loop or a switch", node.place)
        scope.body.loops[-1][1] = True
        return T.Break(node.place), False
    if not any(is_loop for is_loop, _ in scope.body.loops):
        raise CompileError("continue stands in a loop", node.place)
    return T.Continue(node.place), False


@checks(ast.Goto)
def check_goto(scope, node):
    for labels, before in scope.body.around:
        if node.name in labels:
            labels[node.name].append(len(before))
            return T.Goto(node.place, node.name), False
    message = f"there is no label '{node.name}' in a block around this goto"
    raise CompileError(message, node.place, "a goto leaves blocks, and enters none")


@checks(ast.Label)
def check_label(scope, node):
    labels, before = scope.body.around[-1]
    for statement in before[min(labels[node.name], default=len(before)) :]:
        variable = getattr(statement, "variable", None)
        if variable and isinstance(variable.type, C.Reference):
            what = f"a goto over the first value of '{variable.name}'"
            raise outside(what, node.place, "declare the reference before it")
    scope.body.unset.clear()
    return T.Label(node.place, node.name), True


@checks(ast.Return)
def check_return(scope, node):
    type = scope.body.function.result
    if node.value is None and scope.body.function.makes:
        return T.Return(node.place, read(scope, this_object(scope, node.place))), False
    if type is None:  # auto: the first return says it
        value = None if node.value is None else check_value(scope, node.value)
        scope.body.function.result = C.VOID if value is None else value.type.plain
        return T.Return(node.place, value), False
    if node.value is None:
        if type is not C.VOID:
            message = f"'{scope.body.function.name}' returns a value here"
            scope.lint("missing-return", node.place, message)
        return T.Return(node.place, None), False
    if isinstance(node.value, ast.Items):
        value = initialize(scope, type, node.value, node.place)
        return T.Return(node.place, value), False
    checked = check(scope, node.value)
    if isinstance(type, C.Reference):
        value = bind_reference(scope, type, checked, "the value returned")
        return T.Return(node.place, value), False
    value = read(scope, checked)
    if type is C.VOID and value.type.plain is not C.VOID:
        message = f"'{scope.body.function.name}' is void and returns nothing"
        raise CompileError(message, node.value.place)
    value = initialize_from(scope, type, node.value, value, "be returned as")
    return T.Return(node.place, value), False


@checks(ast.StaticAssert)
def check_static_assert(scope, node):
    message = "static_assert needs a condition known when compiling"
    condition = check_condition(scope, node.condition)
    if not constant_value(condition, message, node.place):
        message = f"static assertion failed {node.message}".strip()
        raise CompileError(message, node.place)
    return None, True
