"""Arguments for any kernel, made from the types of its parameters."""

import numpy as np
from cudasim.engine.memory import leaves_of
from cudasim.front import ctype as C


def array(type, count, seed=0):
    """An array of small numbers for a pointer to `type`."""
    rng = np.random.default_rng(seed)
    type = type.plain
    if type is C.VOID:
        return np.zeros(count, np.uint8)
    leaves = leaves_of(type)
    if isinstance(type, C.Pointer):
        return np.zeros(count, np.uint64)
    if len({leaf.dtype for leaf, _, _ in leaves}) == 1 and type.size == sum(
        leaf.size for leaf, _, _ in leaves
    ):
        dtype = leaves[0][0].dtype
        return rng.integers(0, 4, count * len(leaves)).astype(dtype)
    return np.zeros(count, type.dtype)


def value(type, number=3):
    """A small number, or a struct of small numbers."""
    type = type.plain
    if not isinstance(type, C.Struct):
        return type.dtype.type(number)
    raw = np.zeros(type.size, np.uint8)
    for leaf, at, to in leaves_of(type):
        if to is None:
            raw[at : at + leaf.size] = np.array([number], leaf.dtype).view(np.uint8)
    return raw.view(type.dtype)[0]


def arguments(kernel, count=256, number=3):
    """One argument for each parameter."""
    return tuple(
        array(p.type.plain.to, count, i)
        if isinstance(p.type.plain, C.Pointer)
        else value(p.type, number)
        for i, p in enumerate(kernel.parameters)
    )


def fresh(args):
    """Copies of the arrays, everything else as it is."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
