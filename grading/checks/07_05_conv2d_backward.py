"""The gradients of a convolution as a product: autograd is the oracle."""

import numpy as np
import torch

from grading.exercise import Check, checks, mistakes, right
from minigrad.kernels.convolution import conv2d_backward


def eighths(random, part, *shape):
    """Whole numbers divided by 8: sums of their products are exact in the dtype."""
    draw = np.random.default_rng(random.getrandbits(64))
    most, dtype = (99, "float32") if part == "float32" else (9999, "float64")
    return (draw.integers(-most, most, shape) / 8).astype(dtype)


@checks(conv2d_backward)
class Conv2dBackward(Check):
    """Leaves out NaN, inf and O or K of 0: the contract names none of them."""

    def cases(self, random):
        shapes = [(3, 2, 4, 5), (2, 5, 3, 4), (1, 3, 2, 6), (0, 2, 4, 5), (3, 2, 4, 0)]
        shapes.append(tuple(random.randint(2, 6) for _ in range(4)))
        for part in ("dw, of all images together", "dcolumns", "db", "float32"):
            for N, O, K, P in shapes:  # noqa: E741
                sizes = (N, O, P), (N, K, P), (O, K)
                yield part, *(eighths(random, part, *size) for size in sizes)

    def expected(self, dy, columns, w):
        leaves = [torch.tensor(a, requires_grad=True) for a in (columns, w)]
        bias = torch.zeros(len(w), dtype=leaves[1].dtype, requires_grad=True)
        y = leaves[1] @ leaves[0] + bias[:, None]
        found = torch.autograd.grad(y, [*leaves, bias], torch.from_numpy(dy))
        return tuple(t.numpy() for t in found)

    def same(self, got, expected, dy, *args):
        alike = super().same(got, expected, dy, *args)
        pairs = zip(got, expected, strict=True) if alike else ()
        return alike and all(one.dtype == other.dtype for one, other in pairs)


mistakes(conv2d_backward)(r"""
not_summed: dw has a matrix for each image: the weights are the same for all images, so
    their gradients are summed over the batch: .sum(0)
> (dy @ columns.transpose(0, 2, 1)).sum(0) -> dy @ columns.transpose(0, 2, 1)
first_image: dw is that of one image alone: it is summed over the batch
> (dy @ columns.transpose(0, 2, 1)).sum(0) -> dy[0] @ columns[0].T
bias_by_image: db is summed over the places alone: the bias is the same for all images
> dy.sum((0, 2)) -> dy.sum(2)
bias_by_place: db is summed over the images alone: the bias is the same for all places
> dy.sum((0, 2)) -> dy.sum(0)
order: the three are in another order: (dcolumns, dw, db)
> return dcolumns, dw -> return dw, dcolumns
always_double: the results are float64, whatever is given: of float32 they are float32
> dw, dy.sum((0, 2)) -> dw, dy.sum((0, 2), dtype=float)
> dw = (dy @ columns.transpose(0, 2, 1)).sum(0) -> dw = np.zeros(w.shape)\n    dw += (dy
    @ columns.transpose(0, 2, 1)).sum(0)
transposed: dw is transposed: it has the shape of w, (O, K): dy @ columns transposed
> dy @ columns.transpose(0, 2, 1) -> columns @ dy.transpose(0, 2, 1)
""")


@right(conv2d_backward, "one product of all images")
def _(dy, columns, w):
    one = dy.transpose(1, 0, 2).reshape(w.shape[0], -1)
    other = columns.transpose(1, 0, 2).reshape(w.shape[1], -1)
    return w.T @ dy, one @ other.T, one.sum(1)


@right(conv2d_backward, "by einsum")
def _(dy, columns, w):
    dw = np.einsum("nop,nkp->ok", dy, columns)
    return np.einsum("nop,ok->nkp", dy, w), dw, np.einsum("nop->o", dy)


@right(conv2d_backward, "image by image")
def _(dy, columns, w):
    dcolumns, dw, db = (np.zeros_like(a) for a in (columns, w, w[:, 0]))
    for n, (up, taps) in enumerate(zip(dy, columns, strict=True)):
        dcolumns[n] = (up.T @ w).T
        dw += up @ taps.T
        db += up.sum(1)
    return dcolumns, dw, db
