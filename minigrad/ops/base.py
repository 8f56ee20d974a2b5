# ruff: noqa
from ..dispatch import tensor_for  # noqa
from .pointwise import *  # noqa
from .pointwise import ALL, as_float, without_bool  # noqa
from .pointwise_kernels import NUMBERS  # noqa
from .pointwise_kernels import is_number, pointwise  # noqa
from numbers import Real


def number_for(operator, argument, value, kind=Real):
    """value; TypeError unless it is a number, or of another kind of those."""
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    what = "Number" if kind is Real else "int"
    raise TypeError(
        f"{operator}(): argument {argument!r} must be {what}, not "
        f"{type(value).__name__}"
    )


def expect(operator, operands, optional=()):
    """TypeError for the first operand that is no tensor; the optional may be None.

    operands, optional: {name: operand}. For where reading an attribute has failed.
    """
    there = {name: x for name, x in dict(optional).items() if x is not None}
    for name, x in {**operands, **there}.items():
        tensor_for(operator, name, x)


def guests(operands):
    from .pointwise import is_number

    return [i for i, x in enumerate(operands) if is_number(x, operands)]


def table(*rows, **common):
    return [
        pointwise(n, f, e, *(g or ()), **common)
        for n, f, e, g in ((*r, ())[:4] for r in rows)
    ]
