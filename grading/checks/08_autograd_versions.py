"""Chapter 08, sum_to_size and the version counters; PyTorch does the same."""

import torch

from grading.cases import Raises
from grading.checking import cause, checks
from minigrad.autograd.adjoints import sum_to_size
from minigrad.autograd.graph import next_version, unpack

from .gradients import ScenarioCheck, TensorCheck, differs, filled

VERSIONS = "versions of x and of another"
RAISES, MESSAGE = "raises RuntimeError", "the message is modified(...)"


@checks(sum_to_size)
class SumToSize(TensorCheck):
    def cases(self, random):
        pairs = [((4, 3), (3,)), ((2, 4, 3), (4, 3)), ((3, 2, 5), (5,))]
        for large, small in pairs:
            yield "dimensions in front", filled(random, *large), small
        for large, small in [((4, 3), (4, 1)), ((4, 3), (1, 3)), ((2, 4, 3), (2, 1, 3)),
                             ((2, 3), (1, 1)), ((3, 3), (3, 1))]:  # fmt: skip
            yield "size 1", filled(random, *large), small
        for large, small in [((4, 2, 3), (2, 1)), ((2, 4, 3), (1, 3)),
                             ((2, 3, 2, 4), (3, 1, 4))]:  # fmt: skip
            yield "both", filled(random, *large), small
        yield "no dimensions", filled(random, 2, 3), ()
        yield "no dimensions", filled(random, 4), ()
        for shape in [(2, 3), (3, 1, 2), (1,), ()]:
            yield "nothing to add", filled(random, *shape), shape
        yield "nothing to add", filled(random, 1, 3), (3,)
        for large, small in [((4, 3), (4,)), ((3,), (2, 3)), ((2, 3), (2, 2))]:
            yield "no such shape", filled(random, *large), small

    def expected(self, x, shape):
        return x.sum_to_size(shape)

    def _explains(self, wrong, case):
        return not isinstance(case.expected, Raises) and super()._explains(wrong, case)

    def dims(self, x, shape):
        """(how many dimensions shape lacks, those of size 1 in it alone)."""
        extra = x.ndim - len(shape)
        ones = [extra + d for d, n in enumerate(shape) if n == 1 != x.shape[extra + d]]
        return extra, ones

    @cause("a dimension of size 1 has to stay, with size 1: keepdim=True")
    def ones_lost(self, x, shape):
        extra, ones = self.dims(x, shape)
        dims = [*range(extra), *ones]
        return x.sum(dims) if dims else x

    @cause("the dimensions in front, which `shape` does not have, are added up and go")
    def front_stays(self, x, shape):
        extra, ones = self.dims(x, shape)
        dims = [*range(extra), *ones]
        return x.sum(dims, keepdim=True) if dims else x

    @cause("dimensions of size 1 are left as they are: where x is larger, add them up")
    def ones_not_added(self, x, shape):
        extra, _ = self.dims(x, shape)
        return x.sum(list(range(extra))) if extra > 0 else x

    @cause("gradients are added up, not averaged: each use of the element counts whole")
    def mean(self, x, shape):
        extra, ones = self.dims(x, shape)
        dims = [*range(extra), *ones]
        return x.mean(dims, keepdim=True).reshape(shape) if dims else x

    @cause("one of the elements is taken: the gradient is the sum of all")
    def first(self, x, shape):
        for _ in range(x.ndim - len(shape)):
            x = x[0]
        for d, n in enumerate(shape):
            x = x.narrow(d, 0, n)
        return x

    @cause("shapes are lined up at their last dimension, and this begins at the first")
    def from_the_left(self, x, shape):
        sizes = (*shape, *[1] * (x.ndim - len(shape)))
        dims = [d for d, n in enumerate(sizes) if n == 1 != x.shape[d]]
        found = x.sum(dims, keepdim=True) if dims else x
        return found.reshape(shape)


@checks(next_version)
class NextVersion(ScenarioCheck):
    scene = "versions"

    def cases(self, random):
        yield "one more", ["x"]
        yield "one more", ["x"] * random.randint(2, 6)
        yield "views", ["row"]
        yield "views", ["x", "row", "turned", "row"]
        yield "each storage", random.choices(["x", "other", "row"], k=7)
        yield "each storage", ["other"]

    def expected(self, steps):
        x, other = torch.ones(2, 2), torch.ones(2)
        tensors = {"x": x, "row": x[0], "turned": x.T, "other": other}
        for name in steps:
            tensors[name].mul_(1)
        return {VERSIONS: [x._version, other._version],
                "the tensor itself is returned": True}  # fmt: skip

    def told(self, steps):
        return f"next_version of {', '.join(steps)}"

    @cause("the version is set to 1: each change adds 1")
    def set_to_one(self, steps):
        right = self.expected(steps)
        return right | {VERSIONS: [min(n, 1) for n in right[VERSIONS]]}

    @cause("the version stays as it was: x.storage.version += 1")
    def unchanged(self, steps):
        return self.expected(steps) | {VERSIONS: [0, 0]}

    @cause("each change adds 1, and this adds more")
    def twice(self, steps):
        right = self.expected(steps)
        return right | {VERSIONS: [2 * n for n in right[VERSIONS]]}

    not_returned = differs(
        "the tensor itself is returned", "x is to be returned, and nothing else"
    )


@checks(unpack)
class Unpack(ScenarioCheck):
    scene = "unpacked"

    def cases(self, random):
        later = random.randint(2, 5)
        yield "a change raises", 1, 0, "x"
        yield "a change raises", later, random.randrange(1, later), "x"
        yield "no change", 0, 0, "x"
        yield "no change", 1, 1, "x"
        yield "no change", later, later, "x"
        yield "a change by way of a view", 1, 0, "row"
        yield "a change by way of a view", 2, 1, "row"
        yield "another's change", later, 0, "other"

    def expected(self, writes, saved_after, where):
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        tensors = {"x": x, "row": x[0], "other": torch.ones(2)}
        w = torch.ones(2, 2, requires_grad=True)
        for number in range(writes + 1):
            if number == saved_after:
                y = w * x
            if number < writes:
                tensors[where].mul_(2)
        try:
            y.sum().backward()
        except RuntimeError:
            return {RAISES: True, MESSAGE: True}
        return {RAISES: False, "x itself is returned": True}

    def told(self, writes, saved_after, where):
        return (
            f"x is saved after {saved_after} of {writes} changes of {where}, then "
            "unpack(x, version, name)"
        )

    @cause(
        "nothing is said of a change: the gradient is computed from other numbers than "
        "the result was. Compare x.storage.version with version, and raise"
    )
    def silent(self, writes, saved_after, where):
        right = self.expected(writes, saved_after, where)
        return {RAISES: False, "x itself is returned": True} if right[RAISES] else right

    @cause("it raises though nothing has changed since x was saved: `!=` alone raises")
    def always(self, writes, saved_after, where):
        return {RAISES: True, MESSAGE: True}

    @cause("a tensor that was changed before it was saved is as good as any other: "
           "compare with version, not with 0")  # fmt: skip
    def any_change(self, writes, saved_after, where):
        changed = writes and where != "other"
        return {RAISES: bool(changed), MESSAGE: True} if changed else self.expected(
            writes, saved_after, where)  # fmt: skip

    other_message = differs(
        MESSAGE, "the error says what to do: raise RuntimeError(modified(x, version, "
        "name))"
    )  # fmt: skip
    not_itself = differs("x itself is returned", "return x itself: no copy, not None")
