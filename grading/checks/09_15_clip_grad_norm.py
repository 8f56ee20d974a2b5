"""Clipping by the norm of all gradients."""

import math

import numpy as np
import torch

import minigrad
from grading.exercise import checks, mistakes, right
from minigrad.nn.utils import clip_grad_norm_, gradients_of

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


LIST, CLIP = "gradients_of(parameters)", "for g in gradients:\n        g.mul_(factor)"
mistakes(clip_grad_norm_)(rf"""
each_alone: each gradient is clipped by its own norm: all have one norm together, or the
    direction of the step changes
> {CLIP} -> for g in gradients:\n        own =
    g.norm(norm_type)\n        g.mul_((max_norm / (own + 1e-6)).clamp(max=1))
always: small gradients are made larger: the factor is 1 at most
> .clamp(max=1) ->
norm_after: the norm after clipping is returned: the one before says what happened
> return norm -> return norm * factor
always_two: norm_type is not used: it is always 2
> gradients = {LIST} -> gradients, norm_type = {LIST}, 2
not_changed: the norm is right, and the gradients have not changed: if `parameters` is a
    generator it can be gone through once only; and g * factor is to be written to g
    itself: g.mul_(factor)
> g.mul_(factor) -> g = g * factor
> for g in gradients: -> for g in {LIST}:
not_in_place: p.grad is another tensor now: others may hold the gradient, so it is
    changed in place, g.mul_(factor)
> = {LIST} -> = gradients_of(parameters := [*parameters])
& {CLIP} -> for p in parameters:\n        if p.grad is not None: p.grad = p.grad *
    factor
by_value: the elements are clipped, each by itself: that is clip_grad_value_, and
    changes the direction
> g.mul_(factor) -> g.clamp_(-max_norm, max_norm)
too_large: squares of float16 gradients do not fit into float16, which ends at 65504:
    add them up in float32, g.float()
> g.float() if g.dtype.itemsize == 2 else g -> g
type:
> raise RuntimeError( -> gradients[0].mul_(0)\n        raise RuntimeError(
equivalent: 0 is a whole number, and exact in half
> through half: return minigrad.tensor(0.0)
> through int: return minigrad.tensor(0.0)
equivalent: 2 is a norm_type as any other: the root is a power, too
> branch dropped: elif norm_type == 2: -> elif False
equivalent: each gradient is multiplied for itself, in whatever order
> order: for g in gradients
right: by numbers, copied
> (norm + 1e-6)).clamp(max=1) -> (norm.item() + 1e-6))
& g.mul_(factor) -> g.copy_(g if factor > 1 else g * factor)
""")


@right(clip_grad_norm_, "the norm of norms")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    one = isinstance(parameters, minigrad.Tensor)
    params = [parameters] if one else parameters
    gradients = [p.grad for p in params if p.grad is not None]
    if len(gradients) == 0:
        return minigrad.tensor(0.0)
    norms = minigrad.stack([g.double().norm(norm_type) for g in gradients])
    total = norms.norm(norm_type)
    if error_if_nonfinite and (total.isnan() | total.isinf()).item():
        raise RuntimeError("the norm is not finite")
    factor = max_norm / (total + 1e-6)
    if factor.item() < 1:
        for g in gradients:
            g *= factor
    return total


@right(clip_grad_norm_, "one long vector")
def _(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    gradients = gradients_of(parameters)
    if not gradients:
        return minigrad.tensor(0.0)
    half = minigrad.float16 in [g.dtype for g in gradients]
    x = minigrad.cat([(g.float() if half else g).flatten() for g in gradients]).abs()
    infinite = norm_type == float("inf")
    norm = x.max() if infinite else (x**norm_type).sum() ** (1 / norm_type)
    if error_if_nonfinite and not norm < float("inf"):
        raise RuntimeError("the norm is infinite, or NaN")
    for g in gradients:
        g.mul_(minigrad.minimum(max_norm / (norm + 1e-6), minigrad.ones_like(norm)))
    return norm
