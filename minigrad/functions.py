"""The methods of a tensor as functions: minigrad.exp(x) is x.exp()."""

from numbers import Number

from .dispatch import METHODS, tensor_for
from .ops.methods import Methods
from .tensor import Tensor

VIEWS = """as_strided clone detach diagonal flatten numel permute reshape squeeze t
transpose unsqueeze"""
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


METHODS_ALONE = """bfloat16 bool cpu cuda double float half int long repeat where"""
NAMES = {*METHODS, *vars(Methods), *VIEWS.split()} - {*METHODS_ALONE.split()}
FUNCTIONS = {n: function(n) for n in NAMES if "_" not in (n[0], n[-1])}
