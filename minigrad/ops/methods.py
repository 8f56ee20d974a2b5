"""Methods of a tensor: Python's symbols, in-place forms, and operators.

Operators that are marked with @method where they are defined are not listed again.
"""

from ..dispatch import METHODS
from ..dtypes import bfloat16, bool_, float16, float32, float64, int32, int64
from . import indexing, inplace, normalization, pointwise, scan, softmax, sort  # noqa: F401
from .inplace import in_place, inplace_dispatch, inplace_via_copy, to_method
from .matmul import matmul


class Methods:
    """Each is a function or an operator of `ops`; the tensor is its first operand."""

    __slots__ = ()

    __neg__ = neg = pointwise.neg
    __pos__ = positive = pointwise.positive
    __abs__ = abs = pointwise.abs
    __add__, __radd__, add = pointwise.add, pointwise.add, pointwise.plus
    __mul__ = __rmul__ = mul = pointwise.mul
    __sub__, sub = pointwise.sub, pointwise.minus
    __truediv__, div = pointwise.div, pointwise.divide
    __floordiv__ = floor_divide = pointwise.floor_divide
    __mod__ = remainder = pointwise.remainder
    __pow__ = pow = pointwise.pow
    __rsub__, __rtruediv__, __rfloordiv__, __rmod__, __rpow__ = map(
        pointwise.reflected, (__sub__, __truediv__, floor_divide, remainder, pow)
    )
    eq, ne = pointwise.eq, pointwise.ne
    __eq__, __ne__ = map(pointwise.comparison, (eq, ne))
    __lt__ = lt = pointwise.lt
    __le__ = le = pointwise.le
    __gt__ = gt = pointwise.gt
    __ge__ = ge = pointwise.ge
    __and__ = __rand__ = bitwise_and = pointwise.bitwise_and
    __or__ = __ror__ = bitwise_or = pointwise.bitwise_or
    __xor__ = __rxor__ = bitwise_xor = pointwise.bitwise_xor
    __invert__, bitwise_not = pointwise.invert, pointwise.bitwise_not
    logical_and, logical_or = pointwise.logical_and, pointwise.logical_or
    logical_not = pointwise.logical_not
    __matmul__ = matmul = matmul
    __hash__ = object.__hash__  # as in PyTorch, by identity

    relu, isnan, clamp = pointwise.relu, pointwise.isnan, pointwise.clamp
    minimum, maximum = pointwise.minimum, pointwise.maximum
    where, masked_fill = pointwise.where_self, pointwise.masked_fill

    var, std = normalization.var, normalization.std
    gather, index_select = indexing.gather, indexing.index_select
    nonzero, masked_select = indexing.nonzero, indexing.masked_select
    isfinite, isinf = pointwise.isfinite, pointwise.isinf
    isclose, allclose, equal = pointwise.isclose, pointwise.allclose, pointwise.equal

    copy_, fill_, zero_ = inplace.copy_, inplace.fill_, inplace.zero_
    __iadd__, __isub__ = in_place(__add__), in_place(__sub__)
    add_, sub_, div_ = map(inplace_dispatch, (add, sub, div))
    pow_, clamp_ = map(inplace_dispatch, (pow, clamp))
    __imul__ = mul_ = in_place(mul)
    __itruediv__ = div_
    __ifloordiv__ = floor_divide_ = in_place(floor_divide)
    __imod__ = remainder_ = in_place(remainder)
    __ipow__ = pow_
    neg_, abs_, relu_ = map(in_place, (neg, abs, relu))
    bitwise_and_, bitwise_or_, bitwise_xor_, bitwise_not_ = map(
        in_place, (bitwise_and, bitwise_or, bitwise_xor, bitwise_not)
    )
    __iand__, __ior__, __ixor__ = bitwise_and_, bitwise_or_, bitwise_xor_
    masked_fill_ = inplace.masked_fill_
    round_, clip_ = inplace_via_copy(pointwise.round), clamp_
    scatter_ = inplace_via_copy(indexing.scatter)
    scatter_add_ = inplace_via_copy(indexing.scatter_add)

    cpu, cuda = to_method("cpu"), to_method("cuda")
    half, bfloat16, double = map(to_method, (float16, bfloat16, float64))
    int, long = map(to_method, (int32, int64))
    float, bool = map(to_method, (float32, bool_))


for _name, _function in METHODS.items():  # what is marked with @method
    if not hasattr(Methods, _name):
        setattr(Methods, _name, getattr(_function, "call", _function))
    if getattr(_function, "arity", 0) == 1 and not hasattr(Methods, f"{_name}_"):
        setattr(Methods, f"{_name}_", in_place(_function))
