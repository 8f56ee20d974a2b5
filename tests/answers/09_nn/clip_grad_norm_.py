"""Answers of clip_grad_norm_ by other algorithms."""

import minigrad
from minigrad.nn.utils import clip_grad_norm_, gradients_of
from tools.audit.specimens import answer


@answer(clip_grad_norm_, right="the norm of norms")
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
    return total.float() if gradients[0].dtype.itemsize == 2 else total


@answer(clip_grad_norm_, right="one long vector")
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
