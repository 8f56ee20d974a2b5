"""Chapter 08, gradients of products and views: wrong answers, and right ones."""

import math

import numpy as np

from grading.specimens import mutant, right
from minigrad.ops import vjp

left, other = vjp.matmul_left_backward, vjp.matmul_right_backward
mutant(left, "not_turned")(lambda dy, b: dy @ b)
mutant(left, "turned")(lambda dy, b: b @ dy.transpose(-2, -1))
mutant(left, "all_dimensions")(lambda dy, b: dy @ b.T)
mutant(left, "elementwise")(lambda dy, b: dy * b)
right(left, "turned twice")(lambda dy, b: (b @ dy.transpose(-2, -1)).transpose(-1, -2))
right(left, "by sums")(lambda dy, b: (dy.unsqueeze(-2) * b.unsqueeze(-3)).sum(-1))


@mutant(left, "other_order")
def _(dy, b):
    turned = b.transpose(-2, -1)
    return turned @ dy if b.shape[-1] != dy.shape[-2] else b @ dy


@right(left, "by permute")
def _(dy, b):
    n = b.ndim
    return dy @ b.permute(*range(n - 2), n - 1, n - 2)


mutant(other, "not_turned")(lambda dy, a: a @ dy)
mutant(other, "turned")(lambda dy, a: dy.transpose(-2, -1) @ a)
mutant(other, "all_dimensions")(lambda dy, a: a.T @ dy)
mutant(other, "elementwise")(lambda dy, a: dy * a)
mutant(other, "other_order")(lambda dy, a: dy @ a.transpose(-2, -1))
right(other, "turned twice")(lambda dy, a: (dy.transpose(-2, -1) @ a).transpose(-1, -2))
right(other, "by sums")(lambda dy, a: (a.unsqueeze(-1) * dy.unsqueeze(-2)).sum(-3))


@right(other, "by permute")
def _(dy, a):
    n = a.ndim
    return a.permute(*range(n - 2), n - 1, n - 2) @ dy


# ------------------------------------------------- views

permute, part = vjp.permute_backward, vjp.slice_backward
mutant(permute, "same_order")(lambda dy, dims: dy.permute(dims))
mutant(permute, "unchanged")(lambda dy, dims: dy)
mutant(permute, "turned_round")(lambda dy, dims: dy.T)
mutant(permute, "read_backwards")(lambda dy, dims: dy.permute(dims[::-1]))
mutant(permute, "copies")(
    lambda dy, dims: dy.permute([dims.index(d) for d in range(dy.ndim)]).clone()
)
right(permute, "by argsort")(lambda dy, dims: dy.permute(np.argsort(dims).tolist()))
right(permute, "by sorting")(
    lambda dy, dims: dy.permute(sorted(range(len(dims)), key=lambda i: dims[i]))
)


@right(permute, "by filling in")
def _(dy, dims):
    back = [0] * len(dims)
    for place, d in enumerate(dims):
        back[d] = place
    return dy.permute(tuple(back))


@mutant(part, "ones")
def _(dy, shape, index):
    dx = dy.new_zeros(shape) + 1
    dx[index] = dy
    return dx


@mutant(part, "not_filled")
def _(dy, shape, index):
    return dy


@mutant(part, "at_the_beginning")
def _(dy, shape, index):
    dx = dy.new_zeros(shape)
    dx.view(-1)[: dy.numel()] = dy.reshape(-1)
    return dx


@mutant(part, "no_dy")
def _(dy, shape, index):
    dx = dy.new_zeros(shape)
    dx[index] = 1
    return dx


@mutant(part, "zeros")
def _(dy, shape, index):
    dx = dy.new_zeros(shape)
    chosen = dx[index].clone()
    chosen += dy
    return dx


@mutant(part, "garbage")
def _(dy, shape, index):
    dx = dy.new_zeros(shape) + math.nan
    dx[index] = dy
    return dx


@right(part, "by a view that is written to")
def _(dy, shape, index):
    dx = dy.new_zeros(shape)
    dx[index].copy_(dy)
    return dx


@right(part, "by adding")
def _(dy, shape, index):
    dx = dy.new_zeros(shape)
    view = dx[index]
    view += dy
    return dx


@right(part, "by numpy's arrays")
def _(dy, shape, index):
    dx = np.zeros(shape)
    dx[index] = np.array(dy.numpy())
    return dy.new_tensor(dx)
