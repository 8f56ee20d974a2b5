"""sum_to_size and the version counters; PyTorch does the same."""

from types import SimpleNamespace

import torch

from grading.drivers.graphs import UNRECORDED
from grading.exercise import checks
from minigrad.autograd.graph import modified, next_version, unpack

from .gradients import ScenarioCheck
from .scene_check import cut

VERSIONS = "versions of x and of another"
RAISES, KEPT = "raises RuntimeError", "the version afterwards"


@checks(next_version)
class NextVersion(ScenarioCheck):
    """Leaves out dtypes, shapes and values: a version belongs to the storage."""

    scene = "versions"

    def cases(self, random):
        yield "one more", ["x"]
        for count in random.randint(2, 6), random.randint(257, 300):
            yield "one more", ["x"] * count
        yield "views", ["row"]
        yield "views", ["x", "row", "turned", "row"]
        yield "each storage", random.choices(["x", "other", "row"], k=7)
        yield "each storage", ["other"]
        yield "without gradients", ["x", f"{UNRECORDED} x", f"{UNRECORDED} row"]

    def expected(self, steps):
        x, other = torch.ones(2, 2), torch.ones(2)
        tensors = {"x": x, "row": x[0], "turned": x.T, "other": other}
        for name in steps:
            tensors[name.split()[-1]].mul_(1)
        return {VERSIONS: [x._version, other._version],
                "the tensor itself is returned": True}  # fmt: skip

    def words(self, steps):
        return cut(f"next_version of {', '.join(steps)}", 200)


@checks(unpack)
class Unpack(ScenarioCheck):
    """Leaves out other dtypes and shapes: versions alone decide."""

    scene = "unpacked"

    def cases(self, random):
        def of(after, before=None):
            """A save between writes to x, or to its row, and others."""
            shape = random.randint(2, 6), random.randint(2, 6)
            before = random.randint(1, 4) if before is None else before
            steps = random.choices(["x", "row", "other"], k=before)
            name = random.choice(["ExpBackward0", "TanhBackward0", "DivBackward0"])
            return shape, [*steps, "save", *after], name

        for after in ["x"], ["x"] * random.randint(2, 4), ["other", "x"]:
            yield "a change raises", *of(after)
        yield "a change raises", *of(["x"], before=0)
        yield "no change", *of([], before=0)
        for before in 1, random.randint(2, 5), 600:
            yield "no change", *of([], before)
        yield "a change by way of a view", *of(["row"])
        yield "a change by way of a view", *of(["other", "row", "other"])
        yield "another's change", *of(["other"] * random.randint(1, 3))

    def expected(self, shape, steps, name):
        x = torch.ones(shape)
        tensors = {"x": x, "row": x[0], "other": torch.ones(2)}
        w = torch.ones(shape, requires_grad=True)
        for step in steps:
            if step == "save":
                y, version = w * x, x._version
            else:
                tensors[step].mul_(2)
        try:
            y.sum().backward()
        except RuntimeError:
            storage = SimpleNamespace(version=x._version)
            x = SimpleNamespace(dtype="float64", shape=shape, storage=storage)
            return {RAISES: modified(x, version, name), KEPT: storage.version}
        return {RAISES: None, "x itself is returned": True, KEPT: x._version}

    def words(self, shape, steps, name):
        before, after = steps[: steps.index("save")], steps[steps.index("save") + 1 :]
        parts = [f"writes to {', '.join(few)}" if few else "no write"
                 for few in (before, after)]  # fmt: skip
        return cut(
            f'{parts[0]}; x is saved; {parts[1]}; unpack(x, version, "{name}")', 200
        )
