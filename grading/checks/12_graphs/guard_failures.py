"""guard_failures: what of a call differs from the traced one."""

import itertools
import math

from grading.exercise import Check, call
from minigrad.jit.guards import guard_failures

X = ("float32", "cpu", (64, 10), (10, 1))
BASE = {
    "x": X,
    "scale": 2.0,
    "model.training": True,
    "y": ("int64", "cpu", (64,), (1,)),
}


VALUES = (
    *(
        0,
        1,
        0.0,
        1.0,
        False,
        True,
        257,
        -1,
        2**53,
        2**53 + 1,
        2.0**53,
        1e300,
        0.1 + 0.2,
    ),
    *(0.3, math.inf, -math.inf, math.nan, "", "1", "1.0", "None", "nan", None, ()),
    *((1,), (1.0,), (True,), (1, 1), (300, (300,)), (300, 300), ("1",), ((),), "(1,)"),
)


def cases(random):
    yield "a value differs", call(BASE, BASE | {"scale": 3.0})
    yield "a value differs", call(BASE, BASE | {"model.training": False, "scale": 1.0})
    for other in (("float16", *X[1:]), ("float32", "sim", *X[2:]),
                  (*X[:2], (32, 10), (10, 1)), (*X[:3], (1, 64))):  # fmt: skip
        yield "a value differs", call(BASE, BASE | {"x": other})
    yield "nothing differs", call(BASE, dict(BASE))
    yield "nothing differs", call(BASE, dict(reversed(BASE.items())))
    yield "nothing differs", call({}, {})
    both = {"a": None, "b": "nothing"}
    yield "nothing differs", call(both, dict(reversed(both.items())))
    for old, new in [(1, 1.0), (1, True), (0, False), (1.0, True), ("1", 1), (0, None),
                     ((1, 2), (1, 2.0)), ((1, (0,)), (1, (False,))), ((3, 4), (4, 3)),
                     (None, "None"), ((1,), (1, 1))]:  # fmt: skip
        yield "types", call({"n": old}, {"n": new})
        yield "types", call({"n": new}, {"n": old})
    pairs = [*itertools.product(VALUES, repeat=2)]
    every = random.sample(range(len(pairs)), len(pairs))
    traced, now = ({f"n{i}": pairs[i][k] for i in every} for k in (0, 1))
    yield "types", call(traced, now)
    yield "nothing differs", call(traced, dict(traced))
    yield "nan", call({"n": math.nan}, {"n": float("nan")})
    yield "nan", call({"n": (math.nan, 1)}, {"n": (float("nan"), 1)})
    yield "nan", call({"n": math.nan}, {"n": math.inf})
    yield "missing names", call(BASE, {"x": X})
    yield "missing names", call({"x": X}, BASE)
    yield "missing names", call({"a": 1, "b": 2}, {"c": 3, "b": 4})
    yield "missing names", call({"a": None}, {})
    yield "missing names", call({}, {"a": "nothing", "b": None})
    yield "missing names", call({"a": "nothing"}, {})
    for _ in range(3):
        names = random.sample("abcdefgh", 6)
        traced = {n: random.choice([1, 2.0, "text", None, True]) for n in names}
        now = {n: random.choice([1, 2.0, "text", None, True]) for n in names[2:]}
        yield "missing names", call(traced, now | {"z": 1})


def reference(traced, now):
    failures = []
    for name in traced | now:
        old, new = (repr(d[name]) if name in d else "nothing" for d in (traced, now))
        if old != new:
            failures.append(f"{name} was {old}, is {new}")
    return failures


def compare(got, expected, case):
    """`nothing` may stand in quotes: the contract's form writes a text so."""
    mine, theirs = ([s.replace("'nothing'", "nothing") for s in failures]
                    for failures in (got, expected))  # fmt: skip
    return isinstance(got, list) and mine == theirs


check = Check(
    guard_failures,
    cases=cases,
    reference=reference,
    compare=compare,
    not_tested="0.0 beside -0.0: the contract leaves it open if they're the same",
)
