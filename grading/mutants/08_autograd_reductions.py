"""Chapter 08, gradients of reductions: wrong answers, and right ones."""

import math

import numpy as np

from grading.specimens import mutant, right
from minigrad import where
from minigrad.ops import vjp

total, mean = vjp.sum_backward, vjp.mean_backward


def wide(dy, shape, dims, keepdim):
    """dy in every element that it came from."""
    for d in () if keepdim else dims:
        dy = dy.unsqueeze(d)
    return dy.expand(shape)


def counted(shape, dims):
    return math.prod(shape[d] for d in dims)


@mutant(total, "always_unsqueezed")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims, False)


@mutant(total, "like_mean")
def _(dy, shape, dims, keepdim):
    return wide(dy / counted(shape, dims), shape, dims, keepdim)


@mutant(total, "not_expanded")
def _(dy, shape, dims, keepdim):
    return dy


@mutant(total, "in_front")
def _(dy, shape, dims, keepdim):
    return dy.expand(shape)


@mutant(total, "first_dimension")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims[:1], keepdim)


@mutant(total, "wrong_order")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims[::-1], keepdim)


@right(total, "by view")
def _(dy, shape, dims, keepdim):
    return dy.view([1 if d in dims else n for d, n in enumerate(shape)]).expand(shape)


@right(total, "as a copy")
def _(dy, shape, dims, keepdim):
    return dy.new_zeros(shape) + wide(dy, shape, dims, keepdim)


@right(total, "by an index of None")
def _(dy, shape, dims, keepdim):
    index = [None if d in dims else slice(None) for d in range(len(shape))]
    return (dy if keepdim else dy[tuple(index)]).expand(*shape)


@mutant(mean, "like_sum")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims, keepdim)


@mutant(mean, "by_all")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims, keepdim) / math.prod(shape)


@mutant(mean, "by_results")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims, keepdim) / dy.numel()


@mutant(mean, "by_one")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims, keepdim) / shape[dims[0]]


@mutant(mean, "times")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims, keepdim) * counted(shape, dims)


@right(mean, "divided at the end")
def _(dy, shape, dims, keepdim):
    return wide(dy, shape, dims, keepdim) / counted(shape, dims)


@right(mean, "by the numbers of elements")
def _(dy, shape, dims, keepdim):
    whole = wide(dy, shape, dims, keepdim)
    return whole * (dy.numel() / whole.numel())


@right(mean, "in steps")
def _(dy, shape, dims, keepdim):
    for d in dims:
        dy = dy / shape[d]
    return total(dy, shape, dims, keepdim)


# ------------------------------------------------- amax

amax = vjp.amax_backward


def places(a, y, dims, keepdim):
    return (a == wide(y, a.shape, dims, keepdim)).to(dtype=a.dtype)


@mutant(amax, "tie_whole")
def _(dy, a, y, dims, keepdim):
    return wide(dy, a.shape, dims, keepdim) * places(a, y, dims, keepdim)


@mutant(amax, "tie_first")
def _(dy, a, y, dims, keepdim):
    largest = places(a, y, dims, keepdim)
    order = a.new_tensor(np.arange(a.numel(), 0, -1.0).reshape(a.shape)) * largest
    first = places(order, order.amax(dims, keepdim=True), dims, True) * largest
    return wide(dy, a.shape, dims, keepdim) * first


@mutant(amax, "like_sum")
def _(dy, a, y, dims, keepdim):
    return wide(dy, a.shape, dims, keepdim)


@mutant(amax, "no_dy")
def _(dy, a, y, dims, keepdim):
    largest = places(a, y, dims, keepdim)
    return largest / largest.sum(dims, keepdim=True)


@mutant(amax, "counted_everywhere")
def _(dy, a, y, dims, keepdim):
    largest = places(a, y, dims, keepdim)
    return wide(dy, a.shape, dims, keepdim) * (largest / largest.sum())


@right(amax, "dy divided first")
def _(dy, a, y, dims, keepdim):
    largest = places(a, y, dims, keepdim)
    share = dy / largest.sum(dims, keepdim=keepdim)
    return largest * wide(share, a.shape, dims, keepdim)


@right(amax, "by where")
def _(dy, a, y, dims, keepdim):
    same = a == wide(y, a.shape, dims, keepdim)
    count = wide(same.sum(dims, keepdim=True), a.shape, dims, True)
    zero = a.new_zeros(a.shape)
    return where(same, wide(dy, a.shape, dims, keepdim) / count, zero)


@right(amax, "by a mean")
def _(dy, a, y, dims, keepdim):
    largest = places(a, y, dims, keepdim)
    shares = largest / largest.mean(dims, keepdim=True) / counted(a.shape, dims)
    return shares * wide(dy, a.shape, dims, keepdim)
