"""Batch norm: the result, and the running statistics afterwards."""

import numpy as np
import torch.nn.functional as F

from grading.drivers import scenarios
from grading.exercise import checks, mistakes, right
from minigrad.nn.unfused import batch_norm

from .gradients import PyTorch, seen
from .scene_check import SceneCheck, numbers, options_of


@checks(batch_norm)
class BatchNorm(SceneCheck):
    """Leaves out strides, NaN (its operators' matter), n = 1 (n - 1 is 0), and the
    gradients in float16, where long sums are rounded as they come.
    """

    atol = 1e-9  # a mean of 1e5 is rounded

    def words(self, scene):
        kept = "running" if scene["mean"] is not None else "no running"
        shape = tuple(scene["x"].shape)
        how = f"{kept} statistics, {options_of(scene)}".removesuffix(", ")
        return f"batch_norm of {shape} with {how}"

    def cases(self, random):
        images, rows = (3, 4, 2, 5), (6, 3)
        for shape in images, rows:
            yield "in training", self.of(random, shape, training=True)
        yield "by the running statistics", self.of(random, images, training=False)
        yield "by the running statistics", self.of(random, rows)
        yield "weight and bias", self.scaled(random, images, training=True)
        yield "weight and bias", self.scaled(random, rows, training=False)
        for shape in (4, 2, 7), (2, 3, 2, 1, 3):
            yield "any dimensions", self.scaled(random, shape, training=True)
        for name in "weight", "bias":
            one = {name: numbers(random, 4)}
            yield "weight and bias", self.of(random, images, training=True, **one)
        none = dict.fromkeys(("weight", "bias"), np.zeros(4))
        yield "weight and bias", self.of(random, images, training=True, **none)
        how = {"training": True, "momentum": 0.3, "eps": 0.5}
        yield "momentum and eps", self.of(random, images, **how)
        yield "momentum and eps", self.of(random, rows, training=True, momentum=0.0)
        yield "far from 0", self.of(random, images, far=1e5, training=True)
        for dtype in np.float32, np.float16:
            scene = self.scaled(random, images, training=True)
            yield f"in {dtype.__name__}", self.in_dtype(scene, dtype)
        yield "no running statistics", self.of(random, rows, kept=False, training=True)

    def same(self, got, expected, scene):
        half = scene["x"].dtype == np.float16
        if half and isinstance(got, dict) and isinstance(expected, dict):
            got = got | {scenarios.CUT: expected.get(scenarios.CUT)}
        return super().same(got, expected, scene)

    def in_dtype(self, scene, dtype):
        """The same in another dtype."""
        options = {k: v.astype(dtype) if hasattr(v, "shape") else v
                   for k, v in scene["options"].items()}  # fmt: skip
        arrays = {k: scene[k].astype(dtype) for k in ("x", "mean", "var")}
        return scene | arrays | {"options": options}

    def of(self, random, shape, kept=True, far=0.0, **options):
        channels = shape[1]
        centres = numbers(random, channels).reshape(-1, *[1] * (len(shape) - 2))
        x = far + 3 * numbers(random, *shape) + centres
        mean = numbers(random, channels) if kept else None
        var = abs(numbers(random, channels)) + 0.5 if kept else None
        rest = {"x": x, "mean": mean, "var": var, "options": options}
        return {"scene": "batch_norm", **rest}

    def scaled(self, random, shape, **options):
        weight, bias = numbers(random, shape[1]), numbers(random, shape[1])
        return self.of(random, shape, weight=weight, bias=bias, **options)

    def expected(self, scene):
        arrays = (scene[name] for name in ("x", "mean", "var", "options"))
        return scenarios.normalised(PyTorch, F.batch_norm, *arrays)

    def general(self, case):
        if case.expected and isinstance(case.got, dict):
            for name in (scenarios.MEAN, scenarios.VAR):
                if case.got.get(f"{name} is recorded"):
                    return "recorded", (
                        "the running statistics have a graph, which grows from step to "
                        "step: move them under no_grad()"
                    )
        return seen(case, self.near) or super().general(case)


Y = "y = (input - mean.reshape(along)) * (var + eps).rsqrt().reshape(along)"
VAR, UNBIASED = "(centred * centred).mean(dims)", "var * (n / (n - 1))"
KEPT = "if running_mean is not None"
mistakes(batch_norm)(rf"""
biased: the running variance is the biased one: it is moved by the variance that is
    divided by n - 1, an estimate for other data
> {UNBIASED} -> var
unbiased: the input is divided by the unbiased deviation: for itself, in training, a
    batch has the variance divided by n
> {VAR} -> input.var(dims)
& {UNBIASED} -> var
swapped: momentum is the share of the new value: running = (1 - momentum) * running +
    momentum * new
> + momentum -> + (1 - momentum)
& ((1 - momentum) -> (momentum
not_moved: the running statistics are not moved in training, or not in place:
    running_mean.copy_(...)
> {KEPT} -> if False
> mean.copy_( -> mean = (
& var.copy_( -> var = (
running_used: in training the batch's own mean and variance are used, not the running
    ones
> {Y} -> {KEPT}: mean, var = before\n    {Y}
& C = -> {KEPT}: before = running_mean.clone(), running_var.clone()\n    C =
always_own: without training the running statistics are used, not those of the input
> if training -> if True
& {KEPT} -> {KEPT} and training
always_training: without training the running statistics stay as they are, and are used
> if training -> if True
samples_alone: the mean is over the samples alone: a channel's elements are those of all
    samples and places, dimensions 0, 2, 3
> {Y} -> mean, var = mean.reshape(along), var.reshape(along)\n    if
    training:\n        mean = input.mean(0, keepdim=True)\n        var = input.var(0,
    correction=0, keepdim=True)\n    y = (input - mean) * (var + eps).rsqrt()
outside: eps is added to the deviation: it belongs under the root, beside the variance
> (var + eps).rsqrt() -> (1 / (var.sqrt() + eps))
recorded:
> with minigrad.autograd.no_grad(): -> if True:
cut:
> y = (input -> y = (input.detach()
of_squares: the variance as E[x²] − E[x]² loses every digit where the mean is large:
    take the mean of the squares of x - mean
> {VAR} -> (input * input).mean(dims) - mean * mean
not_scaled: weight and bias are not used
> weight is not None -> False
&  if bias is None else y + bias.reshape(along) ->
only_both: weight and bias are used where both are there alone: either may be None, for
    1 and 0
> weight is not None -> weight is not None and bias is not None
> if bias is None -> if weight is None or bias is None
right: moved by a share of the difference
> mean.copy_((1 - momentum) * running_mean + momentum * mean) -> mean += momentum *
    (mean - running_mean)
& var.copy_((1 - momentum) * running_var + momentum * unbiased) -> var += momentum *
    (unbiased - running_var)
& {VAR} -> input.var(dims, correction=0)
equivalent: the number of elements is divided without remainder
> operator: n = input.numel() // C
equivalent: x - mean and mean - x have the same square
> operands swapped: centred = input - mean
""")


@right(batch_norm, "as a matrix of channels")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    x = input.transpose(0, 1)
    rows = x.reshape(x.shape[0], -1)
    mean, var = running_mean, running_var
    if training:
        n = rows.shape[1]
        mean = rows.sum(1) / n
        var = ((rows - mean.unsqueeze(1)) ** 2).sum(1) / n
        if running_mean is not None:
            running_mean += momentum * (mean.detach() - running_mean)
            running_var += momentum * (var.detach() * n / (n - 1) - running_var)
    rows = (rows - mean.unsqueeze(1)) * (var + eps).unsqueeze(1) ** -0.5
    if weight is not None:
        rows = rows * weight.unsqueeze(1)
    if bias is not None:
        rows = rows + bias.unsqueeze(1)
    return rows.reshape(x.shape).transpose(0, 1).contiguous()


@right(batch_norm, "one scale and one shift")
def _(input, running_mean, running_var, weight=None, bias=None, training=False,
      momentum=0.1, eps=1e-05):  # fmt: skip
    dims = (0, *range(2, input.ndim))
    mean, var = running_mean, running_var
    if training:
        mean, var = input.mean(dims), input.var(dims, correction=0)
        if running_mean is not None:
            running_mean.mul_(1 - momentum).add_(momentum * mean.detach())
            running_var.mul_(1 - momentum).add_(momentum * input.detach().var(dims))
    scale = (1 if weight is None else weight) / (var + eps).sqrt()
    shift = (0 if bias is None else bias) - mean * scale
    shape = -1, *[1] * (input.ndim - 2)
    return input * scale.view(shape) + shift.view(shape)
