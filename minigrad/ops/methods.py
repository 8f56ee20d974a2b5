"""The operators as a tensor's methods, under PyTorch's names."""

from ..storage import bfloat16, bool_, float16, float32, float64, int32, int64
from . import choose, elementwise, indexing, inplace, norms, reduce, rows, shape
from .inplace import in_place, onto
from .matmul import matmul


class Methods:
    """Each is a function or an operator of `ops`; the tensor is its first operand."""

    __slots__ = ()

    __neg__ = neg = elementwise.neg
    __abs__ = abs = elementwise.abs
    __add__ = __radd__ = add = elementwise.add
    __mul__ = __rmul__ = mul = elementwise.mul
    __sub__ = sub = elementwise.sub
    __truediv__, div = elementwise.div, elementwise.divide
    __floordiv__ = floor_divide = elementwise.floor_divide
    __mod__ = remainder = elementwise.remainder
    __pow__ = pow = elementwise.pow
    __rsub__, __rtruediv__, __rfloordiv__, __rmod__, __rpow__ = map(
        elementwise.reflected, (sub, __truediv__, floor_divide, remainder, pow)
    )
    eq, ne = elementwise.eq, elementwise.ne
    __eq__, __ne__ = map(elementwise.comparison, (eq, ne))
    __lt__ = lt = elementwise.lt
    __le__ = le = elementwise.le
    __gt__ = gt = elementwise.gt
    __ge__ = ge = elementwise.ge
    __and__ = __rand__ = logical_and = elementwise.logical_and
    __or__ = __ror__ = logical_or = elementwise.logical_or
    __invert__ = logical_not = elementwise.logical_not
    __matmul__ = matmul = matmul
    __hash__ = object.__hash__  # as in PyTorch, by identity

    exp, log, sqrt = elementwise.exp, elementwise.log, elementwise.sqrt
    rsqrt, sigmoid, tanh = elementwise.rsqrt, elementwise.sigmoid, elementwise.tanh
    sin, cos, erf = elementwise.sin, elementwise.cos, elementwise.erf
    relu, isnan, clamp = elementwise.relu, elementwise.isnan, elementwise.clamp
    minimum, maximum = elementwise.minimum, elementwise.maximum
    where, masked_fill = elementwise.where_self, elementwise.masked_fill

    sum, prod, mean = reduce.sum, reduce.prod, reduce.mean
    amax, amin, any, all = reduce.amax, reduce.amin, reduce.any, reduce.all
    max, min, argmax, argmin = choose.max, choose.min, choose.argmax, choose.argmin
    var, std = norms.var, norms.std
    softmax, log_softmax = rows.softmax, rows.log_softmax
    gather, index_select = shape.gather, shape.index_select
    nonzero, masked_select = indexing.nonzero, indexing.masked_select
    tril, triu = shape.tril, shape.triu

    copy_, fill_, zero_ = inplace.copy_, inplace.fill_, inplace.zero_
    __iadd__ = add_ = in_place(add)
    __isub__ = sub_ = in_place(sub)
    __imul__ = mul_ = in_place(mul)
    __itruediv__ = div_ = inplace.div_
    __ifloordiv__ = floor_divide_ = in_place(floor_divide)
    __imod__ = remainder_ = in_place(remainder)
    __ipow__ = pow_ = inplace.pow_
    neg_, exp_, sqrt_, relu_ = map(in_place, (neg, exp, sqrt, relu))
    clamp_, masked_fill_ = inplace.clamp_, inplace.masked_fill_

    cpu, cuda = onto("cpu"), onto("cuda")
    half, bfloat16, double = map(onto, (float16, bfloat16, float64))
    int, long = map(onto, (int32, int64))
    float, bool = map(onto, (float32, bool_))
