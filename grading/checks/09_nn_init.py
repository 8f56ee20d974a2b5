"""First values by the fan: their bound, their deviation and their mean are compared."""

import math

import numpy as np
import torch
from torch.nn.init import _calculate_correct_fan

from grading.exercise import Check, checks, mistakes, right
from minigrad.nn.init import calculate_gain, fans, kaiming_uniform_, uniform_

from .scene_check import SceneCheck, by_state, looks_random, options_of, seeds_drawn


@checks(fans)
class Fans(Check):
    """Leaves out sizes of 0, as the contract does."""

    def cases(self, random):
        yield "a matrix", (3, 5)
        yield "a matrix", (7, 2)
        for _ in range(3):
            yield "a convolution", tuple(random.sample(range(2, 9), 4))
        yield "any dimensions behind", (4, 3, 2)
        yield "any dimensions behind", (2, 5, 3, 4, 7)
        yield "too few", (3,)
        yield "too few", ()

    def expected(self, shape):
        return torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(shape))


BOTH = "shape[1] * places, shape[0] * places"
mistakes(fans)(rf"""
exchanged: exchanged: a weight is (out, in, ...), so fan_in comes of the second size
> {BOTH} -> shape[0] * places, shape[1] * places
no_places: the window's places are left out: an output of Conv2d has in_channels * KH *
    KW numbers that go into it
>  * places ->
one_side: only the first size of the window counts: all after the first two are
    multiplied
> math.prod(shape[2:]) -> (*shape, 1)[2]
right: all, divided
> shape[1] * places, shape[0] * places -> tuple(math.prod(shape) // n for n in
    shape[:2])
no_error:
> if len(shape) < 2: -> shape = *shape, *(1, 1)[len(shape) :]\n    if False:
""")


@right(fans, "by a loop")
def _(shape):
    if len(shape) < 2:
        raise ValueError("two dimensions at least")
    out, into, *others = shape
    for size in others:
        out, into = out * size, into * size
    return into, out


@right(fans, "of an array")
def _(shape):
    if len(shape) <= 1:
        raise ValueError("two dimensions at least")
    w = np.empty(shape)
    return w[0].size, w[:, 0].size


def uniform(values):
    """Are the numbers as likely everywhere, not too evenly, and each by itself?"""
    flat = np.sort(values.reshape(-1))
    grid = np.linspace(-1, 1, flat.size) * abs(flat).max()
    off = abs(flat - grid).max() * np.sqrt(flat.size) / max(2 * grid[-1], 1e-30)
    return bool(0.2 < off < 3 and looks_random(values.reshape(len(values), -1)))


@checks(kaiming_uniform_)
class KaimingUniform(SceneCheck):
    """Leaves out small weights (chance says little) and double (uniform_'s matter)."""

    def words(self, scene):
        shape = f"zeros{tuple(scene['shape'])}"
        return f"kaiming_uniform_(Parameter({shape}), {options_of(scene)})"

    def cases(self, random):
        def of(*shape, **options):
            shape = [n + random.randrange(10) * (n > 50) for n in shape]
            rest = {"shape": shape, "seeds": seeds_drawn(random), "options": options}
            return {"scene": "kaiming", **rest}

        yield "for relu", of(150, 300, nonlinearity="relu")
        yield "for relu", of(400, 100, nonlinearity="relu")
        yield "convolutions", of(60, 30, 5, 3, nonlinearity="relu")
        yield "fan_out", of(150, 300, mode="fan_out", nonlinearity="relu")
        yield "fan_out", of(60, 30, 5, 3, mode="fan_out", nonlinearity="relu")
        yield "other gains", of(150, 300, nonlinearity="tanh")
        yield "other gains", of(150, 300, nonlinearity="linear")
        yield "the slope a", of(150, 300, a=math.sqrt(5))
        yield "the slope a", of(150, 300)
        yield "no other mode", of(3, 4, mode="both")

    def expected(self, scene):
        options = {"a": 0, "mode": "fan_in", "nonlinearity": "leaky_relu"}
        options |= scene["options"]
        fan = _calculate_correct_fan(torch.empty(scene["shape"]), options["mode"])
        spread = calculate_gain(options["nonlinearity"], options["a"]) / math.sqrt(fan)
        return {"bound": spread * math.sqrt(3), "spread": spread, "mean": 0.0,
                "returned": "the tensor", "facts": [True, False, True]}  # fmt: skip

    def seen(self, got, scene):
        drawn = by_state(got["drawn"], scene["seeds"])
        again = all(np.array_equal(few[0], x) for few in drawn for x in few)
        values = np.stack([few[0] for few in drawn])
        still = bool((values == values[0]).all(0).any())
        values = values[0]
        return {"bound": float(abs(values).max()), "spread": float(values.std()),
                "mean": float(values.mean()), "returned": got["returned"],
                "facts": [again, still, uniform(values)]}  # fmt: skip

    def same(self, got, expected, scene):
        if not isinstance(got, dict) or not isinstance(expected, dict):
            return False
        most = 1 + 1e-5
        if "drawn" in expected:  # what a mistaken answer gave: as random as `got`
            expected, most = self.seen(expected, scene), 1.01
        if any(np.shape(x) != tuple(scene["shape"]) for x in got["drawn"]):
            return False
        seen, bound = self.seen(got, scene), expected["bound"]
        return (
            0.99 * bound <= seen["bound"] <= bound * most
            and math.isclose(
                seen["spread"], expected["spread"], rel_tol=0.02, abs_tol=1e-9
            )
            and abs(seen["mean"] - expected["mean"]) <= 0.03 * bound
            and seen["returned"] == expected["returned"]
            and seen["facts"] == expected["facts"]
        )

    def general(self, case):
        got = case.got
        if not isinstance(got, dict) or not isinstance(case.expected, dict):
            return super().general(case)
        again, still, is_uniform = self.seen(got, *case.args)["facts"]
        if not again:
            return "seed", (
                "minigrad.manual_seed does not decide which numbers are drawn: draw "
                "with uniform_(tensor, low, high)"
            )
        if still:
            return "still", "some numbers are the same in every call: draw all of them"
        if not is_uniform:
            return "not_uniform", (
                "the numbers are not drawn each alone, all between -bound and bound as "
                "likely: uniform_(tensor, low, high)"
            )
        return None

    def lines(self, case):
        lines = super().lines(case)
        if not isinstance(case.got, dict) or not isinstance(case.expected, dict):
            return lines
        models = case.expected, self.seen(case.got, *case.args)
        say = [f"between ± {m['bound']:.4f}, deviation {m['spread']:.4f}, returns "
               f"{m['returned']}" for m in models]  # fmt: skip
        return [lines[0], ("expected", say[0]), ("got", say[1])]


GAIN = "calculate_gain(nonlinearity, a)"
mistakes(kaiming_uniform_)(rf"""
deviation_as_bound: gain / sqrt(fan) is the deviation; the bound is sqrt(3) times as
    large
> 3 / fan -> 1 / fan
other_mode: the mode is exchanged: fan_in is what goes into one output
> == "fan_out" -> == "fan_in"
always_fan_in: `mode` is not used: it is always fan_in
> [mode == "fan_out"] -> [0]
no_gain: the gain is missing: calculate_gain(nonlinearity, a)
> {GAIN} * ->
no_slope: `a` is not used: it is the slope of leaky_relu below 0
> (nonlinearity, a) -> (nonlinearity, 0)
not_filled: the tensor itself is not filled: uniform_ writes into it, and it is returned
> return uniform_(tensor, -> return uniform_(tensor.clone(),
not_returned: the tensor is not returned
> return uniform_ -> uniform_
no_error:
> mode not in ("fan_in", "fan_out") -> False
seed:
> return uniform_(tensor, -bound, bound) -> draw = np.random.uniform(-bound, bound,
    tensor.shape)\n    with minigrad.no_grad():\n        return
    tensor.copy_(minigrad.tensor(draw))
still:
> return uniform_(tensor, -bound, bound) -> uniform_(tensor, -bound,
    bound)\n    tensor.detach().view(-1)[0] = bound / 2\n    return tensor
not_uniform:
> return uniform_(tensor, -bound, bound) -> uniform_(tensor, -bound, bound)\n    flat =
    tensor.detach().view(-1)\n    half = len(flat) // 2\n    flat[half : 2 * half] =
    -flat[:half]\n    return tensor
> return uniform_(tensor, -bound, bound) -> with minigrad.no_grad():\n        return
    tensor.copy_(minigrad.randn(tensor.shape) * (bound / math.sqrt(3)))
raised:
> return uniform_(tensor, -bound, bound) -> return
    tensor.copy_((minigrad.rand(tensor.shape) - 0.5) * (2 * bound))
right: by a dict, and moved from 0 to 1
> fans(tensor.shape)[mode == "fan_out"] -> dict(zip(("fan_in", "fan_out"),
    fans(tensor.shape)))[mode]
& return uniform_(tensor, -bound, bound) -> uniform_(tensor)\n    with
    minigrad.no_grad():\n        return tensor.sub_(0.5).mul_(2 * bound)
right: by rand
> return uniform_(tensor, -bound, bound) -> tensor.detach().copy_(
    (minigrad.rand(tensor.shape) - 0.5) * (2 * bound))\n    return tensor
""")


@right(kaiming_uniform_, "by its variance")
def _(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    into, out = fans(tensor.shape)
    if mode == "fan_in":
        variance = calculate_gain(nonlinearity, a) ** 2 / into
    elif mode == "fan_out":
        variance = calculate_gain(nonlinearity, a) ** 2 / out
    else:
        raise ValueError(f"no mode {mode}")
    bound = (3 * variance) ** 0.5
    uniform_(tensor, a=-bound, b=bound)
    return tensor
