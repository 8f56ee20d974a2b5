"""Functions of tensors, under the names of torch.nn.functional."""

import math

import numpy as np

from .. import random
from ..dispatch import FUNCTIONAL, number_for, tensor_for
from ..dtypes import bool_
from ..ops import pointwise, resize  # noqa: F401  registers its functions
from ..ops.conv import conv2d
from ..ops.indexing import embedding, one_hot
from ..ops.loss import (
    binary_cross_entropy_with_logits,
    cross_entropy,
    mse_loss,
    nll_loss,
)
from ..ops.matmul import linear
from ..ops.normalization import batch_norm, layer_norm
from ..ops.pointwise import gelu, sigmoid, tanh
from ..ops.pooling import avg_pool2d, max_pool2d
from ..ops.softmax import log_softmax, softmax
from ..ops.unfold import fold, unfold
from ..suggest import in_module


def relu(input, inplace=False):
    """The larger of each element and 0."""
    if inplace:
        return tensor_for("relu", "input", input).relu_()
    return pointwise.relu(input)


def dropout(input, p=0.5, training=True, inplace=False):
    """input with each element 0 with probability p, the others divided by 1 - p."""
    if not 0 <= number_for("dropout", "p", p) <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    check_dropout(input, p, training)
    if not training or p == 0:
        return input
    generator = random.default_generator
    first = generator.take(-(-input.numel() // 2))
    how = {"first": first, "state": generator.state(input.device)}
    y = random.dropout(input, p=1 - p, seed=generator.seed, **how)
    return input.copy_(y) if inplace else y


def check_dropout(x, p, training):
    """Raise where x is no tensor, or one whose elements cannot be divided."""
    dtype = tensor_for("dropout", "input", x).dtype
    if dtype.kind != "f" and training and p:
        raise RuntimeError(f"dropout is for floats, not {dtype}: x.float() makes one")


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0,
                                 is_causal=False, scale=None):  # fmt: skip
    """softmax(query @ keyᵀ * scale) @ value: (..., L, E), (..., S, E), (..., S, V).

    attn_mask: bool, False for pairs that are left out, or numbers that are added to the
    scores. is_causal: query i sees keys up to i. scale: 1 / sqrt(E) by default.
    """
    named = {"query": query, "key": key, "value": value}
    named |= {} if attn_mask is None else {"attn_mask": attn_mask}
    for name, x in named.items():
        tensor_for("scaled_dot_product_attention", name, x)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.transpose(-2, -1) * scale
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "scaled_dot_product_attention: either attn_mask or is_causal"
            )
        i, j = (np.arange(n) for n in scores.shape[-2:])
        attn_mask = query.new_tensor(i[:, None] >= j, bool_)
    if attn_mask is not None and attn_mask.dtype == bool_:
        scores = scores.masked_fill(~attn_mask, -math.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    if attn_mask is None:
        weights = scores.softmax(-1)
    else:  # a query that no key is left for has weights 0, not NaN
        none = (scores == -math.inf).all(-1, keepdim=True)
        weights = scores.masked_fill(none, 0).softmax(-1).masked_fill(none, 0)
    if dropout_p:
        weights = dropout(weights, dropout_p)
    return weights @ value


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
    "scaled_dot_product_attention",
    "sigmoid",
    "softmax",
    "tanh",
    "unfold",
]

globals().update(FUNCTIONAL)  # what ops/ says is one of these
__all__ += FUNCTIONAL

__getattr__ = in_module(__name__)
