"""How a tensor prints.

The text of a tensor follows the rules of PyTorch's torch/_tensor_str.py.
"""

import math
from typing import NamedTuple

import numpy as np

EDGE, THRESHOLD, WIDTH, DIGITS = 3, 1000, 80, 4


def represent(tensor):
    """`tensor([[0, 1], [2, 3]])`, with size and dtype where the values do not tell."""
    values, begin, body = tensor.numpy(), "tensor(", "[]"
    if values.size:
        body = _block(values, len(begin), _style(values))
    size = [f"size={tensor.shape}"] if not values.size and tensor.ndim != 1 else []
    usual = ("float32", "int64", "bool") if values.size else ("float32",)
    dtype = [] if tensor.dtype.name in usual else [f"dtype={tensor.dtype.name}"]
    text = begin + body
    for extra in size + dtype:  # on a new line where this one would be full
        fits = len(text) - text.rfind("\n") + 1 + len(extra) + 2 <= WIDTH
        text += ", " + extra if fits else ",\n" + " " * len(begin) + extra
    return text + ")"


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
