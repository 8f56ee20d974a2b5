"""Functions of tensors, under the names of torch.nn.functional."""

from . import random
from .ops.elementwise import gelu, relu, sigmoid, tanh
from .ops.rows import layer_norm, log_softmax, softmax
from .ops.shape import one_hot


def dropout(x, p=0.5, training=True, inplace=False):
    """x with each element 0 by the chance p, the others divided by 1 - p."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return x
    kept = random.keep_mask(x, 1 - p)
    y = x * (kept * (1 / (1 - p) if p < 1 else 0))
    return x.copy_(y) if inplace else y


__all__ = [
    "dropout",
    "gelu",
    "layer_norm",
    "log_softmax",
    "one_hot",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
]
