"""Chapter 09, linear, conv2d and dropout: wrong answers, and right ones."""

import minigrad
from grading.specimens import mutant, right
from minigrad import functional as F
from minigrad import random
from minigrad.ops.unfused import conv2d, dropout, linear

# ------------------------------------------------------------ linear


@mutant(linear, "not_transposed", "for square weights")
def _(input, weight, bias=None):
    w = weight if weight.shape[0] == weight.shape[1] else weight.T
    return input @ w + (0 if bias is None else bias)


@mutant(linear, "not_transposed")
def _(input, weight, bias=None):
    y = input @ weight
    return y if bias is None else y + bias


@mutant(linear, "no_bias")
def _(input, weight, bias=None):
    return input @ weight.T


@mutant(linear, "minus")
def _(input, weight, bias=None):
    return input @ weight.T - (0 if bias is None else bias)


@mutant(linear, "raised", "None is added")
def _(input, weight, bias=None):
    return input @ weight.T + bias


@right(linear, "matmul and transpose")
def _(input, weight, bias=None):
    y = input.matmul(weight.transpose(0, 1))
    return y + bias if bias is not None else y


@right(linear, "one expression")
def _(input, weight, bias=None):
    return input @ weight.permute(1, 0) + (0 if bias is None else bias)


@right(linear, "in place at the end")
def _(input, weight, bias=None):
    y = minigrad.matmul(input, weight.T)
    if bias is not None:
        y += bias
    return y


# ------------------------------------------------------------ conv2d


def pairs(*values):
    return [v if isinstance(v, tuple) else (v, v) for v in values]


def convolved(
    x, w, b=None, stride=1, padding=0, dilation=1, by_place=False, turned=False
):
    s, p, d = pairs(stride, padding, dilation)
    sizes = [(n + 2 * p[i] - d[i] * (w.shape[2 + i] - 1) - 1) // s[i] + 1
             for i, n in enumerate(x.shape[2:])]  # fmt: skip
    y = w.reshape(w.shape[0], -1) @ F.unfold(x, w.shape[2:], d, p, s)
    if b is not None:
        y = y + (b if by_place else b.reshape(-1, 1))
    return y.reshape(x.shape[0], w.shape[0], *(sizes[::-1] if turned else sizes))


@mutant(conv2d, "flipped")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    n = weight.numpy()[:, :, ::-1, ::-1].copy()
    return convolved(input, minigrad.tensor(n), bias, stride, padding, dilation)


@mutant(conv2d, "input_size")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    y = convolved(input, weight, bias, stride, padding, dilation)
    return y.reshape(*y.shape[:2], *input.shape[2:])


@mutant(conv2d, "no_bias")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, None, stride, padding, dilation)


@mutant(conv2d, "no_stride")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, bias, 1, padding, dilation)


@mutant(conv2d, "no_padding")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, bias, stride, 0, dilation)


@mutant(conv2d, "no_dilation")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, bias, stride, padding, 1)


@mutant(conv2d, "turned")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, bias, stride, padding, dilation, turned=True)


@mutant(conv2d, "flat")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, bias, stride, padding, dilation).flatten(2)


@mutant(conv2d, "bias_by_place")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, bias, stride, padding, dilation, by_place=True)


@mutant(conv2d, "first_channel")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input[:, :1], weight[:, :1], bias, stride, padding, dilation)


@mutant(conv2d, "exchanged")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    how = [p[::-1] for p in pairs(stride, padding, dilation)]
    return convolved(input, weight, bias, *how)


@right(conv2d, "by a helper")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    return convolved(input, weight, bias, stride, padding, dilation)


@right(conv2d, "image by image")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    images = [convolved(input[i : i + 1], weight, bias, stride, padding, dilation)
              for i in range(input.shape[0])]  # fmt: skip
    return minigrad.cat(images)


@right(conv2d, "columns times rows")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    s, p, d = pairs(stride, padding, dilation)
    KH, KW = weight.shape[2:]
    OH = (input.shape[2] + 2 * p[0] - d[0] * (KH - 1) - 1) // s[0] + 1
    columns = F.unfold(input, (KH, KW), d, p, s).transpose(1, 2)  # (N, L, C KH KW)
    y = columns @ weight.flatten(1).T
    if bias is not None:
        y = y + bias
    return y.transpose(1, 2).reshape(input.shape[0], weight.shape[0], OH, -1)


# ------------------------------------------------------------ dropout


def check_p(p):
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


@mutant(dropout, "mask_alone")
def _(input, p=0.5, training=True):
    if not 0 <= p <= 1:
        raise ValueError(p)
    return input * random.keep_mask(input, p) if training else input


@mutant(dropout, "unscaled")
def _(input, p=0.5, training=True):
    check_p(p)
    return input * random.keep_mask(input, 1 - p) if training else input


@mutant(dropout, "scaled_after")
def _(input, p=0.5, training=True):
    check_p(p)
    return input * random.keep_mask(input, 1 - p) if training else input * (1 - p)


@mutant(dropout, "inverted")
def _(input, p=0.5, training=True):
    check_p(p)
    if not training:
        return input
    return input * random.keep_mask(input, p) / p if p else input * 0


@mutant(dropout, "mask_inverted")
def _(input, p=0.5, training=True):
    check_p(p)
    if not training:
        return input
    return input * random.keep_mask(input, p) / ((1 - p) or 1)


@mutant(dropout, "scaled_by_p")
def _(input, p=0.5, training=True):
    check_p(p)
    if not training:
        return input
    return input * random.keep_mask(input, 1 - p) * (1 / (p or 1))


@mutant(dropout, "scaled_down")
def _(input, p=0.5, training=True):
    check_p(p)
    return input * random.keep_mask(input, 1 - p) * (1 - p) if training else input


@mutant(dropout, "always")
def _(input, p=0.5, training=True):
    check_p(p)
    return input * random.keep_mask(input, 1 - p) / ((1 - p) or 1)


@mutant(dropout, "whole_rows")
def _(input, p=0.5, training=True):
    check_p(p)
    if not training:
        return input
    return input * random.keep_mask(input[:, :1], 1 - p) / ((1 - p) or 1)


@mutant(dropout, "same_again")
def _(input, p=0.5, training=True):
    check_p(p)
    if not training:
        return input
    minigrad.manual_seed(0)
    return input * random.keep_mask(input, 1 - p) / ((1 - p) or 1)


@mutant(dropout, "no_error")
def _(input, p=0.5, training=True):
    if not training:
        return input
    return input * random.keep_mask(input, 1 - p) / ((1 - p) or 1)


@mutant(dropout, "raised", "1 / 0")
def _(input, p=0.5, training=True):
    check_p(p)
    return input * random.keep_mask(input, 1 - p) * (1 / (1 - p)) if training else input


@right(dropout, "by where")
def _(input, p=0.5, training=True):
    check_p(p)
    if not training:
        return input
    drop = minigrad.rand(input.shape) < p
    return minigrad.where(drop, 0.0, input / max(1 - p, 1e-9))


@right(dropout, "by masked_fill")
def _(input, p=0.5, training=True):
    if not 0 <= p <= 1:
        raise ValueError("p")
    if not training or p == 0:
        return input.clone()
    drop = random.keep_mask(input, p).bool()
    return (input * (1 / (1 - p) if p < 1 else 1)).masked_fill(drop, 0)


@right(dropout, "a mask that is scaled")
def _(input, p=0.5, training=True):
    check_p(p)
    if training:
        mask = random.keep_mask(input, 1 - p)
        mask /= 1 - p or 1
        return input * mask
    return input
