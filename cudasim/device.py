"""Device arrays that remember which of their bytes have not been written yet."""

import weakref

import numpy as np

# Bits that are unlikely to come from a computation: for floats, quiet NaNs.
POISON = {"f2": 0x7E5A, "f4": 0x7FDA5A5A, "f8": 0x7FFA5A5A5A5A5A5A}
_unwritten = {}  # id of an array -> (weak reference to it, bool per byte)


def empty(shape, dtype=np.float32):
    """Device memory full of garbage; a kernel that reads before writing is reported."""
    array = np.empty(shape, dtype)
    if array.dtype.hasobject:
        raise TypeError(f"device memory cannot hold Python objects ({array.dtype})")
    if array.nbytes:
        _bytes(array)[:] = np.resize(_poison(array.dtype), array.nbytes)
    key = id(array)
    gone = weakref.ref(array, lambda _: _unwritten.pop(key, None))
    _unwritten[key] = gone, np.ones(array.nbytes, bool)
    return array


def fresh_of(array):
    """Bool per byte of `array` (True: not written yet), or None if it is unknown."""
    owner = array
    while owner is not None and id(owner) not in _unwritten:
        owner = getattr(owner, "base", None)
    if owner is None or not array.nbytes:
        return None
    start = _address(array) - _address(owner)
    fresh = _unwritten[id(owner)][1]
    _notice_host_writes(owner, fresh)
    return fresh[start : start + array.nbytes]


def _notice_host_writes(array, fresh):
    """Bytes that no longer hold poison have been written, by NumPy or unwatched."""
    poison = _poison(array.dtype)
    changed = (_bytes(array).reshape(-1, len(poison)) != poison).any(axis=1)
    fresh.reshape(-1, len(poison))[changed] = False


def _poison(dtype):
    """The bytes of one unwritten element."""
    real = np.dtype(dtype.type(0).real.dtype) if dtype.kind == "c" else dtype
    bits = POISON.get(real.str[1:])
    if bits is None:
        return np.full(dtype.itemsize, 0x5A, np.uint8)
    return np.array([bits], f"{real.str[0]}u{real.itemsize}").view(np.uint8)


def _bytes(array):
    return array.reshape(-1).view(np.uint8)


def _address(array):
    return array.__array_interface__["data"][0]
