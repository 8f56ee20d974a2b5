"""Clipping gradients. Nothing here waits for the device."""

from ..autograd import no_grad
from ..exercises.registry import exercise
from ..tensor import Tensor


@exercise(points=2, stars=2, minutes=15, level="good to know")
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scale all gradients by one factor, so that together they are max_norm at most.

    parameters: a tensor, or any iterable of them, each once; those whose .grad is None
    count for nothing, and all other gradients have one dtype. The norm is that of all
    gradients as one long vector: the root of the sum of all squares; for another
    norm_type p, (sum of |g| ** p) ** (1 / p); for float("inf") the largest |g|. Squares
    of float16 gradients do not fit into float16: those become float32, g.float(), and
    all others stay in their own dtype. Every gradient is multiplied in place by
    min(max_norm / (norm + 1e-6), 1); where that's NaN, they may be left as they are.

    gradients_of(parameters): a list of the gradients that are not None; minigrad.stack
    makes one tensor of several. Returns the norm before clipping, a tensor without
    dimensions, minigrad.tensor(0.0) if the list is empty. With error_if_nonfinite
    RuntimeError where it is infinite or NaN, before any gradient is changed.
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
