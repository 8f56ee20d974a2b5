"""unpack: a saved tensor that has changed is refused."""

from types import SimpleNamespace

import torch

from grading.drivers.graphs import unpacked
from grading.exercise import Check, call
from minigrad.autograd.graph import modified, unpack


def saved(random, after, before=None):
    """A save between writes to x, or to its row, and others."""
    shape = random.randint(2, 6), random.randint(2, 6)
    before = random.randint(1, 4) if before is None else before
    steps = random.choices(["x", "row", "other"], k=before)
    name = random.choice(["ExpBackward0", "TanhBackward0", "DivBackward0"])
    return call(shape=shape, steps=[*steps, "save", *after], name=name)


def cases(random):
    for after in ["x"], ["x"] * random.randint(2, 4), ["other", "x"]:
        yield "a change raises", saved(random, after)
    yield "a change raises", saved(random, ["x"], before=0)
    yield "no change", saved(random, [], before=0)
    for before in 1, random.randint(2, 5), 600:
        yield "no change", saved(random, [], before)
    yield "a change by way of a view", saved(random, ["row"])
    yield "a change by way of a view", saved(random, ["other", "row", "other"])
    yield "another's change", saved(random, ["other"] * random.randint(1, 3))


def reference(shape, steps, name):
    x = torch.ones(shape)
    tensors = {"x": x, "row": x[0], "other": torch.ones(2)}
    w = torch.ones(shape, requires_grad=True)
    for step in steps:
        if step == "save":
            y, version = w * x, x._version
        else:
            tensors[step].mul_(2)
    after = {"the version afterwards": x._version}
    before = {"raises RuntimeError right after the save": None}
    try:
        y.sum().backward()
    except RuntimeError:
        storage = SimpleNamespace(version=x._version)
        x = SimpleNamespace(dtype="float64", shape=shape, storage=storage)
        return before | {"raises RuntimeError": modified(x, version, name)} | after
    return before | {"raises RuntimeError": None, "x itself is returned": True} | after


check = Check(
    unpack,
    cases=cases,
    reference=reference,
    driver=unpacked,
    not_tested="other dtypes and shapes: versions alone decide",
)
