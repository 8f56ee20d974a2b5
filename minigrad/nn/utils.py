"""Clipping gradients. Nothing here waits for the device."""

from ..autograd import no_grad
from ..exercises.registry import exercise
from ..tensor import Tensor


@exercise(points=2, stars=2, minutes=15, level="good to know")
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Clip the norm of all gradients to max_norm, in place, and return the norm.

    The norm is that of all gradients as one long vector. For norm_type = 2,
    it's the square root of the sum of all squares. Each gradient is multiplied by the
    factor min(max_norm / (norm + 1e-6), 1). If the factor is NaN, you may leave the
    gradients as they are.

    parameters: a tensor or any iterable of tensors, none of them twice. A parameter
        whose .grad is None is skipped. All gradients have the same dtype, and none of
        them is empty.
    norm_type: the exponent p, at least 1. The norm is (sum of |g| ** p) ** (1 / p), or
        the maximum of |g| if p is float("inf").
    error_if_nonfinite: if True and the norm is infinite or NaN, raise RuntimeError
        before any gradient changes.

    gradients_of(parameters): a list of the gradients that aren't None. minigrad.stack
        makes one tensor of several.

    Returns the norm before clipping, a tensor without dimensions. Squares of float16
    gradients may overflow, so compute their norm in float32, with g.float(), and return
    float32. For any other dtype, the norm has the dtype of the gradients. Without
    gradients, the result is minigrad.tensor(0.0).
    """


def gradients_of(parameters):
    """The gradients that are not None."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    try:
        return [p.grad for p in parameters if p.grad is not None]
    except (AttributeError, TypeError):
        kind = type(parameters).__name__
        raise TypeError(
            f"expected a tensor or several of them, got {kind}: model.parameters() are "
            "those of a model"
        ) from None


def clip_grad_value_(parameters, clip_value):
    """Clip each element of all gradients to ± clip_value, in place."""
    with no_grad():
        for gradient in gradients_of(parameters):
            gradient.clamp_(-clip_value, clip_value)
