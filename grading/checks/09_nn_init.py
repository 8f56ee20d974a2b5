"""Chapter 09, fans and kaiming_uniform_."""

import math

import torch

from grading.checking import Check, cause, checks
from minigrad.nn import init

from .scene_check import SceneCheck


@checks(init.fans)
class Fans(Check):
    def cases(self, random):
        yield "a matrix", (3, 5)
        yield "a matrix", (7, 2)
        for _ in range(3):
            sizes = random.sample(range(2, 9), 4)
            yield "a convolution", tuple(sizes)
        yield "any dimensions behind", (4, 3, 2)
        yield "any dimensions behind", (2, 5, 3, 4, 7)
        yield "too few", (3,)
        yield "too few", ()

    def expected(self, shape):
        return torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(shape))

    @cause("exchanged: a weight is (out, in, ...), so fan_in comes of the second size")
    def exchanged(self, shape):
        return self.expected(shape)[::-1]

    @cause("the window's places are left out: an output of Conv2d has in_channels * KH "
           "* KW numbers that go into it")  # fmt: skip
    def no_places(self, shape):
        self.expected(shape)
        return shape[1], shape[0]

    @cause("only the first size of the window counts: all after the first two are "
           "multiplied")  # fmt: skip
    def one_side(self, shape):
        self.expected(shape)
        return shape[1] * (*shape, 1)[2], shape[0] * (*shape, 1)[2]

    @cause("the places are added to the channels: they are multiplied with them")
    def added(self, shape):
        self.expected(shape)
        places = math.prod(shape[2:]) if shape[2:] else 0
        return shape[1] + places, shape[0] + places

    @cause("only fan_in has the places: an input meets a weight at each place, too")
    def in_alone(self, shape):
        fan_in, _ = self.expected(shape)
        return fan_in, shape[0]


@checks(init.kaiming_uniform_)
class KaimingUniform(SceneCheck):
    """What is expected is a model: how far the numbers reach, and their deviation."""

    def words(self, scene):
        options = ", ".join(f"{k}={v!r}" for k, v in scene["options"].items())
        return f"kaiming_uniform_(zeros{tuple(scene['shape'])}, {options})"

    def cases(self, random):
        def of(*shape, **options):
            seed = random.getrandbits(32)
            rest = {"shape": list(shape), "seed": seed, "options": options}
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

    def of(self, scene, power=1.0, fan=None, gain=None):
        """The model: bound = gain * sqrt(3 / fan)."""
        options = scene["options"]
        mode = options.get("mode", "fan_in")
        if mode not in ("fan_in", "fan_out"):
            raise ValueError(f"Mode {mode} not supported")
        empty = torch.empty(scene["shape"])
        fans = torch.nn.init._calculate_fan_in_and_fan_out(empty)
        fan = fan or fans[mode == "fan_out"]
        gain = gain or self.gain(options)
        bound = power * gain * math.sqrt(3 / fan)
        return {"bound": bound, "spread": bound / math.sqrt(3), "mean": 0.0,
                "returned": "the tensor"}  # fmt: skip

    def gain(self, options):
        name = options.get("nonlinearity", "leaky_relu")
        return torch.nn.init.calculate_gain(name, options.get("a", 0))

    def fans(self, scene):
        return torch.nn.init._calculate_fan_in_and_fan_out(torch.empty(scene["shape"]))

    def expected(self, scene):
        return self.of(scene)

    def seen(self, got):
        values = got["values"]
        return {"bound": float(abs(values).max()), "spread": float(values.std()),
                "mean": float(values.mean()), "returned": got["returned"]}  # fmt: skip

    def same(self, got, expected, scene):
        if not isinstance(got, dict) or not isinstance(expected, dict):
            return False
        seen = self.seen(got)
        bound, spread = expected["bound"], expected["spread"]
        return (
            0.99 * bound <= seen["bound"] <= bound * (1 + 1e-5)
            and math.isclose(seen["spread"], spread, rel_tol=0.02, abs_tol=1e-9)
            and abs(seen["mean"] - expected["mean"]) <= 0.03 * bound
            and seen["returned"] == expected["returned"]
        )

    def lines(self, case):
        lines = super().lines(case)
        if not isinstance(case.got, dict) or not isinstance(case.expected, dict):
            return lines
        models = case.expected, self.seen(case.got)
        say = [f"between ± {m['bound']:.4f}, deviation {m['spread']:.4f}, returns "
               f"{m['returned']}" for m in models]  # fmt: skip
        return [lines[0], ("expected", say[0]), ("got", say[1])]

    @cause("gain / sqrt(fan) is the deviation; the bound is sqrt(3) times as large")
    def deviation_as_bound(self, scene):
        return self.of(scene, power=1 / math.sqrt(3))

    @cause("the mode is exchanged: fan_in is what goes into one output")
    def other_mode(self, scene):
        fans = self.fans(scene)
        mode = scene["options"].get("mode", "fan_in")
        self.of(scene)
        return self.of(scene, fan=fans[mode == "fan_in"])

    @cause("`mode` is not used: it is always fan_in")
    def always_fan_in(self, scene):
        self.of(scene)
        return self.of(scene, fan=self.fans(scene)[0])

    @cause("the gain is missing: calculate_gain(nonlinearity, a)")
    def no_gain(self, scene):
        return self.of(scene, gain=1.0)

    @cause("the gain is always that of relu: calculate_gain(nonlinearity, a)")
    def relu_gain(self, scene):
        return self.of(scene, gain=math.sqrt(2))

    @cause("`a` is not used: it is the slope of leaky_relu below 0")
    def no_slope(self, scene):
        rest = {k: v for k, v in scene["options"].items() if k != "a"}
        return self.of(scene, gain=self.gain(rest))

    @cause("the window's places do not count: fans(tensor.shape) says how many numbers "
           "go into one output")  # fmt: skip
    def no_places(self, scene):
        mode = scene["options"].get("mode", "fan_in")
        self.of(scene)
        return self.of(scene, fan=scene["shape"][1 - (mode == "fan_out")])

    @cause("that is Xavier's bound, with both fans: here it is one of them")
    def xavier(self, scene):
        self.of(scene)
        return self.of(scene, fan=sum(self.fans(scene)) / 2)

    @cause(
        "the tensor itself is not filled: uniform_ writes into it, and it is returned"
    )
    def not_filled(self, scene):
        return {**self.of(scene), "bound": 0.0, "spread": 0.0, "returned": "a Tensor"}

    @cause("the tensor is not returned")
    def not_returned(self, scene):
        return {**self.of(scene), "returned": "None"}

    @cause("the numbers are never negative: uniform_(tensor, -bound, bound)")
    def half(self, scene):
        model = self.of(scene)
        return {**model, "mean": model["bound"] / 2,
                "spread": model["bound"] / math.sqrt(12)}  # fmt: skip
