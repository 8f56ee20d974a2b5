"""Conversions between C types, and the intrinsics that name their rounding."""

import functools

import numpy as np

from ..front import ctype as C
from .pieces import in_pieces
from .rounding import (
    F32,
    F64,
    double_to_bfloat16,
    exact_parts,
    from_bfloat16,
    narrow,
    odd,
    to_bfloat16,
    to_bfloat16_directed,
)

ROUND = {"n": np.rint, "z": np.trunc, "u": np.ceil, "d": np.floor}


def saturating(dtype, mode="z"):
    """Float to integer as on the hardware: out of range gives the nearest end.

    NaN gives 0, or only the top bit where either type has 64 bits.
    """
    info, rounding = np.iinfo(dtype), ROUND[mode]
    least, most = float(info.min), float(info.max + 1)
    inner = np.int64 if dtype is np.uint32 else dtype

    @in_pieces
    def convert(x):
        if mode != "z":
            x = rounding(x)
        if _least(x) > least and _most(x) < most:
            return x.astype(inner).astype(dtype, copy=False)
        x = rounding(x)
        inside = (x >= least) & (x < most)
        value = np.where(inside, x, 0).astype(inner).astype(dtype)
        value = np.where(x >= most, dtype(info.max), value)
        value = np.where(x < least, dtype(info.min), value)
        return np.where(x != x, _nan_as(dtype, x.dtype), value)[()]

    return convert


def _least(x):
    return x.min() if x.ndim else x


def _most(x):
    return x.max() if x.ndim else x


def _nan_as(dtype, source):
    """The integer that NaN becomes, as observed on the hardware."""
    bits = 8 * np.dtype(dtype).itemsize
    wide = bits == 64 or source == F64
    return np.uint64(wide << (bits - 1)).astype(dtype)


def _caster(dtype):
    return lambda x: x.astype(dtype)


def _viewer(dtype):
    return lambda x: x.view(dtype)


def _chain(first, second):
    if first is None or second is None:
        return first or second
    return lambda x: second(first(x))


def _through_int(dtype):
    """Float or double to 8 or 16 bits as in nvcc: to 32 bits, then the low ones.

    half and bfloat16, whose conversions are functions of their headers, saturate.
    """
    to_int = saturating(np.int32 if np.dtype(dtype).kind == "i" else np.uint32)
    return lambda x: to_int(x).astype(dtype)


def _to_bfloat16(source):
    if source is F32 or source == np.float16:
        return _chain(None if source is F32 else _caster(F32), to_bfloat16)
    if np.dtype(source).kind != "f":
        return _integer_to_bfloat16("n")
    return _chain(None if source is F64 else _caster(F64), double_to_bfloat16)


def _between_dtypes(source, target, short=False):
    """The conversion between two NumPy types, or None if there is nothing to do.

    short: the C type converted from is half or bfloat16.
    """
    a, b = np.dtype(source), np.dtype(target)
    if a == b:
        return None
    if b.kind == "b":
        return lambda x: x != 0
    if a.kind == "f" and b.kind in "iu":
        whole = short or b.itemsize >= 4
        return saturating(b.type) if whole else _through_int(b.type)
    if a.kind in "iu" and b.kind in "iu" and a.itemsize == b.itemsize:
        return _viewer(b)
    return _caster(b)


def converter(source, target):
    """A function from values of C type `source` to those of `target`.

    None if the values stay as they are.
    """
    source, target = source.plain, target.plain
    if source is target or target.dtype is None:
        return None
    if isinstance(target, C.Pointer):
        return None
    if isinstance(source, C.Pointer):
        return (lambda x: x != 0) if target is C.BOOL else None
    if source is C.BFLOAT16:
        onward = _between_dtypes(F32, target.dtype.type, short=True)
        return _chain(from_bfloat16, onward)
    if target is C.BFLOAT16:
        return _to_bfloat16(source.dtype.type)
    return _between_dtypes(source.dtype.type, target.dtype.type, source is C.HALF)


def _integer_to_bfloat16(mode):
    def convert(x):
        exact = odd(*exact_parts(x))
        if mode == "n":
            return double_to_bfloat16(exact)
        return to_bfloat16_directed(narrow(exact, mode), mode)

    return convert


def _exact_narrow(mode):
    """An integer or a double to float32 in a given direction."""

    def convert(x):
        return narrow(x if x.dtype == F64 else odd(*exact_parts(x)), mode)

    return convert


def _exact_wide(mode):
    """An integer to float64 in a given direction."""

    def convert(x):
        s, e = exact_parts(x)
        if mode == "n":
            return s
        low = (e < 0) & (s > 0) if mode == "z" else e < 0
        high = (e > 0) & (s < 0) if mode == "z" else e > 0
        if mode != "u":
            s = np.where(low, np.nextafter(s, F64(-np.inf)), s)[()]
        return np.where(high, np.nextafter(s, F64(np.inf)), s)[()] if mode != "d" else s

    return convert


def _half_directed(mode):
    def convert(x):
        r = x.astype(np.float16)
        if mode == "n":
            return r
        wide = r.astype(F32)
        low = {"z": abs(wide) > abs(x), "u": wide < x, "d": wide > x}[mode]
        ends = {"z": 0, "u": np.inf, "d": -np.inf}
        return np.where(low, np.nextafter(r, np.float16(ends[mode])), r)[()]

    return convert


def _table():
    table = {}
    wide = {
        "int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64,
        "short": np.int16, "ushort": np.uint16, "char": np.int8, "uchar": np.uint8,
    }  # fmt: skip
    for mode in "nzud":
        suffix = "_r" + mode
        for name, dtype in wide.items():
            for source in ("float", "double", "half"):
                table[f"__{source}2{name}{suffix}"] = saturating(dtype, mode)
            table[f"__bfloat162{name}{suffix}"] = _chain(
                from_bfloat16, saturating(dtype, mode)
            )
            table[f"__{name}2float{suffix}"] = _exact_narrow(mode)
            table[f"__{name}2double{suffix}"] = _exact_wide(mode)
            table[f"__{name}2half{suffix}"] = _chain(_caster(F64), _half_directed(mode))
            table[f"__{name}2bfloat16{suffix}"] = _integer_to_bfloat16(mode)
        table[f"__double2float{suffix}"] = _exact_narrow(mode)
        table[f"__float2half{suffix}"] = _half_directed(mode)
        table[f"__float2bfloat16{suffix}"] = functools.partial(
            to_bfloat16_directed, mode=mode
        )
    for name in ("ll2float", "ull2float", "int2float", "uint2float"):
        table[f"__{name}_rn"] = _caster(F32)
    return table


BUILTINS = _table() | {
    "__float2half": _caster(np.float16),
    "__double2half": _caster(np.float16),
    "__half2float": _caster(F32),
    "__float2bfloat16": to_bfloat16,
    "__float2bfloat16_rn": to_bfloat16,
    "__double2bfloat16": double_to_bfloat16,
    "__bfloat162float": from_bfloat16,
    "__float_as_int": _viewer(np.int32),
    "__float_as_uint": _viewer(np.uint32),
    "__int_as_float": _viewer(F32),
    "__uint_as_float": _viewer(F32),
    "__double_as_longlong": _viewer(np.int64),
    "__longlong_as_double": _viewer(F64),
    "__half_as_short": _viewer(np.int16),
    "__half_as_ushort": _viewer(np.uint16),
    "__short_as_half": _viewer(np.float16),
    "__ushort_as_half": _viewer(np.float16),
    "__bfloat16_as_short": _viewer(np.int16),
    "__short_as_bfloat16": _viewer(np.uint16),
    "__bfloat16_as_ushort": lambda x: x,
    "__ushort_as_bfloat16": lambda x: x,
    "__double2hiint": lambda x: (x.view(np.int64) >> 32).astype(np.int32),
    "__double2loint": lambda x: x.view(np.int64).astype(np.int32),
    "__hiloint2double": lambda high, low: (
        (high.astype(np.int64) << 32) | low.view(np.uint32).astype(np.int64)
    ).view(F64),
}
