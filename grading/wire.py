"""Plain values as bytes and back: what may cross between the checks and an answer.

Numbers, text, None, tuples, lists, dicts, slices, `...`, arrays, and tensors as Seen:
nothing else. Reading bytes runs no code and makes no object of any other kind.
"""

from typing import NamedTuple

import msgpack
import numpy as np

MAX_BYTES = 256 * 2**20
DEEPEST = 60  # tuples in tuples
MAX_BITS = 4096  # of an int
CROSSING = {np.dtype(c).newbyteorder(o).str for c in "?bhilqBHILQefdg" for o in "<>"}
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


def encode(value):
    """The bytes of a plain value. NotPlain for any other."""
    try:
        return msgpack.packb(
            value, default=_pack, strict_types=True, unicode_errors="replace"
        )
    except (ValueError, OverflowError, RecursionError) as error:
        raise NotPlain(f"too large or too deeply nested: {error}") from None


def decode(data, depth=0):
    """The plain value of bytes that `encode` made. ValueError for anything else."""
    if depth > DEEPEST:  # far from where the stack of C ends
        raise ValueError(f"a message nested more than {DEEPEST} deep")
    if len(data) > MAX_BYTES:
        raise ValueError(f"a message of {len(data)} bytes is too long")
    try:
        return msgpack.unpackb(
            data,
            ext_hook=lambda code, part: _unpack(code, part, depth + 1),
            strict_map_key=False,
            timestamp=1,
        )
    except (TypeError, ArithmeticError, RecursionError, MemoryError,
            msgpack.UnpackException) as error:  # fmt: skip
        raise ValueError(f"not a message: {error}") from None


def plain(value, keep, depth=0):
    """`value` as a plain value of exact types; `keep(object)` for any other."""
    if depth > 32:
        raise NotPlain("a value nested more than 32 deep")
    if value is None or value is ... or isinstance(value, bool | np.bool_):
        return bool(value) if isinstance(value, np.bool_) else value
    if isinstance(value, int | np.integer):
        if int(value).bit_length() > MAX_BITS:
            raise NotPlain("an int of more than a thousand digits")
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)  # a subclass may have a __str__ of its own
    if isinstance(value, tuple):
        return tuple(plain(item, keep, depth + 1) for item in value)
    if isinstance(value, list):
        return [plain(item, keep, depth + 1) for item in value]
    if isinstance(value, dict):
        return {plain(k, keep, depth + 1): plain(v, keep, depth + 1)
                for k, v in value.items()}  # fmt: skip
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return slice(*(plain(part, keep, depth + 1) for part in parts))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return np.array(value, copy=True, subok=False)
    return keep(value)


def _pack(value):
    if isinstance(value, Seen):
        return _ext(SEEN, list(value))
    if isinstance(value, tuple):
        return _ext(TUPLE, list(value))
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        data = np.ascontiguousarray(value).tobytes()
        return _ext(ARRAY, [value.dtype.str, list(value.shape), data])
    if isinstance(value, slice):
        return _ext(SLICE, [value.start, value.stop, value.step])
    if value is ...:
        return _ext(ELLIPSIS, None)
    if type(value) is int:
        return _ext(BIG_INT, hex(value))
    raise NotPlain(f"a {type(value).__name__} may not cross")


def _ext(code, value):
    return msgpack.ExtType(code, encode(value))


def _unpack(code, data, depth):
    value = decode(data, depth)
    if code == TUPLE and isinstance(value, list):
        return tuple(value)
    if code == SEEN and isinstance(value, list) and len(value) == len(Seen._fields):
        return Seen(*value)
    if code == ARRAY:
        return _array(*value)
    if code == SLICE and all(type(part) in (int, type(None)) for part in value):
        start, stop, step = value
        return slice(start, stop, step)
    if code == ELLIPSIS:
        return ...
    if code == BIG_INT and isinstance(value, str) and len(value) < MAX_BITS // 4 + 4:
        return int(value, 16)
    raise ValueError(f"unknown kind of value {code}")


def _array(dtype, shape, data):
    if dtype not in CROSSING:
        raise ValueError(f"arrays of {dtype!r:.40} do not cross")
    kind = np.dtype(dtype)
    if any(type(size) is not int or size < 0 for size in shape):
        raise ValueError(f"no array has shape {shape}")
    return np.frombuffer(data, kind).reshape(shape).copy()
