"""What of a call differs from the traced one."""

import math

from grading.exercise import Check, checks
from minigrad.jit.guards import guard_failures

X = ("float32", "cpu", (64, 10), (10, 1))
BASE = {
    "x": X,
    "scale": 2.0,
    "model.training": True,
    "y": ("int64", "cpu", (64,), (1,)),
}


@checks(guard_failures)
class GuardFailures(Check):
    """Leaves out 0.0 beside -0.0: the contract does not say if they are one value."""

    def cases(self, random):
        yield "a value differs", BASE, BASE | {"scale": 3.0}
        yield "a value differs", BASE, BASE | {"model.training": False, "scale": 1.0}
        half = ("float16", "cpu", (64, 10), (10, 1))
        for other in (half, X[:1] + ("sim",) + X[2:], X[:2] + ((32, 10), (10, 1)),
                      X[:3] + ((1, 64),)):  # fmt: skip
            yield "a value differs", BASE, BASE | {"x": other}
        yield "nothing differs", BASE, dict(BASE)
        yield "nothing differs", BASE, dict(reversed(BASE.items()))
        yield "nothing differs", {}, {}
        both = {"a": None, "b": "nothing"}
        yield "nothing differs", both, dict(reversed(both.items()))
        for old, new in [(1, 1.0), (1, True), (0, False), (1.0, True), ("1", 1),
                         (0, None), ((1, 2), (1, 2.0)), ((1, (0,)), (1, (False,))),
                         ((3, 4), (4, 3)), (None, "None"), ((1,), (1, 1))]:  # fmt: skip
            yield "types", {"n": old}, {"n": new}
            yield "types", {"n": new}, {"n": old}
        yield "nan", {"n": math.nan}, {"n": float("nan")}
        yield "nan", {"n": (math.nan, 1)}, {"n": (float("nan"), 1)}
        yield "nan", {"n": math.nan}, {"n": math.inf}
        yield "missing names", BASE, {"x": X}
        yield "missing names", {"x": X}, BASE
        yield "missing names", {"a": 1, "b": 2}, {"c": 3, "b": 4}
        yield "missing names", {"a": None}, {}
        yield "missing names", {}, {"a": "nothing", "b": None}
        yield "missing names", {"a": "nothing"}, {}
        for _ in range(3):
            names = random.sample("abcdefgh", 6)
            values = {n: random.choice([1, 2.0, "text", None, True]) for n in names}
            now = {n: random.choice([1, 2.0, "text", None, True]) for n in names[2:]}
            yield "missing names", values, now | {"z": 1}

    def expected(self, traced, now):
        found = []
        for name in [*traced, *(n for n in now if n not in traced)]:
            old, new = (
                repr(d[name]) if name in d else "nothing" for d in (traced, now)
            )
            if old != new:
                found.append(f"{name} was {old}, is {new}")
        return found

    def same(self, got, expected, *args):
        """`nothing` may stand in quotes: the contract's form writes a text so."""
        if not isinstance(got, list) or not all(isinstance(s, str) for s in got):
            return False
        return [*map(unquoted, got)] == [*map(unquoted, expected)]


def unquoted(text):
    return text.replace("'nothing'", "nothing")
