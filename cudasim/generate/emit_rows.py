"""Indices by rows as code: a sum without its threadIdx.x, kept beside it."""

import dataclasses

from ..front import tree as T
from .function_code import value_of
from .row_indices import is_thread, narrowed, rises, terms
from .value_code import convert_code, set_local


def index_base(code, node):
    """Code for a sum without its threadIdx.x."""
    if is_thread(node):
        return code.module.number(0, node.type.plain)
    if type(node) is T.Load:
        return code.bases[node.operand.variable]
    if type(node) is T.Convert:
        base = index_base(code, node.operand)
        return convert_code(code, base, node.operand.type.plain, node.type.plain)
    text = None
    for sign, term in terms(node):
        one = (
            index_base(code, term) if rises(term, code.rising) else value_of(code, term)
        )
        name = "sub" if sign == "-" else "add"
        text = one if text is None else f"{name}({text}, {one})"
    return text


def row_of(code, index, element):
    """Code for an index by rows, in an array of `element`, or None."""
    simple = element.plain.is_arithmetic and code.module.rows
    if not simple or not rises(index, code.rising):
        return None
    if type(index) is T.Load and not is_thread(index):
        return f"R.row({index_base(code, index)}, {value_of(code, index)})"
    return f"R.row({index_base(code, index)})"


def declare_base(code, variable, name, init):
    """Keep the base of a variable that has just got its initial value."""
    if variable not in code.rising:
        return
    inner = narrowed(init)
    text = index_base(code, inner)
    if inner is not init:
        wide = convert_code(code, text, inner.type.plain, init.type.plain)
        text = f"R.row_base({code.temp(text)}, {wide}, {name})"
    code.bases[variable] = code.fresh("r")
    code.emit(f"{code.bases[variable]} = {text}")


def change_base(code, target, change):
    """The same when `target` is assigned; change: from the old to the new code."""
    if type(target) is T.VariableRef and target.variable in code.rising:
        name = code.bases[target.variable]
        base = dataclasses.replace(code.locals[target.variable], name=name)
        set_local(code, base, change(base))
