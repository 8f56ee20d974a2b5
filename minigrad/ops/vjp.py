"""Gradients of views and copies, and those that learners write: lab 08.

`dy` is the gradient of an operator's result. The gradients of elementwise operators are
formulas in NumPy, as in pointwise.py: their arrays are of one shape, or broadcast to
each other, and so is what they return; shapes are put right afterwards, by sum_to_size.
All others get tensors, and compute with the operators of tensors.
"""

from ..autograd.adjoints import strided_backward
from ..exercises.registry import exercise

# ------------------------------------------------- elementwise: arrays


@exercise(points=1, stars=1, minutes=5)
def mul_backward(dy, other):
    """The gradient of one factor of y = x * other.

    dy, other: arrays of floats, of one dtype; other may be one that is broadcast to
    dy's shape. Returns an array of dy's shape and dtype.
    The rule of all that follow: if x grows by a little h, y grows by h * dy/dx; what
    comes back along that way is dy times that slope. Where other is 1 everywhere, dy
    itself may be returned.
    """


@exercise(points=1, stars=1, minutes=10, level="good to know")
def tanh_backward(dy, y):
    """The gradient of x, where y = tanh(x): y says it without tanh.

    dy, y: arrays of floats, of one shape and dtype. Returns such an array, too, or dy
    itself where y is 0 everywhere.
    """


@exercise(points=1, stars=2, minutes=10, level="extra")
def div_backward(dy, a, b):
    """The gradient of b, the divisor of y = a / b.

    dy, a, b: arrays of floats, of one dtype; a and b may be broadcast to dy's shape.
    Returns an array of dy's shape and dtype, also for b = 0: what IEEE arithmetic
    gives. b * b never exceeds the largest float. (The gradient of a is dy / b.)
    """


@exercise(points=1, stars=2, minutes=10, level="extra")
def pow_backward(dy, a, b):
    """The gradient of a, the base of y = a ** b.

    dy, a, b: arrays of floats, of one dtype; b may be a number, and a and b may be
    broadcast to dy's shape. Returns an array of dy's shape and dtype.
    Where b is 0 and dy is finite, the gradient is 0, whatever a is: 0 ** -1 is inf.
    At hand: np.where(condition, x, y).
    """


@exercise(points=1, stars=1, minutes=5)
def relu_backward(dy, y):
    """The gradient of x, where y = relu(x), which is x above 0 and else 0.

    dy, y: arrays of floats, of one shape and dtype. Returns such an array, too.
    At 0 the gradient is 0. Where y is NaN of either sign, it is dy. An infinite dy
    gives no NaN. Where y is above 0 everywhere, dy itself may be returned.
    At hand: np.where(condition, x, y).
    """


# ------------------------------------------------- products and reductions: tensors


@exercise(points=1, stars=2, minutes=10)
def matmul_right_backward(dy, a):
    """The gradient of b, where y = a @ b.

    dy: a tensor of shape (..., M, N). a: (..., M, K). Returns one of shape (..., K, N),
    made of operators, so that it has a gradient, too.
    At hand: x @ y, x.transpose(-2, -1).
    """


@exercise(points=2, stars=2, minutes=10)
def sum_backward(dy, shape, dims, keepdim):
    """The gradient of x, a tensor of `shape`, where y = x.sum(dims, keepdim).

    dy: a tensor of y's shape. dims: a tuple of ints >= 0, rising: the dimensions that
    were added up, none where x has no dimensions. keepdim: does y have them still, with
    size 1? x may have no elements. Returns a tensor of `shape`, a view: every element
    had the same say, and nothing is copied.
    It is made of operators of tensors, so that it has a gradient, too.
    At hand: x.unsqueeze(dim), x.expand(shape).
    """


@exercise(points=1, stars=1, minutes=5, level="good to know")
def mean_backward(dy, shape, dims, keepdim):
    """The gradient of x, a tensor of `shape`, where y = x.mean(dims, keepdim).

    The arguments are those of sum_backward, which you may use; no size in dims is 0.
    Returns a tensor of `shape` and of dy's dtype, made of operators, so that it has a
    gradient, too.
    """


@exercise(points=2, stars=3, minutes=15, level="extra")
def amax_backward(dy, a, y, dims, keepdim):
    """The gradient of a, where y = a.amax(dims, keepdim): the largest of some elements.

    dy, y: tensors of one shape; dims, keepdim: as for mean_backward. Returns a tensor
    of a's shape. The largest element gets dy, all others 0. Where several are the
    largest, they share it in equal parts. amin uses the same. The result is made of
    operators, so that it has a gradient, too.
    At hand: a == y is a tensor of bool, x.sum(dims, keepdim=True), sum_backward.
    """


@exercise(points=1, stars=2, minutes=10, level="good to know")
def permute_backward(dy, dims):
    """The gradient of x, where y = x.permute(dims).

    dims: a tuple of ints >= 0: dimension i of y is dimension dims[i] of x. Returns a
    view of dy with x's shape, which has a gradient, too.
    """


@exercise(points=2, stars=2, minutes=10, level="good to know")
def slice_backward(dy, shape, index):
    """The gradient of x, a tensor of `shape`, where y = x[index].

    index: ints, slices, None and `...`, as they stood in the brackets. Returns a new
    tensor of `shape` and of dy's dtype, which has a gradient, too: dy at the places
    that were taken, 0 at all others, which had no say.
    At hand: dy.new_zeros(shape), and `z[index] = ...`.
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
