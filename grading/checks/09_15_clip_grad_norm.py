"""Clipping by the norm of all gradients."""

import math

import numpy as np
import torch

from grading.exercise import checks
from minigrad.nn.utils import clip_grad_norm_

from .scene_check import SceneCheck, each, numbers, options_of


@checks(clip_grad_norm_)
class ClipGradNorm(SceneCheck):
    """Leaves out float32, bfloat16 (both as double) and norm_type below 1 (no norm)."""

    def words(self, scene):
        shapes = [None if g is None else tuple(g.shape) for g in scene["grads"]]
        how = f"gradients of shapes {shapes} in {scene['lazy']}"
        return f"{how}, {options_of(scene)}"

    def cases(self, random):
        def of(*shapes, scale=1.0, lazy="a list", **options):
            grads = [None if s is None else numbers(random, *s, scale=scale)
                     for s in shapes]  # fmt: skip
            return {"scene": "clip", "grads": grads, "lazy": lazy, "options": options}

        yield "one factor for all", of((3, 4), (5,), scale=10, max_norm=1.0)
        yield "one factor for all", of((2,), (4, 2), (3,), scale=3, max_norm=2.5)
        yield "small ones stay", of((3, 2), (2,), scale=0.01, max_norm=1.0)
        yield "missing gradients", of((3,), None, (2, 2), scale=5, max_norm=1.0)
        yield "missing gradients", of(None, max_norm=1.0)
        for bad in (math.inf, math.nan):
            for strict in (False, True):
                how = {"max_norm": 1.0, "error_if_nonfinite": strict}
                yield "infinite gradients", of((3,), (2,), scale=bad, **how)
        how = {"max_norm": 1.0, "error_if_nonfinite": True}
        yield "infinite gradients", of((3, 4), scale=10, **how)
        for kind in "a generator", "a tensor":
            shapes = [(3, 4), (2,)][: 1 + (kind == "a generator")]
            yield "any iterable", of(*shapes, scale=10, max_norm=1.0, lazy=kind)
        halves = [np.array([300.0, 0], np.float16), np.array([400.0], np.float16)]
        yield "float16", of(max_norm=1.0) | {"grads": halves}
        for norm_type in (1.0, 3.0, math.inf):
            how = {"max_norm": 1.5, "norm_type": norm_type}
            yield "other norms", of((3, 2), (4,), scale=4, **how)
        one = of(max_norm=1.5, norm_type=math.inf)
        grads = [np.array([[1.0, -9.0], [2.0, 3.0]]), np.array([-4.0])]
        yield "other norms", one | {"grads": grads}
        yield "small ones stay", of((3,), (2,), scale=0.0, max_norm=1.0)

    def expected(self, scene):
        grads = each(scene["grads"])
        there = [g for g in grads if g is not None]
        parameters = [torch.zeros_like(g) for g in there]
        for p, g in zip(parameters, there):
            p.grad = g
        norm = torch.nn.utils.clip_grad_norm_(parameters, **scene["options"])
        grads = [None if g is None else g.numpy() for g in grads]
        dtype = "" if there else "float32"
        return {"norm": float(norm), "dtype of the norm": dtype, "grads": grads,
                "the tensors that were the grads": grads}  # fmt: skip
