"""Exact steps between float64 and the narrower formats.

Rounding to odd (inexact results get an odd last bit) keeps what a second rounding, in
any direction, needs in order to give the result of a single one.
"""

import numpy as np

F32, F64, U16, U32, I64 = np.float32, np.float64, np.uint16, np.uint32, np.int64
INF32 = F32(np.inf)


def two_sum(a, b):
    """s, e with s = a + b rounded and s + e = a + b exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def split(a):
    """a = high + low, both of 26 bits at most (Veltkamp)."""
    t = a * F64(134217729.0)
    high = t - (t - a)
    return high, a - high


def two_product(a, b):
    """p, e with p = a * b rounded and p + e = a * b exactly (Dekker)."""
    p = a * b
    ah, al = split(a)
    bh, bl = split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


def odd(s, e):
    """The exact s + e (e: the error of the float64 s) rounded to odd."""
    bits = s.view(I64)
    away = (e > 0) == (s > 0)
    step = np.where(away, I64(1), I64(-1))
    inexact = (e != 0) & (bits & 1 == 0) & np.isfinite(s) & (e == e)
    return np.where(inexact, bits + step, bits)[()].view(F64)


def add_odd(a, b):
    return odd(*two_sum(a, b))


def signed_zero(total, a, b, mode):
    """a + b, where 0 is -0 if rounded down, unless it is +0 + +0."""
    if mode != "d":
        return total
    negative = (total == 0) & (np.signbit(a) | np.signbit(b))
    return np.where(negative, -0.0, total)[()]


def exact_parts(x):
    """An integer as s + e exactly, both float64 and s the nearest one."""
    if x.dtype.itemsize < 8:
        return x.astype(F64), F64(0)
    by, low = x.dtype.type(32), x.dtype.type(0xFFFFFFFF)
    return two_sum((x >> by).astype(F64) * 2.0**32, (x & low).astype(F64))


def narrow(d, mode="n"):
    """float64 to float32, rounding to nearest, toward zero, up, down, or to odd."""
    r = d.astype(F32)
    if mode == "n":
        return r
    if mode == "z":
        return np.where(abs(r) > abs(d), np.nextafter(r, F32(0)), r)[()]
    if mode == "u":
        return np.where(r < d, np.nextafter(r, INF32), r)[()]
    if mode == "d":
        return np.where(r > d, np.nextafter(r, -INF32), r)[()]
    low = narrow(d, "z")
    return np.where(low == d, low.view(U32), low.view(U32) | U32(1))[()].view(F32)


def to_bfloat16(x):
    """float32 to the bits of bfloat16, to nearest even; any NaN becomes 0x7fff."""
    bits = x.view(U32)
    rounded = (bits + (((bits >> U32(16)) & U32(1)) + U32(0x7FFF))) >> U32(16)
    nan = x != x
    if nan.any():
        rounded = np.where(nan, U32(0x7FFF), rounded)[()]
    return rounded.astype(U16)


def to_bfloat16_directed(x, mode):
    """float32 to the bits of bfloat16 toward zero (z), up (u) or down (d)."""
    bits = x.view(U32)
    away = np.signbit(x) if mode == "d" else ~np.signbit(x)
    step = (bits & U32(0xFFFF) != 0) & away & (mode != "z")
    cut = ((bits >> U32(16)) + step).astype(U16)
    return np.where(x == x, cut, U16(0x7FFF))[()]


def from_bfloat16(bits):
    return (bits.astype(U32) << U32(16)).view(F32)


def double_to_bfloat16(x):
    return np.where(x == x, to_bfloat16(narrow(x, "o")), U16(0x7FFF))[()]
