"""conv2d forward and backward: direct, by im2col, and as implicit products.

Three operators: conv2d makes y of x and w, conv2d_input dx of w and dy, conv2d_weight
dw and db of x and dy. Each is linear in both operands, so that the gradients of the one
are the other two.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from .. import launch
from ..arrays import NumpyKernel
from ..autograd.grad_mode import thread
from ..check import check
from ..dispatch import KERNELS, functional, operator, tensor_for
from ..dtypes import INTEGERS, float32, int64
from ..kernels import learner_variants
from ..kernels.convolution import col2im, im2col
from ..kernels.learner_variants import are_columns
from ..launch import Variant, cdiv
from ..layout import as_ints
from . import unfold
from .matmul import matmul
from .pointwise import add
from .reduce import sum as sum_of
from .unfold import Window, fold_windows, unfold_windows

pair = functools.partial(unfold.pair, "conv2d")  # (name, value) -> two numbers

# ------------------------------------------------- sizes

NAMES = "N C H W O OH OW KH KW SH SW PH PW DH DW groups"
STRUCT = np.dtype([(name, "i4") for name in NAMES.split()])


class Shape(NamedTuple):
    """The sizes of a convolution: x (N, C, H, W), w (O, C / groups, KH, KW)."""

    N: int
    C: int
    O: int  # noqa: E741
    groups: int
    window: Window

    def struct(self, device):
        """A kernel's argument `Conv`."""
        high, wide, oh, ow, *rest = self.window.numbers()
        numbers = self.N, self.C, high, wide, self.O, oh, ow, *rest, self.groups
        return launch.struct(np.array(numbers, STRUCT), device)

    inside = property(lambda s: (s.C // s.groups, s.O // s.groups))  # of x, of y
    places = property(lambda s: s.window.out[0] * s.window.out[1])
    x = property(lambda s: (s.N, s.C, *s.window.size))
    w = property(lambda s: (s.O, s.C // s.groups, *s.window.kernel))
    y = property(lambda s: (s.N, s.O, *s.window.out))
    # An image's windows, the weights, an image of y: a matrix for each group.
    columns = property(lambda s: (s.groups, s.inside[0] * s.window.taps, s.places))
    matrices = property(lambda s: (s.groups, s.inside[1], s.inside[0] * s.window.taps))
    rows = property(lambda s: (s.groups, s.inside[1], s.places))

    def product(self, what):
        """(M, N, K) of the implicit product: see conv_gemm.cu."""
        (c, o), taps, (high, wide) = self.inside, self.window.taps, self.window.size
        return [
            (o, self.N * self.places, c * taps),
            (c, self.N * high * wide, o * taps),
            (o, c * taps, self.N * self.places),
        ][what]


def shape_of(x, w, stride=1, padding=0, dilation=1, groups=1):
    """The Shape of a convolution of x with w, both given by their shapes."""
    check(len(x) in (3, 4), "Expected 3D (unbatched) or 4D (batched) input to conv2d, "
          f"but got input of size: {list(x)}")  # fmt: skip
    check(len(w) == 4, "conv2d: expected a weight (O, C / groups, KH, KW), got shape "
          f"{list(w)}")  # fmt: skip
    stride, dilation = pair("stride", stride), pair("dilation", dilation)
    (groups,) = as_ints((groups,))
    check(groups >= 1, "conv2d: non-positive groups is not supported")
    check(min(stride) >= 1, "conv2d: non-positive stride is not supported")
    check(min(dilation) >= 1, "conv2d: dilation should be greater than zero, but got "
          f"{list(dilation)}")  # fmt: skip
    before, after = paddings(padding, stride, dilation, w[2:])
    check(min(before) >= 0, "conv2d: negative padding is not supported")
    what, given = "at least" if w[0] < groups else "divisible by", list(w)
    check(w[0] >= groups and w[0] % groups == 0,
          f"conv2d: Given groups={groups}, expected weight to be {what} {groups} at "
          f"dimension 0, but got weight of size {given} instead")  # fmt: skip
    check(x[-3] == w[1] * groups, f"conv2d: Given groups={groups}, weight of size "
          f"{given}, expected input{list(x)} to have {w[1] * groups} channels, but "
          f"got {x[-3]} channels instead")  # fmt: skip
    size, kernel = tuple(x[-2:]), tuple(w[2:])
    check(min(kernel) >= 1, f"conv2d: a kernel of size {kernel} has no elements")
    window = unfold.window_of(size, kernel, stride, before, dilation, after)
    padded = [sum(n) for n in zip(size, before, after, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    check(min(window.out) >= 1,
          f"conv2d: Calculated padded input size per channel: ({padded[0]} x "
          f"{padded[1]}). Kernel size: ({reach[0]} x {reach[1]}). Kernel size can't be "
          "greater than actual input size")  # fmt: skip
    return Shape(x[0] if len(x) == 4 else 1, x[-3], w[0], groups, window)


def paddings(padding, stride, dilation, kernel):
    """The padding (above, left) and (below, right)."""
    if not isinstance(padding, str):
        return (pair("padding", padding),) * 2
    check(padding in ("same", "valid"), f"conv2d: Invalid padding string: {padding!r}")
    if padding == "valid":
        return ((0, 0),) * 2
    check(stride == (1, 1), "conv2d: padding='same' is not supported for strided "
          "convolutions")  # fmt: skip
    totals = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    before = tuple(n // 2 for n in totals)  # of an odd number the larger half is after
    return before, tuple(n - b for n, b in zip(totals, before, strict=True))


def check_operands(x, w, bias):
    """One dtype for all; a bias for each channel."""
    for name, t in ("weight", w), ("bias", bias):
        dtype = x.dtype if t is None else t.dtype
        check(dtype == x.dtype, f"conv2d: expected {name} of the input's dtype "
              f"{x.dtype}, but found {dtype}: {name}.to(input.dtype) makes a copy"
              )  # fmt: skip
    check(bias is None or bias.shape == w.shape[:1],
          lambda: f"conv2d: Given weight of size {list(w.shape)}, expected bias to be "
          f"1-dimensional with {w.shape[0]} elements, but got bias of size "
          f"{list(bias.shape)} instead")  # fmt: skip


# ------------------------------------------------- kernels

PARTS = 8 * 132  # of dw: their blocks are small, and wait for memory
HALO = 40


def fits_halo(f):
    w = f.s.window
    ways = zip(w.stride, w.kernel, w.dilation, strict=True)
    return max(15 * s + (k - 1) * d + 1 for s, k, d in ways) <= HALO


def tile_of(f):
    """BM, BN and BK of conv2d_pipelined: large, but with blocks enough."""
    deep = 16 if f.K > 16 else 8
    if f.M <= 32:
        return 32, 64, deep
    few = f.what != 2 and cdiv(f.M, 64) * cdiv(f.N, 64) < launch.BLOCKS
    return 64, 32 if few else 64, deep


def grid_of(f, high, wide, deep):
    return cdiv(f.N + f.extra, wide), cdiv(f.M, high), f.s.groups * f.parts


def products(by_columns):
    """The variants that are products: by im2col, which is a function, or implicit."""
    implicit = "a b bias c conv biased:int parts:int"
    return [
        Variant("im2col", "unfold_window", "unfold.cu", run=by_columns),
        Variant("implicit", "conv2d_implicit", "conv_gemm.cu", lambda f: f.M >= 4,
                implicit, (16, 16), lambda f: grid_of(f, 16, 16, 16),
                lambda f: (f.what, f.dtype, f.c.dtype, f.wide)),
        Variant("pipelined", "conv2d_pipelined", "conv_gemm.cu",
                lambda f: f.dtype == float32 and f.M >= 8 and f.s.window.taps <= 32,
                implicit, 128, lambda f: grid_of(f, *tile_of(f)), lambda f: (
                    f.what, *f.s.window.kernel, *f.s.window.stride, *tile_of(f))),
    ]  # fmt: skip


def forward_by_columns(variant, operator, f):
    """im2col, and a product for each image and group."""
    y = matmul(f.w.view(f.s.matrices), columns_of(f.x, f.s)).view(f.s.y)
    return add(y, f.bias.view(f.s.O, 1, 1)) if f.biased else y


def input_by_columns(variant, operator, f):
    s = f.s
    columns = matmul(f.a.view(s.matrices).transpose(1, 2), f.b.view(s.N, *s.rows))
    return fold_windows(columns.view(s.N, s.C * s.window.taps, s.places), w=s.window)


def weight_by_columns(variant, operator, f):
    dy, columns = f.a.view(f.s.N, *f.s.rows), columns_of(f.b, f.s)
    return matmul(dy, columns.transpose(2, 3)).sum(0).view(f.s.w)


FORWARD = launch.variants(
    learner_variants.conv2d_gemm(unfold_windows),
    learner_variants.CONV2D_DIRECT,
    Variant("direct", "conv2d_direct", "conv.cu",
            args="x w bias y conv biased:int n:long"),
    Variant("halo", "conv2d_halo", "conv.cu", fits_halo,
            "x w bias y conv biased:int planes:long", (16, 16),
            lambda f: (*(cdiv(n, 16) for n in f.s.window.out[::-1]),
                    min(f.planes, 65535))),
    *products(forward_by_columns),
)  # fmt: skip
INPUT = launch.variants(
    Variant("yours", "col2im", col2im, are_columns, run=input_by_columns),
    Variant("direct", "conv2d_input_direct", "conv.cu", args="a b c conv n:long"),
    *products(input_by_columns),
)
WEIGHT = launch.variants(
    Variant("yours", "im2col", im2col, are_columns, run=weight_by_columns),
    Variant("direct", "conv2d_weight_direct", "conv.cu", args="b a dw conv",
            grid=lambda f: f.dw.numel()),
    *products(weight_by_columns),
)  # fmt: skip
JOIN = launch.one("join", "conv2d_join", "conv_gemm.cu",
                  args="some dw db O:int width:int biased:int parts:int",
                  block=(32, 8), grid=lambda f: cdiv(f.O * f.width, 32))  # fmt: skip


def facts_of(what, s, x, **more):
    """What the variants ask of a convolution: it is a product M x K times K x N."""
    M, N, K = s.product(what)
    check(max(M, N, K) < 2**31 - 256, f"conv2d: a batch of {s.N} images is too large")
    facts = {"what": what, "s": s, "M": M, "N": N, "K": K, "extra": 0, "parts": 1,
             "conv": s.struct(x.device), "biased": 0}  # fmt: skip
    return launch.LaunchInfo(x=x, **facts | more)


def columns_of(x, s):
    """im2col: (N, groups, taps of a group, places)."""
    return unfold_windows(x, w=s.window).view(s.N, *s.columns)


# ------------------------------------------------- on "cpu", some images at a time

CHUNK = 2**19  # elements of windows that are copied at a time


def chunks_of(x, s):
    """(which images, their windows (n, groups, taps of a group, places)), by and by."""
    x, step = unfold.padded(x, s.window), images_in_chunk(s)
    for begin in range(0, s.N, step):
        part = x[begin : begin + step]
        columns = unfold.windows(part, s.window).reshape(len(part), *s.columns)
        yield slice(begin, begin + step), columns


def images_in_chunk(s):
    """How many images at a time: so many that their windows stay in a cache."""
    return max(1, CHUNK // max(1, s.C * s.window.taps * s.places))


def of_weight_and_bias(dy, a, c, sizes):
    """dw and db: together, or, where that is to be recorded, one by one."""
    if thread.enabled or c is None:
        dw, _ = conv2d_weight(a, dy, sizes=sizes)
        return dw, None if c is None else dy.sum((0, 2, 3))
    return conv2d_weight(a, dy, sizes=sizes, biased=True)


@operator("input weight bias", vjps=[
    lambda dy, b, sizes: conv2d_input(b, dy, sizes), of_weight_and_bias,
    of_weight_and_bias])  # fmt: skip
def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, *,
           sizes=None):  # fmt: skip
    """The sum of each window times the weights: (N, C, H, W) -> (N, O, OH, OW).

    weight: (O, C / groups, KH, KW). bias: (O,) or None. padding: zeros around the
    image, a number or one for height and one for width; "valid" is none, "same" is as
    many as keep the image's size, which needs stride 1. An image without N gives one.
    RuntimeError where the sizes do not fit. sizes: a Shape in place of all these, as
    gradients have it.
    """
    how = stride, padding, dilation, groups
    sizes = sizes or shape_of(input.shape, weight.shape, *how)
    check_operands(input, weight, bias)
    if input.ndim == 3:
        return lambda: conv2d(input.unsqueeze(0), weight, bias, *how).squeeze(0)
    return {"sizes": sizes}


@conv2d.cpu
def on_cpu(x, w, bias, sizes):
    s, w = sizes, w.reshape(sizes.matrices)
    y = np.empty((s.N, *s.rows), x.dtype)
    for part, columns in chunks_of(x, s):
        np.matmul(w, columns, out=y[part])
    if bias is not None:
        y += bias.reshape(s.groups, -1, 1)
    return y.reshape(s.y)


KERNELS.update({("conv2d", "cpu", t): NumpyKernel(on_cpu, t) for t in INTEGERS})


@conv2d.device
def _(x, w, bias, sizes, epilogue=launch.NO_EPILOGUE):
    s, x, w = sizes, x.contiguous(), w.contiguous()
    y, biased = x.new_empty(s.y), int(bias is not None)
    if not y.numel():
        return y
    bias = bias.contiguous() if biased else w
    f = facts_of(0, s, x, w=w, y=y, a=w, b=x, c=y, bias=bias, biased=biased,
                 n=y.numel(), planes=s.N * s.O, epilogue=epilogue)  # fmt: skip
    result = launch.select(FORWARD, f).launch("conv2d", f)
    return y if result is None else result


@operator("w dy", vjps=[
    lambda dy, b, sizes: conv2d_weight(dy, b, sizes)[0],
    lambda dy, a, sizes: conv2d(dy, a, sizes=sizes)])  # fmt: skip
def conv2d_input(w, dy, sizes):
    """dx: each dy goes, times the weights, to where its window was."""


@conv2d_input.cpu
def input_on_cpu(w, dy, sizes):
    s, window, (c, o) = sizes, sizes.window, sizes.inside
    taps = w.reshape(s.groups, o, c, window.taps).transpose(3, 0, 1, 2).copy()
    dy = dy.reshape(s.N, *s.rows).swapaxes(2, 3)
    (top, left), (high, wide) = window.padding, window.size
    dx, step = np.empty((s.N, s.groups, c, high, wide), w.dtype), images_in_chunk(s)
    for n in range(0, s.N, step):  # channels last: so one adds long runs of memory
        part = dy[n : n + step]
        x = np.zeros((len(part), s.groups, *window.extent(), c), w.dtype)
        x, shape = x.transpose(0, 1, 4, 2, 3), (len(part), s.groups, *window.out, c)
        for w, (_, under) in zip(taps, unfold.under_taps(x, window), strict=True):
            under += np.matmul(part, w).reshape(shape).transpose(0, 1, 4, 2, 3)
        dx[n : n + step] = x[..., top : top + high, left : left + wide]
    return dx.reshape(s.x)


KERNELS["conv2d_input", "cpu", int64] = NumpyKernel(input_on_cpu, int64)


@conv2d_input.device
def _(w, dy, sizes):
    s, w, dy = sizes, w.contiguous(), dy.contiguous()
    dx = w.new_empty(s.x)
    if not dx.numel():
        return dx
    f = facts_of(1, s, w, a=w, b=dy, c=dx, bias=w, n=dx.numel())
    variant = launch.select(INPUT, f)
    blocks = math.prod(grid_of(f, *tile_of(f)))
    parts = min(3 * launch.BLOCKS // blocks, f.K // 128)
    if variant.name == "pipelined" and blocks < launch.BLOCKS and parts > 1:
        some = w.new_empty((parts, *s.x))  # so that a large GPU's processors have work
        vars(f).update(c=some, parts=parts)
        variant.launch("conv2d_input", f)
        return sum_of(some, 0)
    result = variant.launch("conv2d_input", f)
    return dx if result is None else result


@operator("x dy", results=(None, None), vjps=[
    lambda dy, b, sizes: conv2d_input(dy, b, sizes),
    lambda dy, a, sizes: conv2d(a, dy, sizes=sizes)])  # fmt: skip
def conv2d_weight(x, dy, sizes, biased=False):
    """dw, and db if it is biased: sums over all images and places."""


@conv2d_weight.cpu
def _(x, dy, sizes, biased):
    s, dy = sizes, dy.reshape(sizes.N, *sizes.rows)
    dw = np.zeros(s.matrices, x.dtype)
    for part, columns in chunks_of(x, s):
        dw += np.matmul(dy[part], columns.swapaxes(2, 3)).sum(0)
    return dw.reshape(s.w), dy.sum((0, 3)).reshape(-1) if biased else None


@conv2d_weight.device
def _(x, dy, sizes, biased):
    s, x, dy = sizes, x.contiguous(), dy.contiguous()
    if not (x.numel() and dy.numel()):
        return x.new_zeros(s.w), dy.sum((0, 2, 3)) if biased else None
    dw = x.new_empty(s.w)
    f = facts_of(2, s, x, a=dy, b=x, c=x, dw=dw, bias=dy)
    variant = launch.select(WEIGHT, f)
    if variant.name in ("implicit", "pipelined"):
        return in_parts(variant, f, biased)
    result = variant.launch("conv2d_weight", f)
    return dw if result is None else result, dy.sum((0, 2, 3)) if biased else None


def in_parts(variant, f, biased):
    """Two launches: blocks share the k of a product, and their sums are joined."""
    s, biased = f.s, int(biased)
    width = f.N + biased
    tiles = cdiv(f.M, 32) * cdiv(width, 64) * s.groups
    parts = max(1, min(PARTS // tiles, cdiv(f.K, 128), 65535 // s.groups))
    some = f.x.new_empty((parts, s.O, width), dtype=f.wide)
    vars(f).update(c=some, bias=f.a, biased=biased, extra=biased, parts=parts)
    variant.launch("conv2d_weight", f)
    db = f.x.new_empty((s.O,)) if biased else None
    more = {"O": s.O, "width": width, "biased": biased, "parts": parts}
    launch.run(JOIN, "conv2d_weight", dw=f.dw, some=some, db=db if biased else f.dw,
               **more)  # fmt: skip
    return f.dw, db


# ------------------------------------------------- as PyTorch's other convolutions


@functional
def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """conv2d of one dimension: (N, C, L) with (O, C / groups, K) to (N, O, OL)."""
    for name, x, ranks in ("input", input, (2, 3)), ("weight", weight, (3,)):
        check(tensor_for("conv1d", name, x).ndim in ranks,
              lambda: f"conv1d: expected {name} of {' or '.join(map(str, ranks))} "
              f"dimensions, but got shape {list(x.shape)}")  # fmt: skip
    stride, dilation = (
        (1, *as_ints((n,))) if isinstance(n, tuple | list) else (1, n)
        for n in (stride, dilation)
    )
    if not isinstance(padding, str):
        padding = (0, *as_ints((padding,)))
    high = input.unsqueeze(-2), weight.unsqueeze(-2)
    return conv2d(*high, bias, stride, padding, dilation, groups).squeeze(-2)


@functional
def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0,
                     groups=1, dilation=1):  # fmt: skip
    """The gradient of conv2d by its input, as a layer: (N, C, H, W) -> (N, O, OH, OW).

    weight: (C, O / groups, KH, KW). OH = (H - 1) * stride - 2 * padding + dilation *
    (KH - 1) + output_padding + 1, and OW alike; output_padding < stride or dilation.
    """
    if tensor_for("conv_transpose2d", "input", input).ndim == 3:
        how = stride, padding, output_padding, groups, dilation
        batch = conv_transpose2d(input.unsqueeze(0), weight, bias, *how)
        return batch.squeeze(0)
    named = {"stride": stride, "padding": padding, "dilation": dilation}
    s, p, d = (pair(*item) for item in named.items())
    more = pair("output_padding", output_padding)
    check(input.ndim == 4 and weight.ndim == 4 and input.shape[1] == weight.shape[0],
          lambda: "conv_transpose2d: expected an input (N, C, H, W) and a weight (C, O "
          f"/ groups, KH, KW), got {list(input.shape)} and "
          f"{list(weight.shape)}")  # fmt: skip
    check(all(n < max(a, b) for n, a, b in zip(more, s, d, strict=True)),
          lambda: "output padding must be smaller than either stride or dilation, but "
          f"got output_padding: {more}, stride: {s}, dilation: {d}")  # fmt: skip
    out, kernel = tuple(input.shape[2:]), tuple(weight.shape[2:])
    ways = zip(out, kernel, s, p, d, more, strict=True)
    size = tuple((o - 1) * s - 2 * p + d * (k - 1) + m + 1 for o, k, s, p, d, m in ways)
    check(min(size) >= 1, f"conv_transpose2d: the output would be of size {size}")
    window, channels = Window(size, out, kernel, s, p, d), weight.shape[1] * groups
    sizes = Shape(input.shape[0], channels, input.shape[1], groups, window)
    y = conv2d_input(weight, input, sizes=sizes)
    return y if bias is None else y + bias.view(-1, 1, 1)
