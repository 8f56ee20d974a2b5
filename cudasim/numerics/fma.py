"""Fused multiply-add: a * b + c with one rounding, in every format."""

from fractions import Fraction

import numpy as np

from .pieces import in_pieces
from .rounding import (
    F32,
    F64,
    I64,
    add_odd,
    double_to_bfloat16 as to_bfloat16,
    from_bfloat16 as from_bits,
    narrow,
    signed_zero,
    two_product,
    two_sum,
)

# The 29 bits of a float64 that float32 lacks, moved to the top. There a 1 and zeros
# mean halfway, which is also the least int64.
BELOW, HALFWAY = I64(35), np.iinfo(I64).min
TINY = F32(2.0**-126)


@in_pieces
def fma32(a, b, c):
    """float32, through float64: the product is exact there.

    The sum is rounded to 53 bits and then to 24. Rounding twice differs from rounding
    once only if the first result is halfway between two float32: such lanes are redone.
    """
    product = np.multiply(a, b, dtype=F64)
    total = product + c
    result = total.astype(F32)
    doubt = (total.view(I64) << BELOW).min() == HALFWAY
    if doubt or (not abs(result).min() > TINY and _inexact(total, result)):
        return narrow(add_odd(product, c.astype(F64)))
    return result


def _inexact(total, result):
    """Whether a result below the normal range, with fewer bits, was rounded."""
    return ((abs(result) <= TINY) & (total != result)).any()


def _exact64(a, b, c):
    """One lane in exact rational arithmetic, for the rims of the range."""
    a, b, c = float(a), float(b), float(c)
    total = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(total) if total else a * b + c
    except OverflowError:
        return float("inf") if total > 0 else float("-inf")


@in_pieces
def fma64(a, b, c):
    """float64, by error-free transforms (Boldo and Melquiond, 2008)."""
    a, b, c = np.broadcast_arrays(a, b, c)
    plain = a * b + c
    high, low = two_product(a, b)
    top, error = two_sum(c, low)
    top, more = two_sum(high, top)
    out = np.array(top + add_odd(error, more))
    simple = ~np.isfinite(a) | ~np.isfinite(b) | ~np.isfinite(c) | (a == 0) | (b == 0)
    np.copyto(out, plain, where=simple | (out == 0))
    rim = ~simple & ~(_between(a, 450) & _between(b, 450) & (abs(c) < 2.0**1000))
    for at in zip(*np.nonzero(np.atleast_1d(rim)), strict=True):
        where = at if out.ndim else ()
        out[where] = _exact64(a[where], b[where], c[where])
    return out[()]


def _between(x, power):
    size = abs(x)
    return (size > 2.0**-power) & (size < 2.0**power)


@in_pieces
def fma16(a, b, c):
    """float16: the sum rounded to odd in float64, then once to 11 bits."""
    return add_odd(np.multiply(a, b, dtype=F64), c.astype(F64)).astype(np.float16)


@in_pieces
def fma_bfloat16(a, b, c):
    """bfloat16, as bits."""
    a, b, c = (from_bits(x).astype(F64) for x in (a, b, c))
    return to_bfloat16(add_odd(a * b, c))


BY_TYPE = {np.dtype(t): f for t, f in ((F32, fma32), (F64, fma64), ("f2", fma16))}


def fma(a, b, c):
    """a * b + c rounded once; bfloat16 (whose dtype is that of its bits) likewise."""
    return BY_TYPE.get(a.dtype, fma_bfloat16)(a, b, c)


def fma_directed(mode):
    """float32 rounded to nearest (n), toward zero (z), up (u) or down (d)."""

    def directed(a, b, c):
        product = np.multiply(a, b, dtype=F64)
        total = add_odd(product, c.astype(F64))
        return narrow(signed_zero(total, product, c, mode), mode)

    return fma32 if mode == "n" else directed
