"""Operators that write into a tensor which is there already: copy_, fill_, add_ ..."""

import numpy as np

from .. import layout
from ..promotion import kind
from ..storage import to_number
from .elementwise import cast, clamp, division, masked_fill, power, root
from .ladder import (
    compiled,
    file_text,
    joined,
    launch,
    memory,
    strides_of,
    template,
    with_headers,
)
from .mapping import THREADS


def in_place(operator):
    """The in-place form of an operator, as a method: `add_` of `add`."""

    def method(self, *operands):
        found = operator.rule(self, *operands)
        if kind(found) > kind(self.dtype):
            raise RuntimeError(
                f"result type {found} can't be cast to the desired output type "
                f"{self.dtype}: an in-place operator keeps the tensor's dtype"
            )
        check_shape(self, operands)
        if found == self.dtype and is_safe(self, operands):
            return operator(self, *operands, out=self)
        return copy_(self, operator(self, *operands))

    method.__name__ = f"{operator.name}_"
    method.__doc__ = f"{operator.name}, written into the tensor itself."
    return method


def div_(self, other, *, rounding_mode=None):
    """divide, written into the tensor itself."""
    return in_place(division(rounding_mode))(self, other)


def pow_(self, exponent):
    """pow, written into the tensor itself."""
    if found := root(exponent):
        return in_place(found)(self)
    return in_place(power)(self, exponent)


def copy_(self, source):
    """Write the elements of `source`, a tensor, into this one: broadcast and cast."""
    layout.check_no_overlap(self.shape, self.strides)
    source, write = source.to(self.device), cast[self.dtype]
    if self.device == "cpu":  # NumPy broadcasts, and minds where the two overlap
        return write(source, out=self)
    source = source.expand(self.shape)
    if is_safe(self, [source]):
        return write(source, out=self)
    source = write(source)
    return write(source, out=self) if self.is_contiguous() else scatter(self, source)


def assign(self, value):
    """x[...] = value: a number, or a tensor, whose first sizes of 1 are left out."""
    if not hasattr(value, "storage"):
        return fill_(self, to_number(value, self.dtype))
    try:
        while value.ndim > self.ndim and value.shape[0] == 1:
            value = value[0]
        copy_(self, value)
    except (ValueError, RuntimeError):
        fits = [n in (1, m) for n, m in zip(value.shape[::-1], self.shape[::-1])]  # noqa
        if value.ndim <= self.ndim and all(fits):
            raise
        raise RuntimeError(
            f"shape mismatch: a value of shape {list(value.shape)} cannot be "
            f"broadcast to the part of the tensor with shape {list(self.shape)}"
        ) from None


def fill_(self, value):
    """Write one number, or a tensor without dimensions, into every element."""
    if not hasattr(value, "storage"):
        value = self.new_number(value, self.dtype)
    return copy_(self, value)


def zero_(self):
    """Write 0 into every element."""
    return fill_(self, 0)


def clamp_(self, min=None, max=None):
    """clamp, written into the tensor itself."""
    return copy_(self, clamp(self, min, max))


def masked_fill_(self, mask, value):
    """masked_fill, written into the tensor itself."""
    return copy_(self, masked_fill(self, mask, value))


def onto(place):
    """The method that is `to` with one device or dtype: cpu(), float()."""

    def method(self):
        return self.to(place)

    method.__doc__ = f"The same as to({place!r})."
    return method


def scatter(self, source):
    """Write a contiguous tensor of the same shape into a view, by copy.cu."""
    n = self.numel()
    if n:
        shape, steps = joined(self.shape, self.strides)
        view = strides_of(shape, steps, self.device)
        text = with_headers(file_text("copy.cu"), [self.dtype])
        run = compiled(text, template("scatter", self.dtype), self.device)
        args = memory(source), memory(self), view, np.int32(n)
        grid = -(-n // THREADS), 1, 1
        size = 2 * n * self.dtype.itemsize
        launch("copy", "scatter", run, self.device, grid, (THREADS, 1, 1), args, size)
    return self


def is_safe(out, operands):
    """May a kernel write `out` while it reads the operands, element by element?"""
    if not out.is_contiguous():
        return False
    return all(
        x.storage is not out.storage or x._layout == out._layout
        for x in operands
        if hasattr(x, "storage")
    )


def check_shape(out, operands):
    """RuntimeError unless the result has the shape of `out`."""
    layout.check_no_overlap(out.shape, out.strides)
    shapes = {out.shape, *(x.shape for x in operands if hasattr(x, "storage"))}
    if len(shapes) == 1:
        return
    shape = layout.broadcast_shapes(*shapes)
    if shape != out.shape:
        raise RuntimeError(
            f"output with shape {list(out.shape)} doesn't match the broadcast shape "
            f"{list(shape)}"
        )
