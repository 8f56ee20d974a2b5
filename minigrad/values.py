"""The numbers of a tensor: as arrays, as lists, as text."""

import numpy as np

from . import layout
from .autograd.modes import here
from .autograd.node import requires
from .printing import represent
from .promotion import FLOATS
from .storage import bfloat16, moved, of_bits


class Values:
    """The part of Tensor that gives numbers out."""

    __slots__ = ()

    def memory(self):
        """The array that reads the same memory: of CuPy on "cuda", else of NumPy."""
        return self.storage.read(*self._layout)

    def numpy(self):
        """The NumPy array that reads the same memory: a change in one shows in both."""
        if self.device != "cpu":
            raise TypeError(
                f"can't convert a tensor on {self.device!r} to numpy: x.cpu().numpy()"
            )
        if self.dtype is bfloat16:
            raise TypeError("NumPy has no bfloat16: x.float().numpy()")
        if self._meta is not None and here.modes.enabled and self.requires_grad:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use "
                "tensor.detach().numpy() instead."
            )
        return self.memory()

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype, copy=copy)

    def item(self):
        """The one element, as a Python number."""
        if self.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar"
            )
        data = moved(self.storage.data[self.offset : self.offset + 1], "cpu")
        return of_bits(data, self.dtype).item()

    def tolist(self):
        """Nested lists of the elements, read one by one by offset_of and index_of."""
        cells = layout.offsets(self.shape, self.strides, self.offset)
        data = of_bits(moved(self.storage.data, "cpu"), self.dtype)
        return data[cells].reshape(self.shape).tolist()

    def __bool__(self):
        if self.numel() != 1:
            many = "more than one value" if self.numel() else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
        return bool(self.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    def __index__(self):
        """The one whole number, where Python counts: names[x.argmax()], range(n)."""
        if self.dtype in FLOATS or self.numel() != 1:
            raise TypeError(
                "only integer tensors of a single element can be converted to an "
                f"index, not {self.dtype} of shape {self.shape}"
            )
        return int(self.item())

    def __format__(self, how):
        """f"{loss:.4f}" writes the number of a tensor without dimensions."""
        if not self.ndim:
            return format(self.item(), how)
        if how:
            raise TypeError(
                f"a Tensor of shape {self.shape} takes no format, and got {how!r}: "
                "x.mean(), x.item() and x[i] give single numbers"
            )
        return repr(self)

    def __repr__(self):
        plain = self.new_alias()
        plain = plain.float() if self.dtype is bfloat16 else plain
        text, more = represent(plain.cpu()), ""
        if self.device != "cpu":
            more += f", device='{self.device}'"
        if self.dtype is bfloat16:
            more += ", dtype=bfloat16"
        if self.grad_fn is not None:
            more += f", grad_fn=<{self.grad_fn.name()}>"
        elif requires(self):
            more += ", requires_grad=True"
        return text[:-1] + more + ")"
