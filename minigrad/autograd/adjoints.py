"""Broadcasting and views undone: the gradients of both. Written partly in lab 08."""

from .. import layout
from ..exercises.registry import exercise


@exercise(points=2, stars=2, minutes=15)
def sum_to_size(x, shape):
    """Return x, summed to `shape`. This is the gradient of a broadcast to x's shape.

    The shapes are lined up at their last dimension. Dimensions of x that `shape`
    doesn't have are summed and removed. Dimensions that have size 1 in `shape` and
    another size in x are summed to size 1.

    x: a tensor, which may have no dimensions or no elements.
    shape: a tuple of ints >= 0.

    Returns a tensor of exactly this shape. It must be computed by tensor operators, so
    that it has a gradient too. If x has this shape already, return x or a view of it.
    If only dimensions of size 1 are removed, it may be a view or a copy. Raises
    RuntimeError if `shape` can't be broadcast to x's shape.

    You can use x.sum(dims, keepdim=True) and x.view(shape).
    If x has shape (4, 2, 3), the shape (2, 1) sums dimensions 0 and 2, and () sums all.
    """


def place(dy, origin, view):
    """A copy of dy with the layout `origin`, and the view of it with the layout `view`.

    Layouts are shape, strides and offset, of one storage.
    """
    shape, strides, offset = origin
    flat = dy.new_zeros((layout.extent(shape, strides),))
    whole = flat.as_strided(shape, strides, 0)
    whole.copy_(dy)
    return whole, flat.as_strided(view[0], view[1], view[2] - offset)


def strided_backward(dy, origin, view):
    """The gradient of a tensor of layout `origin`, of which dy's is of a view."""
    shape, strides, offset = view
    cells = max(layout.extent(*origin), layout.extent(*view)) - origin[2]
    low = min(offset - origin[2], 0)  # a view may begin before the tensor it is made of
    flat = dy.new_zeros((max(cells - low, 0),))
    kept = [1 if not s else n for n, s in zip(shape, strides, strict=True)]
    add_at(flat.as_strided(kept, strides, offset - origin[2] - low),
           sum_to_size(dy, tuple(kept)))  # fmt: skip
    if overlaps(*origin[:2]):  # the elements of one cell share its gradient
        count, ones = flat.new_zeros(flat.shape), dy.new_number(1, dy.dtype, origin[0])
        add_at(count.as_strided(*origin[:2], -low), ones)
        flat = flat / count
    return flat.as_strided(origin[0], origin[1], -low)


def add_at(view, dy):
    """Add to a view; where it reads one cell several times, one dimension at a time."""
    if not overlaps(view.shape, view.strides):
        view.add_(dy)
        return
    dim = max(range(view.ndim), key=lambda d: (view.strides[d] > 0, -view.shape[d]))
    for i in range(view.shape[dim]):
        at = (slice(None),) * dim + (i,)
        add_at(view[at], dy[at])


def overlaps(shape, strides):
    """May two elements of such a view lie in one cell?"""
    reach = 0
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size > 1:
            if stride <= reach:
                return True
            reach += stride * (size - 1)
    return False
