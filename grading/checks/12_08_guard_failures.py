"""What of a call differs from the traced one."""

import math

from grading.exercise import Check, checks, mistakes, right
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


mistakes(guard_failures)(r"""
equal: 1, 1.0 and True are equal in Python, but a trace made for one is not right for
    the others: the types have to be the same
> if old != new: -> if traced.get(name, ...) != now.get(name, ...) and old != new:
outer_types: in tuples, too, 1 and 1.0 differ
> if old != new: -> if type(traced.get(name)) is not type(now.get(name)) or name not in
    traced or name not in now or (traced[name] != now[name] and old != new):
nan: nan is not equal to itself, but here it is the same
> if old != new: -> if old != new or traced[name] != now[name]:
new_names: names that are new in this call count, too
> [*traced, *(n for n in now if n not in traced)] -> traced
old_names: names that are missing in this call count, too
> [*traced, *(n for n in now if n not in traced)] -> [*(n for n in traced if n in now),
    *(n for n in now if n not in traced)]
order: the order is that of `traced`, and then come the new names
> [*traced, *(n for n in now if n not in traced)] -> sorted({*traced, *now})
first: all that differs is wanted, not the first alone
> return failures -> return failures[:1]
right: nothing in quotes
> failures.append( -> old, new = (t if t != "nothing" else repr(t) for t in (old,
    new))\n            failures.append(
none: a name that is missing is something else than one whose value is None
> else "nothing"\n        new -> else "None"\n        new
& in now else "nothing" -> in now else "None"
""")


@right(guard_failures, "by a function that compares")
def _(traced, now):
    def same(a, b):
        if type(a) is not type(b):
            return False
        if isinstance(a, tuple):
            return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
        return a == b or (a != a and b != b)

    failures = []
    for name, old in traced.items():
        if name not in now:
            failures.append(f"{name} was {old!r}, is nothing")
        elif not same(old, now[name]):
            failures.append(f"{name} was {old!r}, is {now[name]!r}")
    for name, new in now.items():
        if name not in traced:
            failures.append(f"{name} was nothing, is {new!r}")
    return failures


@right(guard_failures, "by what two sets of texts do not share")
def _(traced, now):
    old, new = ({k: repr(v) for k, v in d.items()} for d in (traced, now))
    differ = {name for name, _ in set(old.items()) ^ set(new.items())}
    return [
        f"{name} was {old.get(name, 'nothing')}, is {new.get(name, 'nothing')}"
        for name in {**old, **new}
        if name in differ
    ]


@right(guard_failures, "with types in the values, and what is left over")
def _(traced, now):
    def typed(value):
        if isinstance(value, tuple):
            return [typed(v) for v in value]
        return type(value), str(value)

    left, failures = dict(now), []
    for name, old in traced.items():
        if name not in left:
            failures.append(f"{name} was {old!r}, is nothing")
        elif typed(old) != typed(left[name]):
            failures.append(f"{name} was {old!r}, is {left[name]!r}")
        left.pop(name, None)
    return failures + [f"{name} was nothing, is {v!r}" for name, v in left.items()]
