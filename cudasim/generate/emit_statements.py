"""From the typed tree to NumPy source: statements, masks, functions.

Each C function becomes a Python function `f(R, m0, ...)`: R is the batch, m0 the mask
of the lanes that call. Each block of statements has its own mask variable; lanes that
leave (return, break, continue) are removed from it, and when none remains the following
statements are skipped.

The function of a statement gives the set of ways in which lanes may leave it, or None.
"""

from ..engine.memory import leaves_of
from ..front import ctype as C, tree as T
from ..front.errors import CompileError
from ..front.handlers import handles
from .contraction import declare_product, note_rank
from .emit_places import reference
from .emit_rows import declare_base
from .function_code import STATEMENTS, Local, effect, value_of
from .value_code import (
    access_code,
    flatten,
    make_memory,
    needs_memory,
    poison_code,
    set_local,
    store_value,
    tuple_of,
)
from .variables import clean, elements

DEEPEST_LOOP = 18  # Python allows 20 nested loops
MANY = 100  # statements between two looks at the time limit


def function_text(code):
    """The function as Python source."""
    function = code.function
    names = []
    for parameter in function.parameters:
        name = code.fresh(clean(parameter.name or "unnamed") + "_")
        names.append(name)
        declare_parameter(code, parameter, name)
    code.single = returns_at_end(code)
    if not function.kernel:
        code.emit(f"R.tick({code.site(function)})")
    if code.has_result and not code.single:
        code.emit(f"rv = {poison_code(code, code.function.result)}")
    if code.returns:
        code.emit("ret = False")
    sequence(code, function.body.statements)
    emit_last_step(code)
    if code.has_result and not code.single:
        code.emit("return rv")
    elif not code.lines:
        code.emit("pass")
    return "\n".join(whole_text(code, ", ".join(["R", "m0", *names])))


def whole_text(code, parameters):
    """All lines of the function."""
    yield f"def {code.module.names[code.function]}({parameters}):"
    yield from (f" {name} = {value}" for name, value in code.prologue.items())
    yield from code.lines
    if code.module.stops_in(code.function):  # a generator, whatever it reaches
        yield from (" return", " yield")


def returns_at_end(code):
    """Is the only return the last statement?"""
    statements = code.function.body.statements
    last = statements[-1] if statements else None
    last = isinstance(last, T.Return) and last.value is not None
    return code.returns == 1 and last and code.has_result and not code.jumps


def declare_parameter(code, variable, name):
    if isinstance(variable.type, C.Reference):
        code.locals[variable] = Local("reference", name, "m0")
        return
    local = code.locals[variable] = new_local(code, name)
    code.clock += 1
    code.ranks[variable] = code.clock
    show(code, variable, local)
    if needs_memory(code, variable):
        code.visible.clear()
        value, local.name = name, code.fresh("p")
        local.kind = "memory"
        make_memory(code, variable, local.name)
        store_value(code, local.name, variable.type, value)


def new_local(code, name):
    """A variable that is a value; its mask has the lanes that will ever read it."""
    return Local("value", name, "None" if code.jumps else code.mask)


def sequence(code, statements):
    labels = [s for s in statements if type(s) is T.Label]
    if labels:
        return labeled_sequence(code, statements, labels)
    return plain_sequence(code, statements)


def labeled_sequence(code, statements, labels):
    """Rounds through the statements: lanes wait from each goto to its label."""
    outer, inner, done = code.mask, code.fresh("m"), code.fresh("m")
    declare_early(code, statements)
    for label in labels:
        name = code.waiting[label.name] = code.fresh("g")
        code.emit(f"{name} = False")
    code.emit(f"{inner}, {done} = {outer}, False")
    enter_loop(code, labels[0])
    code.emit("while True:")
    code.level += 1
    code.emit(f"R.tick({code.site(labels[0])})")
    at = [*map(statements.index, labels), len(statements)]
    kills = branch(code, inner, statements[: at[0]])
    for label, begin, end in zip(labels, at, at[1:], strict=False):
        name = code.waiting[label.name]
        code.emit(f"{inner}, {name} = union({inner}, {name}, {outer}), False")
        kills |= branch(code, inner, statements[begin + 1 : end])
    code.emit(f"{done}, {inner} = union({done}, {inner}, {outer}), False")
    mine = {code.waiting[label.name] for label in labels}
    code.emit(f"if {' is '.join(sorted(mine))} is False: break")
    code.level -= 1
    code.loop_depth -= 1
    code.mask = outer
    if kills := kills - mine:
        code.emit(f"{outer} = {done}")
    return kills


def plain_sequence(code, statements):
    code.products.clear()
    kills, visible = set(), dict(code.visible)
    guarded = False
    for number, statement in enumerate(statements, 1):
        if number % MANY == 0:
            code.emit(f"R.tick({code.site(statement)})")
        if kills and not guarded:
            code.emit(f"if {code.mask} is not False:")
            code.level += 1
            guarded = True
        before, lines = code.level, len(code.lines)
        emit_step(code, statement)
        new = emit_statement(code, statement)
        if guarded and new:
            if len(code.lines) == lines:
                code.emit("pass")
            code.level, guarded = before - 1, False
        kills |= new
    if guarded:
        if code.lines[-1].rstrip().endswith("is not False:"):
            code.emit("pass")
        code.level -= 1
    code.visible = visible
    return kills


def emit_step(code, node, last=False):
    """Report the statement to the batch, in the schedule "steps"."""
    if code.module.steps and (last or not isinstance(node, T.Block)):
        pairs = [f"{key}: {name}" for key, name in code.visible.items()]
        site = code.site(node)
        code.emit(f"R.step({site}, {code.mask}, {{{', '.join(pairs)}}})")


def emit_last_step(code):
    """Report the state in which a kernel ends."""
    if code.module.steps and code.function.kernel:
        code.mask = "None"
        emit_step(code, T.Block(code.function.end, []), last=True)


def show(code, variable, local):
    """From here on, steps show this variable."""
    if code.module.steps and local.kind in ("value", "cells"):
        code.visible[code.module.constant(variable)] = local.name


def emit_statement(code, node):
    if not isinstance(node, T.Declare | T.Evaluate | T.Return):
        code.products.clear()  # the compiler fuses only within straight-line code
    return STATEMENTS[type(node)](code, node) or set()


@handles(STATEMENTS, T.Declare)
def emit_declare(code, node):
    variable, type = node.variable, node.variable.type
    if variable.constant is not None and not variable.address_taken:
        return
    if variable in code.early:
        redeclare(code, node, code.locals[variable])
        return
    name = code.fresh(clean(variable.name) + "_")
    local = code.locals[variable] = new_local(code, name)
    if isinstance(type, C.Reference):
        local.kind = "reference"
        code.emit(f"{name} = {reference(code, node.init, type.to)}")
    elif needs_memory(code, variable):
        local.kind = "memory"
        declare_in_memory(code, variable, name, node.init)
    elif isinstance(type, C.Array):
        local.kind = "cells"
        code.emit(f"{name} = [{', '.join(array_items(code, type, node.init))}]")
    elif node.init is None:
        code.emit(f"{name} = {poison_code(code, type)}")
    else:
        note_rank(code, variable, node.init)
        value = declare_product(code, variable, node.init)
        code.emit(f"{name} = {value or value_of(code, node.init)}")
        declare_base(code, variable, name, node.init)
    show(code, variable, local)


def redeclare(code, node, local):
    """A declaration in a case of a switch, whose variable exists already."""
    type = node.variable.type
    if node.init is None:
        return
    if local.kind == "value":
        set_local(code, local, value_of(code, node.init))
    elif local.kind == "cells":
        items = ", ".join(array_items(code, type, node.init))
        code.emit(f"{local.name} = [{items}]")
    else:
        declare_in_memory(code, node.variable, local.name, node.init)


def declare_in_memory(code, variable, name, init):
    value = None
    if init is not None and not isinstance(init, T.Aggregate):
        value = code.temp(value_of(code, init))
    make_memory(code, variable, name)
    if value is not None:
        store_value(code, name, variable.type, value)
    elif init is not None:
        leaves = flatten(code, variable.type, init)
        for (leaf, offset, _), text in zip(
            leaves_of(variable.type), leaves, strict=True
        ):
            how = access_code(code, leaf, leaf.size)
            at = code.module.constant(offset // leaf.size)
            code.emit(f"R.store({name}, {at}, {text}, {how}, {code.mask}, 0)")


def array_items(code, type, init):
    """The code of each element of a local array."""
    element, count = type.of.plain, elements(type)
    if init is None:
        return [poison_code(code, element)] * count
    leaves = flatten(code, type, init)
    per = len(leaves) // count
    if not isinstance(element, C.Struct):
        return leaves
    return [tuple_of(leaves[i : i + per]) for i in range(0, len(leaves), per)]


@handles(STATEMENTS, T.Evaluate)
def emit_evaluate(code, node):
    effect(code, node.value)


@handles(STATEMENTS, T.Block)
def emit_block(code, node):
    return sequence(code, node.statements)


@handles(STATEMENTS, T.If)
def emit_if(code, node):
    outer = code.mask
    condition = value_of(code, node.condition)
    yes, no = code.fresh("m"), code.fresh("m")
    code.emit(f"{yes}, {no} = R.split({outer}, {condition}, {code.site(node)})")
    kills = branch(code, yes, node.yes.statements)
    kills |= branch(code, no, node.no.statements) if node.no else set()
    code.mask = outer
    if kills:
        code.emit(f"{outer} = union({yes}, {no}, {outer})")
    return kills


def branch(code, mask, statements):
    """One side of an if."""
    code.mask = mask
    code.emit(f"if {mask} is not False:")
    code.level += 1
    before = len(code.lines)
    kills = sequence(code, statements)
    if len(code.lines) == before:
        code.emit("pass")
    code.level -= 1
    return kills


@handles(STATEMENTS, T.While, T.Do, T.For)
def emit_loop(code, node):
    for statement in getattr(node, "init", ()):
        emit_statement(code, statement)
    condition, step = node.condition, getattr(node, "step", None)
    test_first = not isinstance(node, T.Do)
    outer, live, site = code.mask, code.fresh("m"), code.site(node)
    enter_loop(code, node)
    code.emit(f"{live} = {outer}")
    code.emit("while True:")
    code.level += 1
    code.emit(f"R.tick({site})")
    code.mask = live
    emit_step(code, node)
    if test_first and condition is not None:
        emit_test(code, live, condition, site)
    kills = loop_body(code, live, node.body)
    code.mask = live
    if step is not None:
        effect(code, step)
    if not test_first:
        emit_test(code, live, condition, site)
    code.level -= 1
    code.loop_depth -= 1
    code.mask = outer
    return leave(code, outer, kills - {"break", "continue"})


def leave(code, outer, kills):
    """Behind a loop or a switch: without the lanes that went further."""
    for gone in sorted(kills - {"continue"}):
        code.emit(f"{outer} = minus({outer}, {gone})")
    return kills


def enter_loop(code, node):
    """Enter a nested loop."""
    code.loop_depth += 1
    if code.loop_depth > DEEPEST_LOOP:
        message = "loops are nested too deeply: move some into a function"
        raise CompileError(message, node.place)


def emit_test(code, live, condition, site):
    """Drop from the loop the lanes for which its condition does not hold."""
    code.emit(f"{live} = R.choose({live}, {value_of(code, condition)}, {site})")
    code.emit(f"if {live} is False: break")


def loop_body(code, live, body):
    inner, again = code.fresh("m"), code.fresh("c")
    code.emit(f"{inner} = {live}")
    at = len(code.lines)
    code.loops.append(("loop", again))
    code.mask = inner
    kills = sequence(code, body.statements)
    code.loops.pop()
    if "continue" in kills:
        code.lines.insert(at, " " * code.level + f"{again} = False")
    if kills - {"continue"}:  # else every lane comes back
        back = again if "continue" in kills else "False"
        code.emit(f"{live} = union({inner}, {back}, {live})")
        code.emit(f"if {live} is False: break")
    return kills


@handles(STATEMENTS, T.Switch)
def emit_switch(code, node):
    outer, current = code.mask, code.fresh("m")
    subject = code.temp(value_of(code, node.subject))
    for case in node.cases:
        declare_early(code, case.body)
    tests, other = case_tests(code, node, subject)
    code.emit(f"{current} = False")
    code.loops.append(("switch", None))
    kills, site = set(), code.site(node)
    for number, case in enumerate(node.cases, 1):
        if number % MANY == 0:
            code.emit(f"R.tick({site})")
        test = tests.get(case, other)
        code.emit(f"{current} = union({current}, R.choose({outer}, {test}, {site}))")
        kills |= branch(code, current, case.body)
    code.loops.pop()
    code.mask = outer
    return after_switch(code, outer, kills)


def case_tests(code, node, subject):
    """(case -> code of its test, code of the default's)"""
    tests = {}
    for case in node.cases:
        if case.value is not None:
            number = code.module.number(case.value, node.subject.type.plain)
            tests[case] = code.temp(f"({subject} == {number})")
    if not tests:
        return tests, "bool_(True)"
    return tests, f"~any_of(({', '.join(tests.values())},))"


def after_switch(code, outer, kills):
    leave(code, outer, kills - {"break"})
    if "continue" in kills:
        again = next(name for kind, name in reversed(code.loops) if kind == "loop")
        code.emit(f"{outer} = minus({outer}, {again})")
    return kills - {"break"}


def declare_early(code, statements):
    """Lanes may use a variable without having passed its declaration."""
    for statement in statements:
        if isinstance(statement, T.Declare):
            variable = statement.variable
            if not isinstance(variable.type, C.Reference):
                emit_declare(code, T.Declare(statement.place, variable, None))
                code.early.add(variable)


@handles(STATEMENTS, T.Break)
def emit_break(code, node):
    code.emit(f"{code.mask} = False")
    return {"break"}


@handles(STATEMENTS, T.Continue)
def emit_continue(code, node):
    again = next(name for kind, name in reversed(code.loops) if kind == "loop")
    code.emit(f"{again} = union({again}, {code.mask})")
    code.emit(f"{code.mask} = False")
    return {"continue"}


@handles(STATEMENTS, T.Goto)
def emit_goto(code, node):
    name = code.waiting[node.name]
    code.emit(f"{name} = union({name}, {code.mask})")
    code.emit(f"{code.mask} = False")
    return {name}


@handles(STATEMENTS, T.Return)
def emit_return(code, node):
    if node.value is not None and code.has_result:
        emit_result(code, node)
    elif node.value is not None:
        effect(code, node.value)
    if code.single:
        return None
    if code.function.kernel:
        code.emit(f"R.exit({code.mask})")
    code.emit(f"ret = union(ret, {code.mask})")
    code.emit(f"{code.mask} = False")
    return {"ret"}


def emit_result(code, node):
    type = code.function.result
    if isinstance(type, C.Reference):
        value = reference(code, node.value, type.to)
    else:
        value = value_of(code, node.value)
    if code.single:
        code.emit(f"return {value}")
    elif code.mask == "m0":
        code.emit(f"rv = {value} if ret is False else select_any(m0, {value}, rv)")
    else:
        code.emit(f"rv = select_any({code.mask}, {value}, rv)")
