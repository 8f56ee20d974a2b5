"""The first values of the variables at file level, as bytes."""

import numpy as np

from .engine.memory import leaves_of
from .front import constant, ctype as C, tree as T
from .front.errors import CompileError

MOST_GLOBAL = 2**28


def initial_bytes(variables):
    """variable -> its first bytes, for those at file level."""
    total = 0
    for variable in variables:
        total += variable.type.size
        if total > MOST_GLOBAL:
            raise CompileError(
                f"variables at file level of more than {MOST_GLOBAL:,} bytes together "
                f"are outside the subset",
                variable.place, "pass large arrays as arguments",
            )  # fmt: skip
    return {variable: bytes_of(variable) for variable in variables}


def bytes_of(variable):
    data = np.zeros(variable.type.size, np.uint8)
    if variable.init is not None:
        fill(data, variable.type, variable.init)
    return data


def fill(data, type, node):
    """Write a constant initial value into bytes."""
    if isinstance(node, T.Aggregate):
        plain = type.plain
        if isinstance(plain, C.Array):
            kinds = (
                (plain.element, i * plain.element.size) for i in range(plain.count)
            )
        elif isinstance(plain, C.Struct):
            kinds = list(plain.fields.values())
        else:
            kinds = [(plain, 0)]
        for (kind, at), item in zip(kinds, node.items, strict=False):
            if item is not None:
                fill(data[at : at + kind.size], kind, item)
        return
    value = constant.value_of(node)
    if value is None:
        raise CompileError(
            "this initial value of a variable at file level is outside the subset",
            node.place, "set it in the kernel, or from Python: module.get_global",
        )  # fmt: skip
    leaf = leaves_of(type)[0][0]
    data[:] = np.frombuffer(leaf.dtype.type(value).tobytes(), np.uint8)
