"""Functions of tensors, under the names of torch.nn.functional."""

from .. import random
from ..dispatch import FUNCTIONAL
from ..ops import elementwise
from ..ops.base import expect, number_for, tensor_for
from ..ops.batch_norm import batch_norm
from ..ops.conv import conv2d
from ..ops.elementwise import sigmoid, tanh
from ..ops.embedding import embedding
from ..ops.errors import binary_cross_entropy_with_logits, mse_loss
from ..ops.forms import gelu
from ..ops.losses import cross_entropy, nll_loss
from ..ops.matmul import linear
from ..ops.norms import layer_norm
from ..ops.pooling import avg_pool2d, max_pool2d
from ..ops.rows import log_softmax, softmax
from ..ops.shape import one_hot
from ..ops.unfold import fold, unfold
from ..suggest import in_module


def relu(input, inplace=False):
    """The larger of each element and 0."""
    if inplace:
        return tensor_for("relu", "input", input).relu_()
    return elementwise.relu(input)


def dropout(x, p=0.5, training=True, inplace=False):
    """x with each element 0 by the chance p, the others divided by 1 - p."""
    if not 0 <= number_for("dropout", "p", p) <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    check_dropout(x, p, training)
    if not training or p == 0:
        return x
    generator = random.default_generator
    first = generator.take(-(-x.numel() // 2))
    y = random.dropout(x, p=1 - p, seed=generator.seed, first=first)
    return x.copy_(y) if inplace else y


def check_dropout(x, p, training):
    """Raise where x is no tensor, or one whose elements cannot be divided."""
    try:
        dtype = x.storage.dtype
    except AttributeError:
        expect("dropout", {"input": x})
        raise
    if dtype.kind != "f" and training and p:
        raise RuntimeError(f"dropout is for floats, not {dtype}: x.float() makes one")


__all__ = [
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "conv2d",
    "cross_entropy",
    "dropout",
    "embedding",
    "fold",
    "gelu",
    "layer_norm",
    "linear",
    "log_softmax",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "one_hot",
    "relu",
    "sigmoid",
    "softmax",
    "tanh",
    "unfold",
]

globals().update(FUNCTIONAL)  # what ops/ says is one of these
__all__ += FUNCTIONAL

__getattr__ = in_module(__name__)
