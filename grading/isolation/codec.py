"""Plain values as bytes and back: what may cross between the checks and an answer.

Numbers, text, None, tuples, lists, dicts, slices, `...`, arrays, and tensors as Seen:
nothing else. Reading bytes runs no code and makes no object of any other kind. What it
costs is bounded, whoever has written them: a message is its structure, which is short,
and the bytes of its arrays, which are only copied.
"""

import functools
import math
import struct
from typing import NamedTuple

import msgpack
import numpy as np

HEAD = struct.Struct(">I")  # the structure's size
SHORT = 2**20  # bytes of a structure that comes from an answer
VALUE, REPLY = 2**17, 2**18  # of what it returns, and of all that is said of that
ANY = 2**32  # of one that comes from the grader
DEEPEST = 40  # tuples in tuples
MOST = 50_000  # tuples, arrays, and the like in a message
FEW = 256  # pairs of a dict whose keys are neither texts nor short ints
MAX_BITS = 4096  # of an int
CROSSING = {np.dtype(c).newbyteorder(o).str for c in "?bhilqBHILQefdg" for o in "<>"}
ROOM = 2**10  # bytes to begin with; msgpack's 2**18 are taken from the system each time
TUPLE, ARRAY, SEEN, SLICE, ELLIPSIS, BIG_INT = range(6)


class Seen(NamedTuple):
    """A tensor: how it reads which values; shares: of the storage that was given?

    values: None where it would read outside its storage, or where it is huge.
    """

    shape: tuple
    strides: tuple
    offset: int
    dtype: str
    values: np.ndarray | None
    shares: bool


class NotPlain(TypeError):
    """A value that may not cross."""


TOO_MUCH = "too much to read: {} beside the elements of tensors; at most {} are read"


class TooMuch(ValueError):
    """What takes the grader too long to read, whatever it is."""


def refused(value):
    """What `encode` and `decode` do with what is not plain."""
    raise NotPlain(f"a {type(value).__name__} may not cross")


def encode(value, keep=refused):
    """The bytes of a plain value. keep: gives (code, plain value) of any other."""
    arrays = bytearray()
    structure = _packed(value, keep, arrays)
    return b"".join([HEAD.pack(len(structure)), structure, arrays])


def expect_short(value):
    """TooMuch where a plain value has more to read than an answer ever has to give."""
    size = len(_packed(value, refused, bytearray()))
    if size > VALUE:
        raise TooMuch(TOO_MUCH.format(f"{size:,} bytes", f"{VALUE:,}"))


def decode(data, keep=None, most=SHORT):
    """The plain value of bytes that `encode` made. ValueError for anything else.

    keep: gives what (code, plain value) stand for. most: bytes of the structure.
    """
    try:
        (size,) = HEAD.unpack_from(data)
        if size > len(data) - HEAD.size:
            raise ValueError("a message that ends before it says")
        if size > most:
            raise TooMuch(TOO_MUCH.format(f"{size} bytes", most))
        end = HEAD.size + size
        reader = _Reader(memoryview(data)[end:], keep)
        return reader.value(data[HEAD.size : end], 0)
    except (TypeError, ArithmeticError, RecursionError, MemoryError, struct.error,
            msgpack.UnpackException) as error:  # fmt: skip
        raise ValueError(f"not a message: {error}") from None


def _packed(value, keep, arrays):
    try:
        return msgpack.packb(
            value,
            default=functools.partial(_ext, keep=keep, arrays=arrays),
            strict_types=True,
            unicode_errors="replace",
            buf_size=ROOM,
        )
    except (ValueError, OverflowError, RecursionError) as error:
        raise NotPlain(f"too large or too deeply nested: {error}") from None


def _ext(value, keep, arrays):
    """A value that msgpack does not know, as a kind of value that it keeps."""
    code, parts = _parts(value, keep, arrays)
    return msgpack.ExtType(code, _packed(parts, keep, arrays))


def _parts(value, keep, arrays):
    if type(value) is tuple:
        return TUPLE, list(value)
    if isinstance(value, Seen):
        return SEEN, list(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        arrays += np.ascontiguousarray(value).tobytes()  # each array's, in order
        return ARRAY, [value.dtype.str, list(value.shape)]
    if isinstance(value, slice):
        return SLICE, [value.start, value.stop, value.step]
    if value is ...:
        return ELLIPSIS, None
    if type(value) is int:
        return BIG_INT, hex(value)
    return keep(value)


class _Reader:
    """Reads one message's structure. arrays: the bytes of those that are to come."""

    def __init__(self, arrays, keep):
        self.arrays, self.keep, self.left = arrays, keep, MOST

    def value(self, data, depth):
        if depth > DEEPEST:  # far from where the stack of C ends
            raise ValueError(f"a message nested more than {DEEPEST} deep")
        return msgpack.unpackb(
            data,
            ext_hook=lambda code, part: self.kept(code, part, depth + 1),
            object_pairs_hook=_mapping,
            strict_map_key=False,
            timestamp=1,
        )

    def kept(self, code, data, depth):
        self.left -= 1
        if self.left < 0:
            raise ValueError(f"a message of more than {MOST} parts")
        value = self.value(data, depth)
        if code == TUPLE and isinstance(value, list):
            return tuple(value)
        if code == SEEN and isinstance(value, list) and len(value) == len(Seen._fields):
            return Seen(*value)
        if code == ARRAY:
            return self.array(*value)
        if code == SLICE and all(type(part) in (int, type(None)) for part in value):
            start, stop, step = value
            return slice(start, stop, step)
        if code == ELLIPSIS:
            return ...
        if (
            code == BIG_INT
            and isinstance(value, str)
            and len(value) < MAX_BITS // 4 + 4
        ):
            return int(value, 16)
        if self.keep and code > BIG_INT:
            return self.keep(code, value)
        raise ValueError(f"unknown kind of value {code}")

    def array(self, dtype, shape):
        if dtype not in CROSSING:
            raise ValueError(f"arrays of {dtype!r:.40} do not cross")
        if any(type(size) is not int or size < 0 for size in shape):
            raise ValueError(f"no array has shape {shape}")
        kind = np.dtype(dtype)
        size = math.prod(shape) * kind.itemsize
        data, self.arrays = self.arrays[:size], self.arrays[size:]
        return np.frombuffer(data, kind).reshape(shape).copy()


def _mapping(pairs):
    """A dict, if a hostile hand cannot have made its keys collide."""
    if len(pairs) > FEW and any(not _spreads(key) for key, _ in pairs):
        raise ValueError(f"a dict of more than {FEW} keys that are not texts")
    return dict(pairs)


def _spreads(key):
    """Is a key of a type whose hashes cannot be chosen to be all the same?"""
    return type(key) is str or type(key) is int and abs(key) < 2**60
