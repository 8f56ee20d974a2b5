"""Operators that write into an existing tensor: copy_, fill_, add_ ..."""

import functools

from .. import launch, layout
from ..autograd.grad_mode import thread
from ..autograd.graph import Recorded, requires, written
from ..autograd.record import OperatorNode
from ..autograd.views import write
from ..check import check
from ..dispatch import same_device
from ..dtypes import kind
from ..launch import broadcast, view_of
from ..numpy_names import in_pytorch
from . import pointwise
from .pointwise_kernels import is_number

SCATTER = launch.one("scatter", "scatter", "copy.cu", args="x y view n:int",
                     types=lambda f: [f.dtype])  # fmt: skip


@functools.cache
def in_place(operator):
    """The in-place form of an operator, as a method: `add_` of `add`."""

    def method(self, *operands, **named):
        if not named and again(operator, self, (self, *operands)):
            return self
        if named:
            named = in_pytorch(f"{operator.name}_", named, operator.parameters[1:])
            operands = *operands, *named.values()
        operator.bind((self, *operands), {})  # raises where their number is wrong
        result_dtype = operator.rule(self, *operands)
        check(kind(result_dtype) <= kind(self.dtype),
              lambda: f"result type {result_dtype} can't be cast to the desired output "
              f"type {self.dtype}: in place a tensor keeps its dtype")  # fmt: skip
        check_place(operator.name, self, operands)

        def run():
            if result_dtype == self.dtype and is_safe(self, operands):
                operator.into(self, self, *operands)
            else:
                write_into(self, operator(self, *operands))

        def node(old):
            return node_of(operator, self, old, operands)

        return write(self, operands, run, node)

    return named_in_place(method, operator.name)


def again(operator, x, operands):
    """Write the operator's result into x by an earlier call's plan. Was there one?

    None may be used where something is to be recorded, or where x and an operand read
    the same memory in two ways.
    """
    recorded = thread.enabled
    if recorded and (x._meta is not None or x._base is not None):
        return False
    for other in operands:
        storage = getattr(other, "storage", None)
        if storage is None or other is x:
            continue
        if storage is x.storage and other.spec is not x.spec:
            return False
        if recorded and (other._meta is not None or other._base is not None):
            return False
    return operator.again(x, operands) and written(x) is x


def node_of(operator, x, old, operands):
    """The node of an operator that writes into x; `old` stands for x before.

    What it needs of x itself is copied, since it will be overwritten.
    """
    if operator.gradients is None:
        return Recorded(operator.node_name, [old], lambda dy: (pointwise.flat(dy),))
    operands = [old if other is x else other for other in operands]
    needs = requires(old), *map(requires, operands)
    if "a" in operator.gradients.names(needs):
        copy, copy._meta = x.detach().clone(), old._meta
        old = copy
    return OperatorNode(operator, (old, *operands), {}, needs)


def copy_(self, source):
    """Write the elements of `source`, a tensor, into this one: broadcast and cast.

    A number is written into every element.
    """
    if not hasattr(source, "storage"):
        return fill_(self, source)
    if again(pointwise.cast[self.dtype], self, (source,)):
        return self
    layout.check_no_overlap(self.shape, self.strides)
    there = source.device

    def node(old):
        back = lambda dy: (pointwise.flat(dy), dy.to(there))  # noqa: E731
        return Recorded("CopyBackwards", [old, source], back)

    return write(self, (source,), lambda: write_into(self, source), node)


def write_into(self, source):
    """copy_, unrecorded."""
    source, copy = source.to(self.device), pointwise.cast[self.dtype]
    if self.device == "cpu":  # NumPy broadcasts, and allows for an overlap
        try:
            return copy.into(self, source)
        except ValueError:
            source.expand(self.shape)  # says what does not fit
            raise
    source = source.expand(self.shape)
    if is_safe(self, [source]):
        return copy.into(self, source)
    source = copy(source)
    if self.is_contiguous():
        return copy.into(self, source)
    how = {"x": source, "y": self, "view": view_of(self), "n": self.numel()}
    return launch.run(SCATTER, "copy", **how)


def fitted(value, shape):
    """A value without leading sizes of 1; RuntimeError unless it fits into a shape."""
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    fits = zip(reversed(value.shape), reversed(shape), strict=False)
    check(value.ndim <= len(shape) and all(n in (1, m) for n, m in fits),
          lambda: f"shape mismatch: value tensor of shape {list(value.shape)} cannot "
          f"be broadcast to indexing result of shape {list(shape)}")  # fmt: skip
    return value


def fill_(self, value):
    """Write one number, or a tensor without dimensions, into every element."""
    return copy_(self, pointwise.filling(value, self, "fill_"))


def zero_(self):
    """Write 0 into every element."""
    return copy_(self, self.new_number(0, self.dtype))


def inplace_dispatch(function):
    """The in-place form of a function that chooses an operator by its options."""

    def method(self, *args, **named):
        operator, others = function.choose(self, *args, **named)
        return in_place(operator)(self, *others)

    return named_in_place(method, function.__name__)


def named_in_place(method, name):
    """The method, called name_."""
    method.__name__ = f"{name}_"
    method.__doc__ = f"{name}, written into the tensor itself."
    return method


def inplace_via_copy(function):
    """The in-place form of a function whose result is then copied into the tensor."""

    def method(self, *args, **named):
        return copy_(self, function(self, *args, **named))

    return named_in_place(method, function.__name__)


masked_fill_ = inplace_via_copy(pointwise.masked_fill)


def to_method(place):
    """The method that is `to` with one device or dtype: cpu(), float()."""

    def method(self):
        return self.to(place)

    method.__doc__ = f"The same as to({place})."
    return method


def is_safe(out, operands):
    """May a kernel write `out` while it reads the operands, element by element?"""
    shared = [x for x in operands if getattr(x, "storage", None) is out.storage]
    return out.is_contiguous() and all(x._layout == out._layout for x in shared)


def check_place(name, out, operands):
    """RuntimeError unless the result has the device and the shape of `out`."""
    same_device(name, [out, *(t for t in operands if not is_number(t, (out, t)))])
    layout.check_no_overlap(out.shape, out.strides)
    shapes = [out.shape, *(x.shape for x in operands if hasattr(x, "storage"))]
    shape = broadcast(name, shapes)
    check(shape == out.shape, lambda: f"output with shape {list(out.shape)} doesn't "
          f"match the broadcast shape {list(shape)}")  # fmt: skip
