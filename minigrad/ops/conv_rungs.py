"""The ladders of conv2d, forward and backward, and for which sizes a rung is made."""

from ..kernels import convolution as holes
from ..storage import float32
from .ladder import Rung
from .window import is_simple

BLOCKS = 264  # that keep a large GPU busy: two for each of its processors
PARTS = 8 * 132  # of dw: their blocks are small, and wait for memory

HALO = 40


def fits_halo(shape, **facts):
    w = shape.window
    ways = zip(w.stride, w.kernel, w.dilation, strict=True)
    return max(15 * s + (k - 1) * d + 1 for s, k, d in ways) <= HALO


def is_product(M, **facts):
    """Are there rows enough for a tile?"""
    return M >= 4


def is_large_float(M, shape, dtype, **facts):
    return dtype == float32 and M >= 8 and shape.window.taps <= 32


PRODUCTS = [
    Rung("im2col", "unfold_window", "unfold.cu"),
    Rung("implicit", "conv2d_implicit", "conv_gemm.cu", is_product),
    Rung("pipelined", "conv2d_pipelined", "conv_gemm.cu", is_large_float),
]


def is_gemm(dtype, shape, **facts):
    return dtype == float32 and shape.groups == 1


def is_halo(dtype, shape, **facts):
    w = shape.window
    plain = w.stride == w.dilation == (1, 1) and w.padding[0] == w.padding[1]
    square = w.kernel[0] == w.kernel[1] <= 7
    size = tuple(n + 2 * w.padding[0] - w.kernel[0] + 1 for n in w.size)
    return is_gemm(dtype, shape) and plain and square and size == w.out


def are_columns(dtype, shape, **facts):
    return is_gemm(dtype, shape) and is_simple(dtype, shape.window)


FORWARD = [
    Rung("yours", "conv2d_gemm", holes.conv2d_gemm, is_gemm, "columns"),
    Rung("yours", "conv2d_direct", holes.conv2d_direct, is_halo, "tiles"),
    Rung("direct", "conv2d_direct", "conv.cu"),
    Rung("halo", "conv2d_halo", "conv.cu", fits_halo),
    *PRODUCTS,
]
INPUT = [
    Rung("yours", "col2im", holes.col2im, are_columns, "im2col"),
    Rung("direct", "conv2d_input_direct", "conv.cu"),
    *PRODUCTS,
]
WEIGHT = [
    Rung("yours", "im2col", holes.im2col, are_columns, "im2col"),
    Rung("direct", "conv2d_weight_direct", "conv.cu"),
    *PRODUCTS,
]
JOIN = Rung("join", "conv2d_join", "conv_gemm.cu")


def tile_of(M, N, what):
    """BM and BN of conv2d_pipelined: large, but with blocks enough."""
    high = 32 if M <= 32 else 64
    if what == 2:  # the parts make blocks enough
        return high, 64
    counts = {wide: -(-M // high) * -(-N // wide) for wide in (128, 64)}
    enough = [wide for wide, count in counts.items() if count >= BLOCKS]
    return high, (enough or [32 if high == 64 else 64])[0]
