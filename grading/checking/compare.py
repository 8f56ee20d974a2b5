"""Are two results equal? What a check may take as its `compare`.

Each is a function (got, expected, case): the answer's result, the reference's, and the
case, of which most need nothing. What an answer returns may be anything, so each first
looks at what kind of value it has.
"""

import functools
import inspect

import numpy as np

from ..isolation.codec import Seen
from ..kernels.runs import same_arrays

UNLIKE = AttributeError, LookupError, TypeError, ValueError  # of another kind of value
HALF, SINGLE = 1e-2, 1e-5  # how far floats of 16 and 32 bits may be off, at least


def same(got, expected, case=None):
    """Equal in type and value; of tensors, only what can be observed is compared."""
    if isinstance(expected, Seen):
        return isinstance(got, Seen) and _same_tensor(got, expected)
    if isinstance(expected, tuple | list):
        return (
            type(got) is type(expected)
            and len(got) == len(expected)
            and all(map(same, got, expected))
        )
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(same(got[key], value) for key, value in expected.items())
        )
    if isinstance(expected, np.ndarray):
        return isinstance(got, np.ndarray) and np.array_equal(got, expected)
    return type(got) is type(expected) and got == expected


def values(got, expected, case=None):
    """The elements of tensors: both are views, or both copies, of any strides."""
    alike = ("shape", "dtype", "shares")
    return (
        isinstance(got, Seen)
        and all(getattr(got, key) == getattr(expected, key) for key in alike)
        and got.values is not None
        and np.array_equal(got.values, expected.values)
    )


def close(rtol=1e-9, atol=1e-12, dtype=False):
    """A function that compares floats within a tolerance, all else exactly.

    Of 16 and of 32 bits they may be off by more. dtype: must arrays have the same?
    NumPy's double, which is a float, counts as an array of them without dimensions.
    """

    def compare(got, expected, case=None):
        if isinstance(expected, np.ndarray):
            if not isinstance(got, np.ndarray | float):
                return False
            if np.shape(got) != expected.shape:
                return False
            kind = getattr(got, "dtype", np.dtype(float))
            near = _near(expected.dtype, rtol, atol)
            same_kind = kind == expected.dtype or not dtype
            return same_kind and np.allclose(got, expected, *near, equal_nan=True)
        if isinstance(expected, float):
            return type(got) is float and bool(
                np.isclose(got, expected, rtol, atol, True)
            )
        if isinstance(expected, dict):
            keys = isinstance(got, dict) and got.keys() == expected.keys()
            return keys and all(compare(got[k], v) for k, v in expected.items())
        if isinstance(expected, list | tuple):
            if type(got) is not type(expected) or len(got) != len(expected):
                return False
            return all(map(compare, got, expected))
        return type(got) is type(expected) and got == expected

    return compare


def arrays(rtol=0, atol=0, tolerance=None, signs=False, rounded=True):
    """A function that compares an output of a kernel: a kernel's `compare`.

    tolerance(got): its (rtol, atol), where these depend on the dtype. signs: of zeros,
    too, as of a kernel that moves numbers. rounded: is what is expected rounded to the
    output's dtype first?
    """

    def compare(got, expected, case=None):
        near = compare.tolerance(got)
        if not rounded:
            close = np.allclose(got, expected, *near, equal_nan=True)
            return got.shape == expected.shape and close
        alike = same_arrays(got, expected, *near)
        if not signs:
            return alike
        equal = np.signbit(got) == np.signbit(expected.reshape(got.shape))
        return alike and bool(np.all(equal | np.isnan(got)))

    compare.tolerance = tolerance or (lambda got: (rtol, atol))
    return compare


def same_strides(got, expected, shape):
    """Equal strides where they count: not of size 1, and nowhere in an empty tensor."""
    if not (isinstance(got, tuple) and all(type(s) is int for s in got)):
        return False
    if len(got) != len(shape) or expected is None:
        return False
    counts = [size > 1 and 0 not in shape for size in shape]
    return all(a == b for a, b, c in zip(got, expected, counts, strict=True) if c)


def _same_tensor(got, expected):
    empty = 0 in expected.shape  # then nothing is read, from wherever
    read = (got.shares, got.offset) == (expected.shares, expected.offset)
    return (
        got.shape == expected.shape
        and got.dtype == expected.dtype
        and (empty or read)
        and same_strides(got.strides, expected.strides, expected.shape)
        and got.values is not None
        and np.array_equal(got.values, expected.values)
    )


def _near(dtype, rtol, atol):
    digits = {2: HALF, 4: SINGLE}.get(dtype.itemsize, 0) if dtype.kind == "f" else 0
    return max(rtol, digits), max(atol, digits)


@functools.cache
def of_parts(compare):
    """What compares the facts among two results, one by one."""
    *_, case = inspect.signature(compare).parameters.values()
    return close() if case.default is inspect.Parameter.empty else compare
