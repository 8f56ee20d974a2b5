"""What the checks of chapter 08 share: PyTorch as the oracle of gradients."""

import functools

import numpy as np
import torch

from grading.checking import describe
from grading.checking.cases import value_of
from grading.checking.describe import Filled
from grading.drivers import scenarios
from grading.drivers.scenarios import SHARES
from grading.exercise import Differs, Raises

from .scene_check import SceneCheck, each, nearly, options_of

PyTorch = scenarios.library_of(torch, lambda x: np.array(x.detach().numpy()))


def drawn(random, *shape, low=-2.0, high=2.0):
    """Numbers of two decimals, none of them near 0 and no two alike."""
    steps = [n for n in range(int(100 * low), int(100 * high)) if abs(n) > 15]
    count = int(np.prod(shape))
    chosen = np.array(random.sample(steps, count), np.float64) / 100
    return chosen.reshape(shape)


def filled(random, *shape, **limits):
    return Filled(drawn(random, *shape, **limits))


def of_arrays(change, args):
    """A case's arguments, with change(array) for each array of a tensor."""
    return [Filled(change(x.values)) if isinstance(x, Filled) else x for x in args]


def quarters(x):
    """Numbers in float16 whose sums are exact in it: multiples of 1/4, at most 1."""
    return (np.round(4 * np.clip(x, -1, 1)) / 4).astype(np.float16)


def strided(x):
    """The same numbers, not contiguous, from the middle of a larger memory."""
    room = np.full([2 * n + 1 for n in x.shape[::-1]], np.nan)
    view = room.T[(slice(1, None, 2),) * x.ndim]
    view[...] = x
    return view


def special(x):
    """The same numbers, but for NaN and both infinities in front."""
    x = np.array(x)
    x.flat[:3] = [np.nan, np.inf, -np.inf][: x.size]
    return x


def of_shape(function, dy, shape):
    """The gradient of function(x), for an x of a shape where it does not matter."""
    x = torch.zeros(shape, dtype=dy.dtype, requires_grad=True)
    return torch.autograd.grad(function(x), x, dy, create_graph=True)[0]


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


def seen(case, near=nearly):
    """(cause, text) of what differs in a result, a view or a gradient; or None."""
    if not isinstance(case.got, dict) or not isinstance(case.expected, dict):
        return None
    wrong = [k for k, v in case.expected.items() if not near(case.got.get(k), v)]
    right = case.expected
    if wrong[:1] == [SHARES] and near(right[scenarios.RESULT], right[SHARES]):
        return "shares", (
            "the result lies in the memory of a tensor that was given: make a new one"
        )
    return SEEN.get(wrong[0]) if wrong else None


class TensorCheck(Facts):
    """A function of tensors of floats, beside PyTorch; with its own gradients.

    A case is given in double; the first one in float32 and float16, too, not
    contiguous, with NaN and infinities, and once more with other numbers, for nothing
    is kept between calls.
    """

    scene = "differentiated"

    def cases(self, random):
        found = [*self.doubles(random)]
        yield from found
        part, *first = found[0]
        yield part, *of_arrays(np.float32, first)
        yield "float16", *of_arrays(quarters, first)
        yield "any strides", *of_arrays(strided, first)
        yield "NaN and infinity", *self.specials(first)
        yield next(self.doubles(random))

    def specials(self, args):
        """The arguments of a case, with NaN and infinities where these are allowed."""
        return of_arrays(special, args)

    def words(self, *args):
        return dict(describe.call(self.exercise, args))["case"]

    def expected(self, *args):
        return scenarios.differentiated(PyTorch, self.torch, *args)

    def general(self, case):
        return seen(case) or super().general(case)


class FunctionCheck(SceneCheck):
    """A function of tensors, beside the one of its name in torch.nn.functional."""

    def words(self, scene):
        args = [str(tuple(a.shape)) for a in scene["args"]]
        args += filter(None, [options_of(scene)])
        return f"{self.exercise.name}({', '.join(args)}), shapes for tensors"

    def of(self, *args, **options):
        return {"scene": "tensors", "args": list(args), "options": options}

    def expected(self, scene):
        function = getattr(torch.nn.functional, self.exercise.name)
        call = functools.partial(function, **scene["options"])
        return scenarios.differentiated(PyTorch, call, *each(scene["args"]))

    def general(self, case):
        return seen(case) or super().general(case)
