"""Gradients of views and copies, and those that learners write: lab 08.

`dy` is the gradient of an operator's result. The gradients of elementwise operators are
formulas in NumPy, as in pointwise.py: their arrays are of one shape, or broadcast to
each other, and so is what they return; shapes are put right afterwards, by sum_to_size.
All others get tensors, and compute with the operators of tensors.
"""

from ..autograd.adjoints import strided_backward
from ..exercises.registry import exercise

# ------------------------------------------------- elementwise: arrays


@exercise("08.9", points=1, stars=1, minutes=5)
def mul_backward(dy, other):
    """The gradient of one factor of y = x * other.

    dy, other: arrays of floats; other may be one that is broadcast to dy's shape.
    Returns an array of dy's shape.
    The rule of all that follow: if x grows by a little h, y grows by h * dy/dx; what
    comes back along that way is dy times that slope.
    """


@exercise("08.10", points=1, stars=2, minutes=10)
def div_backward(dy, a, b):
    """The gradient of b, the divisor of y = a / b.

    dy, a, b: arrays of floats; a and b may be broadcast to dy's shape. Returns an array
    of that shape, also for b = 0: what IEEE arithmetic gives. (That of a is dy / b.)
    """


@exercise("08.11", points=1, stars=2, minutes=10)
def pow_backward(dy, a, b):
    """The gradient of a, the base of y = a ** b.

    dy, a, b: arrays of floats; b may be a number, and a and b may be broadcast to dy's
    shape. Returns an array of that shape.
    Where b is 0 the gradient is 0, whatever a is, also for a = 0: 0 ** -1 is infinite.
    At hand: np.where(condition, x, y).
    """


@exercise("08.12", points=1, stars=2, minutes=10)
def pow_exponent_backward(dy, a, y):
    """The gradient of b, the exponent of y = a ** b: y itself is at hand.

    dy, a, y: arrays of floats; a may be a number, or be broadcast to dy's shape.
    Returns an array of that shape.
    Where a is 0 and y is 0 or 1 (so b is not below 0) the gradient is 0, though
    log(0) is -inf. Where a is below 0 there is no logarithm: it is NaN.
    At hand: np.log, np.where(condition, x, y).
    """


@exercise("08.13", points=1, stars=1, minutes=5)
def exp_backward(dy, y):
    """The gradient of x, where y = exp(x): y itself is at hand.

    dy, y: arrays of floats. Returns one, too.
    """


@exercise("08.14", points=1, stars=1, minutes=5)
def log_backward(dy, a):
    """The gradient of a, where y = log(a), the natural logarithm.

    dy, a: arrays of floats. Returns one, too. Where a is 0 the slope is infinite; below
    0, where y is NaN, it is what the formula gives.
    """


@exercise("08.15", points=1, stars=1, minutes=5)
def relu_backward(dy, y):
    """The gradient of x, where y = relu(x), which is x above 0 and else 0.

    dy, y: arrays of floats, of one shape. Returns one, too.
    At 0 the gradient is 0. Where y is NaN, it is dy. An infinite dy gives no NaN.
    At hand: np.where(condition, x, y).
    """


@exercise("08.16", points=1, stars=1, minutes=10)
def sigmoid_backward(dy, y):
    """The gradient of x, where y = 1 / (1 + exp(-x)): y says it without exp.

    dy, y: arrays of floats. Returns one, too.
    """


@exercise("08.17", points=1, stars=1, minutes=10)
def tanh_backward(dy, y):
    """The gradient of x, where y = tanh(x): y says it without tanh.

    dy, y: arrays of floats. Returns one, too.
    """


@exercise("08.18", points=1, stars=2, minutes=10)
def max_backward(dy, a, b):
    """The gradient of a, where y is the larger of a and b, element by element.

    dy, a, b: arrays of floats; a and b may be broadcast to dy's shape. Returns an array
    of that shape. An infinite dy gives no NaN.
    Where a and b are equal, each of them gets half. Where one is NaN, it is dy.
    The gradient of b is max_backward(dy, b, a).
    """


@exercise("08.19", points=1, stars=1, minutes=5)
def where_backward(dy, condition, chosen):
    """The gradient of a tensor between which and another `where` chose.

    y = where(condition, one, other): from `one` where the condition holds, else from
    `other`. dy: an array of floats. condition: an array of bool. chosen: True for the
    gradient of `one`, False for that of `other`. Returns an array of floats: 0 where
    the element was not taken, also if dy is infinite there.
    """


# ------------------------------------------------- reductions and products: tensors


@exercise("08.20", points=2, stars=2, minutes=10)
def sum_backward(dy, shape, dims, keepdim):
    """The gradient of x, a tensor of `shape`, where y = x.sum(dims, keepdim).

    dy: a tensor of y's shape. dims: a tuple of ints >= 0, rising: the dimensions that
    were added up. keepdim: does y have them still, with size 1? Returns a tensor of
    `shape`, a view: every element had the same say, and nothing is copied.
    It is made of operators of tensors, so that it has a gradient, too.
    At hand: x.unsqueeze(dim), x.expand(shape).
    """


@exercise("08.21", points=1, stars=1, minutes=5)
def mean_backward(dy, shape, dims, keepdim):
    """The gradient of x, a tensor of `shape`, where y = x.mean(dims, keepdim).

    The arguments are those of sum_backward, which you may use. Returns a tensor of
    `shape` and of dy's dtype, made of operators, so that it has a gradient, too.
    """


@exercise("08.22", points=2, stars=3, minutes=15)
def amax_backward(dy, a, y, dims, keepdim):
    """The gradient of a, where y = a.amax(dims, keepdim): the largest of some elements.

    dy, y: tensors of one shape; dims, keepdim: as for sum_backward. Returns a tensor of
    a's shape. The largest element gets dy, all others 0. Where several are the largest,
    they share it in equal parts. amin uses the same. The result is made of operators,
    so that it has a gradient, too.
    At hand: a == y is a tensor of bool, x.sum(dims, keepdim=True), sum_backward.
    """


@exercise("08.23", points=1, stars=2, minutes=10)
def matmul_left_backward(dy, b):
    """The gradient of a, where y = a @ b.

    dy: a tensor of shape (..., M, N). b: (..., K, N), with at least two dimensions.
    Returns a tensor of shape (..., M, K), made of operators, so that it has a gradient,
    too. Nothing needs to be copied to turn b round.
    At hand: x @ y, x.transpose(-2, -1).
    """


@exercise("08.24", points=1, stars=2, minutes=10)
def matmul_right_backward(dy, a):
    """The gradient of b, where y = a @ b.

    dy: a tensor of shape (..., M, N). a: (..., M, K). Returns one of shape (..., K, N),
    made of operators, so that it has a gradient, too.
    At hand: x @ y, x.transpose(-2, -1).
    """


@exercise("08.25", points=1, stars=2, minutes=10)
def permute_backward(dy, dims):
    """The gradient of x, where y = x.permute(dims).

    dims: a tuple of ints >= 0: dimension i of y is dimension dims[i] of x. Returns a
    view of dy with x's shape, which has a gradient, too.
    """


@exercise("08.26", points=2, stars=2, minutes=10)
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
