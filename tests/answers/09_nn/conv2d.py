"""Answers of conv2d by other algorithms."""

import numpy as np

import minigrad
from minigrad.nn.unfused import conv2d
from tools.audit.specimens import answer


@answer(conv2d, right="tap by tap")
def _(input, weight, bias=None, stride=1, padding=0, dilation=1):
    options = stride, padding, dilation
    (sh, sw), (ph, pw), (dh, dw) = (np.broadcast_to(n, 2).tolist() for n in options)
    x = minigrad.functional.pad(input, (pw, pw, ph, ph))
    OH = (x.shape[2] - dh * (weight.shape[2] - 1) - 1) // sh + 1
    OW = (x.shape[3] - dw * (weight.shape[3] - 1) - 1) // sw + 1
    y = 0 if bias is None else bias.view(-1, 1, 1)
    for kh, kw in np.ndindex(*weight.shape[2:]):
        part = x[:, :, kh * dh :: sh, kw * dw :: sw][:, :, :OH, :OW]
        y = y + minigrad.einsum("nchw,oc->nohw", part, weight[:, :, kh, kw])
    return y
