"""Arithmetic as CUDA's devices do it, on NumPy scalars and arrays of exact types.

Values broadcast; a result has the dtype of the C type of the result. bfloat16 is the
uint16 of its bits, a pair or a vector the tuple of its fields. Nothing is flushed to
zero. `find` gives the function of a builtin; the rest are the operators of C for which
NumPy's own are not right.
"""

from .arithmetic import int_div, int_mod, shift_left, shift_right
from .convert import converter
from .fma import fma
from .half import half_op
from .lookup import MAX_ULP, find

__all__ = [
    "MAX_ULP",
    "converter",
    "find",
    "fma",
    "half_op",
    "int_div",
    "int_mod",
    "shift_left",
    "shift_right",
]
