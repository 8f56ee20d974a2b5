"""The strides of a row-major tensor."""

import math

import numpy as np

from grading.exercise import mistakes, right
from minigrad.layout import contiguous_strides

mistakes(contiguous_strides)(r"""
column_major: column-major: the first dimension moves fastest here; in PyTorch the last
> in reversed(shape) -> in shape
& reversed(strides) -> strides
reverse: the right numbers in reverse order: the last dimension has stride 1
> reversed(strides) -> strides
zero_size: a size of 0 makes the strides before it 0: count it as 1
> max(size, 1) -> size
no_dims: no dimensions, no strides: the answer for () is ()
> tuple(reversed(strides)) -> tuple(reversed(strides)) or (1,)
sums: a stride is the product of the sizes after it, not their sum
> = tuple((sum(shape[d + 1:]) or 1 for d in range(len(shape))))
in_float: floats lose digits of strides beyond 2 ** 53: multiply ints
> = tuple(int(np.prod([max(n, 1) for n in shape[d + 1:]], dtype=float)) for d in
    range(len(shape)))
in_32_bits: strides beyond 2 ** 31 overflow in 32 bits: multiply Python's ints
> = tuple(int(np.prod([max(n, 1) for n in shape[d + 1:]], dtype=np.int32)) for d in
    range(len(shape)))
in_bytes: strides in bytes, as in NumPy: PyTorch counts elements
> = np.empty([max(n, 1) for n in shape]).strides
""")


@right(contiguous_strides, "by numpy")
def _(shape):
    sizes = np.maximum(np.array(shape, dtype=np.int64), 1)
    return tuple(np.cumprod([1, *sizes[::-1]])[::-1][1:])


@right(contiguous_strides, "with a table of numbers, and much to print")
def _(shape):
    print("-" * 2_000_000, [n * n for n in range(20_000)][-1])
    strides = [1]
    for n in shape[:0:-1]:
        strides.append(strides[-1] * (n or 1))
    return tuple(reversed(strides))[-len(shape) :] if shape else ()


@right(contiguous_strides, "each by a product of its own")
def _(shape):
    return tuple(math.prod(n or 1 for n in shape[d + 1 :]) for d in range(len(shape)))
