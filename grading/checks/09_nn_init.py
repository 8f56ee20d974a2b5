"""First values by the fan: their bound, their deviation and their mean are compared."""

import math

import numpy as np
import torch
from torch.nn.init import _calculate_correct_fan

from grading.exercise import Check, checks
from minigrad.nn.init import calculate_gain, fans, kaiming_uniform_

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
