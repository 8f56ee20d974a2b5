"""Convolution and pooling, each beside what PyTorch does (cuDNN)."""

from types import SimpleNamespace

import numpy as np

from benchmarks.variants import (
    Family,
    Variant,
    blocks,
    empty,
    empty_of_torch,
    family,
    numbers,
    of_torch,
    variant,
)
from minigrad.ops import conv
from minigrad.ops.pooling import pool_window

# N, C, H, W, O of 3 x 3 windows with padding 1: the two layers of a network for MNIST
LAYERS = (1024, 1, 28, 28, 32), (1024, 32, 14, 14, 64)


def layer(n, c, h, w, o):
    """Sizes, arrays x, w, bias, dy, and the same as tensors of torch."""
    s = conv.shape_of((n, c, h, w), (o, c, 3, 3), padding=1)
    arrays = numbers(*s.x), numbers(*s.w), numbers(o), numbers(*s.y)
    return s, arrays, [of_torch(a) for a in arrays]


def products(s, what, a, b, bias, c, biased=0, parts=1):
    """The two implicit products, for what = 0, 1 and 2."""
    M, N, K = s.product(what)
    N += biased * (what == 2)
    args = a, b, bias, c, s.struct("sim"), np.int32(biased), np.int32(parts)
    yield variant("conv_gemm", f"conv2d_implicit<{what}, float>",
                  (blocks(N, 16), blocks(M, 16), parts), (16, 16), *args)  # fmt: skip
    high, wide, deep = conv.tile_of(SimpleNamespace(M=M, N=N, K=K, what=what))
    name = f"conv2d_pipelined<{what}, 3, 3, 1, 1, {high}, {wide}, {deep}>"
    yield variant("conv_gemm", name,
                  (blocks(N, wide), blocks(M, high), parts), 128, *args)  # fmt: skip


def title(name, s):
    x, w = (" x ".join(map(str, size)) for size in (s.x, s.w))
    return f"{name}: images {x}, weights {w}"


@family
def convolution():
    import torch

    torch.backends.cudnn.allow_tf32 = False
    F = torch.nn.functional
    for sizes in LAYERS:
        s, (x, w, bias, _), (X, W, B, _) = layer(*sizes)
        y, struct, one = empty(*s.y), s.struct("sim"), np.int32(1)
        grid = blocks(s.window.out[1], 16), blocks(s.window.out[0], 16), 65535
        args = x, w, bias, y, struct, one
        yield Family(
            title("conv2d", s), lambda X=X, W=W, B=B: F.conv2d(X, W, B, padding=1),
            lambda y=y: y,
            [variant("conv", "conv2d_direct<float>", blocks(y.size, 256), 256, *args,
                     np.int64(y.size)),
             variant("conv", "conv2d_halo<float>", grid, (16, 16), *args,
                     np.int64(s.N * s.O)), *products(s, 0, w, x, bias, y, 1)],
            flops=flops(s), near=1e-5, after="read tiles with the copy engine, "
            "and use Winograd's transform, which needs 2.25 times fewer "
            "multiplications.",
        )  # fmt: skip


def flops(s):
    return 2 * s.N * s.O * s.places * s.w[1] * s.window.taps


@family
def convolution_backward():
    import torch

    torch.backends.cudnn.allow_tf32 = False
    s, (x, w, bias, dy), (X, W, _, DY) = layer(*LAYERS[1])
    dx, struct = empty(*s.x), s.struct("sim")
    yield Family(
        title("conv2d, dx", s),
        lambda: torch.nn.grad.conv2d_input(s.x, W, DY, padding=1), lambda: dx,
        [variant("conv", "conv2d_input_direct<float>", blocks(dx.size, 256), 256, w, dy,
                 dx, struct, np.int64(dx.size)), *products(s, 1, w, dy, bias, dx)],
        flops=flops(s), near=1e-5,
    )  # fmt: skip
    dw, parts = empty(*s.w), conv.PARTS // 5  # of five tiles
    some = empty(parts, *s.w)
    size = np.int32(s.O), np.int32(s.w[1] * s.window.taps), np.int32(0), np.int32(parts)
    join = variant("conv_gemm", "conv2d_join<float>", blocks(dw.size, 32), (32, 8),
                   some, dw, dw, *size)  # fmt: skip
    direct = variant(
        "conv", "conv2d_weight_direct<float>", dw.size, 256, x, dy, dw, struct
    )
    yield Family(
        title("conv2d, dw", s),
        lambda: torch.nn.grad.conv2d_weight(X, s.w, DY, padding=1), lambda: dw,
        [direct, *(both(r, join) for r in products(s, 2, dy, x, bias, some, 0, parts))],
        flops=flops(s), near=1e-4,
    )  # fmt: skip


def both(first, second):
    """Two launches as one variant."""

    def launch():
        first.launch()
        second.launch()

    return Variant(f"{first.name}, {second.name}", launch)


@family
def folding():
    import torch

    F, (s, (x, *_), (X, *_)) = torch.nn.functional, layer(*LAYERS[1])
    shape = s.N, s.C * s.window.taps, s.places
    y, back, struct = empty(*shape), empty(*s.x), s.window.struct("sim")
    n, few, pixels = map(np.int32, (y.size, y.size // s.window.taps, x.size))
    nbytes = 4 * (x.size + y.size)
    yield Family(
        f"unfold (im2col), images {s.x}", lambda: F.unfold(X, 3, padding=1), lambda: y,
        [variant("unfold", "unfold_element<float>", blocks(n, 256), 256, x, y, struct,
                 n),
         variant("unfold", "unfold_window<float>", blocks(few, 256), 256, x, y, struct,
                 few)], nbytes=nbytes,
    )  # fmt: skip
    columns = numbers(*shape)
    C = of_torch(columns)

    def scatter():
        back.fill(0)
        adding.launch()

    adding = variant("unfold", "fold_scatter<float>", blocks(n, 256), 256, columns,
                     back, struct, n)  # fmt: skip
    gather = variant("unfold", "fold_gather<float>", blocks(pixels, 256), 256, columns,
                     back, struct, pixels)  # fmt: skip
    yield Family(
        f"fold (col2im), images {s.x}",
        lambda: F.fold(C, s.window.size, 3, padding=1), lambda: back,
        [Variant("zeros, fold_scatter<float>", scatter), gather], nbytes=nbytes,
    near=1e-5, )  # fmt: skip


@family
def pooling():
    import torch

    x, F = numbers(1024, 32, 28, 28), torch.nn.functional
    X = of_torch(x)
    w = pool_window(x.shape, 2, None, 0, 1, False, "max_pool2d")
    y, dy, dx = empty(1024, 32, 14, 14), numbers(1024, 32, 14, 14), empty(*x.shape)
    at, struct = empty(*y.shape, dtype=np.int64), w.struct("sim")
    n, m, nbytes = np.int32(y.size), np.int32(x.size), 4 * x.size + 12 * y.size
    one = variant("pool", "max_pool2d<float>", blocks(n, 256), 256, x, y, at, struct, n)
    yield Family(
        "max_pool2d of 2 x 2, images 1024 x 32 x 28 x 28",
        lambda: F.max_pool2d(X, 2, return_indices=True)[0], lambda: y, [one],
        nbytes=nbytes,
    )  # fmt: skip
    one.launch()
    DY, AT, DX = of_torch(dy), of_torch(at), empty_of_torch(*x.shape)
    back, how = torch.ops.aten.max_pool2d_with_indices_backward, ([2, 2], [2, 2])
    yield Family(
        "max_pool2d backward, the same",
        lambda: back(DY, X, *how, [0, 0], [1, 1], False, AT, grad_input=DX),
        lambda: dx,
        [variant("pool", "max_pool2d_input<float>", blocks(m, 256), 256, dy, at, dx,
                 struct, m, None)], nbytes=nbytes,
    )  # fmt: skip
