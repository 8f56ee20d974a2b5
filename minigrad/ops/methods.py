"""The operators as a tensor's methods, under PyTorch's names."""

from ..storage import bfloat16, bool_, float16, float32, float64, int32, int64
from . import (
    choose,
    close,
    elementwise,
    forms,
    indexing,
    inplace,
    norms,
    reduce,
    rows,
    shape,
)
from .inplace import in_place, onto
from .matmul import matmul


class Methods:
    """Each is a function or an operator of `ops`; the tensor is its first operand."""

    __slots__ = ()

    __neg__ = neg = elementwise.neg
    __pos__ = positive = forms.positive
    __abs__ = abs = elementwise.abs
    __add__, __radd__, add = elementwise.add, elementwise.add, forms.plus
    __mul__ = __rmul__ = mul = elementwise.mul
    __sub__, sub = elementwise.sub, forms.minus
    __truediv__, div = elementwise.div, forms.divide
    __floordiv__ = floor_divide = elementwise.floor_divide
    __mod__ = remainder = elementwise.remainder
    __pow__ = pow = forms.pow
    __rsub__, __rtruediv__, __rfloordiv__, __rmod__, __rpow__ = map(
        forms.reflected, (__sub__, __truediv__, floor_divide, remainder, pow)
    )
    eq, ne = elementwise.eq, elementwise.ne
    __eq__, __ne__ = map(forms.comparison, (eq, ne))
    __lt__ = lt = elementwise.lt
    __le__ = le = elementwise.le
    __gt__ = gt = elementwise.gt
    __ge__ = ge = elementwise.ge
    __and__ = __rand__ = bitwise_and = elementwise.bitwise_and
    __or__ = __ror__ = bitwise_or = elementwise.bitwise_or
    __xor__ = __rxor__ = bitwise_xor = elementwise.bitwise_xor
    __invert__, bitwise_not = forms.invert, elementwise.bitwise_not
    logical_and, logical_or = elementwise.logical_and, elementwise.logical_or
    logical_not = elementwise.logical_not
    __matmul__ = matmul = matmul
    __hash__ = object.__hash__  # as in PyTorch, by identity

    exp, log, sqrt = elementwise.exp, elementwise.log, elementwise.sqrt
    rsqrt, sigmoid, tanh = elementwise.rsqrt, elementwise.sigmoid, elementwise.tanh
    sin, cos, erf = elementwise.sin, elementwise.cos, elementwise.erf
    relu, isnan, clamp = elementwise.relu, elementwise.isnan, forms.clamp
    minimum, maximum = elementwise.minimum, elementwise.maximum
    where, masked_fill = forms.where_self, forms.masked_fill

    sum, prod, mean = reduce.sum, reduce.prod, reduce.mean
    amax, amin, any, all = reduce.amax, reduce.amin, reduce.any, reduce.all
    max, min, argmax, argmin = choose.max, choose.min, choose.argmax, choose.argmin
    var, std = norms.var, norms.std
    softmax, log_softmax = rows.softmax, rows.log_softmax
    gather, index_select = shape.gather, shape.index_select
    nonzero, masked_select = indexing.nonzero, indexing.masked_select
    tril, triu = shape.tril, shape.triu
    isfinite, isinf = close.isfinite, close.isinf
    isclose, allclose, equal = close.isclose, close.allclose, close.equal

    copy_, fill_, zero_ = inplace.copy_, inplace.fill_, inplace.zero_
    __iadd__, __isub__ = in_place(__add__), in_place(__sub__)
    add_, sub_ = inplace.add_, inplace.sub_
    __imul__ = mul_ = in_place(mul)
    __itruediv__ = div_ = inplace.div_
    __ifloordiv__ = floor_divide_ = in_place(floor_divide)
    __imod__ = remainder_ = in_place(remainder)
    __ipow__ = pow_ = inplace.pow_
    neg_, abs_, relu_, exp_ = map(in_place, (neg, abs, relu, exp))
    log_, sqrt_, rsqrt_, sigmoid_ = map(in_place, (log, sqrt, rsqrt, sigmoid))
    tanh_, sin_, cos_, erf_ = map(in_place, (tanh, sin, cos, erf))
    bitwise_and_, bitwise_or_, bitwise_xor_, bitwise_not_ = map(
        in_place, (bitwise_and, bitwise_or, bitwise_xor, bitwise_not)
    )
    __iand__, __ior__, __ixor__ = bitwise_and_, bitwise_or_, bitwise_xor_
    clamp_, masked_fill_ = inplace.clamp_, inplace.masked_fill_

    cpu, cuda = onto("cpu"), onto("cuda")
    half, bfloat16, double = map(onto, (float16, bfloat16, float64))
    int, long = map(onto, (int32, int64))
    float, bool = map(onto, (float32, bool_))
