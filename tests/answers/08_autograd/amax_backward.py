"""Answers of amax_backward by other algorithms."""

import minigrad
from minigrad.ops import vjp
from tools.audit.specimens import answer


@answer(vjp.amax_backward, right="by where")
def _(dy, a, y, dims, keepdim):
    spread, y = (vjp.sum_backward(x, a.shape, dims, keepdim) for x in (dy, y))
    count = (a == y).to(dy.dtype).sum(dims, keepdim=True)
    return minigrad.where(a == y, spread / count, minigrad.zeros_like(spread))


@answer(vjp.amax_backward, right="shared first")
def _(dy, a, y, dims, keepdim):
    largest = a == vjp.sum_backward(y, a.shape, dims, keepdim)
    share = dy / largest.sum(dims, keepdim)
    return largest * vjp.sum_backward(share, a.shape, dims, keepdim)


@answer(vjp.amax_backward, right="by broadcasting")
def _(dy, a, y, dims, keepdim):
    for d in () if keepdim else dims:
        dy, y = dy.unsqueeze(d), y.unsqueeze(d)
    largest = a == y
    return dy * largest / largest.sum(dims, keepdim=True)
