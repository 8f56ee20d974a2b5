"""Answers of read_idx by other algorithms."""

import io
import math
import struct

import numpy as np

from minigrad.data.idx import read_idx
from tools.audit.specimens import answer


def parts_of(data):
    """(shape, where the elements begin) as a file's head has them."""
    sizes = struct.unpack(f">{data[3]}I", data[4 : 4 + 4 * data[3]])
    return sizes, 4 + 4 * data[3]


def wrong(data):
    """What is wrong with a file, as a name in REFUSED; "" for nothing."""
    if len(data) < 4:
        return "truncated"
    if data[:2] != b"\0\0":
        return "magic"
    if data[2] != 8:
        return "any_type"
    if len(data) < 4 + 4 * data[3]:
        return "truncated"
    shape, head = parts_of(data)
    missing = math.prod(shape) - (len(data) - head)
    return "truncated" if missing > 0 else "trailing" if missing else ""


@answer(read_idx, right="by struct")
def _(data):
    if wrong(data):
        raise ValueError("these bytes are no whole IDX file of unsigned bytes")
    shape, head = parts_of(data)
    return np.frombuffer(data, np.uint8, offset=head).reshape(shape)


@answer(read_idx, right="by NumPy's big-endian numbers")
def _(data):
    head = np.frombuffer(data, np.uint8)
    if head.size < 4 or head[:3].tolist() != [0, 0, 8]:
        raise ValueError("no IDX file of bytes")
    sizes = np.frombuffer(data, ">u4", int(head[3]), 4).tolist()
    return head[4 + 4 * len(sizes) :].reshape(sizes)


@answer(read_idx, right="as a stream")
def _(data):
    stream = io.BytesIO(data)
    if stream.read(3) != b"\0\0\x08":
        raise ValueError("no IDX file of bytes")
    count = int.from_bytes(stream.read(1), "big")
    sizes, rest = np.frombuffer(stream.read(4 * count), ">u4"), stream.read()
    if len(data) < 4 or len(sizes) < count or math.prod(sizes.tolist()) != len(rest):
        raise ValueError("bytes are missing, or too many")
    return np.array(list(rest), np.uint8).reshape(sizes)
