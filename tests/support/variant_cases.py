"""Launches of the library's kernels at awkward sizes, and what PyTorch computes."""

import dataclasses
import functools
import itertools
from pathlib import Path

import numpy as np
import pytest

from minigrad import launch

torch = pytest.importorskip("torch", reason="not run: kernel variants (no PyTorch)")

FOLDER = Path(__file__).parents[2] / "minigrad" / "kernels"
FAMILIES = {}
STRIDES = np.dtype(
    [("dims", "i4"), ("shape", "i8", 8), ("stride", "i8", 8)], align=True
)
TYPES = {"float": np.float32, "double": np.float64, "half": np.float16,
         "int": np.int32, "short": np.int16, "long long": np.int64, "bool": np.bool_,
         "unsigned char": np.uint8}  # fmt: skip
HALF = "#include <cuda_fp16.h>\n"


@dataclasses.dataclass
class Case:
    """One launch; `expected` has the arrays that differ afterwards, by position."""

    name: str
    grid: tuple
    block: tuple
    args: tuple
    expected: dict
    tolerance: float = 0  # of the difference, in units of the largest expected number
    prelude: str = ""  # what stands in front of the text
    scale: float = 0  # the size of what is added up, where the result is 0 of it
    scratch: tuple = ()  # positions of arrays that may hold anything afterwards


def family(stem):
    """Registers a function that yields the Cases of minigrad/kernels/<stem>.cu."""

    def register(function):
        FAMILIES[stem] = function
        return function

    return register


@functools.cache
def text(stem):
    return launch.file_text(f"{stem}.cu")


def numbers(*shape, dtype=np.float32, seed=0):
    """Distinct numbers around 0."""
    values = np.random.default_rng(seed).standard_normal(shape) * 100
    return values.astype(dtype) if dtype != np.uint8 else abs(values).astype(dtype)


def blank(*shape, dtype=np.float32):
    return np.full(shape or 1, 77).astype(dtype)


def whole(n, size):
    return max(1, -(-n // size))


def strides(shape, stride):
    """The struct of a view."""
    assert len(shape) == len(stride) <= 8
    view = np.zeros((), STRIDES)
    view["dims"] = len(shape)
    view["shape"][: len(shape)], view["stride"][: len(shape)] = shape, stride
    return view[()]


def view_of(tensor):
    """(the memory from the view's first element on, the struct) of a torch view."""
    behind = tensor.untyped_storage().nbytes() // tensor.element_size()
    size = behind - tensor.storage_offset()
    memory = tensor.as_strided((size,), (1,)).numpy().copy()
    return memory, strides(tensor.shape, tensor.stride())


def views():
    """Layouts: transposed, sliced, stepped, broadcast, eight dimensions, none."""
    x = torch.from_numpy(numbers(6, 7, 5))
    yield x.permute(2, 0, 1)
    yield x[1:, ::2, 1:4]
    yield x[:, :1, :1].expand(6, 7, 5)
    yield x[0].t().reshape(5, 7, 1).expand(5, 7, 33)
    yield torch.from_numpy(numbers(1000))[::3]
    yield torch.from_numpy(numbers(1))[0]
    yield torch.from_numpy(numbers(2, 1, 3, 2, 1, 2, 3, 2)).permute(
        7, 2, 0, 1, 5, 4, 6, 3
    )


def compare(case, args):
    """Raise unless the arrays are what they must be; the others as before."""
    for position, (before, after) in enumerate(zip(case.args, args, strict=True)):
        if isinstance(before, np.ndarray) and position not in case.scratch:
            expected = np.asarray(case.expected.get(position, before)).reshape(
                after.shape
            )
            finite = np.abs(expected[np.isfinite(expected)], dtype=float)
            near = (
                case.tolerance * finite.max(initial=case.scale) if case.tolerance else 0
            )
            np.testing.assert_allclose(after, expected, 0, near, err_msg=case.name)


@family("index")
def _():
    x, fault = numbers(6, 40), np.zeros(3, np.int64)
    index = np.random.default_rng(1).permuted(np.tile(np.arange(6), (40, 1)), axis=1)
    index = np.ascontiguousarray(index.T[:5])  # of each column other rows
    n, shape, step, size = np.int32(index.size), index.shape, np.int64(40), np.int64(6)
    rest, whole_view = strides(shape, (0, 1)), strides(shape, (40, 1))
    grid, block, cols = (whole(n, 64),), (64,), np.arange(40)
    args = x, rest, step, size, index, whole_view, blank(*shape), fault, n
    yield Case("gather<float>", grid, block, args, {6: x[index, cols]})
    src = numbers(*shape, seed=2)
    for name in "scatter<float>", "scatter_add<float, float>":
        y = x.copy()
        y[index, cols] = src if name[7] == "<" else y[index, cols] + src
        args = src, whole_view, index, whole_view, x, rest, step, size, fault, n
        yield Case(name, grid, block, args, {4: y})
    few = index[:, 0] - 6  # counted from the end
    for before in 0, 1:
        offsets = few % 6 * 40 + 7 * before
        args = (few, strides((5,), (1,)), size, step, np.full(5, 7), np.int32(before),
                fault, np.int32(5))  # fmt: skip
        yield Case("locate", (1,), (32,), args, {4: offsets})
    y = x.copy()
    y[few] = src
    args = (x, rest, few % 6 * 40, strides(shape, (1, 0)), src, whole_view, n)
    yield Case("put<float>", grid, block, args, {0: y})


@family("nonzero")
def _():
    for n in (1, 255, 256, 1000):
        x = numbers(n) > 0
        x[n // 2] = True
        blocks = whole(n, 256)
        counts = np.add.reduceat(x, range(0, n, 256), dtype=np.int64)
        ends = np.append(0, np.cumsum(counts))
        args = x, np.full(blocks, 77), np.int64(n)
        yield Case("count_true", (blocks,), (256,), args, {1: counts})
        args = np.append(counts, 77), np.int64(blocks)
        yield Case("add_counts", (1,), (256,), args, {0: ends})
        args = x, ends, np.full(ends[-1], 77), np.int64(n)
        yield Case("write_places", (blocks,), (256,), args, {2: np.flatnonzero(x)})


@family("cat")
def _():
    parts = [(numbers(3 * n, seed=n), n) for n in (5, 1, 40, 33)]
    for count in range(1, 5):
        rows = [x.reshape(3, n) for x, n in parts[:count]]
        whole_row = np.concatenate(rows, 1)
        args, start = [blank(whole_row.size), np.int64(whole_row.shape[1])], 0
        for x, n in parts[:count]:
            args += [x, *map(np.int64, (3 * n, n, start))]
            start += n
        args += [parts[0][0], *map(np.int64, (0, 1, 0))] * (4 - count)
        yield Case("cat<float>", (2, count), (64,), tuple(args),
                   {0: whole_row.reshape(-1)})  # fmt: skip


@family("copy")
def _():
    for view in views():
        x, struct = view_of(view)
        y, n = view.contiguous().numpy().reshape(-1), np.int32(view.numel())
        args = x, struct, blank(n), n
        yield Case("contiguous<float>", (whole(n, 96),), (96,), args, {2: y})
    n = np.int64(1001)
    x, after = numbers(n), blank(2 * n - 1)
    after[::2] = x
    yield Case("scatter<float>", (whole(n, 64),), (64,),
               (x, blank(2 * n - 1), strides((n,), (2,)), n), {1: after},
               prelude="#define INDEX long long\n")  # fmt: skip
    x = numbers(5, 7, 33)
    for starts, steps, y in (
        ((0, 0, 32), (1, 1, -1), x[:, :, ::-1]),
        ((4, 6, 0), (-1, -1, 1), x[::-1, ::-1]),
        ((3, 0, 30), (1, 1, 1), np.roll(x, (2, 3), (0, 2))),
    ):
        args = (
            x,
            strides(x.shape, (231, 33, 1)),
            strides(starts, steps),
            blank(*x.shape),
        )
        yield Case("rolled<float>", (whole(x.size, 96),), (96,),
                   (*args, np.int32(x.size)), {3: y})  # fmt: skip
    sizes = (1, 1, 1), (1, 33, 65), (2, 31, 1), (1, 64, 100)
    for idea, (batch, rows, cols) in itertools.product(
        ("naive", "tiled", "padded"), sizes
    ):
        yield transpose(f"transpose_{idea}", "float", batch, rows, cols, (32, 8), 1)
    for kind, rows, cols in (("float", 4, 4), ("float", 36, 132), ("double", 6, 2),
                             ("short", 264, 8), ("unsigned char", 16, 48)):  # fmt: skip
        per = 16 // np.dtype(TYPES[kind]).itemsize
        yield transpose("transpose_vectors", kind, 2, rows, cols, (8, 32), per)


def transpose(name, kind, batch, rows, cols, block, per):
    x = numbers(batch, rows, cols, dtype=TYPES[kind])
    tile = (
        (32, 32)
        if per == 1 and "naive" not in name
        else (block[0] * per, block[1] * per)
    )
    grid = whole(cols, tile[0]), whole(rows, tile[1]), batch
    args = x, blank(batch, cols, rows, dtype=x.dtype), np.int32(rows), np.int32(cols)
    return Case(f"{name}<{kind}>", grid, block, args, {1: x.transpose(0, 2, 1)})


RELU = "#define UNARY(x, s, t) (x != x || x > 0 ? x : 0)\n"
AXPB = "#define UNARY(x, s, t) x * s + t\n"
LESS = "#define BINARY(a, b) a < b\n"


@family("elementwise")
def _():
    two, one = np.float32(2), np.float32(1)
    odd = np.array([np.nan, -np.inf, np.inf, -1, -0.0, 0.5], np.float32)
    for view in views():
        x, struct = view_of(view)
        n = np.int32(view.numel())
        y = np.float32(view.numpy().reshape(-1).astype(float) * 2 + 1)
        args = x, struct, blank(n), n, two, one
        yield Case(
            "unary_strided<float>", (whole(n, 64),), (64,), args, {2: y}, 1e-7, AXPB
        )
    for n in (1, 31, 33, 1000, 8193):
        x, z = numbers(n), numbers(n, seed=1)
        x[: min(n, 6)] = odd[:n]
        relu, size = torch.relu(torch.from_numpy(x)).numpy(), np.int64(n)
        args = x, blank(n), size, one, one
        yield Case("unary<float>", (whole(n, 96),), (96,), args, {1: relu}, 0, RELU)
        grid = (whole(n, 4 * 64),)
        yield Case("unary_vectors<float>", grid, (64,), args, {1: relu}, 0, RELU)
        both = x, z, blank(n), size
        yield Case("binary<float>", (whole(n, 96),), (96,), both, {2: x + z})
        yield Case("binary_vectors<float>", grid, (64,), both, {2: x + z})
        both = x, z, blank(n, dtype=bool), size
        name = "binary_vectors<float, float, bool, float>"
        yield Case(name, grid, (64,), both, {2: x < z}, 0, LESS)
        h, c = numbers(n, dtype=np.float16), (x > z)
        y = (h.astype(np.float32) * 2 + 1).astype(np.float16)
        yield Case("unary_vectors<half, half, float>", (whole(n, 8 * 32),), (32,),
                   (h, blank(n, dtype=np.float16), size, two, one), {1: y}, 0,
                   HALF + AXPB)  # fmt: skip
        i = numbers(n, dtype=np.int32)
        args = i, blank(n, dtype=np.float64), size, np.float64(1), np.float64(0)
        yield Case("unary_vectors<int, double>", (whole(n, 2 * 32),), (32,), args,
                   {1: i.astype(np.float64)})  # fmt: skip
        args = c, x, z, blank(n), size
        types, y = "<bool, float, float>", {3: np.where(c, x, z)}
        yield Case("ternary" + types, (whole(n, 96),), (96,), args, y)
        yield Case("ternary_vectors" + types, grid, (64,), args, y)
    a, b = torch.from_numpy(numbers(5, 1, 7)), torch.from_numpy(numbers(6, 1, seed=1))
    for left, right in ((a, b), (b, a), (b, a[0])):
        yield broadcast("binary_strided<float>", torch.add, left, right)
    c = torch.tensor([True, False, True, False, True, False, True])
    yield broadcast("ternary_strided<bool, float, float>", torch.where, c, a, b)
    a = torch.from_numpy(numbers(5, 6, 40))
    for left, right in ((a, b), (a[0, :, :1], a[1]), (a, a[2, 3]), (a[:, :, :1], a[0])):
        for grid in ((8, 1), (8, 2)):  # by rows; along a row
            yield broadcast("binary_rows<float>", torch.add, left, right,
                            grid=grid, block=(4, 4))  # fmt: skip


def broadcast(name, function, *tensors, grid=None, block=(64,)):
    """`function` of tensors that are views of one shape."""
    views = torch.broadcast_tensors(*tensors)
    y, n = function(*views).numpy().reshape(-1), views[0].numel()
    args = *itertools.chain(*map(view_of, views)), blank(n), np.int32(n)
    return Case(name, grid or (whole(n, 64),), block, args, {2 * len(views): y})


SUMS = ("sum_tree", 64), ("sum_shuffle", 96), ("sum_vectors", 64)
OPS = {"0": torch.sum, "1": torch.amax, "2": torch.amin, "4": torch.mean}


@family("reduce")
def _():
    for n in (0, 1, 33, 1000, 9001):
        x, eps = numbers(n), 2.0**-24 * max(n, 1) ** 0.5 * 4
        total = {1: np.array([x.sum(dtype=float)])}
        near = eps * np.sqrt(n) * 100 / max(1, abs(total[1][0]))
        args = x, np.zeros(1, np.float32), np.int64(n)
        yield Case("sum_atomics<float>", (whole(n, 64),), (64,), args, total, near)
        for name, block in SUMS:
            args = x, blank(1), np.int64(n)
            yield Case(f"{name}<float>", (1,), (block,), args, total, near)
    h = np.ones(2500, np.float16)
    args = h, blank(1, dtype=np.float16), np.int64(2500)
    total = {1: np.array([2500], np.float16)}
    yield Case("sum_vectors<half, half, float>", (1,), (32,), args, total, 0, HALF)
    i = numbers(77, dtype=np.int32)
    args = i, blank(1, dtype=np.int64), np.int64(77)
    yield Case("sum_vectors<int, long long>", (1,), (32,), args, {1: [i.sum()]})
    for rows, n in ((1, 1), (5, 31), (3, 33), (4, 300)):
        x = numbers(rows, n) - 200  # maxima below zero, too
        if n > 1:
            x[0, n // 2] = np.nan
        yield from rows_of(x, rows, n)
    for dims in ((0,), (1,), (0, 2), (1, 2), (0, 1, 2)):
        yield from any_dims(torch.from_numpy(numbers(3, 40, 5)).permute(2, 1, 0), dims)


def rows_of(x, rows, n):
    for op, function in OPS.items():
        y = {1: function(torch.from_numpy(x).double(), 1).numpy()}
        args = x, blank(rows), np.int64(rows), np.int64(n), np.int64(n)
        name = f"reduce_warps<{op}, float>"
        yield Case(name, (whole(rows, 2),), (32, 2), args, y, 1e-6)
        args, name = (x, blank(rows), np.int64(n), np.int64(n)), "reduce_blocks"
        for parts in (1, 3):
            yield Case(f"{name}<{op}, float>", (rows, parts), (64,),
                       args + shared(parts, blank(rows * parts), tickets=rows), y,
                       1e-6, scratch=(4,))  # fmt: skip


def shared(parts, *arrays, tickets):
    """What a kernel is given whose last block joins the parts, if there are several."""
    if parts == 1:
        return (None,) * (len(arrays) + 1)
    return *arrays, np.zeros(tickets, np.uint32)  # as they are, they remain


def any_dims(view, dims):
    x, struct = view_of(view)
    kept = [d for d in range(view.ndim) if d not in dims]
    parts = [strides([view.shape[d] for d in g], [view.stride(d) for d in g])
             for g in (kept, dims)]  # fmt: skip
    n = int(np.prod([view.shape[d] for d in dims]))
    m = view.numel() // n
    for op, function in (("0", torch.sum), ("1", torch.amax)):
        y = {3: function(view.double(), dims).numpy().reshape(-1)}
        args = x, *parts, blank(m), np.int32(m), np.int32(n), np.int64(n)
        name = f"<{op}, float>"
        yield Case("reduce_strided" + name, (whole(m, 32),), (32,), args, y, 1e-6)
        for blocks in (1, 3):
            more = shared(blocks, blank(blocks * m), tickets=whole(m, 32))
            yield Case("reduce_columns" + name, (whole(m, 32), blocks), (32, 4),
                       args + more, y, 1e-6, scratch=(7,))  # fmt: skip
