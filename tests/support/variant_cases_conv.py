"""Launches of the kernels of convolution and pooling; see variant_cases.py."""

from types import SimpleNamespace

import numpy as np
import torch
import torch.nn.functional as F
from variant_cases import HALF, Case, blank, family, numbers, whole

from minigrad.ops import conv, pooling, unfold

# N, C, H, W, O, kernel, stride, padding, dilation, groups: nothing square, nothing even
CONVOLUTIONS = (
    (2, 3, 9, 7, 10, (3, 3), (1, 1), (1, 1), (1, 1), 1),
    (3, 4, 8, 9, 6, (3, 2), (2, 1), (1, 2), (1, 2), 2),
    (1, 2, 5, 35, 4, (1, 5), (1, 3), (0, 2), (1, 1), 1),
    (2, 6, 6, 4, 40, (2, 2), (1, 1), (0, 0), (2, 1), 1),
)
NEAR = 1e-5


def convolution(n, c, h, w, o, kernel, stride, padding, dilation, groups):
    """(sizes, x, w, bias, dy as NumPy, y, dx, dw, db as PyTorch has them)."""
    shape = conv.shape_of(
        (n, c, h, w), (o, c // groups, *kernel), stride, padding, dilation, groups
    )
    sizes = shape.x, shape.w, (o,), shape.y
    given = [numbers(*size, seed=i) / 100 for i, size in enumerate(sizes)]
    x, weight, bias, dy = (torch.from_numpy(a).double() for a in given)
    leaves = [t.requires_grad_() for t in (x, weight, bias)]
    y = F.conv2d(*leaves, stride, padding, dilation, groups)
    true = y, *torch.autograd.grad(y, leaves, dy)
    return shape, *given, *(t.detach().numpy() for t in true)


@family("conv")
def _():
    for sizes in CONVOLUTIONS:
        s, x, w, bias, dy, y, dx, dw, _ = convolution(*sizes)
        struct, one = s.struct("sim"), np.int32(1)
        n = np.int64(y.size)
        args = x, w, bias, blank(*s.y), struct
        yield Case("conv2d_direct<float>", (whole(n, 64),), (64,), (*args, one, n),
                   {3: y}, NEAR)  # fmt: skip
        high, wide = s.window.out
        for planes in (s.N * s.O, 3) if conv.fits_halo(SimpleNamespace(s=s)) else ():
            grid = whole(wide, 16), whole(high, 16), planes
            yield Case("conv2d_halo<float>", grid, (16, 16),
                       (*args, one, np.int64(s.N * s.O)), {3: y}, NEAR)  # fmt: skip
        n = np.int64(dx.size)
        args = w, dy, blank(*s.x), struct, n
        yield Case("conv2d_input_direct<float>", (whole(n, 64),), (64,), args,
                   {2: dx}, NEAR)  # fmt: skip
        yield Case("conv2d_weight_direct<float>", (dw.size,), (64,),
                   (x, dy, blank(*s.w), struct), {2: dw}, NEAR)  # fmt: skip
    h = [a.astype(np.float16) for a in (x, w, bias)]
    args = *h, blank(*s.y, dtype=np.float16), struct, one, np.int64(y.size)
    yield Case("conv2d_direct<half, float>", (whole(y.size, 96),), (96,), args,
               {3: y}, 4e-3, HALF)  # fmt: skip


@family("conv_gemm")
def _():
    for sizes in CONVOLUTIONS:
        result = convolution(*sizes)
        for what in range(3):
            yield from products(what, "conv2d_implicit<{0}, float>", 16, 16, (16, 16),
                                *result)  # fmt: skip
            (kh, kw), (sh, sw) = result[0].window.kernel, result[0].window.stride
            name = f"conv2d_pipelined<{{0}}, {kh}, {kw}, {sh}, {sw}, 32, 64>"
            yield from products(what, name, 32, 64, (128,), *result)
    for high, wide, deep in ((64, 32, 16), (64, 64, 16), (32, 64, 8)):
        name = f"conv2d_pipelined<{{0}}, 2, 2, 1, 1, {high}, {wide}, {deep}>"
        for what in range(3):
            yield from products(what, name, high, wide, (128,), *result, deep=deep)
    some, width = numbers(9, 5, 8) / 100, 8
    total = some.sum(0, dtype=float)
    sizes = np.int32([5, width, 1, 9])
    yield Case("conv2d_join<float>", (2,), (32, 8),
               (some, blank(5, width - 1), blank(5), *sizes),
               {1: total[:, :-1], 2: total[:, -1]}, NEAR)  # fmt: skip


def products(
    what, name, high, across, block, s, x, w, bias, dy, y, dx, dw, db, deep=16
):
    """An implicit product; of dx and dw in 1 part and in 3."""
    M, N, K = s.product(what)
    N += what == 2
    grid, biased = (whole(N, across), whole(M, high)), np.int32(what != 1)
    struct, name = s.struct("sim"), name.format(what)
    if what < 2:
        a, b, c = (w, x, y) if what == 0 else (w, dy, dx)
        args = a, b, bias, blank(*c.shape), struct, biased, np.int32(1)
        yield Case(name, (*grid, s.groups), block, args, {3: c}, NEAR)
        return
    both = np.concatenate([dw.reshape(s.O, -1), db[:, None]], 1)
    args = dy, x, bias, blank(1, *both.shape), struct, biased, np.int32(1)
    yield Case(name, (*grid, s.groups), block, args, {3: both[None]}, NEAR)
    parts = whole(K, 3 * deep) * deep
    images = np.arange(K)
    some = [per_part(s, x, dy, images[i * parts : (i + 1) * parts]) for i in range(3)]
    args = dy, x, bias, blank(3, *both.shape), struct, biased, np.int32(3)
    yield Case(name, (*grid, s.groups * 3), block, args, {3: np.stack(some)}, NEAR)


def per_part(s, x, dy, which):
    """dw and db of some of the places alone."""
    kept = np.zeros((s.N, 1, s.places))
    kept.reshape(-1)[which] = 1
    part = torch.from_numpy(dy.reshape(s.N, s.O, -1) * kept).reshape(s.y)
    w = s.window
    dw = torch.nn.grad.conv2d_weight(
        torch.from_numpy(x).double(), s.w, part, w.stride, w.padding, w.dilation,
        s.groups,
    )  # fmt: skip
    return np.concatenate(
        [dw.numpy().reshape(s.O, -1), part.numpy().sum((0, 2, 3))[:, None]], 1
    )


WINDOWS = (
    ((7, 9), (3, 2), (1, 1), (1, 1), (2, 1)),
    ((6, 5), (2, 2), (1, 0), (0, 0), (2, 2)),
    ((4, 33), (1, 5), (1, 2), (0, 2), (1, 3)),
)  # size, kernel, dilation, padding, stride


@family("unfold")
def _():
    for size, kernel, dilation, padding, stride in WINDOWS:
        dilation = max(1, dilation[0]), max(1, dilation[1])
        w = unfold.window_of(size, kernel, stride, padding, dilation)
        x = numbers(3, *size)
        how = {"dilation": dilation, "padding": padding, "stride": stride}
        y = F.unfold(torch.from_numpy(x)[None].double(), kernel, **how)
        back = F.fold(y, size, kernel, **how).numpy()
        y = y[0].numpy()
        struct, n, columns = w.struct("sim"), np.int32(y.size), y.astype(np.float32)
        args = x, blank(*y.shape), struct
        yield Case("unfold_element<float>", (whole(n, 64),), (64,), (*args, n), {1: y})
        few = np.int32(n // w.taps)
        yield Case("unfold_window<float>", (whole(few, 64),), (64,), (*args, few),
                   {1: y})  # fmt: skip
        args = columns, np.zeros_like(x), struct, n
        yield Case("fold_scatter<float>", (whole(n, 64),), (64,), args, {1: back}, 1e-6)
        n = np.int32(x.size)
        args = columns, blank(*x.shape), struct, n
        yield Case("fold_gather<float>", (whole(n, 64),), (64,), args, {1: back}, 1e-6)


POOLS = (
    ((2, 8, 6), 2, None, 0, 1, False),
    ((3, 7, 9), (3, 2), (2, 1), (1, 1), 1, True),
    ((1, 9, 9), 3, 1, 1, 2, False),
    ((2, 5, 35), 2, 3, 1, 1, True),
)  # x, kernel, stride, padding, dilation, ceil_mode


@family("pool")
def _():
    for size, *how in POOLS:
        x = np.round(numbers(*size) / 40).astype(np.float32)  # with ties
        x[0, 0, 0], x[0, 3, 2:4], x[-1] = np.nan, np.nan, -(x[-1] ** 2)
        yield from maxima(x, how)
        kernel, stride, padding, dilation, ceil_mode = how
        if dilation == 1:
            for count_pad, divisor in ((1, 0), (0, 0), (1, 3)):
                yield from means(numbers(*size), kernel, stride, padding, ceil_mode,
                                 count_pad, divisor)  # fmt: skip


def maxima(x, how):
    w = pooling.pool_window(x.shape, *how, "max_pool2d")
    t = torch.from_numpy(x).double().requires_grad_()
    y, at = F.max_pool2d(t, *how, return_indices=True)
    dy = numbers(*y.shape, seed=1)
    (dx,) = torch.autograd.grad(y, t, torch.from_numpy(dy).double())
    results, at = {1: y.detach().numpy(), 2: at.numpy()}, at.numpy()
    n, m = np.int32(y.numel()), np.int32(x.size)
    args = x, blank(*y.shape), blank(*y.shape, dtype=np.int64), w.struct("sim"), n
    yield Case("max_pool2d<float>", (whole(n, 64),), (64,), args, results)
    mask = np.maximum(numbers(*x.shape, seed=2), 0)
    for relu, expected in ((None, dx.numpy()), (mask, np.where(mask, dx.numpy(), 0))):
        args = dy, at, blank(*x.shape), w.struct("sim")
        yield Case("max_pool2d_input<float>", (whole(m, 64),), (64,), (*args, m, relu),
                   {2: expected}, 1e-6)  # fmt: skip
        if pooling.is_apart(SimpleNamespace(w=w)):
            yield Case("max_pool2d_input_apart<float>", (whole(n, 64),), (64,),
                       (*args, n, relu), {2: expected}, 1e-6)  # fmt: skip


def means(x, kernel, stride, padding, ceil_mode, count_pad, divisor):
    w = pooling.pool_window(
        x.shape, kernel, stride, padding, 1, ceil_mode, "avg_pool2d"
    )
    t = torch.from_numpy(x).double().requires_grad_()
    y = F.avg_pool2d(t, kernel, stride, padding, ceil_mode, bool(count_pad),
                     divisor or None)  # fmt: skip
    dy = numbers(*y.shape, seed=1)
    (dx,) = torch.autograd.grad(y, t, torch.from_numpy(dy).double())
    n, m, by = np.int32(y.numel()), np.int32(x.size), np.int32(divisor)
    args = x, blank(*y.shape), w.struct("sim"), by, n
    yield Case(f"avg_pool2d<{count_pad}, float>", (whole(n, 64),), (64,), args,
               {1: y.detach().numpy()}, 1e-6)  # fmt: skip
    args = dy, blank(*x.shape), w.struct("sim"), by, m
    yield Case(f"avg_pool2d_input<{count_pad}, float>", (whole(m, 64),), (64,), args,
               {1: dx.numpy()}, 1e-6)  # fmt: skip
