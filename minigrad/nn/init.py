"""Values to begin with. Each function writes into the tensor, and returns it.

X. Glorot, Y. Bengio: Understanding the difficulty of training deep feedforward neural
networks (2010). K. He, X. Zhang, S. Ren, J. Sun: Delving deep into rectifiers (2015).
A. Saxe, J. McClelland, S. Ganguli: Exact solutions to the nonlinear dynamics of
learning in deep linear neural networks (2014).
"""

import functools
import math
import warnings

import numpy as np

from .. import random
from ..autograd import no_grad
from ..dispatch import tensor_for
from ..exercises.registry import exercise
from ..suggest import in_module

GAINS = {
    "linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "sigmoid": 1,
    "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4,
}  # fmt: skip


def calculate_gain(nonlinearity, param=None):
    """What an activation asks its layer's weights to be larger by.

    param: the slope of "leaky_relu" below 0, 0.01 if it is not given.
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def fans(shape):
    """How many numbers go into an output, and how many outputs one number goes into."""
    if len(shape) < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 "
            "dimensions"
        )
    places = math.prod(shape[2:])
    return shape[1] * places, shape[0] * places


@exercise(points=3, stars=2, minutes=20, level="good to know")
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    """Fill the tensor with uniform random numbers from -bound to bound, and return it.

    The standard deviation of the numbers must be gain / sqrt(fan), where gain =
    calculate_gain(nonlinearity, a).

    tensor: its shape is (out_features, in_features) for Linear and (out_channels,
        in_channels, KH, KW) for Conv2d, and any number of sizes may follow the first
        two. There's no size of 0. Fewer than two dimensions raise ValueError. The
        tensor may be a Parameter, and filling it isn't recorded for gradients.
    a: the slope of leaky_relu for negative numbers. Only calculate_gain needs it.
    mode: if it's "fan_in", fan is how many numbers of the input go into one output. If
        it's "fan_out", fan is how many outputs one number goes into. Conv2d's window
        has KH * KW positions, which all count. Any other string raises ValueError, even
        "FAN_IN".

    uniform_(tensor, a=low, b=high) fills a tensor with uniform numbers, without
    recording, and returns it. Each number must be drawn separately and anew in each
    call, and manual_seed must decide all of them.
    """


def writes(function):
    """Without gradients, and the tensor is returned."""

    @functools.wraps(function)
    def run(tensor, *args, **kwargs):
        tensor_for(function.__name__, "tensor", tensor)
        with no_grad():
            function(tensor, *args, **kwargs)
        return tensor

    return run


@writes
def uniform_(tensor, a=0.0, b=1.0):
    """Numbers of [a, b), all as likely."""
    if not a <= b:
        raise RuntimeError(
            f"uniform_ expects to return a [a, b) range, but found a={a} > b={b}"
        )
    draw = random.rand(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    tensor.copy_(draw * (b - a) + a)


@writes
def normal_(tensor, mean=0.0, std=1.0):
    """Numbers of the normal distribution."""
    if not std >= 0:
        raise RuntimeError(f"normal_ expects std >= 0.0, but found std {std}")
    draw = random.randn(tensor.shape, dtype=tensor.dtype, device=tensor.device)
    tensor.copy_(draw * std + mean)


@writes
def constant_(tensor, val):
    """One number everywhere."""
    tensor.fill_(val)


def zeros_(tensor):
    """0 everywhere."""
    return constant_(tensor, 0)


def ones_(tensor):
    """1 everywhere."""
    return constant_(tensor, 1)


def xavier_uniform_(tensor, gain=1.0):
    """Between ± gain · sqrt(6 / (fan_in + fan_out))."""
    bound = gain * math.sqrt(6 / sum(fans(tensor.shape)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor, gain=1.0):
    """Of standard deviation gain · sqrt(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0, gain * math.sqrt(2 / sum(fans(tensor.shape))))


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    """Of standard deviation gain / sqrt(fan)."""
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(
            f"Mode {mode} not supported, please use one of fan_in, fan_out"
        )
    if is_empty(tensor):
        return tensor
    fan = fans(tensor.shape)[mode == "fan_out"]
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(fan))


@writes
def orthogonal_(tensor, gain=1):
    """A matrix, other dimensions flat: orthogonal rows or columns of length gain."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.numel():
        return
    rows = tensor.shape[0]
    wide = random.randn(rows, tensor.numel() // rows, dtype=np.float64).numpy()
    q, r = np.linalg.qr(wide.T if rows < wide.shape[1] else wide)
    q = q * np.sign(np.diag(r))  # then no orthogonal matrix is likelier than another
    q = q.T if rows < wide.shape[1] else q
    tensor.copy_(tensor.new_tensor(gain * q.reshape(tensor.shape)))


def as_layers_(weight, bias):
    """As Linear and Conv2d begin: weight and bias between ± 1 / sqrt(fan_in)."""
    if not is_empty(weight):
        kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in = fans(weight.shape)[0]
        bound = 1 / math.sqrt(fan_in) if fan_in else 0
        uniform_(bias, -bound, bound)


def is_empty(tensor):
    """Has it no elements? Then it is left as it is, with a warning as PyTorch's."""
    if not tensor.numel():
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return not tensor.numel()


__getattr__ = in_module(__name__)
