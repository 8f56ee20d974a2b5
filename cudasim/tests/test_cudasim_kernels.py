"""The teaching kernels against NumPy, in every schedule and size of batch; and what
happens without any one of their barriers."""

import dataclasses
import math
import re

import cudasim
import numpy as np
import pytest
from snippets import kernels

RUNS = [
    ("lockstep", 100), ("warps", 131_072),
    *(pytest.param(*run, marks=pytest.mark.slow)
      for run in [("lockstep", 131_072), ("lockstep", 1_000), ("warps", 100)]),
]  # fmt: skip
BARRIER = re.compile(r"__syncthreads\(\);")
FOUND_WITHOUT = {"race", "race-warp", "uninitialized", "divergent-barrier"}
# (kernel, number of the barrier) -> why it is not needed.
REDUNDANT = {}
LAUNCHES = {}


@dataclasses.dataclass
class Launch:
    """One launch; `expected` has the arrays that differ afterwards, by position."""

    name: str
    grid: tuple
    block: tuple
    args: tuple
    expected: dict
    shared_mem: int = 0
    options: tuple = ()
    rtol: float = 0
    output: str = ""


def launches(stem):
    """Registers a function that yields the launches of kernels/<stem>.cu."""

    def register(function):
        LAUNCHES[stem] = function
        return function

    return register


def f32(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def blank(*shape, dtype=np.float32):
    return np.full(shape, 77, dtype)


def blocks(n, block):
    return (-(-n // block),)


@launches("vector_add")
def _():
    for n in (1, 31, 1000, 70_001):
        a, b = f32(n), f32(n, seed=1)
        args = a, b, blank(n), np.int32(n)
        yield Launch("vector_add", blocks(n, 96), (96,), args, {2: a + b})


@launches("saxpy_grid_stride")
def _():
    for n, grid in ((1, 1), (999, 3), (513, 40)):
        x, y, a = f32(n), f32(n, seed=1), np.float32(1.5)
        args = a, x, y.copy(), np.int32(n)
        yield Launch("saxpy", (grid,), (64,), args, {2: a * x + y}, rtol=1e-6)


@launches("gelu")
def _():
    x = f32(77, 4)
    wide = x.astype(float)
    y = wide / 2 * (1 + np.tanh(0.7978845608 * (wide + 0.044715 * wide**3)))
    args = x, blank(77, 4), np.int32(77)
    yield Launch("gelu_forward", (3,), (32,), args, {1: y}, rtol=2e-6)


@launches("half_axpy")
def _():
    x, y = f32(333).astype(np.float16), f32(333, seed=1).astype(np.float16)
    a = np.float16(0.3)
    fused = (a.astype(float) * x + y.astype(float)).astype(np.float16)
    args = a, x, y.copy(), np.int32(333)
    yield Launch("half_axpy", (6,), (64,), args, {2: fused})


@launches("bfloat_sum")
def _():
    x = f32(500)
    bits = (x.view(np.uint32) >> 16).astype(np.uint16)
    total = (bits.astype(np.uint32) << 16).view(np.float32).sum(keepdims=True)
    args = bits, np.zeros(1, np.float32), np.int32(500)
    yield Launch("bfloat_sum", (1,), (48,), args, {1: total}, rtol=1e-4)


@launches("adam")
def _():
    n = 130
    p, g, m, v = f32(n), f32(n, seed=1), f32(n, seed=2), abs(f32(n, seed=3))
    lr, b1, b2, eps, t = (*np.float32([0.01, 0.9, 0.999, 1e-8]), np.int32(3))
    m2, v2 = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
    p2 = p - lr * (m2 / (1 - b1**3)) / (np.sqrt(v2 / (1 - b2**3)) + eps)
    args = p.copy(), g, m.copy(), v.copy(), np.int32(n), lr, b1, b2, eps, t
    yield Launch("adam", (3,), (50,), args, {0: p2, 2: m2, 3: v2}, rtol=1e-4)


@launches("atomic_max_float")
def _():
    x = f32(300) ** 2
    args = x, np.zeros(1, np.float32), np.int32(300)
    yield Launch("maximum", (5,), (64,), args, {1: x.max(keepdims=True)})


@launches("constant_filter")
def _():
    for n in (4, 5, 261):
        x, y = f32(n), blank(n)
        taps, smooth = np.float32([0.1, 0.2, 0.4, 0.2, 0.1]), y.copy()
        if n >= 5:
            smooth[2:-2] = np.convolve(x, taps, "valid")
        yield Launch(
            "smooth", blocks(n, 64), (64,), (x, y, np.int32(n)), {1: smooth}, rtol=1e-5
        )


@launches("conv2d")
def _():
    N, C, H, W, out = 2, 3, 7, 9, 4
    x, w = f32(N, C, H, W), f32(out, C, 3, 3, seed=1)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    y = np.einsum("nchwij,ocij->nohw", windows, w)
    shape = np.array((N, C, H, W), [(name, "i4") for name in "nchw"])[()]
    args = x, w, blank(N, out, H, W), shape, np.int32(out)
    yield Launch("conv2d", (2, 2, N * out), (8, 4), args, {2: y}, rtol=1e-5)


@launches("debug_print")
def _():
    x = np.arange(-5, 15, dtype=np.int32)
    shown = "".join(f"14 of 20 positive, block {b}\n" for b in range(2))
    yield Launch("debug", (2,), (32,), (x, np.int32(20)), {}, output=shown)


@launches("histogram")
def _():
    for n in (1, 1003, 20_000):
        data = np.random.default_rng(0).integers(256, size=n, dtype=np.uint8)
        args = data, np.int32(n), np.zeros(256, np.uint32)
        bins = np.bincount(data, minlength=256)
        yield Launch("histogram", (3,), (100,), args, {2: bins})


@launches("last_block")
def _():
    for grid in (1, 13):
        x = f32(100)
        part = np.array([x[b::grid].sum() for b in range(grid)])
        args = x, blank(grid), blank(1), np.int32(100)
        expected = {1: part, 2: x.sum(keepdims=True)}
        yield Launch("total", (grid,), (64,), args, expected, rtol=1e-4)


@launches("layernorm")
def _():
    for C in (1, 37, 200):
        x, gamma, beta = f32(5, C), f32(C, seed=1), f32(C, seed=2)
        wide = x.astype(float)
        scale = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-3)
        y = (wide - wide.mean(axis=1, keepdims=True)) * scale * gamma + beta
        args = x, blank(5, C), gamma, beta, np.int32(C), np.float32(1e-3)
        yield Launch("layernorm", (5,), (128,), args, {1: y}, rtol=1e-4)


@launches("mandelbrot")
def _():
    w, h, step = 37, 21, np.float32(0.1)
    cx = np.float32(-2.5) + np.arange(w, dtype=np.float32) * step
    cy = np.float32(-1) + np.arange(h, dtype=np.float32)[:, None] * step
    x, y = np.zeros((2, h, w), np.float32)
    count = np.zeros((h, w), np.int32)
    for _ in range(256):
        inside = x * x + y * y < 4
        count += inside
        x2, y2 = x * x - y * y + cx, 2 * x * y + cy
        x, y = np.where(inside, x2, x), np.where(inside, y2, y)
    args = blank(h, w, dtype=np.int32), np.int32(w), np.int32(h)
    args += np.float32(-2.5), np.float32(-1), step
    yield Launch(
        "mandelbrot", (3, 3), (16, 8), args, {0: count}, options=("--fmad=false",)
    )


def matmul(name, block, per_thread=1, sizes=((1, 1, 1), (17, 33, 40), (48, 32, 16))):
    for M, N, K in sizes:
        A, B = f32(M, K), f32(K, N, seed=1)
        grid = tuple(-(-s // (block * per_thread)) for s in (N, M))
        args = A, B, blank(M, N), *np.int32([M, N, K])
        yield Launch(name, grid, (block, block), args, {2: A @ B}, rtol=1e-4)


@launches("matmul_naive")
def _():
    yield from matmul("matmul", 10)


@launches("matmul_tiled")
def _():
    yield from matmul("matmul_tiled", 16)


@launches("matmul_registers")
def _():
    yield from matmul("matmul_registers", 4, 4, ((16, 16, 1), (48, 32, 19)))


@launches("operation_switch")
def _():
    a, b = (f32(77, seed=s).astype(np.float64) for s in (0, 1))
    for op, c in ((0, a + b), (1, a - b), (2, a * b), (10, a / b), (5, a / b)):
        args = np.int32(op), a, b, blank(77, dtype=np.float64), np.int32(77)
        yield Launch("apply", (2,), (40,), args, {3: c})


def pcg(state):
    """(new state, 32 random bits) as in the kernel."""
    shifted = (((state >> 18) ^ state) >> 27) & 0xFFFFFFFF
    rot = state >> 59
    bits = (shifted >> rot | shifted << (-rot & 31)) & 0xFFFFFFFF
    return (state * 6364136223846793005 + 1442695040888963407) % 2**64, bits


@launches("random_bits")
def _():
    n, seed, out = 101, 12345, []
    for i in range(n):
        state, _ = pcg((seed + i * 0x9E3779B97F4A7C15) % 2**64)
        out.append(np.float32(pcg(state)[1] >> 8) * np.float32(2**-24))
    args = blank(n), np.uint64(seed), np.uint64(n)
    yield Launch("uniform", (4,), (32,), args, {0: np.array(out)})


@launches("reduce_shared")
def _():
    for n in (1, 127, 1000):
        x = f32(n)
        args = x, np.zeros(1, np.float32), np.int32(n)
        total = {1: x.sum(keepdims=True)}
        yield Launch("reduce", blocks(n, 128), (128,), args, total, 512, rtol=1e-4)


@launches("reduce_shuffle")
def _():
    for n, block in ((1, 32), (5000, 96), (3001, 256)):
        x, grid = f32(n), 3
        i = np.arange(n) // block % grid
        sums = np.array([x[i == b].sum() for b in range(grid)])
        args = x, blank(grid), np.int32(n)
        yield Launch("reduce", (grid,), (block,), args, {1: sums}, rtol=1e-4)


@launches("scan_block")
def _():
    for n in (1, 2, 100, 128):
        x = np.arange(n, dtype=np.int32) ** 2 % 37
        args = x, blank(n, dtype=np.int32), np.int32(n)
        yield Launch("scan", (1,), (n,), args, {1: x.cumsum()}, 8 * n)


@launches("softmax")
def _():
    for n in (1, 10, 300):
        x = f32(4, n)
        e = np.exp(x - x.max(axis=1, keepdims=True), dtype=np.float64)
        y = e / e.sum(axis=1, keepdims=True)
        args = x, blank(4, n), np.int32(n)
        yield Launch("softmax", (4,), (256,), args, {1: y}, rtol=1e-5)


@launches("stencil_1d")
def _():
    for n, block in ((1, 128), (129, 128), (1000, 128), (70, 32)):
        x = np.arange(n, dtype=np.int32) ** 2 % 101
        sums = np.convolve(x, np.ones(7, np.int32))[3 : 3 + n]
        args = x, blank(n, dtype=np.int32), np.int32(n)
        options = (f"-DBLOCK={block}",)
        yield Launch(
            "stencil", blocks(n, block), (block,), args, {1: sums}, options=options
        )


@launches("strided_copy")
def _():
    x = f32(5, 7, 3)
    view = x.transpose(2, 0, 1)
    fields = [("dims", "i4"), ("shape", "i4", 8), ("stride", "i8", 8)]
    strides = np.zeros((), np.dtype(fields, align=True))
    strides["dims"] = 3
    strides["shape"][:3] = view.shape
    strides["stride"][:3] = np.array(view.strides) // 4
    args = x.reshape(-1), blank(*view.shape), strides[()], np.int32(x.size)
    yield Launch("contiguous", (4,), (32,), args, {1: view})


@launches("templated_map")
def _():
    for type, dtype, steps in (("int", np.int32, 2), ("double", np.float64, 5)):
        x = np.arange(101, dtype=dtype)
        args = x, blank(101, dtype=dtype), np.int32(101)
        name = f"map<{type}, {steps}>" if steps != 2 else f"map<{type}>"
        yield Launch(name, blocks(101, 32 * steps), (32,), args, {1: x * x})


@launches("transpose_tiled")
def _():
    for h, w in ((1, 1), (32, 64), (33, 70), (100, 7)):
        x = f32(h, w)
        args = x, blank(w, h), np.int32(w), np.int32(h)
        yield Launch("transpose", (-(-w // 32), -(-h // 32)), (32, 8), args, {1: x.T})


def launched(source, launch, **how):
    """(report, args afterwards) with all tools."""
    kernel = cudasim.RawKernel(source, launch.name, options=launch.options)
    args = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in launch.args)
    how = {"tools": "all", "shared_mem": launch.shared_mem, **how}
    return cudasim.run(kernel, launch.grid, launch.block, args, **how), args


def every_launch():
    for stem, make in LAUNCHES.items():
        for number, launch in enumerate(make()):
            yield pytest.param(stem, launch, id=f"{stem}-{number}")


def test_every_kernel_is_here():
    assert set(LAUNCHES) == set(kernels())


@pytest.mark.parametrize("schedule, lanes", RUNS)
@pytest.mark.parametrize("stem, launch", list(every_launch()))
def test_same_as_numpy_and_silent(stem, launch, schedule, lanes, monkeypatch):
    monkeypatch.setattr("cudasim.simulated_launch.LANES", lanes)
    report, args = launched(kernels()[stem], launch, schedule=schedule, seed=1)
    assert not report.findings, str(report)
    assert report.output == launch.output
    for position, (before, after) in enumerate(zip(launch.args, args, strict=True)):
        if isinstance(before, np.ndarray):
            expected = launch.expected.get(position, before)
            np.testing.assert_allclose(
                after, expected, rtol=launch.rtol, atol=launch.rtol * 10
            )


@pytest.mark.parametrize("stem, launch", list(every_launch()))
def test_without_tools_the_bits_are_the_same(stem, launch):
    _, watched = launched(kernels()[stem], launch)
    _, plain = launched(kernels()[stem], launch, tools=())
    for a, b in zip(watched, plain, strict=True):
        np.testing.assert_array_equal(a, b)


def without_barriers(source):
    """(number, line, text without it) for each barrier of a file."""
    for number, match in enumerate(BARRIER.finditer(source)):
        gap = " " * (len(match[0]) - 1) + ";"
        line = source.count("\n", 0, match.start()) + 1
        yield number, line, source[: match.start()] + gap + source[match.end() :]


def unnoticed(source, launches, schedule="lockstep"):
    """(number, line) of the barriers whose loss no launch of `launches` shows."""
    launches = list(launches)
    for number, line, text in without_barriers(source):
        reports = (launched(text, one, schedule=schedule)[0] for one in launches)
        kinds = (f.kind for report in reports for f in report.findings)
        if not any(kind in FOUND_WITHOUT for kind in kinds):
            yield number, line


WITH_BARRIERS = [stem for stem, text in kernels().items() if BARRIER.search(text)]


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize("stem", WITH_BARRIERS)
def test_every_barrier_is_missed(stem, schedule):
    missed = unnoticed(kernels()[stem], LAUNCHES[stem](), schedule)
    redundant = {number for kernel, number in REDUNDANT if kernel == stem}
    assert {number for number, _ in missed} == redundant


def test_barriers_of_the_kernels_are_counted():
    """If this changes, look whether the new barrier is needed."""
    counts = {
        stem: len(list(without_barriers(kernels()[stem]))) for stem in WITH_BARRIERS
    }
    assert counts == {
        "histogram": 2, "last_block": 1, "layernorm": 3, "matmul_tiled": 2,
        "reduce_shared": 2, "reduce_shuffle": 1, "scan_block": 2, "softmax": 5,
        "stencil_1d": 1, "transpose_tiled": 1,
    }  # fmt: skip


def test_a_redundant_barrier_would_be_named():
    """Two barriers in a row: the loss of either is noticed by nobody."""
    twice = kernels()["transpose_tiled"].replace(
        "__syncthreads();", "__syncthreads(); __syncthreads();"
    )
    launches = LAUNCHES["transpose_tiled"]()
    assert [number for number, _ in unnoticed(twice, launches)] == [0, 1]


def test_sizes_are_awkward():
    """Launches have more threads than elements, and blocks that are no whole warps."""
    sizes = [case.values[1] for case in every_launch()]
    assert any(math.prod(launch.block) % 32 for launch in sizes)
