"""The operators beneath x[...]: where a mask is true; elements chosen by tensors."""

import numpy as np

from .. import faults
from ..dispatch import register
from ..storage import DTYPES, bool_, int64
from ..trace import nbytes
from . import ladder
from .arrays import as_array, quietly, write
from .ladder import joined, memory, strides_of, template
from .mapping import THREADS
from .plans import PlannedOperator
from .texts import INDEX, NONZERO


class TrueAt(PlannedOperator):
    """The places, int64, of the true elements of a mask of one contiguous dimension.

    On a device their number is read by the host, which waits for it: the size of the
    result is not known before. PyTorch waits there, too.
    """

    planned = False

    def __init__(self):
        super().__init__("nonzero", lambda mask: bool_, TrueAt.__doc__)
        register("nonzero", ["cpu"], [bool_], self.on_cpu)
        register("nonzero", ["sim", "cuda"], [bool_], self.on_device)

    def on_cpu(self, mask):
        return mask.new_of(np.flatnonzero(mask.memory()), int64)

    def on_device(self, mask):
        n = mask.numel()
        if not n:
            return mask.new_empty((0,), dtype=int64)
        blocks = -(-n // THREADS)
        counts = mask.new_empty((blocks + 1,), dtype=int64)
        self.launch("count_true", blocks, mask, counts, n)
        self.launch("add_counts", 1, counts, blocks)
        places = mask.new_empty((counts[blocks].item(),), dtype=int64)
        if places.numel():
            self.launch("write_places", blocks, mask, counts, places, n)
        return places

    def launch(self, kernel, blocks, *args):
        *tensors, n = args
        device, size = tensors[0].device, sum(map(nbytes, tensors))
        function = ladder.compiled(NONZERO, kernel, device)
        args = *map(memory, tensors), np.int64(n)
        grid, block = (blocks, 1, 1), (THREADS, 1, 1)
        ladder.launch("nonzero", kernel, function, device, grid, block, args, size)


true_at = TrueAt()

# ------------------------------------------------- elements chosen by tensors


class Index(PlannedOperator):
    """out[b, ..., r, ...] = x[i[b, ...], j[b, ...], ..., r, ...]."""

    planned = False

    def __init__(self, name, cpu, device):
        super().__init__(name, lambda x, *rest: x.dtype, Index.__doc__)
        register(name, ["cpu"], DTYPES, quietly(cpu, name))
        register(name, ["sim", "cuda"], DTYPES, device)


def index_on_cpu(x, *indices):
    places = tuple(i.memory() for i in indices)
    check_places(x, places)
    return x.new_of(as_array(x, ladder.computed_in(x.dtype))[places], x.dtype)


def put_on_cpu(x, value, *indices):
    places = tuple(i.memory() for i in indices)
    check_places(x, places)
    array = x.memory()
    if not array.flags.writeable:
        return write(None, x)  # says so
    array[places] = value.memory()
    return x


def check_places(x, places):
    for d, at in enumerate(places):
        wrong = at[(at < -x.shape[d]) | (at >= x.shape[d])]
        if wrong.size:
            raise IndexError(
                f"index {wrong[0]} is out of bounds for dimension {d} with size "
                f"{x.shape[d]}"
            )


def index_on_device(x, *indices):
    shape = (*indices[0].shape, *x.shape[len(indices) :])
    out = x.new_empty(shape)
    if out.numel():
        offsets, *views = located(x, indices, shape)
        args = memory(x), views[0], np.int64(1), np.int64(2**62), memory(offsets)
        args = *args, views[1], memory(out), faults.argument(x.device)
        run("index", "gather", [x.dtype], args, out, out)
    return out


def put_on_device(x, value, *indices):
    if value.numel():
        offsets, *views = located(x, indices, value.shape, value.strides)
        args = memory(x), views[0], memory(offsets), views[1], memory(value), views[2]
        run("index_put", "put", [x.dtype], args, value, value)
    return x


def located(x, indices, shape, *more):
    """How far the chosen elements lie from x's first; the views to run over `shape`."""
    chosen, k = indices[0].shape, len(indices)
    offsets = indices[0].new_empty(chosen)
    for d, i in enumerate(indices):
        view = strides_of(*joined(i.shape, i.strides), x.device)
        args = memory(i), view, np.int64(x.shape[d]), np.int64(x.strides[d])
        args = *args, memory(offsets), np.int32(d > 0), faults.argument(x.device)
        run("index", "locate", [], args, offsets, i)
    rest = (0,) * len(chosen) + x.strides[k:]
    along = offsets.strides + (0,) * (x.ndim - k)
    shape, *strides = joined(shape, rest, along, *more)
    return offsets, *(strides_of(shape, s, x.device) for s in strides)


def run(operator, kernel, types, args, out, also):
    """Launch a kernel, a thread an element of `out`."""
    n, device = out.numel(), out.device
    text = ladder.with_headers(ladder.file_text("copy.cu") + INDEX, types)
    function = ladder.compiled(text, template(kernel, *types), device)
    grid, size = (-(-n // THREADS), 1, 1), nbytes(out) + nbytes(also)
    args = *args, np.int32(n)
    ladder.launch(operator, kernel, function, device, grid, (THREADS, 1, 1), args, size)


index = Index("index", index_on_cpu, index_on_device)
index_put = Index("index_put", put_on_cpu, put_on_device)
