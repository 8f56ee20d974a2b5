"""The typed tree: what the code generator reads.

Every conversion is a node of its own, names are resolved to objects, templates are
instantiated. An expression has a `place` and a `type`. An lvalue stands for a place in
memory; `Load` reads it.
"""

import dataclasses

from . import ctype as C
from .ast import PLACE


def _define(name, fields, doc, base=()):
    cls = dataclasses.make_dataclass(
        name, [("place", PLACE), *fields.split()], bases=base, slots=True, eq=False
    )
    cls.__doc__, cls.__module__ = doc, __name__
    return cls


@dataclasses.dataclass(eq=False, repr=False)
class Variable:
    """A variable. storage: local, parameter, shared, dynamic-shared, device,
    constant, builtin. `constant` is its value where that is known at compile time;
    `known` that of a constexpr array or struct, a list."""

    name: str
    type: object
    storage: str
    place: PLACE = (0, 0)
    constant: object = None
    known: object = None
    init: object = None
    used: bool = False
    address_taken: bool = False

    def __repr__(self):
        return f"<{self.storage} {self.name}: {self.type}>"


@dataclasses.dataclass(eq=False, repr=False)
class Function:
    """A function after checking.

    template_arguments: what it was instantiated with. barrier: it, or one that it
    calls, has a block-wide barrier. falls_off: its end can be reached although it
    returns a value. recursive: it calls itself, perhaps through others. calls:
    function -> place of a call. makes: the struct of a
    constructor. packs: name -> the parameters of a pack. explicit: a conversion that
    only a cast makes.
    """

    name: str
    result: object
    parameters: list
    kernel: bool = False
    place: PLACE = (0, 0)
    end: PLACE = (0, 0)
    body: object = None
    defaults: tuple = ()
    template_arguments: tuple = ()
    launch_bounds: tuple = ()
    constexpr: bool = False
    makes: object = None
    packs: dict = dataclasses.field(default_factory=dict)
    explicit: bool = False
    barrier: bool = False
    recursive: bool = False
    falls_off: bool = False
    calls: dict = dataclasses.field(default_factory=dict)
    shared: list = dataclasses.field(default_factory=list)

    @property
    def types(self):
        return [p.type for p in self.parameters]

    @property
    def reached(self):
        """This function, and all that it calls."""
        out = [self]
        for function in out:
            out += [f for f in function.calls if f not in out]
        return out

    @property
    def shared_bytes(self):
        """The static shared memory of a block, laid out in the order of the text."""
        at = 0
        for variable in [v for f in self.reached for v in f.shared]:
            if variable.storage == "shared":
                at = -(-at // variable.type.align) * variable.type.align
                at += variable.type.size
        return at

    @property
    def dynamic_shared(self):
        """Does the launch give the size of some shared memory?"""
        every = (v for f in self.reached for v in f.shared)
        return any(v.storage == "dynamic-shared" for v in every)

    def __repr__(self):
        return f"<{'kernel' if self.kernel else 'function'} {self.name}>"


@dataclasses.dataclass(eq=False)
class EnumValue:
    """A name for a constant: of an enum, or a template's parameter."""

    type: object
    value: object


def _built_in(name, type):
    return Variable(name, type.qualified(C.CONST), "builtin")


_UINT3 = C.VECTORS["uint3"]
BUILT_IN = {
    "threadIdx": _built_in("threadIdx", _UINT3),
    "blockIdx": _built_in("blockIdx", _UINT3),
    "blockDim": _built_in("blockDim", C.DIM3),
    "gridDim": _built_in("gridDim", C.DIM3),
    "warpSize": _built_in("warpSize", C.INT),
}

# Expressions
Literal = _define("Literal", "type value", "a constant: a Python bool, int, float")
StringLiteral = _define("StringLiteral", "type value", "bytes, without the last 0")
VariableRef = _define("VariableRef", "type variable", "lvalue: a variable")
Load = _define("Load", "type operand", "the value of an lvalue")
Convert = _define("Convert", "type operand", "a scalar converted to `type`")
Decay = _define("Decay", "type operand", "an array as a pointer to its first element")
Deref = _define("Deref", "type operand", "lvalue: *pointer")
AddressOf = _define("AddressOf", "type operand", "&lvalue")
Index = _define("Index", "type base index", "lvalue: array lvalue or pointer, [index]")
Field = _define("Field", "type base name", "a member; lvalue where base is one")
PointerAdd = _define("PointerAdd", "type op pointer index", "pointer +- index")
PointerDiff = _define("PointerDiff", "type left right", "in elements")
Unary = _define("Unary", "type op operand", "- + ! ~")
Binary = _define("Binary", "type op left right", "operands of one type, but << >>")
Logical = _define("Logical", "type op left right", "&& ||")
Comma = _define("Comma", "type left right", "left, right")
Select = _define("Select", "type condition yes no", "lvalue where yes and no are")
Assign = _define("Assign", "type target value", "lvalue: target = value")
CompoundAssign = _define(
    "CompoundAssign",
    "type op target value compute",
    "lvalue: target = (type)((compute)target op value)",
)
Increment = _define("Increment", "type op target prefix", "++ --; prefix: lvalue")
Call = _define("Call", "type function arguments", "reference arguments are lvalues")
BuiltinCall = _define("BuiltinCall", "type builtin arguments", "a function of CUDA's")
Aggregate = _define("Aggregate", "type items", "array or struct; None items are zero")

# Statements
Block = _define("Block", "statements", "{ }")
Declare = _define("Declare", "variable init", "a local comes to life; init or None")
Evaluate = _define("Evaluate", "value", "an expression for its effect")
If = _define("If", "condition yes no", "if")
While = _define("While", "condition body", "while")
Do = _define("Do", "body condition", "do while")
For = _define("For", "init condition step body", "for; init is a list of statements")
Switch = _define("Switch", "subject cases", "cases: Case, in order, falling through")
Case = _define("Case", "value body", "value None: default; body: statements")
Break = _define("Break", "", "break")
Continue = _define("Continue", "", "continue")
Goto = _define("Goto", "name", "goto")
Label = _define("Label", "name", "name:, in a block that is around each goto to it")
Return = _define("Return", "value", "return; value perhaps None")

_LVALUES = (VariableRef, Index, Deref, Assign, CompoundAssign, StringLiteral)


def is_lvalue(node):
    """Does this expression stand for a place in memory?"""
    if isinstance(node, _LVALUES):
        return True
    if isinstance(node, Field):
        return is_lvalue(node.base)
    if isinstance(node, Increment):
        return node.prefix
    if isinstance(node, Select):
        return is_lvalue(node.yes) and is_lvalue(node.no)
    if isinstance(node, Comma):
        return is_lvalue(node.right)
    return isinstance(node, Call) and isinstance(node.function.result, C.Reference)
