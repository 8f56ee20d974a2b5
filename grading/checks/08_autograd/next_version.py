"""next_version: changes are counted by storage."""

import torch

from grading.checking.check import Check, call
from grading.drivers.graphs import UNRECORDED, versions
from minigrad.autograd.graph import next_version


def cases(random):
    yield "one more", call(["x"])
    for count in random.randint(2, 6), random.randint(257, 300):
        yield "one more", call(["x"] * count)
    yield "views", call(["row"])
    yield "views", call(["x", "row", "turned", "row"])
    yield "each storage", call(random.choices(["x", "other", "row"], k=7))
    yield "each storage", call(["other"])
    unrecorded = [f"{UNRECORDED} x", f"{UNRECORDED} row"]
    yield "without gradients", call(["x", *unrecorded])


def reference(x):
    torch.autograd.graph.increment_version(x)
    return x


def describe(exercise, case):
    (steps,) = case.args
    said = ", ".join(steps) if len(steps) < 9 else f"x, {len(steps)} times"
    return f"next_version of {said}"


check = Check(
    next_version,
    cases=cases,
    reference=reference,
    driver=versions,
    describe=describe,
    not_tested="dtypes, shapes, and values: a version belongs to the storage",
)
