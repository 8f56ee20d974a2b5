"""x[mask], x[[0, 2]], x[i, :, j]: elements that tensors choose, read or written.

Ints, slices, None and ... are done by a view. In that view the dimensions that tensors
choose from are moved to the front.
"""

import functools

import numpy as np

from .. import layout
from ..autograd.graph import Recorded, Saved
from ..autograd.views import record_call, write
from ..storage import bool_, int8, int16, int32, int64, to_number, uint8
from . import elementwise
from .base import tensor_for
from .choosing import index, index_put, true_at
from .inplace import masked_fill_
from .scatter import scatter_add

WHOLE = slice(None)


def chooses(items):
    """Is there a list, an array or a tensor among what stands in x[...]?"""
    items = items if type(items) is tuple else (items,)
    return any(is_choice(item) for item in items)


def is_choice(item):
    kinds = list | tuple | range | np.ndarray
    return isinstance(item, kinds) or hasattr(item, "storage")


def getitem(x, items):
    """The elements that x[items] chooses: a copy."""
    view, choices = separated(x, items)
    front, indices, back = arranged(view, choices)
    kept = [Saved(i) for i in indices]

    def backward(dy):
        return (added_at(dy, front.shape, [i.get("IndexBackward0") for i in kept]),)

    run = functools.partial(index, front, *indices)
    found = record_call("Index", [front], run, backward, saves=True)
    return found.permute(*back)


def added_at(dy, shape, indices):
    """The gradient of a tensor of `shape`: each dy added where it was chosen."""
    k, place, count = len(indices), 0, 1
    for i, size in zip(indices, shape[:k], strict=True):
        place = place * size + elementwise.where(i < 0, i + size, i)
        count *= size
    rows = (place.numel(), layout.numel(shape[k:]))
    places = place.reshape(-1, 1).expand(rows)
    flat = scatter_add(dy.reshape(rows), places, dim=0, shape=(count, rows[1]))
    return flat.view(shape)


def setitem(x, items, value):
    """x[items] = value. Where an element is chosen twice, either value may win."""
    view, choices = separated(x, items)
    layout.check_no_overlap(view.shape, view.strides)
    number = not hasattr(value, "storage")
    if number:
        value = x.new_number(to_number(value, x.dtype), x.dtype)
    ((dim, mask), *others) = choices
    if mask.dtype == bool_ and not others and (number or value.numel() == 1):
        after = view.ndim - dim - mask.ndim
        mask = mask.reshape(*mask.shape, *(1,) * after)
        masked_fill_(view, mask, value.reshape(()) if value.ndim else value)
        return
    if value.dtype != x.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got "
            f"{x.dtype} for the destination and {value.dtype} for the source."
        )
    front, indices, back = arranged(view, choices)
    shape = (*indices[0].shape, *front.shape[len(indices) :])
    value = fitted(value.to(x.device), tuple(shape[d] for d in back))
    if value.storage is x.storage:
        value = value.clone()
    order = sorted(range(len(back)), key=back.__getitem__)
    value = value.permute(*order)

    kept = [Saved(i) for i in indices]

    def backward(dy):
        indices = [i.get("IndexPutBackward0") for i in kept]
        rest, chosen = dy.clone(), index(dy, *indices)
        index_put(rest, rest.new_zeros(chosen.shape), *indices)
        return rest, chosen

    write(
        front, (value,), lambda: index_put(front, value, *indices),
        lambda old: Recorded("IndexPutBackward0", [old, value], backward, True),
    )  # fmt: skip


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
        if hasattr(item, "storage"):
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
    """With how many dimensions an item deals."""
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
        if not item.ndim:
            raise IndexError("x[True], a mask without dimensions, is not there")
        return item.bool().to(x.device)
    if item.dtype not in (int8, int16, int32, int64):
        raise IndexError(
            "tensors used as indices must be long, int, byte or bool tensors, not "
            f"{item.dtype}"
        )
    return item.long().to(x.device)


def check_mask(mask, x, dim):
    """IndexError unless a mask has the sizes of the dimensions that it stands for."""
    if mask.dtype != bool_:
        return
    for d, size in enumerate(mask.shape):
        if size != x.shape[dim + d]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {d} does not match "
                f"the shape of the indexed tensor {list(x.shape)} at index {dim + d}"
            )


def arranged(view, choices):
    """What is chosen from first: (view, indices of one shape, the order back).

    The result of `index` has the indices' dimensions first. They belong where the
    first chosen dimension was if all of these are neighbours, and first otherwise.
    """
    found = {}
    for dim, choice in choices:
        if choice.dtype == bool_:
            found |= {dim + d: i for d, i in enumerate(nonzero_of(choice))}
        else:
            found[dim] = choice
    shapes = [i.shape for i in found.values()]
    try:
        shape = layout.broadcast_shapes(*shapes)
    except RuntimeError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with "
            f"shapes {', '.join(str(list(s)) for s in shapes)}"
        ) from None
    dims = [*found]
    rest = [d for d in range(view.ndim) if d not in found]
    together = dims == list(range(dims[0], dims[0] + len(dims)))
    before, new = dims[0] if together else 0, len(shape)
    back = [*range(new, new + before), *range(new), *range(new + before,
            new + len(rest))]  # fmt: skip
    indices = [i.expand(shape) for i in found.values()]
    return view.permute(*dims, *rest), indices, back


def nonzero_of(mask):
    """For each dimension of a mask where its true elements are. Reads their number."""
    places, indices = true_at(mask.contiguous().view(-1)), []
    for size in reversed(mask.shape[1:]):
        indices.append(elementwise.remainder(places, max(size, 1)))
        places = elementwise.floor_divide(places, max(size, 1))
    return [places, *reversed(indices)]


def nonzero(x):
    """int64 (count, x.ndim): the index of each element that is not 0, in order."""
    if not tensor_for("nonzero", "input", x).ndim:
        return nonzero(x.view(1))[:, :0]
    places = nonzero_of(x.bool())
    out = places[0].new_empty((len(places[0]), x.ndim))
    for d, place in enumerate(places):
        out[:, d].copy_(place)
    return out


def masked_select(x, mask):
    """The elements of x where the mask holds, in order, as one dimension."""
    if tensor_for("masked_select", "mask", mask).dtype != bool_:
        raise RuntimeError(
            f"masked_select: expected BoolTensor for mask, got {mask.dtype}"
        )
    shape = layout.broadcast_shapes(x.shape, mask.shape)
    x, mask = (t.reshape(1) if not shape else t.expand(shape) for t in (x, mask))
    return getitem(x, mask)


def fitted(value, shape):
    """A value expanded to the shape that is written, without leading sizes of 1."""
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = value[0]
    fits = zip(reversed(value.shape), reversed(shape), strict=False)
    if value.ndim > len(shape) or any(n not in (1, m) for n, m in fits):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be "
            f"broadcast to indexing result of shape {list(shape)}"
        )
    return value.expand(shape)
