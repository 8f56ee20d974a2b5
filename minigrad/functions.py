"""The methods of a tensor as functions: minigrad.exp(x) is x.exp()."""

from numbers import Number

from .dispatch import METHODS, tensor_for
from .tensor import Tensor

NAMES = """
abs add all allclose amax amin any argmax argmin as_strided bitwise_and bitwise_not
bitwise_or bitwise_xor clamp clone detach diagonal div eq equal flatten floor_divide
gather ge gt index_select isclose isfinite isinf isnan le log_softmax logical_and
logical_not logical_or lt masked_fill max maximum mean min minimum mul ne neg numel
permute positive pow prod relu remainder reshape softmax squeeze std sub sum t transpose
unsqueeze var
"""
EITHER = "add", "sub", "mul", "div", "pow"  # one of two operands may be a number


def function(name):
    """The function of a method's name; its first argument, `input`, is a tensor."""
    method = getattr(Tensor, name)

    def call(input, *args, **given):
        if name in EITHER and isinstance(input, Number):
            other = args[0] if args else next(iter(given.values()), None)
            if hasattr(other, "storage"):
                return method(input, *args, **given)
        return getattr(tensor_for(name, "input", input), name)(*args, **given)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = method.__doc__
    return call


METHODS_ALONE = {"repeat"}
FUNCTIONS = {
    name: function(name) for name in {*NAMES.split(), *METHODS} - METHODS_ALONE
}
