"""Values on their way in and out: from lists and arrays, and to text.

The text of a tensor follows the rules of PyTorch's torch/_tensor_str.py.
"""

import math
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from .layout import as_shape, extent

EDGE, THRESHOLD, WIDTH, DIGITS = 3, 1000, 80, 4
TOO_LARGE = "a whole number is too large: int64 ends at 2**63 - 1"


def represent(tensor):
    """`tensor([[0, 1], [2, 3]])`, with size and dtype where the values do not tell."""
    values, begin, body = tensor.numpy(), "tensor(", "[]"
    if values.size:
        body = _block(values, len(begin), _style(values))
    return _with_extras(begin + body, _extras(tensor), len(begin)) + ")"


class Style(NamedTuple):
    text: object  # a function: one value -> its text
    width: int
    short: bool  # show only the first and the last few of each dimension

    def show(self, value):
        return self.text(value).rjust(self.width)

    def shown(self, length):
        """The positions along one dimension that are shown."""
        if self.short and length > 2 * EDGE:
            return [*range(EDGE), *range(length - EDGE, length)]
        return range(length)


def _style(values):
    style = Style(str, 1, values.size > THRESHOLD)
    values = values[np.ix_(*map(style.shown, values.shape))].reshape(-1)
    if values.dtype.kind == "f":
        values = values[np.isfinite(values) & (values != 0)].tolist()
        style = style._replace(text=_float_text(values))
    else:
        values = values.tolist()
    return style._replace(width=max((len(style.text(v)) for v in values), default=1))


def _float_text(values):
    """Whole numbers as `2.`, others with four digits, wide ranges as powers of ten."""
    sizes = [abs(v) for v in values] or [1.0]
    low, high = min(sizes), max(sizes)
    if high / low > 1000 or high > 1e8 or low < 1e-4:
        return lambda v: f"{v:.{DIGITS}e}"
    if all(v.is_integer() for v in values):
        return lambda v: f"{v:.0f}." if math.isfinite(v) else f"{v:.0f}"
    return lambda v: f"{v:.{DIGITS}f}"


def _block(values, indent, style):
    """The values in brackets, line by line; each inner dimension one column further."""
    if values.ndim == 0:
        return style.show(values.item())
    if values.ndim == 1:
        return _row(values, indent, style)
    rows = [_block(values[i], indent + 1, style) for i in style.shown(len(values))]
    if len(rows) < len(values):
        rows.insert(EDGE, "...")
    between = "," + "\n" * (values.ndim - 1) + " " * (indent + 1)
    return "[" + between.join(rows) + "]"


def _row(values, indent, style):
    """One row of values, broken where a line is full."""
    texts = [style.show(values[i].item()) for i in style.shown(len(values))]
    if len(texts) < len(values):
        texts.insert(EDGE, " ...")
    count = max(1, (WIDTH - indent) // (style.width + 2))
    lines = [", ".join(texts[i : i + count]) for i in range(0, len(texts), count)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _extras(tensor):
    """What the values do not tell."""
    if tensor.numel() == 0 and tensor.ndim != 1:
        yield f"size={tensor.shape}"
    usual = ("float32", "int64", "bool") if tensor.numel() else ("float32",)
    if tensor.dtype.name not in usual:
        yield f"dtype={tensor.dtype.name}"


def _with_extras(text, extras, indent):
    """The text and the extras behind commas; a new line where a line would be full."""
    for extra in extras:
        last = len(text) - text.rfind("\n") + 1
        fits = last + len(extra) + 2 <= WIDTH
        text += ", " + extra if fits else ",\n" + " " * indent + extra
    return text


def to_array(data, dtype=None):
    """A NumPy array with a copy of `data`: a number, nested lists or an array.

    Without a dtype Python's floats become float32, its ints int64, as in PyTorch.
    """
    try:
        array = np.array(data)
        if array.dtype.kind in "biuf":
            return _cast(array, data, dtype)
    except (ValueError, OverflowError) as error:
        raise _explained(error, data, dtype) from None
    strangers = [v for v in array.flat if not isinstance(v, int | float)]
    if not strangers:
        raise RuntimeError(TOO_LARGE)
    kind = type(strangers[0]).__name__.strip("_")
    raise TypeError(f"a tensor holds numbers, not {kind}")


def to_number(value, dtype):
    """An array of no dimension for a number, as it stands behind `x[...] =`."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float):
        raise TypeError(
            f"can't assign a {type(value).__name__} to a Tensor: only a number or a "
            "tensor, such as tensor([1, 2])"
        )
    return to_array(value, dtype)


def to_range(start, end, step, dtype=None):
    """The array of start, start + step, ... below end; int64 where all are ints."""
    if not all(isinstance(n, Real) for n in (start, end, step)):
        raise TypeError(f"arange() takes numbers, got {start!r}, {end!r}, {step!r}")
    if not all(map(math.isfinite, (start, end, step))):
        raise RuntimeError(f"unsupported range: {start} -> {end}, step {step}")
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    whole = all(isinstance(n, Integral) for n in (start, end, step))
    count = -((start - end) // step) if whole else math.ceil((end - start) / step)
    numbers = start + step * np.arange(*as_shape((count,)))
    return numbers.astype(dtype or (np.int64 if whole else np.float32))


def shared_memory(array):
    """The memory of a NumPy array as a flat array, and its strides in elements."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    if not array.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. "
            "Make a copy: array.astype(array.dtype.newbyteorder('='))"
        )
    if any(s < 0 for s in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors "
            "with negative strides are not supported. Make a copy: array.copy()"
        )
    if array.dtype.itemsize == 0 or any(s % array.itemsize for s in array.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. "
            "Make a copy: array.copy()"
        )
    strides = [s // array.itemsize for s in array.strides]
    cells = extent(array.shape, strides)
    flat = np.lib.stride_tricks.as_strided(array, (cells,), (array.itemsize,))
    return flat, strides


def _cast(array, data, dtype):
    if dtype is not None:  # from the data once more: only so NumPy tells of overflow
        return np.array(data, dtype)
    while isinstance(data, list | tuple) and data:
        data = data[0]
    if array.dtype == np.uint64 and not hasattr(data, "dtype"):
        raise RuntimeError(TOO_LARGE)
    if array.dtype != np.float64 or hasattr(data, "dtype"):
        return array
    with np.errstate(over="ignore"):  # beyond float32 lies inf
        return array.astype(np.float32)


def _explained(error, data, dtype):
    """The error that says in PyTorch's words why `data` is not an array."""
    if isinstance(error, OverflowError) or "NaN" in str(error):
        name = np.dtype(dtype).name
        return RuntimeError(
            f"value cannot be converted to type {name} without overflow: {error}"
        )
    rows, dim = data, 1
    while rows and all(hasattr(r, "__len__") and getattr(r, "ndim", 1) for r in rows):
        lengths = [len(row) for row in rows]
        for n in lengths:
            if n != lengths[0]:
                return ValueError(
                    f"expected sequence of length {lengths[0]} at dim {dim} (got {n})"
                )
        rows, dim = [item for row in rows for item in row], dim + 1
    return ValueError(f"expected numbers only or sequences only at dim {dim}, got both")
