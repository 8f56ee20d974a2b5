# %% setup=true
# Set-up: run this cell first. Running it twice does no harm.
from minigrad import Tensor, answers_from, layout, solves
from minigrad.layout import (
    broadcast_shapes,
    contiguous_strides,
    index_of,
    offset_of,
    slice_view,
    view_or_copy,
)

answers_from("labs", before="03_strides")


# %% exercise="contiguous_strides"
@solves(contiguous_strides)
def contiguous_strides(shape):
    ### BEGIN SOLUTION
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))
    ### END SOLUTION


# %% exercise="offset_of"
@solves(offset_of)
def offset_of(index, strides, offset=0):
    ### BEGIN SOLUTION
    return offset + sum(i * s for i, s in zip(index, strides, strict=True))
    ### END SOLUTION


# %% exercise="index_of"
@solves(index_of)
def index_of(position, shape):
    ### BEGIN SOLUTION
    index = []
    for size in reversed(shape):
        position, i = divmod(position, size)
        index.append(i)
    return tuple(reversed(index))
    ### END SOLUTION


# %% exercise="permute"
@solves(Tensor.permute)
def permute(self, *dims):
    ### BEGIN SOLUTION
    dims = layout.as_ints(dims)
    if len(dims) != self.ndim:
        raise RuntimeError(
            f"permute() of a tensor with {self.ndim} dimensions needs as many, got "
            f"{len(dims)}: {dims}"
        )
    dims = [layout.wrap_dim(d, self.ndim) for d in dims]
    if len(set(dims)) < self.ndim:
        raise RuntimeError(f"permute(): duplicate dims are not allowed, got {dims}")
    return self.as_strided(
        [self.shape[d] for d in dims], [self.strides[d] for d in dims], self.offset
    )
    ### END SOLUTION


# %% exercise="transpose"
@solves(Tensor.transpose)
def transpose(self, dim0, dim1):
    ### BEGIN SOLUTION
    dim0 = layout.wrap_dim(dim0, self.ndim)
    dim1 = layout.wrap_dim(dim1, self.ndim)
    if dim0 == dim1:
        return self
    shape, strides = list(self.shape), list(self.strides)
    shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
    strides[dim0], strides[dim1] = strides[dim1], strides[dim0]
    return self.as_strided(shape, strides, self.offset)
    ### END SOLUTION


# %% exercise="slice_view"
@solves(slice_view)
def slice_view(shape, strides, offset, index):
    ### BEGIN SOLUTION
    left = list(zip(shape, strides, strict=True))  # the dimensions of x still to come
    rest = len(shape) - sum(item is not None and item is not ... for item in index)
    if rest < 0:
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    view = []
    for item in index if ... in index else (*index, ...):
        if item is ...:
            view, left = view + left[:rest], left[rest:]
            continue
        size, stride = left[0] if left else (1, 1)
        if item is None:
            view.append((1, size * stride))
            continue
        dim = len(shape) - len(left)
        del left[0]
        if isinstance(item, slice):
            start, stop, step = item.indices(size)
            if step < 1:
                raise ValueError("step must be greater than zero")
            view.append((len(range(start, stop, step)), step * stride))
            offset += start * stride
        elif -size <= item < size:
            offset += item % size * stride
        else:
            raise IndexError(
                f"index {item} is out of bounds for dimension {dim} with size {size}"
            )
    return tuple(n for n, _ in view), tuple(s for _, s in view), offset
    ### END SOLUTION


# %% exercise="broadcast_shapes"
@solves(broadcast_shapes)
def broadcast_shapes(*shapes):
    ### BEGIN SOLUTION
    ndim = max((len(shape) for shape in shapes), default=0)
    result = [1] * ndim
    for shape in shapes:
        for back in range(1, len(shape) + 1):
            size = shape[-back]
            if size == 1:
                continue
            if result[-back] not in (1, size):
                raise RuntimeError(
                    f"sizes {result[-back]} and {size} do not fit at dimension {-back} "
                    f"of the shapes {shapes}"
                )
            result[-back] = size
    return tuple(result)
    ### END SOLUTION


# %% exercise="expand"
@solves(Tensor.expand)
def expand(self, *sizes):
    ### BEGIN SOLUTION
    sizes = layout.as_ints(sizes)
    new = len(sizes) - self.ndim  # dimensions that come first
    if new < 0:
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(sizes)}) must be greater or "
            f"equal to the number of dimensions in the tensor ({self.ndim})"
        )
    shape, strides = [], []
    for d in reversed(range(len(sizes))):
        if d >= new:
            old, stride = self.shape[d - new], self.strides[d - new]
        else:
            old, stride = 1, shape[-1] * strides[-1] if shape else 0
        size = old if sizes[d] == -1 and d >= new else sizes[d]
        if size < 0 or old not in (1, size):
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) must match the existing "
                f"size ({old if d >= new else 'none'}) at non-singleton dimension {d}."
                f"  Target sizes: {list(sizes)}.  Tensor sizes: {list(self.shape)}"
            )
        shape.append(size)
        strides.append(stride if size == old else 0)
    return self.as_strided(shape[::-1], strides[::-1], self.offset)
    ### END SOLUTION


# %% exercise="view_or_copy"
@solves(view_or_copy)
def view_or_copy(shape, strides, new_shape):
    ### BEGIN SOLUTION
    if 0 in shape:
        return tuple(strides) if shape == new_shape else contiguous_strides(new_shape)
    # Groups of old dimensions that are evenly spaced, from the last to the first:
    # [number of elements, stride of its last dimension].
    groups = [[1, strides[-1] if strides else 1]]
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride == groups[-1][0] * groups[-1][1]:
            groups[-1][0] *= size
        elif size != 1:
            groups.append([size, stride])
    new_strides, (left, step) = [], groups.pop(0)
    for size in reversed(new_shape):
        if left == 1 and size != 1:
            left, step = groups.pop(0)
        if left % size:
            return None
        new_strides.append(step)
        left, step = left // size, step * size
    return tuple(reversed(new_strides))
    ### END SOLUTION
