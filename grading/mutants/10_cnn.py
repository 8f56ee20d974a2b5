"""Chapter 10, read_idx: wrong answers, and right ones in other styles."""

import io
import math
import struct

import numpy as np

from grading.specimens import mutant, right
from minigrad import tensor
from minigrad.data.idx import read_idx


def sizes(data, form=">"):
    return struct.unpack(f"{form}{data[3]}I", data[4 : 4 + 4 * data[3]])


def examined(data, kind=True, magic=True):
    """Raise unless the first bytes and the length are as they should be."""
    if len(data) < 4 or (magic and data[:2] != b"\0\0") or (kind and data[2] != 8):
        raise ValueError("no IDX file of bytes")
    head = 4 + 4 * data[3]
    if len(data) < head:
        raise ValueError("cut off")
    if len(data) - head != math.prod(sizes(data)):
        raise ValueError("not as long as its head says")
    return np.frombuffer(data, np.uint8, offset=head)


@mutant(read_idx, "little_endian")
def _(data):
    elements = examined(data)
    return elements.reshape(sizes(data, "<"))


@mutant(read_idx, "little_endian", "the machine's own order")
def _(data):
    examined(data)
    shape = np.frombuffer(data, np.uint32, data[3], 4)
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


@mutant(read_idx, "column_major")
def _(data):
    return examined(data).reshape(sizes(data), order="F")


@mutant(read_idx, "reversed_sizes")
def _(data):
    return examined(data).reshape(sizes(data)[::-1])


@mutant(read_idx, "transposed")
def _(data):
    array = examined(data).reshape(sizes(data))
    return array.swapaxes(-1, -2) if array.ndim > 1 else array


@mutant(read_idx, "truncated", "what is missing is 0")
def _(data):
    data = bytes(data).ljust(4, b"\0")
    if data[:2] != b"\0\0" or data[2] not in (0, 8):
        raise ValueError("no IDX file")
    head = 4 + 4 * data[3]
    shape = sizes(data.ljust(head, b"\0"))
    array = np.zeros(math.prod(shape), np.uint8)
    found = np.frombuffer(data[head:], np.uint8)
    if len(found) > len(array):
        raise ValueError("too long")
    array[: len(found)] = found
    return array.reshape(shape)


@mutant(read_idx, "trailing")
def _(data):
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] != 8:
        raise ValueError("no IDX file")
    if len(data) < 4 + 4 * data[3]:
        raise ValueError("cut off")
    count = math.prod(sizes(data))
    array = np.frombuffer(data, np.uint8, count, 4 + 4 * data[3])
    return array.reshape(sizes(data))


@mutant(read_idx, "any_type")
def _(data):
    return examined(data, kind=False).reshape(sizes(data))


@mutant(read_idx, "magic")
def _(data):
    return examined(data, magic=False).reshape(sizes(data))


@mutant(read_idx, "head_length", "one byte too many")
def _(data):
    examined(data)
    return np.frombuffer(data[5 + 4 * data[3] :], np.uint8).reshape(sizes(data))


@mutant(read_idx, "head_length", "the first four bytes forgotten")
def _(data):
    examined(data)
    given = len(data) - 4 * data[3]
    if given != math.prod(sizes(data)):
        raise ValueError("not as long as its head says")
    return np.frombuffer(data[4 * data[3] :], np.uint8).reshape(sizes(data))


@mutant(read_idx, "shifted", "one byte too early")
def _(data):
    count = len(examined(data))
    array = np.frombuffer(data, np.uint8, count, 3 + 4 * data[3])
    return array.reshape(sizes(data))


@mutant(read_idx, "not_bytes", "signed")
def _(data):
    return examined(data).view(np.int8).reshape(sizes(data))


@mutant(read_idx, "not_bytes", "floats")
def _(data):
    return examined(data).reshape(sizes(data)).astype(np.float32)


@mutant(read_idx, "not_bytes", "from 0 to 1")
def _(data):
    return examined(data).reshape(sizes(data)) / 255


@mutant(read_idx, "three")
def _(data):
    n, height, width = struct.unpack(">III", data[4:16])
    return np.frombuffer(data, np.uint8, offset=16).reshape(n, height, width)


@mutant(read_idx, "flat")
def _(data):
    return examined(data)


@mutant(read_idx, "wrong_error", "whatever Python raises")
def _(data):
    assert data[:2] == b"\0\0" and data[2] == 8
    array = np.frombuffer(data, np.uint8, offset=4 + 4 * data[3])
    return array.reshape(sizes(data))


@mutant(read_idx, "type", "a tensor")
def _(data):
    return tensor(examined(data).reshape(sizes(data)))


@mutant(read_idx, "type", "a list")
def _(data):
    return examined(data).reshape(sizes(data)).tolist()


@right(read_idx, "by struct")
def _(data):
    return examined(data).reshape(sizes(data))


@right(read_idx, "as a file is read")
def _(data):
    file = io.BytesIO(data)
    zero, kind, dims = struct.unpack(">HBB", file.read(4).rjust(4, b"\xff"))
    if zero or kind != 8:
        raise ValueError("no IDX file of bytes")
    shape = []
    for _ in range(dims):
        size = file.read(4)
        if len(size) < 4:
            raise ValueError("the head is cut off")
        shape.append(int.from_bytes(size, "big"))
    rest = file.read()
    if len(rest) != np.prod(shape, dtype=int):
        raise ValueError(f"{len(rest)} bytes are not {shape}")
    return np.array(list(rest), np.uint8).reshape(shape)


@right(read_idx, "by NumPy, which refuses a wrong length itself")
def _(data):
    if len(data) < 4 or data[0] or data[1] or data[2] != 0x08:
        raise ValueError(f"no IDX file: {bytes(data[:4])}")
    dims = data[3]
    shape = np.frombuffer(data, ">u4", dims, 4).astype(int)
    return np.frombuffer(data, "u1", offset=4 + 4 * dims).reshape(shape)
