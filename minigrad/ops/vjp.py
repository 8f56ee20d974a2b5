"""Gradients of views and copies, and those that learners write: lab 08.

`dy` is the gradient of an operator's result. The gradients of elementwise operators are
formulas in NumPy, as in pointwise.py: their arrays are of one shape, or broadcast to
each other, and so is what they return; shapes are put right afterwards, by sum_to_size.
All others get tensors, and compute with tensor operators.
"""

import math

from ..autograd.adjoints import strided_backward
from ..exercises.registry import exercise

# ------------------------------------------------- elementwise: arrays


@exercise(points=1, stars=1, minutes=10, level="good to know")
def tanh_backward(dy, y):
    """Return the gradient of x, where y = tanh(x), computed from y.

    dy, y: arrays of floats, of one shape and dtype. Both may contain NaN, and the
        result is NaN there. dy has no infinities.

    Returns an array of the same shape and dtype. It may be dy itself if no value
    changes, and a scalar if dy has no dimensions.
    """


@exercise(points=1, stars=2, minutes=10, level="extra")
def div_backward(dy, a, b):
    """Return the gradient of b, where y = a / b.

    dy, a, b: arrays of floats, of one dtype. a and b have dy's shape or are broadcast
        to it. b * b is never too large for the dtype, so you may compute it.

    Returns an array of dy's shape and dtype. It may be dy itself if no value changes,
    and a scalar if dy has no dimensions. NaN, infinity, and b = 0 follow NumPy's rules,
    so the gradient may be infinite or NaN.
    """


@exercise(points=1, stars=2, minutes=10, level="extra")
def pow_backward(dy, a, b):
    """Return the gradient of a, where y = a ** b.

    dy, a: arrays of floats, of one dtype. b: an array of the same dtype, or a float. a
        and b have dy's shape or are broadcast to it.

    Returns an array of dy's shape and dtype. It may be dy itself if no value changes,
    and a scalar if dy has no dimensions. If b is 0, the gradient is 0, even if a is 0,
    infinite, or NaN. (dy is finite there.) Otherwise, NaN and infinity follow NumPy's
    rules. You can use np.where(condition, x, y).
    """


@exercise(points=1, stars=1, minutes=5)
def relu_backward(dy, y):
    """Return the gradient of x, where y = relu(x).

    dy, y: arrays of floats, of one shape and dtype, which may contain NaN and infinity.

    Returns an array of the same shape and dtype. It may be dy itself if no value
    changes, and a scalar if dy has no dimensions. The gradient is dy where y is above 0
    or NaN. It's 0 where y is 0, even if dy is infinite or NaN. You can use
    np.where(condition, x, y).
    """


# ------------------------------------------------- products and reductions: tensors


@exercise(points=1, stars=2, minutes=10)
def matmul_right_backward(dy, a):
    """Return the gradient of b, where y = a @ b.

    dy: the gradient of y, a tensor of shape (..., M, N).
    a: a tensor of shape (..., M, K), with the same dimensions in front, if there are
        any.

    Returns a tensor of shape (..., K, N) and dy's dtype. It must be computed by tensor
    operators, so that it has a gradient too. Sizes may be 0.

    You can use x @ y and x.transpose(-2, -1).
    """


@exercise(points=2, stars=2, minutes=10)
def sum_backward(dy, shape, dims, keepdim):
    """Return the gradient of x, a tensor of `shape`, where y = x.sum(dims, keepdim).

    dy: the gradient of y, a tensor of y's shape.
    dims: the summed dimensions, a tuple of ints >= 0 in ascending order. It's empty
        only if x has no dimensions.
    keepdim: True if y still has these dimensions, with size 1.

    Returns a tensor of `shape`, which is a view of dy or dy itself, because nothing has
    to be copied. It must be made by tensor operators, so that it has a gradient too.
    Sizes may be 0. You can use x.unsqueeze(dim) and x.expand(shape).
    """


def mean_backward(dy, shape, dims, keepdim):
    """The gradient of x, a tensor of `shape`, where y = x.mean(dims, keepdim)."""
    count = math.prod(shape[d] for d in dims)
    return sum_backward(dy / count if count else dy, shape, dims, keepdim)


@exercise(points=2, stars=3, minutes=15, level="extra")
def amax_backward(dy, a, y, dims, keepdim):
    """Return a's gradient, where y = a.amax(dims, keepdim) or a.amin(dims, keepdim).

    dy, y: tensors of one shape. dy has no NaN or infinity.
    a: a tensor, which may contain infinity but no NaN.
    dims, keepdim: as for sum_backward, but no dimension in dims has size 0.

    Returns a tensor of a's shape and dtype. An element of a that's equal to its maximum
    or minimum in y gets dy. If several are equal, they share dy in equal parts. All
    others get 0. The result must be computed by tensor operators, so that it has a
    gradient too.

    You can use a == y, which is a tensor of bools, x.sum(dims, keepdim=True), and
    sum_backward.
    """


@exercise(points=1, stars=2, minutes=10, level="good to know")
def permute_backward(dy, dims):
    """Return the gradient of x, where y = x.permute(dims).

    dy: the gradient of y, a tensor of y's shape.
    dims: a tuple of ints >= 0. Dimension i of y is dimension dims[i] of x. It may be
        empty.

    Returns a view of dy with x's shape, or dy itself if dims is (0, 1, 2, ...). It must
    be made by tensor operators, so that it has a gradient too.
    """


@exercise(points=2, stars=2, minutes=10, level="good to know")
def slice_backward(dy, shape, index):
    """Return the gradient of x, a tensor of `shape`, where y = x[index].

    dy: the gradient of y, a tensor of y's shape.
    index: what was in the brackets, an int, a slice, None, `...`, or a tuple of these.

    Returns a new tensor of `shape` and dy's dtype. It's dy at the elements that the
    index selects, and 0 elsewhere. It must be made by tensor operators, so that it has
    a gradient too. You can use dy.new_zeros(shape) and z[index] = ...
    """


# ------------------------------------------------- of the library: views and copies
#
# `base` is the layout of the tensor: its shape, strides and offset.


def reshape(dy, base, *args, **kwargs):
    """Of view, squeeze, unsqueeze: the same elements in the same order."""
    return dy.reshape(base[0])


def diagonal(dy, base, offset=0, dim1=0, dim2=1):
    x = dy.new_zeros(base[0])
    x.diagonal(offset, dim1, dim2).copy_(dy)
    return x


def as_strided(dy, base, size, stride, storage_offset=None):
    offset = base[2] if storage_offset is None else storage_offset
    return strided_backward(dy, base, (tuple(size), tuple(stride), offset))
