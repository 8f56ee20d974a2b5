"""What the checks of chapter 08 share: PyTorch as the oracle of gradients."""

import numpy as np
import torch

from grading import show
from grading.cases import Raises, value_of
from grading.checking import Check
from grading.mistakes import Differs
from grading.scenes import scenarios
from grading.show import Filled

RTOL, ATOL = 1e-10, 1e-12  # in double precision, with room for other formulas
SINGLE = 1e-5, 1e-6  # in float32


class PyTorch:
    """What scenarios need of a library."""

    Function = torch.autograd.Function
    no_grad = torch.no_grad
    is_grad_enabled = staticmethod(torch.is_grad_enabled)
    gradcheck = staticmethod(torch.autograd.gradcheck)
    grad = staticmethod(torch.autograd.grad)

    @staticmethod
    def tensor(values):
        return torch.tensor(np.array(values, np.float64))

    @staticmethod
    def array(x):
        return np.array(x.detach().numpy())

    of = staticmethod(torch.tensor)

    @staticmethod
    def memory(x):
        return x.untyped_storage().data_ptr()


def drawn(random, *shape, low=-2.0, high=2.0):
    """Numbers of two decimals, none of them near 0 and no two alike."""
    steps = [n for n in range(int(100 * low), int(100 * high)) if abs(n) > 15]
    count = int(np.prod(shape))
    chosen = np.array(random.sample(steps, count), np.float64) / 100
    return chosen.reshape(shape)


def filled(random, *shape, **limits):
    return Filled(drawn(random, *shape, **limits))


def in_float32(x):
    return Filled(x.values.astype(np.float32)) if isinstance(x, Filled) else x


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


def close(got, expected):
    """Equal, and floats nearly so: arrays, numbers, and what holds them."""
    if isinstance(expected, dict):
        keys = isinstance(got, dict) and set(got) == set(expected)
        return keys and all(close(got[k], expected[k]) for k in expected)
    if isinstance(expected, list | tuple):
        alike = isinstance(got, list | tuple) and len(got) == len(expected)
        return alike and all(map(close, got, expected))
    if isinstance(expected, np.ndarray):
        number = isinstance(got, float) and expected.shape == ()
        if not number and not (
            isinstance(got, np.ndarray) and got.shape == expected.shape
        ):
            return False
        near = SINGLE if expected.dtype == np.float32 else (RTOL, ATOL)
        return np.allclose(got, expected, *near, equal_nan=True)
    if isinstance(expected, float) and isinstance(got, float):
        return abs(got - expected) <= ATOL + RTOL * abs(expected)
    return show.same(got, expected)


def numbers(values):
    text = np.array2string(
        np.asarray(values), precision=4, separator=", ", threshold=24
    )
    text = " ".join(text.split())
    return text if len(text) <= 160 else f"{text[:156]} ..."


class Facts(Check):
    """A check whose results are dicts: what was seen, by name."""

    def right(self, *args):
        return value_of(self.expected, args)

    def same(self, got, expected, *args):
        if isinstance(expected, Differs):
            return self.first_difference(got, self.right(*args)) == str(expected)
        return close(got, expected)

    def first_difference(self, got, right):
        if not isinstance(got, dict) or isinstance(right, Raises):
            return None
        wrong = [k for k in right if k not in got or not close(got[k], right[k])]
        return wrong[0] if wrong else None

    def lines(self, case):
        key = self.first_difference(case.got, case.expected)
        expected, got = show.text(case.expected), show.text(case.got)
        if key is not None:
            expected = f"{key}: {shown(case.expected[key])}"
            got = f"{key}: {shown(case.got.get(key, 'nothing'))}"
            if got == expected:  # in as many digits as are shown
                got = f"{key}: the same but for an error of {error(case, key):.0e}"
        where = getattr(case.got, "where", "")
        return [*self.call(*case.args), ("expected", expected), ("got", got),
                ("where", where)]  # fmt: skip

    def call(self, *args):
        """[(key, text)]: a case in words."""
        return show.call(self.hole, args)


def error(case, key):
    pairs = case.got[key], case.expected[key]
    flat = [np.concatenate([np.ravel(v) for v in np.atleast_1d(pair)])
            if isinstance(pair, list) else pair for pair in pairs]  # fmt: skip
    return np.abs(flat[0] - flat[1]).max(initial=0)


class ScenarioCheck(Facts):
    """What happens in one of scenarios.py, named by the first of a case's arguments."""

    scene = "scenario"

    def expected(self, name, *args):
        return getattr(scenarios, name)(PyTorch, self.torch, *args)

    def torch(self, *args):
        """PyTorch's own of what is judged."""
        raise NotImplementedError

    def call(self, *args):
        return [("case", self.shown(*args))]

    def shown(self, name, *args):
        """A case in words."""
        return f"{name}, {', '.join(map(show.shown, args))}"


SEEN = {
    scenarios.DTYPE: ("dtype", "the result has another dtype than the tensors given"),
    scenarios.SHARES: (
        "copies", "the values are right, but a view shares the storage, and this copies"
    ),
    scenarios.CUT: (
        "cut", "the result is right, but its gradient does not come through: use "
        "operators of tensors all the way, no NumPy, no number and no detach()"
    ),
}  # fmt: skip


def seen(case, close=close):
    """(cause, text) of what differs in a result, a view or a gradient; or None."""
    if not isinstance(case.got, dict) or not isinstance(case.expected, dict):
        return None
    wrong = [k for k, v in case.expected.items() if not close(case.got.get(k), v)]
    return SEEN.get(wrong[0]) if wrong else None


class TensorCheck(Facts):
    """A function of tensors of floats, beside PyTorch; with its own gradients.

    A case is given in double; the first one in float32, too, and once more with other
    numbers, for nothing is kept between calls.
    """

    scene = "differentiated"

    def cases(self, random):
        found = [*self.doubles(random)]
        yield from found
        yield found[0][0], *map(in_float32, found[0][1:])
        yield next(self.doubles(random))

    def expected(self, *args):
        return scenarios.differentiated(PyTorch, self.torch, *args)

    def general(self, case):
        return seen(case) or super().general(case)


def shown(value):
    if isinstance(value, list | tuple):
        return ", ".join(map(shown, value))
    return numbers(value) if isinstance(value, np.ndarray) else repr(value)
