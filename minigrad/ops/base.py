"""What an elementwise operator is: a formula in NumPy, an expression in CUDA C."""

from ..dispatch import Operator, register
from ..promotion import FLOATS, INTEGERS, result_type
from ..storage import DTYPES, bool_, float32
from .arrays import NumpyMap
from .mapping import DeviceMap

ALL = DTYPES
NUMBERS = (*INTEGERS, *FLOATS)


class Elementwise(Operator):
    """formula: in NumPy, of arrays. expression: in CUDA C, of a, b and c.

    gradients: those of a, b and c, or None. dtypes: those it computes in. result: the
    result's dtype, where that is another.
    """

    def __init__(self, name, formula, expression, gradients=None, dtypes=NUMBERS,
                 rule=result_type, result=None, doc=""):  # fmt: skip
        doc = doc or f"{name} of each element: {expression}"
        super().__init__(name, rule, doc, gradients)
        self.formula, self.expression, self.result = formula, expression, result
        for dtype in dtypes:
            register(name, ["cpu"], [dtype], NumpyMap(self, dtype))
            register(name, ["sim", "cuda"], [dtype], DeviceMap(self, dtype))


# ------------------------------------------------- in which dtype


def as_float(*operands):
    """Whole numbers are computed in float32."""
    dtype = result_type(*operands)
    return dtype if dtype in FLOATS else float32


def of_values(condition, *values):
    """`where` takes the dtype of its values."""
    return result_type(*values)


def without_bool(*operands):
    """PyTorch does not subtract bool: what would True - True - True be?"""
    kinds = {x.dtype if hasattr(x, "storage") else type(x) for x in operands}
    if kinds & {bool, bool_}:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported: use "
            "x.logical_not() or x != y, or turn it into numbers with x.long()"
        )
    return result_type(*operands)


def table(*rows, **common):
    """An operator of each row."""
    return [Elementwise(*row, **common) for row in rows]
