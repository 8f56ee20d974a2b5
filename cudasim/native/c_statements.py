"""Functions and statements in C: a function for a function, a loop for a loop."""

from ..engine.memory import poison
from ..front import constant, ctype as C, tree as T
from ..front.handlers import handles
from ..generate.value_code import MOST_CELLS
from ..generate.variables import decayed, elements, has_array, owners, walk
from . import c_builtins
from .c_builtins import Unread
from .c_expressions import fill_value
from .c_places import reference
from .function_source import STATEMENTS, number_text, statement_of, value_of

FEW_ROUNDS = 64


def function_text(code):
    body = block(code, code.function.body) + code.passing(last=True)
    check_escapes(code)
    if code.function.result is not C.VOID:
        none = poison_text(code, "none_", code.function.result)
        body += f"{code.type(code.function.result)} none_; {none} return none_;"
    return "\n".join([f"{code.head} {{", *code.lines, body, "}"])


def check_escapes(code):
    """Refuse a function that may return the address of a variable of its own."""
    if isinstance(code.function.result.plain, C.Pointer | C.Reference):
        values = [n.value for n in walk(code.function.body) if type(n) is T.Return]
        returned = set().union(*map(owners, values))
        for v in code.names:
            address = v.address_taken or v in code.in_memory or v in returned
            if address and not isinstance(v.type.plain, C.Pointer | C.Reference):
                raise Unread("an address that is returned")


def block(code, node):
    return "".join(statement_of(code, s) + "\n" for s in node.statements)


@handles(STATEMENTS, T.Declare)
def write_declare(code, node):
    variable = node.variable
    if variable.constant is not None and not variable.address_taken:
        return ""
    name = code.declare(variable)
    type = variable.type
    code.lines.append(f"{code.type(type)} {name};")  # one place for all rounds
    if isinstance(type, C.Reference):
        return f"{name} = {reference(code, node.init, type.to)};"
    if node.init is None:
        return fill_poisoned(code, variable, name)
    if isinstance(node.init, T.Aggregate):
        return fill_value(code, name, type, node.init)
    return f"{name} = {value_of(code, node.init)};"


def fill_poisoned(code, variable, name):
    """What a variable holds before it is written."""
    type = variable.type
    memory = variable.address_taken or variable in code.in_memory or has_array(type)
    if isinstance(type, C.Array):
        memory = memory or elements(type) > MOST_CELLS or has_array(type.of)
    if memory:
        return f"memset(&{name}, 0xFF, sizeof {name});"
    return poison_text(code, name, type)


def poison_text(code, name, type):
    plain = type.plain
    if isinstance(type, C.Array):
        i = code.name("i")
        inner = poison_text(code, f"{name}[{i}]", type.element)
        return f"for (int {i} = 0; {i} < {type.count}; {i}++) {{ {inner} }}"
    if isinstance(plain, C.Struct):
        fields = enumerate(plain.fields.values())
        return " ".join(poison_text(code, f"{name}.m{i}", f) for i, (f, _) in fields)
    if isinstance(plain, C.Pointer | C.Reference):
        return f"{name} = (P){{0}};"
    if isinstance(plain, C.Enum):
        plain = plain.base
    return f"{name} = {number_text(code, poison(plain).item(), plain)};"


@handles(STATEMENTS, T.Evaluate)
def write_evaluate(code, node):
    return f"(void)({value_of(code, node.value)});"


@handles(STATEMENTS, T.Block)
def write_block(code, node):
    return f"{{ {block(code, node)} }}"


@handles(STATEMENTS, T.If)
def write_if(code, node):
    text = f"if ({value_of(code, node.condition)}) {{ {block(code, node.yes)} }}"
    return text + (f" else {{ {block(code, node.no)} }}" if node.no else "")


@handles(STATEMENTS, T.While, T.Do, T.For)
def write_loop(code, node):
    """for, while or do, whose rounds are counted."""
    kind = type(node)
    before = "".join(statement_of(code, s) for s in node.init) if kind is T.For else ""
    counter = code.name("rounds")
    code.lines.append(f"i64 {counter};")
    few = kind is T.For and few_rounds(node)
    if few:  # too few to count, and to look at
        before += f"t->work += {few}; "
        test = "1"
    else:
        before += f"ENTER; {counter} = 0; "
        test = f"ROUND({counter})"
    meets = code.waits and meets_in(code, node)
    if meets:
        key = code.name("round")
        code.lines.append(f"u64 {key};")
        before += f"{key} = 0; "
        test = f"(++{key}, {test})"
        code.rounds.append(key)
    if not few:
        code.loops.append(counter)
    if node.condition is not None:
        test = f"{test} && {value_of(code, node.condition)}"
    code.depth += 1
    body = block(code, node.body)
    code.depth -= 1
    step = kind is T.For and node.step is not None
    step = f"(void)({value_of(code, node.step)})" if step else ""
    if not few:
        code.loops.pop()
    if meets:
        code.rounds.pop()
    after = "" if few else f" t->work += {counter};"
    if kind is T.Do:
        return f"{before}do {{ {body} }} while ({test});{after}"
    return f"{before}for (; {test}; {step}) {{ {body} }}{after}"


def meets_in(code, node):
    return any(
        type(n) is T.BuiltinCall and c_builtins.meets(n.builtin)
        or type(n) is T.Call and n.function in code.source.meets
        for n in walk(node)
    )  # fmt: skip


@handles(STATEMENTS, T.Switch)
def write_switch(code, node):
    kind, cases = code.type(node.subject.type), ""
    for case in node.cases:
        head = "default" if case.value is None else f"case ({kind}){case.value}ll"
        cases += f"{head}:; {block(code, T.Block(case.place, case.body))}"
    return f"switch ({value_of(code, node.subject)}) {{ {cases} }}"


@handles(STATEMENTS, T.Break)
def write_break(code, node):
    return "break;"


@handles(STATEMENTS, T.Continue)
def write_continue(code, node):
    return "continue;"


@handles(STATEMENTS, T.Return)
def write_return(code, node):
    spent = "".join(f"t->work += {counter}; " for counter in code.loops)
    spent += code.passing(last=code.depth > 0)
    result = code.function.result
    if node.value is None:
        return f"{spent}return;"
    if isinstance(result, C.Reference):
        return f"{spent}return {reference(code, node.value, result.to)};"
    if result is C.VOID:
        return f"{spent}(void)({value_of(code, node.value)}); return;"
    return f"{spent}return {value_of(code, node.value)};"


def few_rounds(node):
    """How often `for (int i = 0; i < 8; i++)` goes round, if it is seldom; else 0."""
    test, step = node.condition, node.step
    if len(node.init) != 1 or type(node.init[0]) is not T.Declare:
        return 0
    variable, begin = node.init[0].variable, constant.value_of(node.init[0].init)
    counts = type(step) is T.Increment and step.op == "++"
    if begin is None or not counts or type(test) is not T.Binary or test.op != "<":
        return 0
    end = constant.value_of(test.right)
    mine = (getattr(step.target, "variable", None), loaded(test.left))
    changed = any(
        isinstance(n, T.Assign | T.CompoundAssign | T.Increment)
        and variable in owners(n.target)
        for n in walk(node.body)
    )
    free = variable.address_taken or variable in decayed(list(walk(node.body)))
    if end is None or mine != (variable, variable) or changed or free:
        return 0
    return end - begin if 0 < end - begin <= FEW_ROUNDS else 0


def loaded(node):
    """The variable that a node reads, or None."""
    if type(node) is T.Load and type(node.operand) is T.VariableRef:
        return node.operand.variable
    return None
