"""Arithmetic as on CUDA's devices, with NumPy scalars and arrays of exact types.

Values broadcast; a result has the dtype of its C type. bfloat16 is the uint16 of its
bits, a pair or a vector the tuple of its fields. Nothing is flushed to zero. `find`
gives the function of a builtin; the others are C's operators that differ from NumPy's.
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
