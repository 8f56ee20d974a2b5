"""One function in C while it is written: its lines, names, and loops.

Those functions of this room that write a kind of node are in a table; `value_of`,
`place_of`, and `statement_of` find them.
"""

from ..front import constant, ctype as C
from ..generate.function_code import FOLDED, is_number
from ..generate.variables import clean, decayed, walk
from .c_builtins import Unread, has_effects

VALUES, PLACES, STATEMENTS = {}, {}, {}
FAR = 2**36  # bytes: no index that is added goes farther


class FunctionSource:
    """One function: what has been written of it.

    waits: do threads meet in it? loops: the counters of the rounds around; rounds:
    those that keys need; depth: how many loops are around; order: see `passing`.
    """

    def __init__(self, source, function):
        self.source, self.type = source, source.type
        self.function = function
        self.waits = function in source.meets
        self.names, self.lines, self.fresh = {}, [], 0
        self.loops, self.rounds = [], []
        self.depth, self.order = 0, 0
        nodes = list(walk(function.body))
        self.in_memory = decayed(nodes)
        parameters = [
            f"{self.type(p.type)} {self.declare(p)}" for p in function.parameters
        ]
        first = ["Run* R", "Thread* t", *(["u64 path"] if self.waits else [])]
        head = f"static {self.type(function.result)} {source.names[function]}"
        self.head = f"{head}({', '.join(first + parameters)})"

    def declare(self, variable):
        address = variable.address_taken or variable in self.in_memory
        if address and isinstance(variable.type.plain, C.Pointer):
            raise Unread("the address of a pointer")
        self.source.local += variable.type.size
        name = self.names[variable] = self.name(clean(variable.name or "unnamed"))
        return name

    def name(self, stem="v"):
        self.fresh += 1
        return f"{stem}_{self.fresh}"

    def passing(self, last=False):
        """Note how far in the text of the kernel a thread is that waits or ends.

        Who returned before a barrier, in the order of the text, need not come to it.
        """
        if not (self.waits and self.function.kernel):
            return ""
        self.order += 1
        return f"t->place = {'~0u' if last else self.order};"


def value_of(code, node):
    number = constant.value_of(node) if type(node) in FOLDED else None
    if number is not None and is_number(node.type):
        return number_text(code, number, node.type.plain)
    write = VALUES.get(type(node))
    if write is None:
        raise Unread(type(node).__name__)
    return write(code, node)


def place_of(code, node):
    """An lvalue in C."""
    write = PLACES.get(type(node))
    if write is None:
        raise Unread(f"{type(node).__name__} as a place")
    return write(code, node)


def statement_of(code, node):
    write = STATEMENTS.get(type(node))
    if write is None:
        raise Unread(type(node).__name__)
    return write(code, node)


def number_text(code, value, type):
    """A number of a type, as C."""
    if isinstance(type, C.Enum):
        type = type.base
    name = code.type(type)
    if type.is_float:
        number = float(type.dtype.type(value))
        if number != number:
            return f"({name})NAN"
        if abs(number) == float("inf"):
            return f"({name}){'-' if number < 0 else ''}INFINITY"
        return f"(({name}){number.hex()})"
    return f"(({name}){int(value) & (2**64 - 1):#x}ull)"


def stepwise(code, nodes, form):
    """form(values) with the values computed from left to right."""
    if len(nodes) < 2 or not any(map(has_effects, nodes[1:])):
        return form(*(value_of(code, node) for node in nodes))
    names, lines = zip(*(keep_value(code, node) for node in nodes), strict=True)
    return f"({{ {''.join(lines)}{form(*names)}; }})"


def keep_value(code, node):
    """(name, the line that computes a value and keeps it under this name)"""
    name = code.name()
    return name, f"{code.type(node.type)} {name} = {value_of(code, node)}; "


def meeting_key(code):
    """What tells a place where threads meet, in this round of its loops."""
    text = f"mix(path, {code.source.site()})"
    for counter in code.rounds:
        text = f"mix({text}, {counter})"
    return text


def unread(what):
    raise Unread(what)


def convert(code, text, source, target):
    """A value of one type as one of another."""
    source, target = source.plain, target.plain
    if target is C.VOID:
        return f"(void)({text})"
    if isinstance(target, C.Pointer):
        return convert_pointer(code, text, source, target)
    if isinstance(source, C.Pointer):
        to_bool = target is C.BOOL
        return f"(b8)!!raw({text})" if to_bool else unread("addresses")
    source, target = (t.base if isinstance(t, C.Enum) else t for t in (source, target))
    if source is target:
        return text
    if not (source.is_arithmetic and target.is_arithmetic):
        raise Unread(f"{source} as {target}")
    name = code.type(target)
    if target is C.BOOL:
        return f"(b8)(({text}) != 0)"
    if source.is_float and target.is_integer:
        wide = name if target.size >= 4 else f"{name[0]}32"
        return f"({name}){code.type(source)}_to_{wide}({text})"
    return f"({name})({text})"


def convert_pointer(code, text, source, target):
    if not isinstance(source, C.Pointer):
        raise Unread("addresses")
    code.type(target)
    code.source.casts |= source.to.const and not target.to.const
    align = target.to.align
    if align > source.to.align:
        return f"aligned(R, {text}, {align})"
    return text


def scaled(index, type, size):
    """An index in bytes; it cannot overflow."""
    type = type.plain
    small = type.size < 8 and size <= 16
    text = f"(i64)({index})"
    return f"{text if small else f'near(R, {text}, {FAR // size})'} * {size}"


def size_of(type):
    return type.size or unread("arithmetic with void*")
