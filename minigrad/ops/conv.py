"""conv2d forward and backward: direct, by im2col, and as implicit products.

Three operators: conv2d makes y of x and w, conv2d_input dx of w and dy, conv2d_weight
dw and db of x and dy. Each takes the sizes of all as a `Shape`.
"""

import numpy as np

from ..autograd.grad_mode import here
from . import elementwise, ladder
from .arrays import as_array
from .conv_rungs import FORWARD, INPUT, JOIN, PARTS, WEIGHT, tile_of
from .ladder import computed_in, memory
from .matmul import matmul
from .rows import RowOperator
from .unfold import fold_windows, unfold_windows
from .window import added_up, padded, windows

CHUNK = 2**19  # elements of windows that are copied at a time on "cpu"


class Convolution(RowOperator):
    """One of the three. what: WHAT in conv_gemm.cu."""

    what, ladder = 0, FORWARD

    def choose(self, a, shape):
        """The rung for such operands."""
        M, N, K = shape.product(self.what)
        if max(M, N, K) >= 2**31 - 256:
            raise RuntimeError(f"{self.name}: a batch of {shape.N} images is too large")
        return ladder.choose(self.ladder, M=M, N=N, K=K, shape=shape, dtype=a.dtype)

    def multiply(self, rung, shape, a, b, bias, c, biased, parts=1):
        """Launch an implicit product: c = a b."""
        M, N, _ = shape.product(self.what)
        N += biased * (self.what == 2)
        high, across, block = 16, 16, (16, 16, 1)
        types = [self.what, a.dtype, c.dtype, computed_in(a.dtype)]
        if rung.way == "pipelined":
            (high, across), w = tile_of(M, N, self.what), shape.window
            types, block = [self.what, *w.kernel, *w.stride, high, across], 128
        grid = -(-N // across), -(-M // high), shape.groups * parts
        args = [*map(memory, (a, b, bias, c)), shape.struct(a.device)]
        args += [np.int32(biased), np.int32(parts)]
        self.launch(rung, types, grid, block, args, (a, b, c))


# ------------------------------------------------- forward


class Forward(Convolution):
    """The sum of what lies under a window, times the weights, at each place."""

    def on_cpu(self, x, w, bias, sizes):
        wide, (c, o), s = computed_in(x.dtype), sizes.inside, sizes
        x_, w_ = as_array(x, wide), as_array(w, wide)
        w_ = w_.reshape(s.groups, o, c * s.window.taps)
        y = np.empty((s.N, s.groups, o, s.places), wide)
        with np.errstate(all="ignore"):
            for part, columns in in_chunks(x_, s):
                np.matmul(w_, columns, out=y[part])
            if bias is not None:
                y += as_array(bias, wide).reshape(s.groups, o, 1)
        return x.new_of(y.reshape(s.y), x.dtype)

    def on_device(self, x, w, bias, sizes):
        s, x, w = sizes, x.contiguous(), w.contiguous()
        y, rung, biased = x.new_empty(s.y), self.choose(x, s), bias is not None
        b = bias.contiguous() if biased else w
        if not y.numel():
            return y
        if rung.way == "im2col":
            return self.by_columns(x, w, bias, s)
        if rung.way in ("implicit", "pipelined"):
            self.multiply(rung, s, w, x, b, y, int(biased))
            return y
        if rung.is_hole:
            bias = b if biased else x.new_zeros((s.O,))
            return self.yours(rung, x, w, bias, y, s)
        types, planes = [x.dtype, computed_in(x.dtype)], s.N * s.O
        args = [*map(memory, (x, w, b, y)), s.struct(x.device), np.int32(biased)]
        grid, block, count = (-(-y.numel() // 256), 1, 1), 256, y.numel()
        if rung.way == "halo":
            high, wide = s.window.out
            grid, block = (-(-wide // 16), -(-high // 16), min(planes, 65535)), (16, 16)
            block, count = (*block, 1), planes
        self.launch(rung, types, grid, block, [*args, np.int64(count)], (x, w, y))
        return y

    def yours(self, rung, x, w, bias, y, s):
        """Launch a kernel of lab 07."""
        high, wide = s.window.out
        if rung.way == "columns":
            x = unfold_windows(x, w=s.window)
            grid, sizes = (s.places, s.O, s.N), (s.O, s.w[1] * s.window.taps, s.places)
            arrays = x, w, bias, y
        else:
            grid, arrays = (wide, high, s.N * s.O), (x, w, bias, y)
            sizes = s.C, *s.window.size, s.O, s.window.kernel[0], s.window.padding[0]
        across = -(-grid[0] // 16)
        down = -(-grid[1] // 16)
        args = [*map(memory, arrays), *np.int32(sizes)]
        self.launch(rung, (), (across, down, grid[2]), (16, 16, 1), args, arrays)
        return y

    def by_columns(self, x, w, bias, s):
        """im2col, and a product for each image and group."""
        columns = columns_of(x, s)
        y = matmul(weights_of(w, s), columns).view(s.y)
        return y if bias is None else elementwise.add(y, bias.view(s.O, 1, 1))


def in_chunks(x, s):
    """(which images, their windows (n, groups, taps of a group, places)), by and by."""
    x = padded(x, s.window)
    step = step_of(s)
    for begin in range(0, s.N, step):
        part = x[begin : begin + step]
        shape = len(part), s.groups, s.inside[0] * s.window.taps, s.places
        yield slice(begin, begin + step), windows(part, s.window).reshape(shape)


def step_of(s):
    """How many images at a time: so many that their windows stay in a cache."""
    return max(1, CHUNK // max(1, s.C * s.window.taps * s.places))


def columns_of(x, s):
    """im2col, on a device: (N, groups, taps of a group, places)."""
    shape = s.N, s.groups, s.inside[0] * s.window.taps, s.places
    return unfold_windows(x, w=s.window).view(shape)


def weights_of(w, s):
    """The weights as a matrix for each group: (groups, O of a group, its taps)."""
    return w.view(s.groups, s.inside[1], s.inside[0] * s.window.taps)


# ------------------------------------------------- backward


class Input(Convolution):
    """dx: each dy goes, times the weights, to where its window was."""

    what, ladder = 1, INPUT

    def on_cpu(self, w, dy, sizes):
        wide, (c, o), s = computed_in(w.dtype), sizes.inside, sizes
        w_, dy_ = as_array(w, wide), as_array(dy, wide)
        w_ = w_.reshape(s.groups, o, c * s.window.taps).transpose(0, 2, 1)
        dy_ = dy_.reshape(s.N, s.groups, o, s.places)
        dx, step = np.empty(s.x, wide), step_of(s)
        with np.errstate(all="ignore"):
            for n in range(0, s.N, step):
                columns = np.matmul(w_, dy_[n : n + step])
                shape = len(columns), s.C, *s.window.kernel, *s.window.out
                dx[n : n + step] = added_up(columns.reshape(shape), s.window)
        return w.new_of(dx, w.dtype)

    def on_device(self, w, dy, sizes):
        s, w, dy = sizes, w.contiguous(), dy.contiguous()
        dx, rung = w.new_empty(s.x), self.choose(w, s)
        if not dx.numel():
            return dx
        if rung.way == "im2col":
            columns = matmul(
                weights_of(w, s).transpose(1, 2),
                dy.view(s.N, s.groups, s.inside[1], s.places),
            )
            shape = s.N, s.C * s.window.taps, s.places
            return fold_windows(columns.view(shape), w=s.window)
        if rung.way != "direct":
            self.multiply(rung, s, w, dy, w, dx, 0)
            return dx
        args = [*map(memory, (w, dy, dx)), s.struct(w.device), np.int64(dx.numel())]
        grid, types = (-(-dx.numel() // 256), 1, 1), [w.dtype, computed_in(w.dtype)]
        self.launch(rung, types, grid, 256, args, (w, dy, dx))
        return dx


class Weight(Convolution):
    """dw, and db if it is biased: sums over all images and places."""

    what, ladder = 2, WEIGHT

    def on_cpu(self, x, dy, sizes, biased=False):
        wide, (c, o), s = computed_in(x.dtype), sizes.inside, sizes
        dy_ = as_array(dy, wide).reshape(s.N, s.groups, o, s.places)
        dw = np.zeros((s.groups, o, c * s.window.taps), wide)
        with np.errstate(all="ignore"):
            for part, columns in in_chunks(as_array(x, wide), s):
                dw += np.matmul(dy_[part], columns.swapaxes(2, 3)).sum(0)
            db = dy_.sum((0, 3)) if biased else np.zeros(0, wide)
        dw = x.new_of(dw.reshape(s.w), x.dtype)
        return dw, x.new_of(db.reshape(-1), x.dtype) if biased else None

    def on_device(self, x, dy, sizes, biased=False):
        s, x, dy = sizes, x.contiguous(), dy.contiguous()
        rung = self.choose(x, s)
        if not (x.numel() and dy.numel()):
            return x.new_empty(s.w).zero_(), dy.sum((0, 2, 3)) if biased else None
        if rung.way in ("implicit", "pipelined"):
            return self.in_parts(rung, s, x, dy, int(biased))
        if rung.way == "im2col":
            left = dy.view(s.N, s.groups, s.inside[1], s.places)
            dw = matmul(left, columns_of(x, s).transpose(2, 3)).sum(0).view(s.w)
        else:
            dw = x.new_empty(s.w)
            args = [*map(memory, (x, dy, dw)), s.struct(x.device)]
            types = [x.dtype, computed_in(x.dtype)]
            self.launch(rung, types, (dw.numel(), 1, 1), 256, args, (x, dy, dw))
        return dw, dy.sum((0, 2, 3)) if biased else None

    def in_parts(self, rung, s, x, dy, biased):
        """Two launches: blocks share the k of a product, and their sums are joined."""
        M, width, K = s.product(2)
        width, wide = width + biased, computed_in(x.dtype)
        tiles = -(-M // 32) * -(-width // 64) * s.groups
        parts = max(1, min(PARTS // tiles, -(-K // 128), 65535 // s.groups))
        some = x.new_empty((parts, s.O, width), dtype=wide)
        self.multiply(rung, s, dy, x, dy, some, biased, parts)
        dw, db = x.new_empty(s.w), x.new_empty((s.O,)) if biased else None
        args = [memory(some), memory(dw), memory(db if biased else dw)]
        args += [*map(np.int32, (s.O, width, biased, parts))]
        grid = -(-s.O * width // 32), 1, 1
        self.launch(JOIN, [x.dtype, wide], grid, (32, 8, 1), args, (some, dw))
        return dw, db


# ------------------------------------------------- gradients


def of_weight_and_bias(dy, a, c, sizes):
    """dw and db: together, or, where that is to be recorded, one by one."""
    if here.modes.enabled or c is None:
        dw, _ = conv2d_weight(a, dy, sizes=sizes)
        return dw, None if c is None else dy.sum((0, 2, 3))
    return conv2d_weight(a, dy, sizes=sizes, biased=True)


# Each of the three is linear in both operands, and so the gradients of the one are the
# other two.
convolve = Forward("conv2d", Forward.__doc__, (
    lambda dy, b, sizes: conv2d_input(b, dy, sizes=sizes),
    of_weight_and_bias, of_weight_and_bias,
))  # fmt: skip
conv2d_input = Input("conv2d_input", Input.__doc__, (
    lambda dy, b, sizes: conv2d_weight(dy, b, sizes=sizes)[0],
    lambda dy, a, sizes: convolve(dy, a, None, sizes=sizes),
))  # fmt: skip
conv2d_weight = Weight("conv2d_weight", Weight.__doc__, (
    lambda dy, b, sizes: conv2d_input(dy, b, sizes=sizes),
    lambda dy, a, sizes: convolve(a, dy, None, sizes=sizes),
))  # fmt: skip
