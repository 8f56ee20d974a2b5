"""Elements chosen by index: x[mask], x[[0, 2]], gather, scatter, nonzero, embedding.

In x[...] ints, slices, None and ... make a view. In that view the dimensions that
tensors choose from are moved to the front.
"""

from numbers import Integral

import numpy as np

from .. import arrays, faults, launch, layout, plan_cache
from ..autograd.graph import Recorded, Saved
from ..autograd.views import record_call, write
from ..check import check
from ..dispatch import KERNELS, method, number_for, operator, tensor_for
from ..dtypes import DTYPES, INTEGERS, NUMBERS, bool_, computed_in, int32, int64, uint8
from ..launch import THREADS, cdiv, coalesce_dims, strides_of
from ..numpy_names import accepts_axis
from ..storage import to_number
from ..trace import nbytes_of
from . import pointwise
from .inplace import fitted, masked_fill_
from .shape import stack

# ------------------------------------------------- kernels, a thread an element

SCATTERED = "src view index places y rest step:long size:long fault"
INDEX = {
    name: launch.one(variant, name, "index.cu", args=f"{args} n:int", types=types,
                     more=lambda f: {"fault": faults.argument(f.device)})
    for name, variant, args, types in (
        ("gather", "strided", "x rest step:long size:long index view y fault",
         lambda f: [f.dtype]),
        ("scatter", "strided", SCATTERED, lambda f: [f.dtype]),
        ("scatter_add", "atomics", SCATTERED, lambda f: [f.dtype, f.y.dtype]),
        ("locate", "locate", "index view size:long step:long offsets before:int fault",
         lambda f: ()),
        ("put", "put", "x rest offsets view values value_view", lambda f: [f.dtype]),
    )
}  # fmt: skip


def run(name, operator=None, **facts):
    """Launch a kernel of index.cu."""
    launch.run(INDEX[name], operator or name, **facts)


def views_of(shape, device, *strides):
    """Kernels' arguments that run over `shape` by these strides."""
    shape, *strides = coalesce_dims(shape, *strides)
    return [strides_of(shape, s, device) for s in strides]


def without(strides, dim):
    """The strides, with 0 for `dim`: an index is in its place."""
    return tuple(0 if d == dim else s for d, s in enumerate(strides))


# ------------------------------------------------- along one dimension


def zeros_with(dy, shape, dim, index):
    """The adjoint of gather: zeros, with dy added where elements were chosen."""
    return scatter_add(dy.new_number(0, dy.dtype).expand(shape), dim, index, dy)


@operator("input index", dtypes=DTYPES, vjps=[
    lambda dy, b, dim, shape: zeros_with(dy, shape, dim, b), None])  # fmt: skip
def gather(input, dim, index):
    """out[i, j, ...] = input[index[i, j, ...], j, ...], the index standing at `dim`."""
    check(index.dtype in (int32, int64),
          f"gather(): Expected dtype int64 for index, got {index.dtype}")  # fmt: skip
    if index.dtype == int32:
        return lambda: gather(input, dim, index.long())
    dim = layout.wrap_dim(dim, input.ndim)
    if input.ndim + index.ndim < 2:  # a single number counts as a row of one
        row = input.reshape(-1), 0, index.reshape(-1)
        return lambda: gather(*row).view(index.shape)
    sizes = zip(index.shape, input.shape, strict=False)
    too_large = any(i > n for d, (i, n) in enumerate(sizes) if d != dim)
    check(not index.numel() or index.ndim == input.ndim and not too_large, "gather: an "
          f"index of shape {list(index.shape)} does not fit into a tensor of shape "
          f"{list(input.shape)} in the dimensions other than {dim}")  # fmt: skip
    return {"dim": dim}


gather.traffic = lambda operands, out: nbytes_of(operands[1]) + 2 * nbytes_of(out)


def check_places(index, dim, n, least=0):
    """IndexError unless all of an array's numbers choose from a dimension of size n."""
    if index.size and (index.min() < least or index.max() >= n):
        wrong = index[(index < least) | (index >= n)][0]
        raise IndexError(
            f"index {wrong} is out of bounds for dimension {dim} with size {n}"
        )


def places_of(x, index, dim):
    """The indices of NumPy that choose from the array x along `dim`; checked."""
    check_places(index, dim, x.shape[dim])
    places = [*np.ogrid[tuple(slice(n) for n in index.shape)]]
    places[dim] = index
    return tuple(places)


@gather.cpu
def _(x, index, dim):
    empty = np.empty(index.shape, x.dtype)
    return x[places_of(x, index, dim)] if index.size else empty


@gather.device
def _(x, index, dim):
    y = x.new_empty(index.shape)
    if y.numel():
        steps = without(x.strides, dim), index.strides
        rest, view = views_of(index.shape, x.device, *steps)
        nbytes = gather.traffic((x, index), y)
        run("gather", x=x, rest=rest, step=x.strides[dim], size=x.shape[dim], y=y,
            index=index, view=view, n=y.numel(), nbytes=nbytes)  # fmt: skip
    return y


def scattered(operator, input, dim, index, src):
    """The options of scatter and scatter_add, or a call with operands that fit."""
    name, dim = operator.name, layout.wrap_dim(dim, input.ndim)
    if index.dtype not in (int32, int64):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if src.dtype != input.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if not input.ndim:
        row = input.view(1), 0, index.reshape(1), src.reshape(1)
        return lambda: operator(*row).view(())
    if not index.numel():
        return input.clone
    check(index.ndim == input.ndim == src.ndim, "Index tensor must have the same "
          "number of dimensions as self tensor")  # fmt: skip
    sizes = zip(index.shape, input.shape, src.shape, strict=True)
    check(all(i <= s and (i <= n or d == dim) for d, (i, n, s) in enumerate(sizes)),
          f"Expected index {list(index.shape)} to be no larger than self "
          f"{list(input.shape)} apart from dimension {dim} and to be no larger size "
          f"than src {list(src.shape)}")  # fmt: skip
    if index.dtype == int32 or src.shape != index.shape:
        src = src[tuple(map(slice, index.shape))]
        return lambda: operator(input, dim, index.long(), src)
    return {"dim": dim}


def scatter_on_device(name, y, index, src, dim):
    steps = src.strides, index.strides, without(y.strides, dim)
    view, places, rest = views_of(index.shape, y.device, *steps)
    run(name, src=src, view=view, index=index, places=places, y=y, rest=rest,
        step=y.strides[dim], size=y.shape[dim], n=index.numel())  # fmt: skip
    return y.to(dtype=src.dtype)


@operator("input index src", dtypes=DTYPES, name="scatter", vjps=[
    lambda dy, b, dim: scatter(dy, dim, b, 0), None,
    lambda dy, b, dim: gather(dy, dim, b)])  # fmt: skip
def scatter_of(input, dim, index, src):
    """scatter of a tensor."""
    return scattered(scatter_of, input, dim, index, src)


@scatter_of.cpu
def _(x, index, src, dim):
    y = np.array(x, order="C")
    y[places_of(y, index, dim)] = src
    return y


@scatter_of.device
def _(x, index, src, dim):
    return scatter_on_device("scatter", x.clone(), index, src, dim)


@method
@accepts_axis
def scatter(input, dim, index, src=None, *, value=None):
    """input with out[index[i, j, ...], j, ...] = src[i, j, ...], the index at `dim`.

    src: a tensor, or one number. Where an element is chosen twice, either may win.
    """
    src = value if src is None else src
    if not hasattr(src, "storage"):
        tensor_for("scatter", "index", index)
        src = pointwise.filling(src, input, "scatter").expand(index.shape)
    return scatter_of(input, dim, index, src)


@method
@operator("input index src", dtypes=NUMBERS, vjps=[
    lambda dy: dy, None, lambda dy, b, dim: gather(dy, dim, b)])  # fmt: skip
def scatter_add(input, dim, index, src):
    """input with src[i, j, ...] added to out[index[i, j, ...], j, ...]."""
    return scattered(scatter_add, input, dim, index, src)


@scatter_add.cpu
def _(x, index, src, dim):
    y = np.array(x, order="C")
    np.add.at(y, places_of(y, index, dim), src)
    return y


@scatter_add.device
def _(x, index, src, dim):
    wide = int64 if x.dtype in INTEGERS else computed_in(x.dtype)
    y = x.to(dtype=wide, copy=True)
    return scatter_on_device("scatter_add", y, index, src, dim)


# ------------------------------------------------- where a mask is true


@operator(dtypes=[bool_], planned=False, results=int64, name="nonzero")
def true_at(mask):
    """The places, int64, of the true elements of a mask of one contiguous dimension.

    The size of the result is their number, so the host waits for it, as in PyTorch.
    """
    plan_cache.host("nonzero()")


true_at.cpu(np.flatnonzero)


@true_at.device
def _(mask):
    n = mask.numel()
    blocks = cdiv(n, THREADS)
    counts = mask.new_zeros((blocks + 1,), dtype=int64)
    by_mask("count_true", blocks, mask, counts, n)
    by_mask("add_counts", int(n > 0), counts, blocks)
    places = mask.new_empty((counts[blocks].item(),), dtype=int64)
    by_mask("write_places", blocks if len(places) else 0, mask, counts, places, n)
    return places


def by_mask(kernel, blocks, *args):
    *tensors, n = args
    text, device = launch.file_text("nonzero.cu"), tensors[0].device
    launch.launch("nonzero", kernel, launch.compiled(text, kernel, device), device,
                  blocks, THREADS, (*tensors, np.int64(n)))  # fmt: skip


# ------------------------------------------------- elements chosen by tensors


def check_all(x, places):
    """check_places of each dimension, where negative ones count from the end."""
    for d, index in enumerate(places):
        check_places(index, d, x.shape[d], -x.shape[d])


@operator("input *indices", dtypes=DTYPES)
def index(input, indices):
    """out[b, ..., r, ...] = input[i[b, ...], j[b, ...], ..., r, ...]."""


@operator("input values *indices", dtypes=DTYPES)
def index_put(input, values, indices):
    """input[i[b, ...], j[b, ...], ..., r, ...] = values[b, ..., r, ...]."""


@index.cpu
def _(x, *places):
    check_all(x, places)
    return x[places]


@index.device
def _(x, *indices):
    y = x.new_empty((*indices[0].shape, *x.shape[len(indices) :]))
    offsets, rest, view = located(x, indices, y.shape)
    run("gather", "index", x=x, rest=rest, step=1, size=2**62, index=offsets, view=view,
        y=y, n=y.numel())  # fmt: skip
    return y


def put_on_cpu(x, value, *indices):
    places = tuple(i.memory() for i in indices)
    check_all(x, places)
    arrays.writable(x)[places] = value.memory()


# Not by index_put.cpu: arrays of halves would be copies.
KERNELS.update({("index_put", "cpu", dtype): put_on_cpu for dtype in DTYPES})


@index_put.device
def _(x, value, *indices):
    where = located(x, indices, value.shape, value.strides)
    offsets, rest, view, value_view = where
    run("put", "index_put", x=x, rest=rest, offsets=offsets, view=view, values=value,
        value_view=value_view, n=value.numel())  # fmt: skip


def located(x, indices, shape, *more):
    """How far the chosen elements lie from x's first; the views to run over `shape`."""
    chosen, k = indices[0].shape, len(indices)
    offsets = indices[0].new_empty(chosen)
    for d, i in enumerate(indices):
        run("locate", "index", index=i, view=launch.view_of(i), size=x.shape[d],
            step=x.strides[d], offsets=offsets, before=d > 0, n=i.numel())  # fmt: skip
    rest = (0,) * len(chosen) + x.strides[k:]
    along = offsets.strides + (0,) * (x.ndim - k)
    return offsets, *views_of(shape, x.device, rest, along, *more)


# ------------------------------------------------- x[...]

WHOLE = slice(None)


def chooses(items):
    """Is there a list, an array or a tensor among what stands in x[...]?"""
    items = items if type(items) is tuple else (items,)
    return any(is_choice(item) for item in items)


CHOICES = list, tuple, range, np.ndarray, bool, np.bool_


def is_choice(item):
    return isinstance(item, CHOICES) or hasattr(item, "storage")


def getitem(x, items):
    """The elements that x[items] chooses: a copy."""
    view, choices = separated(x, items)
    front, indices, back = arranged(view, choices)
    kept = [Saved(i) for i in indices]

    def backward(dy):
        return (added_at(dy, front.shape, [i.get("IndexBackward0") for i in kept]),)

    chosen = lambda: index(front, indices)  # noqa: E731
    return record_call("Index", [front], chosen, backward, saves=True).permute(*back)


def added_at(dy, shape, indices):
    """The gradient of a tensor of `shape`: each dy added where it was chosen."""
    k, place, count = len(indices), 0, 1
    for i, size in zip(indices, shape[:k], strict=True):
        place = place * size + pointwise.where(i < 0, i + size, i)
        count *= size
    rows = (place.numel(), layout.numel(shape[k:]))
    places = place.reshape(-1, 1).expand(rows)
    return zeros_with(dy.reshape(rows), (count, rows[1]), 0, places).view(shape)


def setitem(x, items, value):
    """x[items] = value. Where an element is chosen twice, either value may win."""
    view, choices = separated(x, items) if chooses(items) else (x[items], [])
    number = not hasattr(value, "storage")
    if number:
        value = x.new_number(to_number(value, x.dtype), x.dtype)
    if not choices:
        view.copy_(fitted(value, view.shape))
        return
    layout.check_no_overlap(view.shape, view.strides)
    ((dim, mask), *others) = choices
    if mask.dtype == bool_ and not others and (number or value.numel() == 1):
        after = view.ndim - dim - mask.ndim
        mask = mask.reshape(*mask.shape, *(1,) * after)
        masked_fill_(view, mask, value.reshape(()) if value.ndim else value)
        return
    check(value.dtype == x.dtype, lambda: "Index put requires the source and "
          f"destination dtypes match, got {x.dtype} for the destination and "
          f"{value.dtype} for the source.")  # fmt: skip
    front, indices, back = arranged(view, choices)
    shape = (*indices[0].shape, *front.shape[len(indices) :])
    shape = tuple(shape[d] for d in back)
    value = fitted(value.to(x.device), shape).expand(shape)
    if value.storage is x.storage:
        value = value.clone()
    order = sorted(range(len(back)), key=back.__getitem__)
    value = value.permute(*order)

    kept = [Saved(i) for i in indices]

    def backward(dy):
        indices = [i.get("IndexPutBackward0") for i in kept]
        others, chosen = dy.clone(), index(dy, indices)
        index_put(others, others.new_zeros(chosen.shape), indices)
        return others, chosen

    node = lambda old: Recorded("IndexPutBackward0", [old, value], backward, True)  # noqa: E731
    write(front, (value,), lambda: index_put(front, value, indices), node)


def separated(x, items):
    """A view of x, and for the others [(dimension of the view, tensor), ...]."""
    items = items if type(items) is tuple else (items,)
    items = [as_choice(i, x) if is_choice(i) else i for i in items]
    widths = [width(item) for item in items]
    left = x.ndim - sum(widths)
    if left < 0:
        raise IndexError(f"too many indices for tensor of dimension {x.ndim}")
    basic, choices, dim, source = [], [], 0, 0
    for item, wide in zip(items, widths, strict=True):
        if hasattr(item, "storage") and item.dtype == bool_ and not item.ndim:
            choices.append((dim, item.view(1)))  # True, of a new dimension
            basic.append(None)
            dim += 1
        elif hasattr(item, "storage"):
            check_mask(item, x, source)
            choices.append((dim, item))
            basic += [WHOLE] * wide
            dim += wide
        else:
            basic.append(item)
            dim += left if item is ... else not hasattr(item, "__index__")
        source += left if item is ... else wide
    return x[tuple(basic)], choices


def width(item):
    """How many dimensions an item deals with."""
    if hasattr(item, "storage") and item.dtype == bool_:
        return item.ndim
    return 0 if item is None or item is ... else 1


def as_choice(item, x):
    """A list, array or tensor as a tensor of int64 or bool on x's device."""
    if not hasattr(item, "storage"):
        item = np.asarray(item)
        item = x.new_tensor(item, bool if item.dtype == bool else item.dtype if
                            item.size else int64)  # fmt: skip
    if item.dtype in (bool_, uint8):
        return item.bool().to(x.device)
    check(item.dtype in INTEGERS,
          lambda: "tensors used as indices must be long, int, byte or bool tensors, "
          f"not {item.dtype}", IndexError)  # fmt: skip
    return item.long().to(x.device)


def check_mask(mask, x, dim):
    """IndexError unless a mask has the sizes of the dimensions that it stands for."""
    for d, size in enumerate(mask.shape if mask.dtype == bool_ else ()):
        check(size == x.shape[dim + d],
              lambda: f"The shape of the mask {list(mask.shape)} at index {d} does not "
              f"match the shape of the indexed tensor {list(x.shape)} at index "
              f"{dim + d}", IndexError)  # fmt: skip


def arranged(view, choices):
    """What is chosen from first: (view, indices of one shape, the order back).

    The result of `index` has the indices' dimensions first. They belong where the
    first chosen dimension was if all of these are neighbors, and first otherwise.
    """
    index_at = {}
    for dim, choice in choices:
        if choice.dtype == bool_:
            index_at |= {dim + d: i for d, i in enumerate(nonzero_of(choice))}
        else:
            index_at[dim] = choice
    shapes = [i.shape for i in index_at.values()]
    try:
        shape = layout.broadcast_shapes(*shapes)
    except RuntimeError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with "
            f"shapes {', '.join(str(list(s)) for s in shapes)}"
        ) from None
    dims = [*index_at]
    rest = [d for d in range(view.ndim) if d not in index_at]
    together = dims == list(range(dims[0], dims[0] + len(dims)))
    before, new = dims[0] if together else 0, len(shape)
    back = [*range(new, new + before), *range(new), *range(new + before,
            new + len(rest))]  # fmt: skip
    indices = [i.expand(shape) for i in index_at.values()]
    return view.permute(*dims, *rest), indices, back


def nonzero_of(mask):
    """For each dimension of a mask where its true elements are. Reads their number."""
    places, indices = true_at(mask.contiguous().view(-1)), []
    for size in reversed(mask.shape[1:]):
        indices.append(pointwise.remainder(places, max(size, 1)))
        places = pointwise.floor_divide(places, max(size, 1))
    return [places, *reversed(indices)]


def nonzero(input, *, as_tuple=False):
    """int64 (count, input.ndim): the index of each element that is not 0, in order.

    as_tuple: for each dimension a tensor of these indices.
    """
    if not tensor_for("nonzero", "input", input).ndim:
        row = nonzero(input.view(1), as_tuple=as_tuple)
        return row if as_tuple else row[:, :0]
    places = nonzero_of(input.bool())
    return tuple(places) if as_tuple else stack(places, 1)


def where(condition, *values, **named):
    """one where the condition holds, else the other; alone nonzero(as_tuple=True)."""
    if values or named:
        return pointwise.where(condition, *values, **named)
    return nonzero(condition, as_tuple=True)


def masked_select(x, mask):
    """The elements of x where the mask holds, in order, as one dimension."""
    check(tensor_for("masked_select", "mask", mask).dtype == bool_,
          lambda: "masked_select: expected BoolTensor for mask, got "
          f"{mask.dtype}")  # fmt: skip
    shape = layout.broadcast_shapes(x.shape, mask.shape)
    x, mask = (t.reshape(1) if not shape else t.expand(shape) for t in (x, mask))
    return getitem(x, mask)


# ------------------------------------------------- rows, and numbers as rows


@accepts_axis
def index_select(x, dim, index):
    """The parts of x at the places `index`, a tensor of one dimension, along `dim`."""
    check(tensor_for("index_select", "index", index).dtype in (int32, int64),
          lambda: "index_select(): Expected dtype int32 or int64 for index, got "
          f"{index.dtype}")  # fmt: skip
    check(index.ndim <= 1, "index_select(): Index is supposed to be a vector",
          IndexError)  # fmt: skip
    dim = layout.wrap_dim(dim, x.ndim)
    if not x.ndim:
        return gather(x.view(1), 0, index.view(1)).view(())
    index = index.long().view((-1,) + (1,) * (x.ndim - dim - 1))
    shape = (*x.shape[:dim], index.shape[0], *x.shape[dim + 1 :])
    return gather(x, dim, index.expand(shape))


def one_hot(x, num_classes=-1):
    """int64: 1 at the place x[...] of a new last dimension, 0 elsewhere."""
    check(tensor_for("one_hot", "input", x).dtype == int64,
          "one_hot is only applicable to index tensor of type LongTensor.")  # fmt: skip
    number_for("one_hot", "num_classes", num_classes, Integral)
    if not x.numel() and num_classes <= 0:
        raise RuntimeError("one_hot: without elements num_classes must be given")
    check(not x.numel() or x.amin().item() >= 0, "Class values must be non-negative.")
    most = x.amax().item() + 1 if x.numel() else 0
    if -1 != num_classes < most:
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = most if num_classes == -1 else num_classes
    places = x.new_tensor(np.arange(classes), int64)
    return pointwise.eq(x.unsqueeze(-1), places).long()


def embedding(input, weight, padding_idx=None):
    """weight[i], a row, for each i of `input`: (*) of ints to (*, embedding_dim).

    padding_idx: the row of this number gets no gradient.
    """
    dtype = tensor_for("embedding", "input", input).dtype
    if tensor_for("embedding", "weight", weight).ndim != 2:
        raise RuntimeError(f"'weight' must be 2-D, not of shape {list(weight.shape)}")
    if padding_idx is not None and not -len(weight) <= padding_idx < len(weight):
        raise AssertionError("Padding_idx must be within num_embeddings")
    check(dtype in INTEGERS, lambda: "Expected tensor for argument #1 'indices' to "
          f"have scalar type Long, but got {dtype} instead: input.long() makes a copy "
          "of that type")  # fmt: skip
    index = input.reshape(-1)
    rows = index_select(weight, 0, index)
    if padding_idx is not None:
        row = padding_idx % weight.shape[0]
        chosen = pointwise.eq(index, row).unsqueeze(1)
        rows = pointwise.where(chosen, rows.detach(), rows)
    return rows.reshape(*input.shape, weight.shape[1])
