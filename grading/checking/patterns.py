"""What all wrong results have in common: a sign, a factor, an order, swapped arguments.

A pattern is said of an answer only if every wrong case shows it, and two or more with
different results do. It changes the expected result into what the answer would give.
"""

import functools
import inspect
import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from ..isolation.codec import Seen
from ..isolation.replies import Problem
from .cases import Raises
from .compare import UNLIKE, of_parts
from .features import View, leaves

LEAST = 2  # wrong cases with different results; of numbers that are off by k, 3
UNITS = {1000, 1e6, Fraction(1, 1000), Fraction(1, 10**6)}


def pattern(check, cases):
    """(name, text) of what all wrong cases show; None for nothing."""
    wrong = [case for case in cases if not case.right]
    if any(isinstance(c.got, Problem) or isinstance(c.expected, Raises) for c in wrong):
        return None
    count = len({repr(check.both(case)[1]) for case in wrong})
    if count < LEAST:
        return None
    with np.errstate(all="ignore"):
        for name, text, change in _patterns(check, wrong):
            enough = count > LEAST or name != "off_by"
            if enough and all(_shows(check, change, case) for case in wrong):
                return name, text
    return None


def _shows(check, change, case):
    try:
        changed = _changed(functools.partial(change, case), *check.both(case),
                           of_parts(check.check.compare))  # fmt: skip
        return bool(changed is not None and check.is_like(case, changed))
    except (*UNLIKE, ArithmeticError):
        return False


def _changed(change, got, expected, alike):
    """`expected` with its parts changed that aren't what the answer gave; None: not."""
    parts = isinstance(expected, Seen | dict | tuple | list)
    if not parts and alike(got, expected):
        return expected
    whole = change(got, expected)
    if whole is not None:
        return whole
    if isinstance(expected, Seen) and isinstance(got, Seen):
        values = _changed(change, got.values, expected.values, alike)
        return None if values is None else expected._replace(values=values)
    if isinstance(expected, dict) and isinstance(got, dict):
        parts = {k: _changed(change, got.get(k), v, alike) for k, v in expected.items()}
        return None if any(part is None for part in parts.values()) else parts
    if isinstance(expected, tuple | list) and type(got) is type(expected):
        if len(got) != len(expected):
            return None
        both = zip(got, expected, strict=True)
        parts = [_changed(change, *two, alike) for two in both]
        return None if any(part is None for part in parts) else type(expected)(parts)
    return None


def _is_number(value):
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iuf" and value.size > 0
    return type(value) in (int, float)


def _patterns(check, wrong):
    """Yield (name, text, change): change(case, got, expected) may be None."""
    pairs = [*_numbers(*check.both(wrong[0]), of_parts(check.check.compare))]
    if pairs:
        got, expected = pairs[0]
        yield from _of_numbers(got, expected)
        yield from _of_sizes(check, wrong[0])
    yield "reversed", "These are the right numbers in reverse order.", _reversed
    yield "transposed", "The result is transposed.", _transposed
    if check.check.reference and check.plain:
        yield from _swapped(check, wrong[0])


def _numbers(got, expected, alike):
    """Yield the pairs of a number, or an array, that differ."""
    if isinstance(expected, Seen) and isinstance(got, Seen):
        got, expected = got.values, expected.values
    if isinstance(expected, dict) and isinstance(got, dict):
        both = [(got.get(k), v) for k, v in expected.items()]
    elif isinstance(expected, tuple | list) and isinstance(got, tuple | list):
        both = zip(got, expected, strict=False)
    else:
        numbers = _is_number(expected) and _is_number(got)
        if numbers and np.shape(got) == np.shape(expected) and not alike(got, expected):
            yield got, expected
        return
    for two in both:
        yield from _numbers(*two, alike)


def _of_numbers(got, expected):
    try:
        a, b = np.ravel(got).astype(float), np.ravel(expected).astype(float)
    except OverflowError:  # an int may have any size
        return
    at = int(np.argmax(np.abs(np.nan_to_num(b, posinf=0, neginf=0))))
    if b[at] and np.isfinite(a[at] / b[at]):
        factor = _simple(a[at] / b[at])
        if factor:
            by = int(factor) if factor.denominator == 1 else float(factor)
            yield "factor", _of_factor(factor), _each(lambda v, _: v * by)
    off = a[at] - b[at]
    if math.isfinite(off) and off and off == round(off) and abs(off) < 2**31:
        size = "large" if off > 0 else "small"
        text = f"Every wrong number is {abs(round(off))} too {size}."
        yield "off_by", text, _each(lambda v, _: v + round(off))
    for name, words, function in [
        ("squared", "the square of", lambda v, _: v * v),
        ("root", "the square root of", lambda v, _: np.sqrt(v)),
        ("inverse", "1 divided by", lambda v, _: 1 / v),
        ("logarithm", "the logarithm of", lambda v, _: np.log(v)),
        ("exponential", "e to the power of", lambda v, _: np.exp(v)),
    ]:
        text = f"Every wrong number is {words} the expected one."
        yield name, text, _each(function)


def _simple(ratio):
    """A factor that is an integer, or 1 divided by one; None for any other."""
    near = Fraction(ratio).limit_denominator(2000)
    if near in (0, 1) or 1 not in (abs(near.numerator), near.denominator):
        return None
    return near if abs(float(near) - ratio) <= 1e-4 * abs(ratio) else None


def _of_factor(factor):
    if factor == -1:
        return "Every wrong number has the opposite sign."
    size = abs(factor)
    times = f"{size} times the expected one" if size > 1 else (
        f"the expected one divided by {1 / size}")  # fmt: skip
    sign = ", with the opposite sign" if factor < 0 else ""
    unit = " Is it in another unit?" if size in UNITS else ""
    return f"Every wrong number is {times}{sign}.{unit}"


def _each(function):
    """A change of numbers and arrays: function(value, case)."""

    def change(case, got, expected):
        if not _is_number(expected) or np.shape(got) != np.shape(expected):
            return None
        value = function(expected, case)
        if value is None:
            return None
        if isinstance(expected, np.ndarray):
            value = np.asarray(value)
            same = (got == expected) | ((got != got) & (expected != expected))
            value = np.where(same, expected, value)  # these are right
            kept = value.astype(expected.dtype)
            return kept if expected.dtype.kind == "f" or (kept == value).all() else None
        if type(expected) is int:
            return int(value) if math.isfinite(value) and value == int(value) else None
        return float(value)

    return change


def _of_sizes(check, case):
    """The same of factors that are a size of an argument."""
    for which, name in enumerate(_tensors(check, case)):
        for words, size in [
            ("the number of elements", lambda shape: math.prod(shape)),
            ("the first size", lambda shape: shape[0]),
            ("the last size", lambda shape: shape[-1]),
        ]:
            for verb, power in ("multiplied", 1), ("divided", -1):

                def scaled(value, case, which=which, size=size, power=power):
                    shapes = [*_tensors(check, case).values()]
                    if len(shapes) <= which or not shapes[which]:
                        return None
                    return value * float(size(shapes[which])) ** power

                text = f"Every wrong number is {verb} by {words} of {name}."
                yield "by_size", text, _each(scaled)


def _tensors(check, case):
    """{name: shape} of the tensors among a case's arguments."""
    function = getattr(check.exercise, "__wrapped__", None)
    names = [*inspect.signature(function).parameters] if function else []
    found = {}
    for n, (_, value) in enumerate(leaves(case.args)):
        if isinstance(value, View | np.ndarray):
            plain = check.plain and len(names) > n and names[n] != "self"
            found[names[n] if plain else f"tensor {len(found)}"] = value.shape
    return found


def _reversed(case, got, expected):
    numbers = isinstance(expected, tuple | list) and len(expected) > 1
    numbers = numbers and all(type(n) in (int, float) for n in expected)
    return expected[::-1] if numbers else None


def _transposed(case, got, expected):
    if isinstance(expected, np.ndarray) and expected.ndim == 2:
        return expected.T if np.shape(got) == expected.T.shape else None
    return None


def _swapped(check, case):
    """The same of two arguments of one kind that are swapped."""
    names = [*inspect.signature(check.exercise.__wrapped__).parameters]
    for i, j in itertools.combinations(range(min(len(case.args), len(names), 4)), 2):
        if type(case.args[i]) is type(case.args[j]):

            def change(case, got, expected, i=i, j=j):
                if expected is not case.expected or len(case.args) <= j:
                    return None
                args = [*case.case.args]
                args[i], args[j] = args[j], args[i]
                other = replace(case.case, args=tuple(args))
                value = check.value(check.check.reference, other)
                return None if isinstance(value, Raises) else value

            text = f"The result is that for {names[i]} and {names[j]} swapped."
            yield "arguments_swapped", text, change
