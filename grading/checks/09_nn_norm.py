"""Chapter 09, batch_norm: the result, and the running statistics afterwards."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from grading.checking import cause, checks
from minigrad.ops import unfused

from .scene_check import SceneCheck, numbers, options_of


@checks(unfused.batch_norm)
class BatchNorm(SceneCheck):
    def words(self, scene):
        kept = "running" if scene["mean"] is not None else "no running"
        shape = tuple(scene["x"].shape)
        return f"batch_norm of {shape} with {kept} statistics, {options_of(scene)}"

    def cases(self, random):
        images, rows = (3, 4, 2, 5), (6, 3)
        yield "in training", self.of(random, images, training=True)
        yield "in training", self.of(random, rows, training=True)
        yield "by the running statistics", self.of(random, images, training=False)
        yield "by the running statistics", self.of(random, rows)
        yield "weight and bias", self.scaled(random, images, training=True)
        yield "weight and bias", self.scaled(random, rows, training=False)
        yield "weight and bias", self.scaled(random, (4, 2, 7), training=True)
        how = {"training": True, "momentum": 0.3, "eps": 0.5}
        yield "momentum and eps", self.of(random, images, **how)
        yield "no running statistics", self.of(random, rows, kept=False, training=True)

    def of(self, random, shape, kept=True, **options):
        channels = shape[1]
        x = 3 * numbers(random, *shape) + numbers(random, channels).reshape(
            -1, *[1] * (len(shape) - 2)
        )
        mean = numbers(random, channels) if kept else None
        var = abs(numbers(random, channels)) + 0.5 if kept else None
        rest = {"x": x, "mean": mean, "var": var, "options": options}
        return {"scene": "batch_norm", **rest}

    def scaled(self, random, shape, **options):
        weight, bias = numbers(random, shape[1]), numbers(random, shape[1])
        return self.of(random, shape, weight=weight, bias=bias, **options)

    def expected(self, scene):
        mean, var = (None if scene[k] is None else torch.tensor(scene[k])
                     for k in ("mean", "var"))  # fmt: skip
        options = {k: torch.tensor(v) if isinstance(v, np.ndarray) else v
                   for k, v in scene["options"].items()}  # fmt: skip
        y = F.batch_norm(torch.tensor(scene["x"]), mean, var, **options)
        return self.told(y, mean, var)

    def told(self, y, mean, var):
        kept = [None if t is None else np.asarray(t) for t in (mean, var)]
        return {"y": np.asarray(y), "running_mean": kept[0], "running_var": kept[1]}

    def steps(self, scene, axes=None, over=0, kept_over=1, own=True, moved=True,
              swapped=False, outside=False, affine=True, always=False):  # fmt: skip
        """The formula with a mistake. over, kept_over: what is taken from n."""
        x, options = scene["x"], scene["options"]
        training, eps = options.get("training", False), options.get("eps", 1e-5)
        axes = axes or tuple(d for d in range(x.ndim) if d != 1)
        along = (1, -1, *[1] * (x.ndim - 2))
        mean, var = (None if scene[k] is None else scene[k].copy()
                     for k in ("mean", "var"))  # fmt: skip
        used = mean, var
        if training or mean is None:
            n = math.prod(x.shape[d] for d in axes)
            new = x.mean(axes, keepdims=True)
            square = ((x - new) ** 2).sum(axes, keepdims=True)
            if own is True:
                used = new, square / (n - over)
            elif own == "before" and mean is not None:
                used = mean.copy(), var.copy()
        if mean is not None and (training or always) and moved:
            m = options.get("momentum", 0.1)
            m = 1 - m if swapped else m
            spread = square / (n - kept_over) if training else var
            for k, s in ((mean, new if training else mean), (var, spread)):
                k[...] = (1 - m) * k + m * s.reshape(k.shape)
        a, b = (u.reshape(along) if u.ndim == 1 else u for u in used)
        y = (x - a) / (np.sqrt(b) + eps if outside else np.sqrt(b + eps))
        if affine:
            y = y * options.get("weight", np.ones(x.shape[1])).reshape(along)
            y = y + options.get("bias", np.zeros(x.shape[1])).reshape(along)
        return self.told(y, mean, var)

    @cause("the running variance is the biased one: it is moved by the variance that "
           "is divided by n - 1, an estimate for other data")  # fmt: skip
    def biased(self, scene):
        return self.steps(scene, kept_over=0)

    @cause("the input is divided by the unbiased deviation: for itself, in training, a "
           "batch has the variance divided by n")  # fmt: skip
    def unbiased(self, scene):
        return self.steps(scene, over=1)

    @cause("the two variances are exchanged: divided by n for the result, by n - 1 for "
           "the running variance")  # fmt: skip
    def exchanged(self, scene):
        return self.steps(scene, over=1, kept_over=0)

    @cause("momentum is the share of the new value: running = (1 - momentum) * running "
           "+ momentum * new")  # fmt: skip
    def swapped(self, scene):
        return self.steps(scene, swapped=True)

    @cause("the running statistics are not moved in training, or not in place: "
           "running_mean.copy_(...)")  # fmt: skip
    def not_moved(self, scene):
        return self.steps(scene, moved=False)

    @cause("in training the batch's own mean and variance are used, not the running "
           "ones")  # fmt: skip
    def running_used(self, scene):
        return self.steps(scene, own="before" if scene["mean"] is not None else True)

    @cause("in training the batch's own mean and variance are used, not the running "
           "ones that were just moved")  # fmt: skip
    def moved_used(self, scene):
        return self.steps(scene, own="after" if scene["mean"] is not None else True)

    @cause("without training the running statistics are used, not those of the input")
    def always_own(self, scene):
        other = {**scene, "options": {**scene["options"], "training": True}}
        return self.steps(other, moved=scene["options"].get("training", False))

    @cause("without training the running statistics stay as they are, and are used")
    def always_training(self, scene):
        other = {**scene, "options": {**scene["options"], "training": True}}
        return self.steps(other)

    @cause("the mean is over the samples alone: a channel's elements are those of all "
           "samples and places, dimensions 0, 2, 3")  # fmt: skip
    def samples_alone(self, scene):
        if scene["x"].ndim == 2 or scene["mean"] is None:
            return None
        if not scene["options"].get("training"):
            return self.expected(scene)
        x = scene["x"]
        wrong = self.steps({**scene, "mean": None, "var": None}, axes=(0,))
        return {**self.expected(scene), "y": wrong["y"]} if x.ndim > 2 else None

    @cause("the mean is over each sample: that is layer norm. Here it is over samples "
           "and places, for each channel")  # fmt: skip
    def as_layer_norm(self, scene):
        if not scene["options"].get("training"):
            return self.expected(scene)
        axes = tuple(range(1, scene["x"].ndim))
        wrong = self.steps({**scene, "mean": None, "var": None}, axes=axes)
        return {**self.expected(scene), "y": wrong["y"]}

    @cause("eps is added to the deviation: it belongs under the root, beside the "
           "variance")  # fmt: skip
    def outside(self, scene):
        return self.steps(scene, outside=True)

    @cause("weight and bias are not used")
    def not_scaled(self, scene):
        return self.steps(scene, affine=False)

    def same(self, got, expected, scene):
        """A mistake that shows in y alone is told by y alone."""
        return expected is not None and super().same(got, expected, scene)
