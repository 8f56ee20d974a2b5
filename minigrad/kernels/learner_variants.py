"""The variants "yours": kernels that learners write, beside the library's.

They know float, count in int, and are launched as their exercises say; other calls they
do not fit. What they ask of a call is in the operator's LaunchInfo.
"""

import math

import numpy as np

from .. import launch
from ..dtypes import C_NAMES, float32, float64, int32
from ..launch import THREADS, Variant, a_row, cdiv
from . import convolution, copy, elementwise, reductions

# ------------------------------------------------- chapters 03 and 04: each element


def is_simple(f):
    """Are tensors alone computed, all of one type?"""
    return f.operator != "copy" and not f.numbers and len(f.types) == 1


def with_op(macro):
    """The text in front of the kernel, with T and OP, as the exercises know them."""
    return lambda f: f"{f.text}#define T {C_NAMES[f.elements[0]]}\n#define OP{macro}\n"


UNARY = [
    Variant("yours", "contiguous_kernel", copy.contiguous_kernel,
            lambda f: f.operator == "copy" and f.types == {float32}, "a a_view y count",
            before=with_op("(x) (UNARY(x, 0, 0))")),
    Variant("yours", "unary_kernel", elementwise.unary_kernel,
            lambda f: is_simple(f) and f.types <= {float32, float64},
            "a a_view y count", before=with_op("(x) (UNARY(x, 0, 0))")),
]  # fmt: skip
BINARY = [
    Variant("yours", "binary_broadcast", elementwise.binary_broadcast, is_simple,
            "a a_view b b_view y count", before=with_op("(a, b) (BINARY(a, b))")),
]  # fmt: skip

# ------------------------------------------------- chapter 05: reductions and rows


def adds_floats(f):
    floats = f.dtype == f.y.dtype == float32
    return f.code == "SUM" and floats and f.m * f.n < 2**31


def shape_and_strides(f):
    numbers = [f.x.new_number(t or (0,), int32) for t in (f.x.shape, f.x.strides)]
    return {"shape": numbers[0], "strides": numbers[1], "ndim": f.x.ndim}


def two_stages(variant, operator, f):
    """Sums of blocks, and their sum."""
    blocks = min(cdiv(f.n, THREADS), THREADS)
    some, function = f.x.new_empty((blocks,)), variant.function(f.device)
    for source, target, count in (f.x, some, f.n), (some, f.y, blocks):
        args, grid = [source, target, np.int32(count)], target.numel()
        launch.launch(operator, variant.name, function, f.device, grid, THREADS, args)


def max_of_rows(variant, operator, f):
    """The kernel writes indices as int."""
    indices, function = f.x.new_empty((f.m,), int32), variant.function(f.device)
    args = f.x, f.values, indices, np.int32(f.n)
    launch.launch(operator, variant.name, function, f.device, f.m, THREADS, args)
    f.indices.copy_(indices)


def are_floats(f):
    return f.types == {float32} and f.rows * f.n < 2**31


def is_softmax(f):
    return are_floats(f) and not f.log


SUM = [
    Variant("yours", "sum_dim", reductions.sum_dim, adds_floats,
            "x shape strides y ndim:int kept:int m:int n:int",
            grid=lambda f: cdiv(f.m, THREADS), more=shape_and_strides),
    Variant("yours", "sum_all", reductions.sum_all,
            lambda f: f.contiguous and f.m == 1 and adds_floats(f), run=two_stages),
]  # fmt: skip
MAX = Variant("yours", "max_argmax", reductions.max_argmax,
              lambda f: f.parts == 1 and f.m * f.n < 2**31 and f.code == "MAX"
              and f.dtype == float32, run=max_of_rows)  # fmt: skip
SOFTMAX = [
    Variant("yours", "softmax_rows", reductions.softmax_rows, is_softmax, "x y n:int",
            grid=a_row),
    Variant("yours", "online_softmax", reductions.online_softmax, is_softmax,
            "x y n:int", grid=a_row),
]  # fmt: skip
LAYER_NORM = Variant("yours", "layer_norm", reductions.layer_norm, are_floats,
                     "x weight bias y n:int eps:wide", grid=a_row)  # fmt: skip

# ------------------------------------------------- chapter 07: windows


def is_even(f):
    """Are they floats, and is the window the same for height and width?"""
    both = f.w.stride, f.w.padding, f.w.dilation
    return f.dtype == float32 and all(a == b for a, b in both)


def numbers(f):
    names = "H", "W", "KH", "KW", "OH", "OW", "stride", "padding", "dilation"
    w = f.w
    sizes = *w.size, *w.kernel, *w.out, w.stride[0], w.padding[0], w.dilation[0]
    return dict(zip(names, sizes, strict=True))


def of_columns(kernel, exercise, args):
    """A thread for each element of the larger of the two tensors."""
    sizes = "planes H W KH KW OH OW stride padding dilation"
    return Variant(
        "yours", kernel, exercise, is_even,
        args + "".join(f" {name}:int" for name in sizes.split()),
        grid=lambda f: cdiv(max(f.x.numel(), f.y.numel()), THREADS), more=numbers,
    )  # fmt: skip


IM2COL = of_columns("im2col", convolution.im2col, "x y")
COL2IM = of_columns("col2im", convolution.col2im, "y x")


def is_gemm(f):
    return f.dtype == float32 and f.s.groups == 1


def are_columns(f):
    return is_gemm(f) and is_even(launch.LaunchInfo(x=f.a, w=f.s.window))


def is_direct(f):
    """Stride and dilation 1, a square window and the same padding all around?"""
    w = f.s.window
    plain = w.stride == w.dilation == (1, 1) and w.padding[0] == w.padding[1]
    square = w.kernel[0] == w.kernel[1] <= 7
    size = tuple(n + 2 * w.padding[0] - w.kernel[0] + 1 for n in w.size)
    return is_gemm(f) and plain and square and size == w.out


def bias_of(f):
    return f.bias if f.biased else f.x.new_zeros((f.s.O,))


def tiles_with_halo(f):
    w = f.s.window
    names = "C", "high", "wide", "O", "side", "padding", "bias"
    facts = f.s.C, *w.size, f.s.O, w.kernel[0], w.padding[0], bias_of(f)
    return dict(zip(names, facts, strict=True))


def conv2d_gemm(unfold):
    """A product with the columns that `unfold` makes."""

    def columns(f):
        unfolded = unfold(f.x, w=f.s.window)
        return {"columns": unfolded, "bias": bias_of(f), "O": f.s.O,
                "places": f.s.places, "taps": f.s.w[1] * f.s.window.taps}  # fmt: skip

    return Variant("yours", "conv2d_gemm", convolution.conv2d_gemm, is_gemm,
                   "columns w bias y O:int taps:int places:int", (16, 16),
                   lambda f: (cdiv(f.s.places, 16), cdiv(f.s.O, 16), f.s.N),
                   more=columns)  # fmt: skip


CONV2D_DIRECT = Variant(
    "yours", "conv2d_direct", convolution.conv2d_direct, is_direct,
    "x w bias y C:int high:int wide:int O:int side:int padding:int", (16, 16),
    lambda f: (*(cdiv(n, 16) for n in f.s.window.out[::-1]), f.s.N * f.s.O),
    more=tiles_with_halo,
)  # fmt: skip


def planes(x):
    return math.prod(x.shape[:-2])


def largest(variant, operator, f):
    """The kernel writes indices as int."""
    w, indices = f.w, f.x.new_empty(f.y.shape, int32)
    sizes = planes(f.x), *w.size, *w.out, w.kernel[0], w.stride[0], w.padding[0]
    args = f.x, f.y, indices, *np.int32(sizes)
    function, grid = variant.function(f.device), cdiv(f.n, THREADS)
    launch.launch(operator, variant.name, function, f.device, grid, THREADS, args)
    f.indices.copy_(indices)


def largest_backward(variant, operator, f):
    """The kernel reads indices as int, and adds to dx."""
    count = planes(f.dy)
    sizes = count, f.dx.numel() // max(count, 1), f.dy.numel() // max(count, 1)
    args = f.dy, f.indices.int(), f.dx.zero_(), *np.int32(sizes)
    grid = cdiv(max(f.dx.numel(), f.dy.numel()), THREADS) if f.n else 0
    function = variant.function(f.device)
    launch.launch(operator, variant.name, function, f.device, grid, THREADS, args)


MAX_POOL = Variant(
    "yours", "max_pool2d", convolution.max_pool2d, lambda f: is_even(f)
    and f.w.kernel[0] == f.w.kernel[1] and f.w.dilation == (1, 1), run=largest,
)  # fmt: skip
MAX_POOL_BACKWARD = Variant(
    "yours", "max_pool2d_backward", convolution.max_pool2d_backward,
    lambda f: f.dtype == float32, run=largest_backward,
)  # fmt: skip
