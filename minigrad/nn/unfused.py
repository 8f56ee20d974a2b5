"""Layers and losses step by step, in operators: what chapter 09 has the learner write.

Functional does the same in fewer launches; layers run that, and these inside
`with minigrad.kernel_variant("answered")`.
"""

from .. import launch
from ..exercises.registry import exercise


@exercise(points=1, stars=1, minutes=5)
def linear(input, weight, bias=None):
    """Return the input times the transpose of the weight, plus the bias.

    input: (*, in_features), with any number of dimensions in front, or none. Their
        sizes may be 0.
    weight: (out_features, in_features), as PyTorch stores it. Both are at least 1.
    bias: (out_features,) or None.

    Returns a tensor (*, out_features) in the dtype of the input. It's a float dtype,
    which weight and bias have too. The result must be made of operators, so that
    gradients reach input, weight, and bias.
    """


@exercise(points=2, stars=2, minutes=20, level="good to know")
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1):
    """Return a convolution, computed as a matrix product of the weight and `unfold`.

    input: (N, C, H, W).
    weight: (O, C, KH, KW).
    bias: (O,) or None.
    stride, padding, dilation: ints or tuples (down, across), never lists. The window
        fits at least once, and no size is 0.

    functional.unfold(input, kernel_size, dilation, padding, stride) has shape
    (N, C * KH * KW, L). Each column holds one position of the window, channel by
    channel. The L positions are in row-major order.

    Returns (N, O, OH, OW) in the dtype of the input, where
    OH = (H + 2 * padding - dilation * (KH - 1) - 1) // stride + 1, and OW likewise. It
    must be made of operators, so that gradients reach input, weight, and bias.
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
    """Return (input - mean) / sqrt(var + eps) * weight + bias, for each channel.

    input: (N, C, ...). A channel's elements are those of all samples and positions.
        Their mean may be large compared with their deviation, so subtract it before
        you square.
    running_mean, running_var: (C,). In training, both may be None, but never only one.
    weight, bias: (C,) each, or None, which means a weight of 1 and a bias of 0.
        All tensors have the dtype of the input, which may be float16. A channel's sum
        may overflow in float16, but x.mean(dims) still computes the correct mean.
    training: if True, mean and var are those of the input, where var is the sum of
        squares divided by n, the channel's number of elements. n is at least 2. Both
        running tensors change in place: running = (1 - momentum) * running + momentum *
        new, where the new variance is divided by n - 1. If False, mean and var are the
        running ones, which don't change.

    Returns a tensor of the input's shape and dtype. It must be made of operators, so
    that gradients reach input, weight, and bias. The running tensors must not become
    part of a graph.
    """


@exercise(points=2, stars=1, minutes=10, level="good to know")
def dropout(input, p=0.5, training=True):
    """Return the input with each element 0 with probability p, and the others scaled.

    Elements that are kept are multiplied by 1 / (1 - p).

    p: a number, never NaN. If it's outside [0, 1], the function raises ValueError,
        whatever `training` is. If it's 0, the result has the input's values. If it's 1,
        all elements are 0, with or without a graph.
    training: if False, the result has the input's values. It may be the input.

    Where the input is infinite or NaN, a dropped element may be NaN, even if p is 1.
    The result has the input's dtype. Gradients pass through what's kept, with the same
    scale.

    random.keep_mask(input, chance) returns a tensor like the input that's 1 with
    probability `chance` and 0 otherwise. You may use other random numbers, such as
    minigrad.rand's. Each element must be drawn separately and anew in each call, and
    manual_seed must decide all of them.
    """


def wants_unfused():
    """Are the steps to run, in the place of functional's kernels?"""
    return launch.requested == "answered"
