"""Expressions in C.

In an expression that needs steps they stand in a `({ ... })` of GNU C, from left to
right.
"""

from ..front import ctype as C, tree as T
from ..front.handlers import handles
from ..generate.emit_expressions import SHIFTS
from . import c_builtins
from .c_builtins import Unread, has_effects
from .c_places import address, behind, member_name, reference
from .function_source import (
    VALUES,
    convert,
    keep_value,
    meeting_key,
    number_text,
    place_of,
    scaled,
    size_of,
    stepwise,
    unread,
    value_of,
)


def fill_value(code, name, type, node):
    """Statements that write an initial value; what it leaves out is zero."""
    return f"memset(&{name}, 0, sizeof {name}); " + fill_items(code, name, type, node)


def fill_items(code, name, type, node):
    if not isinstance(node, T.Aggregate):
        return f"{name} = {value_of(code, node)}; " if node is not None else ""
    plain = type.plain
    if isinstance(plain, C.Array):
        places = [(f"{name}[{i}]", plain.element) for i in range(len(node.items))]
    elif isinstance(plain, C.Struct):
        fields = enumerate(plain.fields.values())
        places = [(f"{name}.m{i}", field) for i, (field, _) in fields]
    else:
        places = [(name, plain)]
    pairs = zip(places, node.items, strict=False)
    return "".join(fill_items(code, *place, item) for place, item in pairs)


@handles(VALUES, T.Literal)
def write_literal(code, node):
    if isinstance(node.type.plain, C.Pointer):
        return "((P){0})"
    return number_text(code, node.value, node.type.plain)


@handles(VALUES, T.Load)
def write_load(code, node):
    inner = node.operand
    if isinstance(inner, T.VariableRef) and inner.variable.constant is not None:
        return number_text(code, inner.variable.constant, node.type.plain)
    if isinstance(inner, T.Assign | T.CompoundAssign | T.Increment):
        return value_of(code, inner)
    return place_of(code, inner)


@handles(VALUES, T.Convert)
def write_convert(code, node):
    target = node.type.plain
    if isinstance(target, C.Pointer) and type(node.operand) is T.Literal:
        return "((P){0})" if not node.operand.value else unread("addresses")
    return convert(code, value_of(code, node.operand), node.operand.type, node.type)


@handles(VALUES, T.Decay, T.AddressOf)
def write_address(code, node):
    return address(code, node.operand)


@handles(VALUES, T.Field)
def write_field(code, node):
    if T.is_lvalue(node):
        return place_of(code, node)
    return f"({value_of(code, node.base)}).{member_name(node)}"


@handles(VALUES, T.PointerAdd)
def write_pointer_add(code, node):
    size = size_of(node.type.plain.to)
    kind = node.index.type
    return stepwise(
        code,
        [node.pointer, node.index],
        lambda p, i: f"add({p}, {node.op}{scaled(i, kind, size)})",
    )


@handles(VALUES, T.PointerDiff)
def write_pointer_diff(code, node):
    size = size_of(node.left.type.plain.to)
    return stepwise(
        code, [node.left, node.right], lambda a, b: f"distance(R, {a}, {b}, {size})"
    )


@handles(VALUES, T.Unary)
def write_unary(code, node):
    if not node.type.plain.is_arithmetic:
        raise Unread(f"{node.op} of {node.type}")
    return f"({code.type(node.type)})({node.op}({value_of(code, node.operand)}))"


@handles(VALUES, T.Binary)
def write_binary(code, node):
    return stepwise(
        code,
        [node.left, node.right],
        lambda a, b: binary_text(code, node.op, a, b, node.left.type, node.type),
    )


def binary_text(code, op, a, b, type, result):
    """a op b, both of `type` (except a shift's right side)."""
    plain = type.plain
    if isinstance(plain, C.Enum):
        plain = plain.base
    if isinstance(plain, C.Pointer):
        return f"(b8)(raw({a}) {op} raw({b}))"
    name, result = code.type(plain), code.type(result)
    if not plain.is_arithmetic:
        raise Unread(f"{op} of {type}")
    if op in SHIFTS:
        return f"{'shl' if op == '<<' else 'shr'}_{name}({a}, (u32)(i32)({b}))"
    if op in "/%" and plain.is_integer:
        return f"{'div' if op == '/' else 'mod'}_{name}(R, {a}, {b})"
    return f"({result})(({a}) {op} ({b}))"


@handles(VALUES, T.Logical)
def write_logical(code, node):
    left, right = value_of(code, node.left), value_of(code, node.right)
    return f"(b8)(({left}) {node.op} ({right}))"


@handles(VALUES, T.Select)
def write_select(code, node):
    yes, no = value_of(code, node.yes), value_of(code, node.no)
    return f"({value_of(code, node.condition)} ? {yes} : {no})"


@handles(VALUES, T.Comma)
def write_comma(code, node):
    return f"({{ (void)({value_of(code, node.left)}); {value_of(code, node.right)}; }})"


@handles(VALUES, T.Assign)
def write_assign(code, node):
    target = place_of(code, node.target)
    if isinstance(node.target, T.VariableRef) or not has_effects(node.value):
        return f"({target} = {value_of(code, node.value)})"
    return through(code, node.target, lambda q: f"{q} = {value_of(code, node.value)};")


def through(code, target, lines):
    """Steps with a place that is found once, *q."""
    q = code.name("q")
    address = f"{code.type(target.type)}* {q} = &{place_of(code, target)};"
    return f"({{ {address} {lines(f'(*{q})')} }})"


@handles(VALUES, T.CompoundAssign)
def write_compound(code, node):
    type, value_type = node.target.type, node.value.type
    name, value = keep_value(code, node.value)

    def lines(q):
        if isinstance(type.plain, C.Pointer):
            size = size_of(type.plain.to)
            by = scaled(name, value_type, size)
            new = f"add({q}, {node.op}{by})"
        else:
            operand = C.promoted(type) if node.op in SHIFTS else value_type
            old = convert(code, q, type, operand)
            new = binary_text(code, node.op, old, name, operand, operand)
            new = convert(code, new, operand, type)
        return f"{value}{q} = {new};"

    return through(code, node.target, lines)


@handles(VALUES, T.Increment)
def write_increment(code, node):
    type = node.target.type.plain
    old, new = code.name("old"), code.name("new")

    def lines(q):
        if isinstance(type, C.Pointer):
            more = f"add({old}, {node.op[0]}{size_of(type.to)})"
        elif type.is_arithmetic:
            more = f"({code.type(type)})({old} {node.op[0]} 1)"
        else:
            raise Unread(f"{node.op} of {type}")
        kind = code.type(type)
        kept = f"{kind} {old} = {q}, {new} = {more}; {q} = {new};"
        return f"{kept} {new if node.prefix else old};"

    return through(code, node.target, lines)


@handles(VALUES, T.Call)
def write_call(code, node):
    function = node.function
    lines, names = [], []
    for parameter, argument in zip(function.parameters, node.arguments, strict=True):
        name = code.name()
        if isinstance(parameter.type, C.Reference):
            text = reference(code, argument, parameter.type.to)
        else:
            text = value_of(code, argument)
        lines.append(f"{code.type(parameter.type)} {name} = {text}; ")
        names.append(name)
    path = [meeting_key(code)] if function in code.source.meets else []
    given = ", ".join(["R", "t", *path, *names])
    lines += [code.passing()] if path else []
    return f"({{ {''.join(lines)}{code.source.names[function]}({given}); }})"


@handles(VALUES, T.BuiltinCall)
def write_builtin(code, node):
    builtin = node.builtin
    kind = c_builtins.kind_of(builtin)
    if kind == "atomic":
        return write_atomic(code, node)
    if kind in ("memory", "store"):
        return write_access(code, node)
    if kind in ("fence", "assert") or builtin.name == "__builtin_assume":
        test = [value_of(code, a) for a in node.arguments if kind == "assert"]
        return f"({test[0]} ? (void)0 : fault(R))" if test else "(void)0"
    if kind == "vector":
        whole = f"({code.type(node.type)})"
        return stepwise(
            code, node.arguments, lambda *parts: f"{whole}{{ {', '.join(parts)} }}"
        )
    template = c_builtins.template(builtin, code.type)
    if template is None:
        raise Unread(builtin.name)
    names, lines = [], []
    alike = kind == "math" and builtin.name.lstrip("ul") in ("min", "max")
    for wanted, argument in zip(builtin.types, node.arguments, strict=False):
        wanted = builtin.result if alike else wanted
        text = convert(code, value_of(code, argument), argument.type, wanted)
        names.append(code.name())
        lines.append(f"{code.type(wanted)} {names[-1]} = {text}; ")
    missing = len(builtin.types) - len(names)
    names += ["32" if builtin.name[:6] == "__shfl" else "~0u"] * missing
    key = ""
    if c_builtins.meets(builtin):
        key = code.name("key")
        lines.append(f"u64 {key} = {meeting_key(code)}; {code.passing()} ")
    return f"({{ {''.join(lines)}{template.format(*names, key=key)}; }})"


def write_atomic(code, node):
    how, update = c_builtins.update(node.builtin)
    type = node.builtin.types[0].to.plain
    if not type.is_arithmetic:
        raise Unread(node.builtin.name)
    arguments = [keep_value(code, a) for a in node.arguments]
    names = [name for name, _ in arguments]
    kind = code.type(type)
    steps = (
        f"{kind}* q_ = ({kind}*)at(R, {names[0]}, 0, {type.size}), old = *q_; "
        f"*q_ = {update.format(*names[1:])}; old;"
    )
    return f"({{ {''.join(line for _, line in arguments)}{steps} }})"


def write_access(code, node):
    """__ldg and the like, __stcs and the like."""
    arguments = [keep_value(code, a) for a in node.arguments]
    place = behind(code, arguments[0][0], "0", node.builtin.types[0].to)
    lines = "".join(line for _, line in arguments)
    if len(arguments) == 1:
        return f"({{ {lines}{place}; }})"
    return f"({{ {lines}{place} = {arguments[1][0]}; (void)0; }})"


@handles(VALUES, T.Aggregate)
def write_aggregate(code, node):
    name, kind = code.name(), code.type(node.type)
    return f"({{ {kind} {name}; {fill_value(code, name, node.type, node)}{name}; }})"
