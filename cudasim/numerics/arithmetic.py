"""C's integer operators where NumPy's differ: division, remainder and shifts."""

import numpy as np


def _least(x):
    return x.min() if x.ndim else x


def _mark(a, result, zero):
    """Set the hardware's result of a division by zero: all bits set.

    If the dividend fits 32 bits, only the low 32 of 64 are set.
    """
    if not zero.any():
        return result
    ones = np.int64(-1).astype(result.dtype)
    if result.dtype.itemsize == 8:
        short = np.int64(2**32 - 1).astype(result.dtype)
        ones = np.where(a >> result.dtype.type(32) == 0, short, ones)
    return np.where(zero, ones, result)[()]


def _easy(a, b):
    """Whether flooring is truncating: a >= 0 and b > 0 everywhere."""
    return bool(_least(b) > 0) and (a.dtype.kind == "u" or bool(_least(a) >= 0))


def int_div(a, b):
    """a / b truncated toward zero; x / 0 as on hardware; INT_MIN / -1 is INT_MIN."""
    if _easy(a, b):
        return a // b
    if b.ndim == 0 and b > 0:
        return (a + (b - b.dtype.type(1)) * (a < 0)) // b
    q = a // b
    if q.dtype.kind == "i":
        q = q + (((a ^ b) < 0) & (q * b != a)).astype(q.dtype)
    return _mark(a, q, b == 0)


def int_mod(a, b):
    """a % b with the sign of a; x % 0 as on hardware; INT_MIN % -1 is 0."""
    if _easy(a, b):
        if b.ndim == 0 and int(b) & (int(b) - 1) == 0:
            return a & (b - b.dtype.type(1))
        multiple = a // b
        multiple *= b
        return a - multiple
    return _mark(a, np.fmod(a, b), b == 0)


def _amount(a, n):
    """The low 32 bits of n in the type of a: a negative n becomes huge."""
    if n.dtype == a.dtype and n.dtype.itemsize == 4:
        return n
    return n.astype(np.int32).astype(a.dtype)


def shift_left(a, n):
    """a << n; an amount of the width or more, or a negative one, leaves 0."""
    return a << _amount(a, n)


def shift_right(a, n):
    """a >> n; an amount of the width or more, or a negative one, leaves the sign."""
    return a >> _amount(a, n)
