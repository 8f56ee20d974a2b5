"""The arguments of a launch as a batch takes them: arrays become pointers."""

import ctypes

import numpy as np

from ..front import ctype as C
from . import admit
from .memory import ALIGNMENT, NULL, Pointer, Region, Root, leaves_of

FIRST_ADDRESS = 0x7F0000000000


def parts_of(type, struct):
    """The plain values of a struct, in order."""
    raw = np.frombuffer(struct.tobytes(), np.uint8)
    return tuple(
        raw[at : at + leaf.size].view(leaf.dtype)[0] for leaf, at, _ in leaves_of(type)
    )


class Addresses:
    """Gives out device addresses."""

    def __init__(self):
        self.next = FIRST_ADDRESS

    def new(self, nbytes):
        here = self.next
        self.next += -(-(nbytes + 1) // ALIGNMENT) * ALIGNMENT + ALIGNMENT
        return here


def bind(kernel, args, new_address, fresh_of):
    """(values of all parameters, roots of the arrays among them)"""
    args = admit.arguments(kernel.name, kernel, args)
    values, arrays = list(args), []
    for i, (parameter, value) in enumerate(zip(kernel.parameters, args, strict=True)):
        if value is None:
            values[i] = NULL
        elif isinstance(value, np.ndarray):
            arrays.append((i, parameter, value))
        elif isinstance(value, np.void):
            values[i] = parts_of(parameter.type.plain, value)
    roots = []
    for group in overlapping(arrays):
        roots.append(bind_group(group, values, new_address, fresh_of))
    return values, roots


def extent(array):
    begin = array.__array_interface__["data"][0]
    return begin, begin + array.nbytes


def overlapping(arrays):
    """The arrays in groups that share memory."""
    groups, end = [], -1
    for item in sorted(arrays, key=lambda item: extent(item[2])):
        begin, stop = extent(item[2])
        shared = begin < end
        if shared:
            first = groups[-1][0][2]
            step = max(first.itemsize, item[2].itemsize)
            shared = (begin - extent(first)[0]) % step == 0
        if shared:
            groups[-1].append(item)
        else:
            groups.append([item])
            end = -1
        end = max(end, stop)
    return groups


def bind_group(group, values, new_address, fresh_of):
    """One Root for arrays that share memory, a Region for each argument."""
    first = group[0][2]
    begin = extent(first)[0]
    stop = max(extent(array)[1] for _, _, array in group)
    if len(group) == 1:
        data = first.reshape(-1).view(np.uint8) if first.nbytes else EMPTY
    else:
        data = np.frombuffer(
            (ctypes.c_uint8 * (stop - begin)).from_address(begin), np.uint8
        )
    root = Root("global", group[0][1].name, data, address=new_address(stop - begin))
    root.fresh = fresh_of(first) if len(group) == 1 else None
    root.writable = all(array.flags.writeable for _, _, array in group)
    root.readonly = all(p.type.plain.to.const for _, p, _ in group)
    for at, parameter, array in group:
        pointee = parameter.type.plain.to
        size = pointee.size or 1
        offset = extent(array)[0] - begin
        named = pointee if pointee.size else C.CHAR
        region = Region(root, parameter.name, named, offset, array.nbytes)
        values[at] = Pointer(region, 0, size)
    return root


EMPTY = np.zeros(0, np.uint8)
