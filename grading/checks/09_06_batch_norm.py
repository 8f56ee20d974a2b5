"""Batch norm: the result, and the running statistics afterwards."""

import numpy as np
import torch.nn.functional as F

from grading.drivers import scenarios
from grading.exercise import checks
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
        return scenarios.normalized(PyTorch, F.batch_norm, *arrays)

    def general(self, case):
        if case.expected and isinstance(case.got, dict):
            for name in (scenarios.MEAN, scenarios.VAR):
                if case.got.get(f"{name} is recorded"):
                    return "recorded", (
                        "the running statistics have a graph, which grows from step to "
                        "step: move them under no_grad()"
                    )
        return seen(case, self.near) or super().general(case)
