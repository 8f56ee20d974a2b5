"""What an elementwise operator is: a formula in NumPy, an expression in CUDA C."""

import re
from numbers import Real

from .. import memo
from ..dispatch import KERNELS, Operator, find_kernel, register, same_device
from ..promotion import FLOATS, INTEGERS, result_type
from ..storage import DTYPES, bool_, float32, uint8
from .arrays import NumpyMap
from .mapping import DeviceMap

ALL = DTYPES
NUMBERS = (*INTEGERS, *FLOATS)


class Elementwise(Operator):
    """formula: in NumPy, of arrays. expression: in CUDA C, of a, b and c.

    gradients: those of a, b and c, or None. dtypes: those it computes in. result: the
    result's dtype, where that is another.
    """

    options = frozenset(["out"])

    def __init__(self, name, formula, expression, gradients=None, dtypes=NUMBERS,
                 rule=result_type, result=None, doc=""):  # fmt: skip
        doc = doc or f"{name} of each element: {expression}"
        super().__init__(name, rule, doc, gradients)
        self.formula, self.expression, self.result = formula, expression, result
        self.arity = " abc".index(max(re.findall(r"\b[abc]\b", expression)))
        self.takes = ("other",) if self.arity == 2 else ()
        for dtype in dtypes:
            register(name, ["cpu"], [dtype], NumpyMap(self, dtype))
            register(name, ["sim", "cuda"], [dtype], DeviceMap(self, dtype))

    def find(self, operands):
        """The kernel; beside tensors of a device those of "cpu" may be numbers."""
        if len(operands) != self.arity:
            if operands:
                self.rule(*operands)  # may say more
            raise TypeError(
                f"{self.name}() takes {self.arity} operands, the tensor itself among "
                f"them, but {len(operands)} were given"
            )
        places = guests(operands)
        if not places:
            return super().find(operands)
        device = same_device(self.name, as_numbers(operands, places))
        return find_kernel(KERNELS, self.name, device, self.rule(*operands))

    def remember(self, key, kernel, operands):
        """As of every operator; guests are handed over as numbers."""
        places = guests(operands)
        if not places:
            return super().remember(key, kernel, operands)
        prepared = kernel.prepare(as_numbers(operands, places))

        def run(*operands, **options):
            return prepared(*as_numbers(operands, places), **options)

        return memo.keep(self.found, key, run)


def guests(operands):
    """Where tensors of "cpu" without dimensions stand beside tensors of a device.

    An elementwise operator takes them: it hands their numbers to the kernel.
    """
    tensors = {i: x for i, x in enumerate(operands) if hasattr(x, "storage")}
    if all(x.device == "cpu" for x in tensors.values()):
        return []
    return [i for i, x in tensors.items() if x.device == "cpu" and not x.shape]


def as_numbers(operands, places):
    """The operands, those at these places as numbers."""
    return [x.item() if i in places else x for i, x in enumerate(operands)]


# ------------------------------------------------- in which dtype


def as_float(*operands):
    """Whole numbers are computed in float32."""
    dtype = result_type(*operands)
    return dtype if dtype in FLOATS else float32


def tensor_for(operator, argument, x):
    """x; TypeError unless it is a tensor."""
    if not hasattr(x, "storage"):
        raise TypeError(
            f"{operator}(): argument '{argument}' must be Tensor, not "
            f"{type(x).__name__}: minigrad.tensor(...) makes one of lists and arrays"
        )
    return x


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


def of_values(condition=None, *values):
    """`where` takes the dtype of its values."""
    if len(values) != 2:
        raise TypeError(
            f"where() takes a condition and two values, got {len(values)}: "
            "where(condition, x, y). Where a condition is true says condition.nonzero()"
        )
    if tensor_for("where", "condition", condition).dtype not in (bool_, uint8):
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with "
            f"dtype {condition.dtype}"
        )
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
