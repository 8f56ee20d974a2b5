"""What the checks of chapter 08 share: PyTorch as the oracle of gradients."""

import numpy as np
import torch

from grading.checking import describe
from grading.checking.cases import value_of
from grading.drivers import scenarios
from grading.drivers.scenarios import SHARES
from grading.exercise import Differs, Raises

from .scene_check import SceneCheck, nearly

PyTorch = scenarios.library_of(torch, lambda x: np.array(x.detach().numpy()))


def drawn(random, *shape, low=-2.0, high=2.0):
    """Numbers of two decimals, none of them near 0 and no two alike."""
    steps = [n for n in range(int(100 * low), int(100 * high)) if abs(n) > 15]
    count = int(np.prod(shape))
    chosen = np.array(random.sample(steps, count), np.float64) / 100
    return chosen.reshape(shape)


def quarters(x):
    """Numbers in float16 whose sums are exact in it: multiples of 1/4, at most 1."""
    return (np.round(4 * np.clip(x, -1, 1)) / 4).astype(np.float16)


def drawn_graph(random, size):
    """Edges from each node to some of those with higher numbers, often shuffled."""
    edges = {}
    for n in range(size):
        below = list(range(n + 1, size))
        ends = random.sample(below, min(len(below), random.randint(1, 3)))
        edges[n] = [(e, 0) for e in ends]
    return edges


class Facts(SceneCheck):
    """A check whose results are dicts: what was seen, by name."""

    def right(self, *args):
        return value_of(self.expected, args)

    def same(self, got, expected, *args):
        if isinstance(expected, Differs):
            return self.first_difference(got, self.right(*args)) == str(expected)
        return self.near(got, expected)

    def first_difference(self, got, right):
        if not isinstance(got, dict) or isinstance(right, Raises):
            return None
        wrong = [k for k in right if k not in got or not self.near(got[k], right[k])]
        return wrong[0] if wrong else None


class ScenarioCheck(Facts):
    """What happens in one of scenarios.py, named by the first of a case's arguments."""

    scene = "scenario"

    def expected(self, name, *args):
        return getattr(scenarios, name)(PyTorch, self.torch, *args)

    def torch(self, *args):
        """PyTorch's own of what is judged."""
        raise NotImplementedError

    def words(self, name, *args):
        return f"{name}, {', '.join(map(describe.shown, args))}"


SEEN = {
    scenarios.DTYPE: ("dtype", "the result has another dtype than the tensors given"),
    SHARES: (
        "copies", "the values are right, but a view shares the storage, and this copies"
    ),
    scenarios.CUT: (
        "cut", "the result is right, but not the gradient that goes through it: use "
        "operators of tensors all the way, no NumPy, no number and no detach()"
    ),
}  # fmt: skip


def diagnose(got, expected, case=None, near=nearly):
    """(cause, text) of what differs in a result, a view or a gradient; or None."""
    if not isinstance(got, dict) or not isinstance(expected, dict):
        return None
    wrong = [k for k, v in expected.items() if not near(got.get(k), v)]
    if wrong[:1] == [SHARES] and near(expected[scenarios.RESULT], expected[SHARES]):
        return "shares", (
            "the result lies in the memory of a tensor that was given: make a new one"
        )
    return SEEN.get(wrong[0]) if wrong else None
