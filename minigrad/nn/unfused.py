"""Layers and losses step by step, in operators: what chapter 09 has the learner write.

Functional does the same in fewer launches; layers run that, and these inside
`with minigrad.kernel_variant("answered")`.
"""

from .. import launch
from ..exercises.registry import exercise


@exercise(points=1, stars=1, minutes=5)
def linear(input, weight, bias=None):
    """input times the transpose of weight, plus bias.

    input: (*, in_features), any number of dimensions in front, of any sizes, also 0.
    weight: (out_features, in_features), as PyTorch stores it; neither size is 0. bias:
    (out_features,) or None.
    Returns a tensor (*, out_features), in input's dtype. It is made of operators:
    gradients reach input, weight and bias.
    """


@exercise(points=2, stars=2, minutes=20, level="good to know")
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1):
    """A convolution as one matrix product, with the images laid out by `unfold`.

    input: (N, C, H, W). weight: (O, C, KH, KW). bias: (O,) or None. stride, padding,
    dilation: ints or tuples (down, across). No size is 0, and the window fits.

    functional.unfold(input, kernel_size, dilation, padding, stride) is (N, C * KH * KW,
    L): each column is one place of the window, all of its numbers channel by channel,
    and there are L places, row by row. Returns (N, O, OH, OW), where OH = (H + 2 *
    padding - dilation * (KH - 1) - 1) // stride + 1, and OW in the same way, in
    input's dtype. It is made of operators: gradients reach input, weight and bias.
    """


@exercise(points=3, stars=3, minutes=30, level="good to know")
def batch_norm(
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.1,
    eps=1e-05,
):
    """(input - mean) / sqrt(var + eps) * weight + bias, for each channel by itself.

    input: (N, C, ...): a channel's elements are those of all samples and places.
    Their mean may be large beside their deviation: it is subtracted before squaring.
    weight, bias: (C,) or None for 1 and 0. All tensors have one dtype.

    In training mean and var are those of the input, var divided by the number of
    elements n; and the running ones, (C,), are moved in place by
    running = (1 - momentum) * running + momentum * new, where the new variance is the
    one divided by n - 1; n is 2 or more. They may be None: then there is nothing to
    move. Without `training` the running ones are used, and stay as they are.

    Returns a tensor of input's shape and dtype. It is made of operators: gradients
    reach input, weight and bias. The running ones never belong to a graph.
    """


@exercise(points=2, stars=1, minutes=10, level="good to know")
def dropout(input, p=0.5, training=True):
    """input with each element 0 with probability p, the others scaled by 1 / (1 - p).

    So the expected value of each element stays the same. Without `training`, or with
    p = 0, the values of the input; with p = 1 all is 0. ValueError for a p outside
    [0, 1], with `training` or without; p is never NaN. Where the input is infinite or
    NaN, what is dropped may be NaN instead of 0, as PyTorch's is.
    The result has input's dtype, and a gradient goes through what is kept.
    random.keep_mask(input, chance) is a tensor of 1 with that probability, else 0: each
    element by itself, each call another, and manual_seed decides them. Any other random
    numbers will do, if manual_seed decides those, such as minigrad.rand's.
    """


def wants_unfused():
    """Are the steps to run, in the place of functional's kernels?"""
    return launch.requested == "answered"
