"""Tensor: a storage, and a way to read it (shape, strides, offset).

A view is a new way to read the same storage; nothing is copied. Names, arguments and
error messages are PyTorch's. Functions marked @exercise are written by the learner.
"""

import numpy as np

from . import layout, plan_cache
from .autograd.adjoints import sum_to_size
from .autograd.grad_mode import thread
from .autograd.graph import requires
from .autograd.tensor_methods import Differentiable
from .autograd.views import differentiable, record_call
from .check import check
from .dtypes import FLOATS, as_dtype, bfloat16, of_bits, to_bits
from .exercises.registry import exercise
from .layout import check_fits, is_contiguous, reshaped, row_spec
from .numpy_names import accepts_axis
from .ops import vjp
from .ops.indexing import chooses, getitem, setitem
from .ops.methods import Methods
from .ops.pointwise import cast
from .printing import represent
from .storage import Recast, Storage, copy_to_device, empty, number_on, to_array, zeros
from .suggest import Suggesting


class Tensor(Methods, Differentiable, Suggesting):
    """A storage read by shape, strides and offset, the last two in elements.

    Make one with minigrad.tensor, zeros, ones, empty, arange or from_numpy.
    """

    __slots__ = ("__weakref__", "_base", "_meta", "spec", "storage")
    __array_priority__ = 1000  # beside a NumPy array the tensor's operators run
    shape = property(lambda self: self.spec.shape)  # read-only, as in PyTorch
    strides = property(lambda self: self.spec.strides)
    offset = property(lambda self: self.spec.offset)
    dtype = property(lambda self: self.spec.dtype)
    device = property(lambda self: self.spec.device)
    _layout = property(lambda self: self.spec.layout)  # shape, strides and offset
    ndim = property(lambda self: len(self.shape))

    def __init__(self, storage, shape=(), strides=(), offset=0):
        if not isinstance(storage, Storage):
            raise TypeError("Tensor() takes a Storage; tensor() takes numbers, lists")
        self.storage, how = storage, (tuple(shape), tuple(strides), offset)
        self.spec = layout.spec(storage.dtype, storage.device, *how)
        self._meta = None  # what it knows of the graph: autograd/graph.py
        self._base = None  # of a view: the tensor that it reads

    @staticmethod
    def _from_spec(storage, spec):
        """The tensor that reads a storage by a Spec, without the checks of Tensor()."""
        x = object.__new__(Tensor)
        x.storage, x.spec = storage, spec
        x._meta = x._base = None
        return x

    # ------------------------------------------------------------ what it is

    def dim(self):
        """The number of dimensions."""
        return len(self.shape)

    def size(self, dim=None):
        """The shape, or the size of `dim`."""
        return layout.at_dim(self.shape, dim)

    def stride(self, dim=None):
        """The strides, or the one of `dim`, in elements."""
        return layout.at_dim(self.strides, dim)

    def storage_offset(self):
        """Where in the storage the first element lies."""
        return self.offset

    def numel(self):
        """The number of elements."""
        return layout.numel(self.shape)

    def is_contiguous(self):
        """Do the elements lie in row-major order, without gaps?"""
        return is_contiguous(*self._layout[:2])

    def __len__(self):
        check(self.shape, "len() of a 0-d tensor", TypeError)
        return self.shape[0]

    def __iter__(self):
        check(self.shape, "iteration over a 0-d tensor", TypeError)
        return (self[i] for i in range(len(self)))

    # ------------------------------------------------------------ views

    @differentiable("AsStrided", vjp.as_strided)
    def as_strided(self, size, stride, storage_offset=None):
        """A view of the storage by these numbers; every other view is made by it."""
        offset = self.offset if storage_offset is None else storage_offset
        plain = type(size) is type(stride) is tuple
        if not plain or {*map(type, size), *map(type, stride), type(offset)} != {int}:
            given = (size,), (stride,), (offset,)
            size, stride, (offset,) = map(layout.as_ints, given)
        check_fits(size, stride, offset, len(self.storage))
        spec = layout.spec(self.dtype, self.device, size, stride, offset)
        view = self._alias(spec)
        view._base = self if self._base is None else self._base
        return view

    def detach(self):
        """A new tensor that reads the same memory, but has no history."""
        return self._alias()

    @differentiable("Permute", lambda dy, base, *dims: vjp.permute_backward(
        dy, tuple(d % len(base[0]) for d in layout.as_ints(dims))))  # fmt: skip
    @exercise(points=2, stars=2, minutes=15)
    def permute(self, *dims):
        """Return a view with the dimensions in the order `dims`; copy nothing.

        dims: every dimension once, as ints or as one tuple. Negative ones count from
            the end.

        If x has shape (2, 3, 4), x.permute(2, 0, 1) has shape (4, 2, 3).
        self.as_strided(shape, strides, offset) makes the view. Its offset counts from
        the beginning of the storage, and self.offset is where x itself begins.
        A tensor without dimensions accepts an empty tuple. If nothing changes, the
        result may be the tensor itself.
        Raises IndexError for a dimension that doesn't exist, and RuntimeError for a
        valid dimension that's repeated or for a wrong number of dims, including none.
        If several of these are wrong, either error will do.
        """

    @differentiable("Transpose", lambda dy, base, dim0, dim1: dy.transpose(dim0, dim1))
    @exercise(points=1, stars=1, minutes=5, level="good to know")
    def transpose(self, dim0, dim1):
        """Return a view with two dimensions swapped; copy nothing.

        dim0, dim1: ints, which may be negative, and may be equal. If nothing changes,
            the result may be the tensor itself.

        Raises IndexError for a dimension that doesn't exist. A tensor without
        dimensions accepts 0 and -1, and the result has no dimensions either.
        """

    @differentiable("Expand", lambda dy, base, *sizes: sum_to_size(dy, base[0]))
    @exercise(points=2, stars=2, minutes=20)
    def expand(self, *sizes):
        """Return a view that repeats dimensions of size 1, with stride 0; copy nothing.

        sizes: ints or one tuple, at least as many as there are dimensions. New
            dimensions come first. -1 keeps a dimension's size.

        If x has shape (3, 1) and strides (1, 1), x.expand(2, 3, 4) has strides
        (0, 1, 0). A size of 1 may become 0, too. In the result, the stride of
        a dimension of size 1 may be any int >= 0, and if there are no elements, so may
        all strides.
        If nothing changes, the result may be the tensor itself.
        Raises RuntimeError for too few sizes, for changing a size that isn't 1, for -1
        in a new dimension, and for a size below -1.
        """

    @property
    def T(self):
        """The tensor with its dimensions in reverse order."""
        return self.permute(tuple(reversed(range(self.ndim))))

    def t(self):
        """The transpose of a matrix; of fewer dimensions the tensor as it is."""
        check(self.ndim <= 2,
              lambda: "t() expects a tensor with <= 2 dimensions, but self is "
              f"{self.ndim}D: x.transpose(-1, -2) exchanges the last two")  # fmt: skip
        return self.T

    @differentiable("View", vjp.reshape)
    def view(self, *shape, dtype=None):
        """Another shape for the same storage; RuntimeError where that needs a copy.

        With a dtype instead the same bytes read as such elements, without a gradient.
        """
        dtype = shape[0] if len(shape) == 1 else dtype
        if isinstance(dtype, np.dtype | type) or dtype is bfloat16:
            dtype = as_dtype(dtype)
            how = layout.recast(*self._layout, self.dtype, dtype)
            return Tensor(Recast(self.storage, dtype), *how)
        shape, strides = reshaped(*self._layout[:2], layout.as_ints(shape, least=1))
        check(strides is not None, layout.NO_VIEW)
        return self.as_strided(shape, strides)

    def reshape(self, *shape):
        """A view of another shape where there is one, else a copy of that shape."""
        shape, view = reshaped(*self._layout[:2], layout.as_ints(shape, least=1))
        return self.contiguous().view(shape) if view is None else self.view(shape)

    def flatten(self, start_dim=0, end_dim=-1):
        """Dimensions start_dim to end_dim, both included, as one."""
        start, end = (layout.wrap_dim(d, self.ndim) for d in (start_dim, end_dim))
        check(start <= end, "flatten() has invalid args: start_dim cannot come after "
              "end_dim")  # fmt: skip
        one = layout.numel(self.shape[start : end + 1])
        shape = (*self.shape[:start], one, *self.shape[end + 1 :])
        return self if shape == self.shape else self.reshape(shape)

    @differentiable("Squeeze", vjp.reshape)
    @accepts_axis
    def squeeze(self, dim=None):
        """Without the dimensions of size 1 (or those of `dim`, an int or a tuple)."""
        dims = range(self.ndim) if dim is None else layout.as_ints((dim,))
        chosen = layout.distinct(dims, self.ndim)
        left = [d for d, n in enumerate(self.shape) if n != 1 or d not in chosen]
        how = ([numbers[d] for d in left] for numbers in (self.shape, self.strides))
        return self.as_strided(*how)

    @differentiable("Unsqueeze", vjp.reshape)
    @accepts_axis
    def unsqueeze(self, dim):
        """With a new dimension of size 1 at `dim`."""
        dim = layout.wrap_dim(dim, self.ndim + 1)
        shape, strides = [*self.shape], [*self.strides]
        strides.insert(dim, shape[dim] * strides[dim] if dim < self.ndim else 1)
        shape.insert(dim, 1)
        return self.as_strided(shape, strides)

    @differentiable("Diagonal", vjp.diagonal)
    def diagonal(self, offset=0, dim1=0, dim2=1):
        """A view of the elements i, i + offset of two dimensions, as a last one."""
        (offset,) = layout.as_ints((offset,))
        return self.as_strided(*layout.diagonal(*self._layout, offset, dim1, dim2))

    def __getitem__(self, items):
        return getitem(self, items) if chooses(items) else self._slice(items)

    @differentiable("Slice", lambda dy, base, items:
        vjp.slice_backward(dy, base[0], items))  # fmt: skip
    def _slice(self, items):
        items = layout.as_index(items, self.ndim)
        view = layout.slice_view(self.shape, self.strides, self.offset, items)
        return self.as_strided(*view)

    def __setitem__(self, items, value):
        setitem(self, items, value)

    def contiguous(self):
        """Itself where the elements lie in row-major order, else such a copy."""
        return self if self.is_contiguous() else self.clone()

    def clone(self):
        """A row-major copy with a storage of its own."""
        return cast[self.dtype](self)

    def to(self, *to, device=None, dtype=None, copy=False):
        """On another device, in another dtype, or both; itself if it is so already.

        copy: a copy even then.
        """
        for given in to:
            if isinstance(given, Tensor):
                device, dtype = given.device, given.dtype
            elif isinstance(given, str):
                device = given
            else:
                dtype = given
        dtype, device = as_dtype(dtype, self.dtype), device or self.device
        as_it_is = dtype == self.dtype and not (copy and device == self.device)
        x = self if as_it_is else cast[dtype](self)
        if device == self.device:
            return x
        here = self.device
        plan_cache.host(f"to({device!r})")
        copied = lambda: _of(x.contiguous().memory(), device, dtype)  # noqa: E731
        return record_call("ToCopy", [x], copied, lambda dy: (dy.to(here),))

    # ------------------------------------------------------------ its numbers

    def memory(self):
        """An array over the same memory: CuPy's on "cuda", else NumPy's."""
        return self.storage.read(*self._layout)

    def numpy(self):
        """A NumPy array over the same memory: a change in one shows in both."""
        check(self.device == "cpu", lambda: "can't convert a tensor on "
              f"{self.device!r} to numpy: x.cpu().numpy()", TypeError)  # fmt: skip
        check(self.dtype is not bfloat16, "NumPy has no bfloat16: x.float().numpy()",
              TypeError)  # fmt: skip
        check(not (thread.enabled and requires(self)), "Can't call numpy() on Tensor "
              "that requires grad. Use tensor.detach().numpy() instead.")  # fmt: skip
        plan_cache.host("numpy()")
        return self.memory()

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype, copy=copy)

    def item(self):
        """The one element, as a Python number."""
        check(self.numel() == 1, lambda: f"a Tensor with {self.numel()} elements "
              "cannot be converted to Scalar")  # fmt: skip
        plan_cache.host("item()")
        data = copy_to_device(self.storage.data[self.offset : self.offset + 1], "cpu")
        return of_bits(data, self.dtype).item()

    def tolist(self):
        """Nested lists of the elements, read one by one by offset_of and index_of."""
        plan_cache.host("tolist()")
        cells = layout.offsets(self.shape, self.strides, self.offset)
        data = of_bits(copy_to_device(self.storage.data, "cpu"), self.dtype)
        return data[cells].reshape(self.shape).tolist()

    def __bool__(self):
        many = "more than one value" if self.numel() else "no values"
        check(self.numel() == 1, f"Boolean value of Tensor with {many} is ambiguous")
        plan_cache.host("bool()")
        return bool(self.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    def __index__(self):
        """The one whole number, where Python needs one: names[x.argmax()], range(n)."""
        check(self.dtype not in FLOATS and self.numel() == 1,
              lambda: "only integer tensors of a single element can be converted to an "
              f"index, not {self.dtype} of shape {self.shape}", TypeError)  # fmt: skip
        return int(self.item())

    def __format__(self, how):
        """f"{loss:.4f}" writes the number of a tensor without dimensions."""
        if not self.ndim:
            return format(self.item(), how)
        check(not how, lambda: f"a Tensor of shape {self.shape} takes no format, and "
              f"got {how!r}: x.mean(), x.item() and x[i] give single "
              "numbers", TypeError)  # fmt: skip
        return repr(self)

    def __repr__(self):
        more = f", device='{self.device}'" if self.device != "cpu" else ""
        plain = self._alias().cpu()
        if self.dtype is bfloat16:
            plain, more = plain.float(), f"{more}, dtype=bfloat16"
        if self.grad_fn is not None:
            more += f", grad_fn=<{self.grad_fn.name()}>"
        elif requires(self):
            more += ", requires_grad=True"
        return represent(plain)[:-1] + more + ")"

    # ------------------------------------------------------------ new tensors like it

    def new_empty(self, size, dtype=None, make=empty):
        """An uninitialized tensor on this one's device, of its dtype."""
        size = layout.as_shape((size,))
        spec = row_spec(as_dtype(dtype, self.dtype), self.device, size)
        storage = make(layout.numel(size), spec.dtype, spec.device)
        return self._from_spec(storage, spec)

    def new_zeros(self, size, dtype=None):
        """A tensor of zeros on this one's device, of its dtype."""
        return self.new_empty(size, dtype, zeros)

    def _alias(self, spec=None):
        """Another tensor over the same memory, without history; spec: another."""
        return self._from_spec(self.storage, spec or self.spec)

    def new_tensor(self, data, dtype=None):
        """A tensor on this one's device, of its dtype, with a copy of `data`."""
        dtype = as_dtype(dtype, self.dtype)
        return _of(to_bits(to_array(data, dtype), dtype), self.device, dtype)

    def new_number(self, value, dtype, shape=()):
        """A read-only tensor on this one's device, with the same number everywhere."""
        storage = number_on(value, dtype, self.device, layout.numel(shape))
        return Tensor._from_spec(storage, row_spec(dtype, self.device, shape))


def _of(array, device="cpu", dtype=None):
    """A contiguous array, which no one else may hold, as a tensor on a device."""
    storage = Storage(copy_to_device(array.reshape(-1), device), device, dtype)
    return Tensor._from_spec(storage, row_spec(storage.dtype, device, array.shape))
