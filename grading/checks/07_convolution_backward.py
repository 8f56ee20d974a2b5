"""Chapter 07, the gradients of a convolution as a product: autograd is the oracle."""

import numpy as np
import torch

from grading.checking import Check, cause, checks
from minigrad.kernels import convolution


def whole(random, *shape):
    """Whole numbers as floats, whose sums of products are exact."""
    draw = np.random.default_rng(random.getrandbits(64))
    return draw.integers(-99, 99, shape).astype(np.float64)


@checks(convolution.conv2d_backward)
class Conv2dBackward(Check):
    def cases(self, random):
        shapes = [(3, 2, 4, 5), (2, 5, 3, 4), (1, 3, 2, 6)]
        shapes.append(tuple(random.randint(2, 6) for _ in range(4)))
        for part in ("dw, of all images together", "dcolumns", "db"):
            for N, O, K, P in shapes:  # noqa: E741
                yield (
                    part,
                    *(whole(random, *size) for size in ((N, O, P), (N, K, P), (O, K))),
                )

    def expected(self, dy, columns, w):
        leaves = [torch.tensor(a, requires_grad=True) for a in (columns, w)]
        bias = torch.zeros(len(w), dtype=torch.float64, requires_grad=True)
        y = leaves[1] @ leaves[0] + bias[:, None]
        found = torch.autograd.grad(y, [*leaves, bias], torch.from_numpy(dy))
        return tuple(t.numpy() for t in found)

    @cause(
        "dw has a matrix for each image: the weights are the same for all images, so "
        "their gradients are summed over the batch: .sum(0)"
    )
    def not_summed(self, dy, columns, w):
        dcolumns, _, db = self.expected(dy, columns, w)
        return dcolumns, dy @ columns.transpose(0, 2, 1), db

    @cause("dw is that of one image alone: it is summed over the batch")
    def first_image(self, dy, columns, w):
        dcolumns, _, db = self.expected(dy, columns, w)
        return dcolumns, (dy @ columns.transpose(0, 2, 1))[0], db

    @cause("dw is that of the last image alone: it is summed over the batch")
    def last_image(self, dy, columns, w):
        dcolumns, _, db = self.expected(dy, columns, w)
        return dcolumns, (dy @ columns.transpose(0, 2, 1))[-1], db

    @cause("db is summed over the places alone: the bias is the same for all images")
    def bias_by_image(self, dy, columns, w):
        dcolumns, dw, _ = self.expected(dy, columns, w)
        return dcolumns, dw, dy.sum(2)

    @cause("db is summed over the images alone: the bias is the same for all places")
    def bias_by_place(self, dy, columns, w):
        dcolumns, dw, _ = self.expected(dy, columns, w)
        return dcolumns, dw, dy.sum(0)

    @cause("the three are in another order: (dcolumns, dw, db)")
    def order(self, dy, columns, w):
        dcolumns, dw, db = self.expected(dy, columns, w)
        return dw, dcolumns, db

    @cause("dw is transposed: it has the shape of w, (O, K): dy @ columns transposed")
    def transposed(self, dy, columns, w):
        dcolumns, dw, db = self.expected(dy, columns, w)
        return dcolumns, dw.T, db

    @cause("dcolumns is summed over the images: each image has its own")
    def columns_summed(self, dy, columns, w):
        dcolumns, dw, db = self.expected(dy, columns, w)
        return dcolumns.sum(0), dw, db
