"""Kernels in the simulator and by g++: the same bits."""

import fuzz
import numpy as np
import pytest
import random_kernels
from cudasim import nvrtc
from snippets import kernels

import native

SEEDS = 200
GROUP = 50  # kernels compiled together

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(native.missing()), reason=f"not run: kernels by g++ ({native.missing()})"
    ),
]


@pytest.fixture(scope="module", params=range(0, SEEDS, GROUP))
def compiled(request):
    """(program, kernel) of some seeds."""
    seeds = range(request.param, request.param + GROUP)
    programs = [random_kernels.make(seed) for seed in seeds]
    texts = [(p.source, p.name) for p in programs]
    return list(zip(programs, native.build(texts, native.STRICT), strict=True))


@pytest.mark.parametrize("schedule", fuzz.SCHEDULES)
def test_random_kernels(compiled, schedule):
    wrong = []
    for program, kernel in compiled:
        lines = fuzz.judge(program, kernel, [schedule])
        wrong += [f"seed {program.seed}: {line}" for line in lines]
    assert not wrong, "\n".join(wrong)


def test_random_kernels_have_no_findings(compiled):
    """They race nowhere, and read nothing before it has a value."""
    wrong = []
    for program, kernel in compiled[::5]:
        lines = fuzz.judge(program, kernel, ["lockstep"], "all")
        wrong += [f"seed {program.seed}: {line}" for line in lines]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", random_kernels.KINDS)
def test_generator(kind):
    """A seed makes one kernel, which its choices make again; fewer make a smaller."""
    one, same = random_kernels.make(7, kind), random_kernels.make(7, kind)
    again = random_kernels.make(7, kind, one.choices)
    assert one.source == same.source == again.source
    nothing = random_kernels.make(7, kind, [])
    assert len(nothing.source) < len(one.source)
    assert fuzz.accepted(one) and fuzz.accepted(nothing)


def test_judge_sees_a_difference():
    right = "__global__ void kernel(float* o) { o[threadIdx.x] = 1.5f + threadIdx.x; }"
    program = random_kernels.Program(
        right, (1,), (4,), 0, [("o", np.float32, 4)], 0, [], []
    )  # fmt: skip
    texts = [right, right.replace("1.5", "1.25")]
    same, other = native.build([(text, "kernel") for text in texts])
    assert fuzz.judge(program, same) == []
    lines = fuzz.judge(program, other)
    assert len(lines) == len(fuzz.SCHEDULES) and "4 of 4 differ" in lines[0]


def test_same_is_bit_for_bit():
    nan = np.float32(np.nan)
    assert fuzz.same(nan, -nan) and not fuzz.same(nan, np.float32(1))
    assert not fuzz.same(np.float64(0.0), np.float64(-0.0))
    struct = np.dtype([("a", "i1"), ("b", "f4")], align=True)
    one, other = np.zeros(2, struct), np.zeros(2, struct)
    assert fuzz.same(one, other)
    other["b"][1] = 1
    assert not fuzz.same(one, other)


def test_nvrtc_takes_the_random_kernels():
    if why := nvrtc.missing():
        pytest.skip(f"not run: random kernels in NVRTC ({why})")
    for seed in range(0, SEEDS, 10):
        assert nvrtc.compiled(random_kernels.make(seed).source) == "", f"seed {seed}"


def launch(name, kernel, grid, block, *args, shared_mem=0):
    native.run(kernels()[name], kernel, grid, block, args, shared_mem)


def test_native_grid_stride(rng):
    x, y = rng.standard_normal((2, 1000)).astype(np.float32)
    expected = np.float32(2) * x + y
    launch("saxpy_grid_stride", "saxpy", 3, 64, np.float32(2), x, y, np.int32(1000))
    assert np.array_equal(y, expected)


def test_native_two_dimensions(rng):
    x, y = rng.standard_normal((40, 70)).astype(np.float32), np.empty((70, 40), "f4")
    size = np.int32(70), np.int32(40)
    launch("transpose_tiled", "transpose", (3, 2), (32, 8), x, y, *size)
    assert np.array_equal(y, x.T)


def test_native_barriers(rng):
    a, b = rng.integers(-4, 5, (2, 33, 33)).astype(np.float32)
    c = np.empty_like(a)
    launch(
        "matmul_tiled", "matmul_tiled", (3, 3), (16, 16), a, b, c, *[np.int32(33)] * 3
    )
    assert np.array_equal(c, a @ b)


def test_native_dynamic_shared():
    x, out = np.arange(50, dtype=np.int32), np.empty(50, np.int32)
    launch("scan_block", "scan", 1, 50, x, out, np.int32(50), shared_mem=400)
    assert np.array_equal(out, x.cumsum())


def test_native_shuffles_and_blocks_of_odd_size(rng):
    x, out = rng.integers(0, 9, 1000).astype(np.float32), np.empty(3, np.float32)
    launch("reduce_shuffle", "reduce", 3, 96, x, out, np.int32(1000))
    assert out.sum() == x.sum()


def test_native_atomics(rng):
    x, bins = rng.integers(0, 256, 999).astype(np.uint8), np.zeros(256, np.uint32)
    launch("histogram", "histogram", 2, 100, x, np.int32(999), bins)
    assert np.array_equal(bins, np.bincount(x, minlength=256))


def test_native_struct_and_template(rng):
    shape = np.dtype([("n", "i4"), ("c", "i4"), ("h", "i4"), ("w", "i4")])
    x, w = rng.integers(-3, 4, (1, 1, 5, 6)), rng.integers(-3, 4, (2, 1, 3, 3))
    x, w, y = x.astype("f4"), w.astype("f4"), np.empty((1, 2, 5, 6), "f4")
    s = np.array((1, 1, 5, 6), shape)[()]
    launch("conv2d", "conv2d", (1, 1, 2), (8, 8), x, w, y, s, np.int32(2))
    padded = np.pad(x[0, 0], 1)
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    assert np.array_equal(y[0], np.einsum("hwij,oij->ohw", views, w[:, 0]))
    out = np.empty(6, np.int32)
    launch(
        "templated_map", "map<int>", 1, 3, np.arange(6, dtype="i4"), out, np.int32(6)
    )
    assert np.array_equal(out, np.arange(6) ** 2)


def test_native_deadlock_and_wrong_arguments():
    source = (
        "__global__ void k(int* a) { if (threadIdx.x) __syncwarp(1); __syncthreads(); }"
    )
    with pytest.raises(RuntimeError, match="never reach"):
        native.run(source.replace("(1)", "(3)"), "k", 1, 2, (np.zeros(1, "i4"),))
    with pytest.raises(TypeError, match="takes"):
        native.run(source, "k", 1, 2, ())
    with pytest.raises(ValueError, match="g[+][+] does not take"):
        native.run("__global__ void k() { x; }", "k", 1, 1, ())


@pytest.fixture
def rng():
    return np.random.default_rng(0)
