"""What the checks of scenes (grading/drivers) share: results are compared by parts."""

import textwrap

import numpy as np

from grading.checking import describe
from grading.checking.describe import brief
from grading.exercise import Check, Problem


def nearly(got, expected, rtol=1e-9, atol=1e-12):
    """Equal in kind and shape; floating-point numbers nearly."""
    if isinstance(expected, np.ndarray):
        if not isinstance(got, np.ndarray | float) or np.shape(got) != expected.shape:
            return False
        digits = {2: 1e-2, 4: 1e-5}.get(expected.dtype.itemsize, 0)
        digits = digits if expected.dtype.kind == "f" else 0
        near = max(rtol, digits), max(atol, digits)
        return np.allclose(got, expected, *near, equal_nan=True)
    if isinstance(expected, float):
        return type(got) is float and np.isclose(got, expected, rtol, atol, True)
    if isinstance(expected, dict):
        keys = isinstance(got, dict) and got.keys() == expected.keys()
        return keys and all(nearly(got[k], expected[k], rtol, atol) for k in expected)
    if isinstance(expected, list | tuple):
        if type(got) is not type(expected) or len(got) != len(expected):
            return False
        pairs = zip(got, expected, strict=True)
        return all(nearly(a, b, rtol, atol) for a, b in pairs)
    return type(got) is type(expected) and got == expected


def both(expected, got):
    """Two values, each in one line, with as many digits as tell them apart."""
    digits = 6 if brief(expected) != brief(got) else 12
    return [cut(brief(value, digits), 160) for value in (expected, got)]


def cut(text, most):
    """A text, of which not too much is shown."""
    return textwrap.shorten(text, most, placeholder=" ...")


class SceneCheck(Check):
    """A check whose cases are scenes; `words` says a case as a call."""

    rtol, atol = 1e-9, 1e-12

    def near(self, got, expected):
        return nearly(got, expected, self.rtol, self.atol)

    def same(self, got, expected, *args):
        return self.near(got, expected)

    def words(self, *args):
        """The case, as a learner would write it."""
        raise NotImplementedError

    def lines(self, case):
        got, expected = case.got, case.expected
        lines = [("case", self.words(*case.args))]
        if isinstance(got, Problem) or hasattr(expected, "message"):
            said = describe.text(expected) if hasattr(expected, "message") else ""
            where = got.where if isinstance(got, Problem) else ""
            shown = (
                describe.text(got) if isinstance(got, Problem) else cut(brief(got), 88)
            )
            return [*lines, ("expected", said), ("got", shown), ("where", where)]
        where, got, expected = describe.difference(got, expected, self.near)
        texts = [where + text for text in both(expected, got)]
        return [*lines, *zip(("expected", "got"), texts, strict=True)]

    def general(self, case):
        if isinstance(case.got, Problem) and case.got.kind == "type":
            if case.got.message.endswith("not None"):
                return "type", "it is None: does every path end in `return`?"
            return "type", case.got.message
        return super().general(case)


def seeds_drawn(random):
    """Seeds of draws, one of them twice; None for one without."""
    first, second = (random.getrandbits(32) for _ in range(2))
    seeds = [[first, None], [second], [first]]
    random.shuffle(seeds)
    return [seed for part in seeds for seed in part]


def by_state(drawn, seeds):
    """What was drawn, by the state that its seed, and draws since, have left."""
    found, last, since = {}, None, 0
    for array, seed in zip(drawn, seeds, strict=True):
        last, since = (last, since + 1) if seed is None else (seed, 0)
        found.setdefault((last, since), []).append(array)
    return [*found.values()]


def looks_random(values):
    """Have numbers nothing to do with their neighbors, nor with those far away?"""
    flat = values.reshape(-1) - values.mean()
    n, width = flat.size, values.shape[-1]
    others = [*(np.roll(flat, k) for k in (1, width, n // 2)), flat[::-1]]
    near = 8 * flat.std() ** 2 / np.sqrt(n)
    return all(abs((flat * other).mean()) <= near for other in others)


def shuffled(random, cases):
    """Cases in an order that is drawn within each part, so no list of results fits."""
    parts = {}
    for case in cases:
        parts.setdefault(case[0], []).append(case)
    for few in parts.values():
        yield from random.sample(few, len(few))


def each(arrays):
    """Arrays as PyTorch's tensors in double; other values as they are."""
    import torch

    return [torch.tensor(a) if isinstance(a, np.ndarray) else a for a in arrays]


def numbers(random, *shape, scale=1.0):
    """Normal numbers in double."""
    draw = np.random.default_rng(random.getrandbits(64))
    return draw.normal(size=shape) * scale


def single(array):
    return array.astype(np.float32)


def options_of(scene):
    """The options of a scene in words, shapes for arrays."""
    return ", ".join(
        f"{k}={tuple(v.shape) if hasattr(v, 'shape') else v!r}"
        for k, v in scene["options"].items()
    )
