"""Is a tensor what it should be? Shape, NaN and infinities, values within bounds."""

import numpy as np

from ..dtypes import bfloat16, float16, float32, narrow, of_bits, widen
from .tolerance import UNIT, tolerance


def values_of(tensor):
    """A tensor's elements as a NumPy array; bfloat16 as float32."""
    return of_bits(tensor.cpu().memory(), tensor.dtype)


def assert_close(actual, expected, *, terms=1, magnitude=None, ulps=2, what=""):
    """Raise AssertionError unless a tensor is `expected` but for rounding.

    expected: the true values, float64 (or exact, for whole numbers and bool). terms,
    magnitude, ulps: see `tolerance`; without a magnitude it is the expected value.
    Half and bfloat16 are computed in float32, and rounded in the end.
    """
    expected = np.asarray(expected)
    got = values_of(actual)
    shape = expected.shape
    assert got.shape == shape, f"{what}: shape {got.shape}, expected {shape}"
    if actual.dtype not in UNIT:
        wrong = got != expected
        assert not wrong.any(), _first(wrong, got, expected, what)
        return
    rounded = round_to(expected, actual.dtype)
    finite = np.isfinite(rounded) & np.isfinite(got)
    same = (rounded == got) | (np.isnan(rounded) & np.isnan(got))
    with np.errstate(all="ignore"):
        wide = float32 if actual.dtype in (float16, bfloat16) else actual.dtype
        size = np.where(finite, expected if magnitude is None else magnitude, 0)
        bound = tolerance(wide, terms, size, ulps, actual.dtype)
        near = finite & (np.abs(got.astype(np.float64) - expected) <= bound)
    wrong = ~(same | near)
    assert not wrong.any(), _first(wrong, got, expected, what)


def round_to(values, dtype):
    """float64 values as the nearest numbers of a dtype."""
    with np.errstate(all="ignore"):
        if dtype is bfloat16:
            return widen(narrow(np.asarray(values, np.float32)))
        return np.asarray(values).astype(dtype)


def _first(wrong, got, expected, what):
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return (
        f"{what}: {int(wrong.sum())} of {wrong.size} elements differ; the first at "
        f"{at}: {got[at]!r}, expected {expected[at]!r}"
    )
