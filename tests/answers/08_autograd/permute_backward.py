"""Answers of permute_backward by other algorithms."""

from minigrad.ops import vjp
from tools.audit.specimens import answer


@answer(vjp.permute_backward, right="a list that is filled")
def _(dy, dims):
    back = [0] * len(dims)
    for i, d in enumerate(dims):
        back[d] = i
    return dy.permute(back)


@answer(vjp.permute_backward, right="two at a time")
def _(dy, dims):
    left = list(dims)
    for d in range(len(left)):
        at = left.index(d)
        dy = dy.transpose(d, at)
        left[d], left[at] = left[at], left[d]
    return dy
