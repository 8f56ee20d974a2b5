"""Operators that move elements: gather, index_select, one_hot, tril."""

from numbers import Integral

import numpy as np

from .. import faults, layout
from ..dispatch import register
from ..numpy_names import either_name
from ..storage import DTYPES, int32, int64, of_bits
from ..trace import nbytes
from . import elementwise, ladder, reduce
from .base import number_for, tensor_for
from .forms import masked_fill
from .ladder import memory, strides_of, template
from .mapping import THREADS
from .plans import Planned, PlannedOperator
from .scatter import scatter_add
from .texts import GATHER

# ------------------------------------------------- by index


def gather_backward(dy, b, dim, shape):
    return scatter_add(dy, b, dim=dim, shape=shape)


class Gather(PlannedOperator):
    """out[i, j, ...] = x[index[i, j, ...], j, ...], the index standing at `dim`."""

    @staticmethod
    def moved(operands, out):
        """The index, and each chosen element, which is read and written."""
        return nbytes(operands[1]) + 2 * nbytes(out)

    def __init__(self):
        both = gather_backward, None
        super().__init__("gather", lambda x, index: x.dtype, Gather.__doc__, both)
        register("gather", ["cpu"], DTYPES, self.on_cpu)
        register("gather", ["sim", "cuda"], DTYPES, Planned(self.on_device))

    def __call__(self, x, dim, index):
        if tensor_for("gather", "index", index).dtype not in (int32, int64):
            raise RuntimeError(
                f"gather(): Expected dtype int64 for index, got {index.dtype}"
            )
        index = index.long()
        if {x.ndim, index.ndim} == {0, 1}:  # a single number counts as a row of one
            row = self(x.reshape(-1), dim, index.reshape(-1))
            return row.view(index.shape)
        dim = layout.wrap_dim(dim, x.ndim)
        sizes = zip(index.shape, x.shape, strict=False)
        too_large = any(i > n for d, (i, n) in enumerate(sizes) if d != dim)
        if index.numel() and (index.ndim != x.ndim or too_large):
            raise RuntimeError(
                f"gather: an index of shape {list(index.shape)} does not fit into a "
                f"tensor of shape {list(x.shape)} in the dimensions other than {dim}"
            )
        return super().__call__(x, index, dim=dim)

    def on_cpu(self, x, index, dim):
        if not index.numel():
            return x.new_empty(index.shape)
        if not x.ndim:
            x, index, shape = x.view(1), index.view(1), ()
        else:
            shape = index.shape
        at, n = index.memory(), x.shape[dim]
        if at.min() < 0 or at.max() >= n:
            wrong = at[(at < 0) | (at >= n)][0]
            raise IndexError(
                f"index {wrong} is out of bounds for dimension {dim} with size {n}"
            )
        parts = tuple(slice(n) for n in index.shape)
        part = x.memory()[(*parts[:dim], slice(None), *parts[dim + 1 :])]
        values = of_bits(np.take_along_axis(part, at, dim), x.dtype)
        return x.new_of(values.reshape(shape), x.dtype)

    def on_device(self, x, index, dim):
        out = x.new_empty(index.shape)
        if not out.numel():
            return out
        step = x.strides[dim] if x.ndim else 0
        rest = tuple(0 if d == dim else s for d, s in enumerate(x.strides))
        shape, *strides = ladder.joined(index.shape, rest, index.strides)
        views = [strides_of(shape, s, x.device) for s in strides]
        n, size = out.numel(), x.shape[dim] if x.ndim else 1
        text = ladder.with_headers(ladder.file_text("copy.cu") + GATHER, [x.dtype])
        function = ladder.compiled(text, template("gather", x.dtype), x.device)
        args = (memory(x), views[0], np.int64(step), np.int64(size), memory(index),
                views[1], memory(out), faults.argument(x.device),
                np.int32(n))  # fmt: skip
        grid, moved = (-(-n // THREADS), 1, 1), self.moved((x, index), out)
        ladder.launch(
            "gather", "strided", function, x.device, grid, (THREADS, 1, 1), args, moved
        )
        return out


gather = Gather()


@either_name
def index_select(x, dim, index):
    """The parts of x at the places `index`, a tensor of one dimension, along `dim`."""
    if tensor_for("index_select", "index", index).dtype not in (int32, int64):
        raise RuntimeError(
            "index_select(): Expected dtype int32 or int64 for index, got "
            f"{index.dtype}"
        )
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not x.ndim:
        return gather(x.view(1), 0, index.view(1)).view(())
    dim = layout.wrap_dim(dim, x.ndim)
    index = index.long().view((-1,) + (1,) * (x.ndim - dim - 1))
    shape = (*x.shape[:dim], index.shape[0], *x.shape[dim + 1 :])
    return gather(x, dim, index.expand(shape))


def one_hot(x, num_classes=-1):
    """int64: 1 at the place x[...] of a new last dimension, 0 elsewhere."""
    if tensor_for("one_hot", "input", x).dtype != int64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor."
        )
    number_for("one_hot", "num_classes", num_classes, Integral)
    if not x.numel() and num_classes <= 0:
        raise RuntimeError("one_hot: without elements num_classes must be given")
    if x.numel() and reduce.amin(x).item() < 0:
        raise RuntimeError("Class values must be non-negative.")
    most = reduce.amax(x).item() + 1 if x.numel() else 0
    if -1 != num_classes < most:
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = most if num_classes == -1 else num_classes
    places = x.new_tensor(np.arange(classes), int64)
    return elementwise.eq(x.unsqueeze(-1), places).long()


# ------------------------------------------------- triangles


def tril(x, diagonal=0):
    """The lower triangle of the last two dimensions, zeros above it."""
    return elementwise.where(_below(x, diagonal, "tril"), x, x.new_number(0, x.dtype))


def triu(x, diagonal=0):
    """The upper triangle of the last two dimensions, zeros below it."""
    return masked_fill(x, _below(x, diagonal, "triu", 1), 0)


def _below(x, diagonal, name, less=0):
    """Is the column at most row + diagonal - less? For each element of a matrix."""
    number_for(name, "diagonal", diagonal, Integral)
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    rows, cols = (x.new_tensor(np.arange(n), int64) for n in x.shape[-2:])
    return elementwise.le(cols, elementwise.add(rows.unsqueeze(-1), diagonal - less))
