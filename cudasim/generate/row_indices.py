"""Indices that count up from thread to thread: base + threadIdx.x.

If the base is the same for a row of threads, the whole row is read or written at once
(engine/rows.py). A variable may hold such a sum: its base is then kept beside it, under
a name of its own, and every assignment changes both (emit_rows.py).
"""

from ..front import tree as T
from .traits import parts

SIMPLE = T.Literal, T.VariableRef, T.Load, T.Convert, T.Field, T.Unary, T.Binary
CHANGES = T.Assign, T.CompoundAssign, T.Increment


def is_sum(node):
    """Is this a + b or a - b, of integers?"""
    return type(node) is T.Binary and node.op in "+-" and node.type.plain.is_integer


def terms(node):
    """(sign, term) for each term of a sum."""
    signed = []
    while is_sum(node):
        signed.append((node.op, node.right))
        node = node.left
    return [("+", node), *reversed(signed)]


def is_thread(node):
    """Is this threadIdx.x?"""
    if type(node) is not T.Load or type(node.operand) is not T.Field:
        return False
    base = node.operand.base
    here = type(base) is T.VariableRef and base.variable is T.BUILT_IN["threadIdx"]
    return here and node.operand.name == "x"


def rises(node, rising):
    """Is this integer threadIdx.x plus something that may be computed twice?

    rising: the variables of which this is true.
    """
    if is_thread(node):
        return True
    if type(node) is T.Load and type(node.operand) is T.VariableRef:
        return node.operand.variable in rising
    if type(node) is T.Convert:
        return can_convert(node) and rises(node.operand, rising)
    if not is_sum(node):
        return False
    signs = [
        sign if rises(term, rising) else "" if is_plain(term) else "no"
        for sign, term in terms(node)
    ]
    return "".join(signs) == "+"


def can_convert(node):
    """Is a sum still one after this conversion? Not if it may have wrapped around."""
    source, target = node.operand.type.plain, node.type.plain
    if not (source.is_integer and target.is_integer) or target.size < 4:
        return False
    return target.size <= source.size or is_thread(node.operand)


def is_plain(node):
    """Is this arithmetic with variables, without side effects?"""
    stack = [node]
    while stack:
        node = stack.pop()
        if type(node) not in SIMPLE:
            return False
        if type(node) is T.Binary and node.op in "/%":
            return False
        if type(node) is T.VariableRef and node.variable.storage not in (
            "local", "parameter", "builtin",
        ):  # fmt: skip
            return False
        stack += parts(node)
    return True


def rising_variables(nodes, in_memory):
    """The variables that are threadIdx.x plus something after every assignment."""
    given, barred = {}, set(in_memory)
    for node in nodes:
        kind = type(node)
        if kind is T.Declare and node.variable.type.plain.is_integer:
            given.setdefault(node.variable, []).append(node)
        elif kind in CHANGES and type(node.target) is T.VariableRef:
            given.setdefault(node.target.variable, []).append(node)
        elif kind is T.Switch:  # a case may be entered after a declaration
            inside = (s for case in node.cases for s in case.body)
            barred |= {s.variable for s in inside if type(s) is T.Declare}
    rising, left = set(), [
        variable for variable, all_of in given.items()
        if variable.type.size >= 4 and not variable.address_taken
        and variable not in barred and any(type(n) is T.Declare for n in all_of)
    ]  # fmt: skip
    while new := [v for v in left if all(keeps_rising(n, v, rising) for n in given[v])]:
        rising |= set(new)
        left = [v for v in left if v not in rising]
    return rising


def keeps_rising(node, variable, rising):
    """Is the variable rising after this declaration or assignment?"""
    if type(node) is T.Declare:
        return node.init is not None and rises(narrowed(node.init), rising)
    if type(node) is T.Assign:
        return rises(node.value, {*rising, variable})
    if type(node) is T.Increment:
        return True
    return node.op in "+-" and node.compute.plain.is_integer and is_plain(node.value)


def narrowed(node):
    """The operand widened in `size_t i = blockIdx.x * blockDim.x + threadIdx.x`."""
    if type(node) is not T.Convert or is_thread(node.operand):
        return node
    source, target = node.operand.type.plain, node.type.plain
    wider = source.is_integer and target.is_integer and source.size < target.size
    return node.operand if wider else node
