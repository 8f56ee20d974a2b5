"""What the checks of scenes (grading/drivers) share: results are compared by parts."""

import textwrap

import numpy as np

from grading.checking import describe
from grading.checking.describe import brief
from grading.exercise import Check, Problem

from .inputs import numbers  # noqa: F401  checks that are still classes have it here


def nearly(got, expected, rtol=1e-9, atol=1e-12):
    """Equal in kind and shape; floating-point numbers nearly."""
    if isinstance(expected, np.ndarray):
        if not isinstance(got, np.ndarray | float) or np.shape(got) != expected.shape:
            return False
        digits = {2: 1e-2, 4: 1e-5}.get(expected.dtype.itemsize, 0)
        digits = digits if expected.dtype.kind == "f" else 0
        near = max(rtol, digits), max(atol, digits)
        return np.allclose(got, expected, *near, equal_nan=True)
    if isinstance(expected, float):
        return type(got) is float and np.isclose(got, expected, rtol, atol, True)
    if isinstance(expected, dict):
        keys = isinstance(got, dict) and got.keys() == expected.keys()
        return keys and all(nearly(got[k], expected[k], rtol, atol) for k in expected)
    if isinstance(expected, list | tuple):
        if type(got) is not type(expected) or len(got) != len(expected):
            return False
        pairs = zip(got, expected, strict=True)
        return all(nearly(a, b, rtol, atol) for a, b in pairs)
    return type(got) is type(expected) and got == expected


def both(expected, got):
    """Two values, each in one line, with as many digits as tell them apart."""
    digits = 6 if brief(expected) != brief(got) else 12
    return [cut(brief(value, digits), 160) for value in (expected, got)]


def cut(text, most):
    """A text, of which not too much is shown."""
    return textwrap.shorten(text, most, placeholder=" ...")


class SceneCheck(Check):
    """A check whose cases are scenes; `words` says a case as a call."""

    rtol, atol = 1e-9, 1e-12

    def near(self, got, expected):
        return nearly(got, expected, self.rtol, self.atol)

    def same(self, got, expected, *args):
        return self.near(got, expected)

    def words(self, *args):
        """The case, as a learner would write it."""
        raise NotImplementedError

    def lines(self, case):
        got, expected = case.got, case.expected
        lines = [("case", self.words(*case.args))]
        if isinstance(got, Problem) or hasattr(expected, "message"):
            said = describe.text(expected) if hasattr(expected, "message") else ""
            where = got.where if isinstance(got, Problem) else ""
            shown = (
                describe.text(got) if isinstance(got, Problem) else cut(brief(got), 88)
            )
            return [*lines, ("expected", said), ("got", shown), ("where", where)]
        where, got, expected = describe.difference(got, expected, self.near)
        texts = [where + text for text in both(expected, got)]
        return [*lines, *zip(("expected", "got"), texts, strict=True)]

    def general(self, case):
        if isinstance(case.got, Problem) and case.got.kind == "type":
            if case.got.message.endswith("not None"):
                return "type", "it is None: does every path end in `return`?"
            return "type", case.got.message
        return super().general(case)


def shuffled(random, cases):
    """Cases in an order that is drawn within each part, so no list of results fits."""
    parts = {}
    for case in cases:
        parts.setdefault(case[0], []).append(case)
    for few in parts.values():
        yield from random.sample(few, len(few))
