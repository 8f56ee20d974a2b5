"""Answers of sum_backward by other algorithms."""

from minigrad.ops import vjp
from tools.audit.specimens import answer


@answer(vjp.sum_backward, right="by strides of 0")
def _(dy, shape, dims, keepdim):
    strides = list(dy.stride())
    for d in dims:
        strides[d : d + keepdim] = [0]
    return dy.as_strided(shape, strides, dy.storage_offset())


@answer(vjp.sum_backward, right="in front, then moved")
def _(dy, shape, dims, keepdim):
    if keepdim:
        return dy.expand(shape)
    order = [*dims, *(d for d in range(len(shape)) if d not in dims)]
    whole = dy.expand([shape[d] for d in order])
    return whole.permute([order.index(d) for d in range(len(shape))])
