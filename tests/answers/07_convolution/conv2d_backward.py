"""Answers of conv2d_backward by other algorithms."""

import numpy as np

from minigrad.kernels.convolution import conv2d_backward
from tools.audit.specimens import answer


@answer(conv2d_backward, right="one product of all images")
def _(dy, columns, w):
    one = dy.transpose(1, 0, 2).reshape(w.shape[0], -1)
    other = columns.transpose(1, 0, 2).reshape(w.shape[1], -1)
    return w.T @ dy, one @ other.T, one.sum(1)


@answer(conv2d_backward, right="by einsum")
def _(dy, columns, w):
    dw = np.einsum("nop,nkp->ok", dy, columns)
    return np.einsum("nop,ok->nkp", dy, w), dw, np.einsum("nop->o", dy)


@answer(conv2d_backward, right="image by image")
def _(dy, columns, w):
    dcolumns, dw, db = (np.zeros_like(a) for a in (columns, w, w[:, 0]))
    for n, (up, taps) in enumerate(zip(dy, columns, strict=True)):
        dcolumns[n] = (up.T @ w).T
        dw += up @ taps.T
        db += up.sum(1)
    return dcolumns, dw, db
