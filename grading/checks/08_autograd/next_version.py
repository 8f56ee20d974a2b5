"""next_version: changes are counted by storage."""

import torch

from grading.drivers.graphs import UNRECORDED, versions
from grading.exercise import Check, call
from minigrad.autograd.graph import next_version


def cases(random):
    yield "one more", call(steps=["x"])
    for count in random.randint(2, 6), random.randint(257, 300):
        yield "one more", call(steps=["x"] * count)
    yield "views", call(steps=["row"])
    yield "views", call(steps=["x", "row", "turned", "row"])
    yield "each storage", call(steps=random.choices(["x", "other", "row"], k=7))
    yield "each storage", call(steps=["other"])
    unrecorded = [f"{UNRECORDED} x", f"{UNRECORDED} row"]
    yield "without gradients", call(steps=["x", *unrecorded])


def reference(x):
    torch.autograd.graph.increment_version(x)
    return x


check = Check(
    next_version,
    cases=cases,
    reference=reference,
    driver=versions,
    not_tested="dtypes, shapes, and values: a version belongs to the storage",
)
