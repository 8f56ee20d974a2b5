"""The code of one function while it is written: its lines, variables, and mask.

The other modules of this room are functions over a FunctionCode. Those that write a
kind of node are in a table; `value_of`, `place_of`, and `effect` find them.
"""

import dataclasses
import re

from ..front import constant, ctype as C, tree as T
from ..front.errors import CompileError
from .row_indices import rising_variables
from .variables import decayed, fusible_variables, walk

DEEPEST = 45  # Python allows 100 levels of indentation
KEPT = re.compile(r"[tk]\d+|NULL")  # names that are assigned once
FOLDED = (T.Binary, T.Unary, T.Convert)
VALUES, PLACES, EFFECTS, STATEMENTS = {}, {}, {}, {}


@dataclasses.dataclass
class Local:
    """How a variable is kept: as a value, cells (a list), memory or a reference."""

    kind: str
    name: str
    mask: str


class FunctionCode:
    """One function: what has been written, and what is known of its variables."""

    def __init__(self, module, function):
        self.module, self.function = module, function
        self.lines, self.prologue, self.level, self.counter = [], {}, 1, 0
        self.locals, self.loops, self.loop_depth = {}, [], 0
        self.early, self.visible = set(), {}
        self.clock, self.ranks = 0, {}  # see contraction.known_at
        self.mask, self.has_result = "m0", function.result is not C.VOID
        nodes = list(walk(function.body))
        self.returns = sum(type(node) is T.Return for node in nodes)
        self.jumps = any(type(node) is T.Goto for node in nodes)
        self.waiting = {}  # label -> the mask of the lanes that go to it
        self.in_memory = decayed(nodes)
        self.known_traits = {}  # expression -> what `traits` found
        rows = module.rows and not self.jumps
        self.rising = rising_variables(nodes, self.in_memory) if rows else ()
        self.bases = {}  # variable -> name of its base, see emit_rows
        self.fusible = fusible_variables(nodes) if module.program.fmad else ()
        self.products = {}  # variable -> codes of the factors, see contraction
        self.in_locals, self.widest = 0, 8  # bytes of a lane

    @property
    def lane_bytes(self):
        """An upper bound on a lane's bytes: every value as large as the largest."""
        return self.counter * self.widest + self.in_locals

    def emit(self, line):
        if self.level > DEEPEST * 2:
            message = "this is nested too deeply: split it into smaller functions"
            raise CompileError(message, self.function.place)
        self.lines.append(" " * self.level + line)

    def fresh(self, stem="t"):
        self.counter += 1
        return f"{stem}{self.counter}"

    def temp(self, code):
        """The value of `code`, computed now and kept."""
        if KEPT.fullmatch(code):
            return code
        name = self.fresh()
        self.emit(f"{name} = {code}")
        return name

    def site(self, node):
        if self.function.place in self.module.program.brought:
            # What a header's function does counts for the line that calls it.
            self.prologue["at"] = "R.at"
            return "at"
        return self.module.site(node.place)

    def temp_of(self, code):
        """Save a value before an effect, even that of a variable."""
        if code[0] == "k" and code[1:].isdigit():
            return code
        name = self.fresh()
        self.emit(f"{name} = {code}")
        return name


def value_of(code, node):
    """Code for the value of an expression."""
    number = constant.value_of(node) if type(node) in FOLDED else None
    if number is not None and is_number(node.type):
        return code.module.number(number, node.type.plain)
    return VALUES[type(node)](code, node)


def place_of(code, node):
    """The place of an lvalue; its pointer and index are computed now."""
    return PLACES[type(node)](code, node)


def effect(code, node):
    """An expression for its effect alone."""
    if type(node) in EFFECTS:
        EFFECTS[type(node)](code, node, used=False)
    elif isinstance(node, T.Comma):
        effect(code, node.left)
        effect(code, node.right)
    elif isinstance(node, T.Convert) and node.type is C.VOID:
        effect(code, node.operand)
    elif T.is_lvalue(node) and not isinstance(node, T.Call):
        place_of(code, node)  # its value is not needed
    else:
        text = value_of(code, node)
        if not text.isidentifier():
            code.emit(text)


def is_number(type):
    type = type.plain
    return type.is_arithmetic or isinstance(type, C.Enum)
