"""The library's kernels on a real GPU, at the simulator's sizes and at larger ones."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="not run: kernel variants on a GPU (no PyTorch)")

import torch
import variant_cases
import variant_cases_conv  # noqa: F401
import variant_cases_optim  # noqa: F401
import variant_cases_rows
import variant_cases_training  # noqa: F401
from variant_cases import FAMILIES, Case, blank, compare, numbers, text, whole

from minigrad import devices
from minigrad.cli import install
from minigrad.kernel import Kernel

pytestmark = pytest.mark.gpu
LARGE = 1_000_003


@pytest.fixture(autouse=True)
def cupy():
    if install.driver_cuda() is None:
        pytest.skip("not run: kernel variants on a GPU (no NVIDIA driver)")
    return pytest.importorskip("cupy", reason="not run: GPU tests (no CuPy)")


def on_the_gpu(stem, case):
    """Launch the case on the GPU, and compare."""
    kernel = Kernel(case.prelude + text(stem), case.name)
    there = [devices.to_device(a, "cuda") if np.ndim(a) else a for a in case.args]
    kernel(case.grid, case.block, tuple(there))
    compare(case, [devices.to_host(a) if devices.on_gpu(a) else a for a in there])


def large_vectors():
    x, z, n = numbers(LARGE), numbers(LARGE, seed=1), np.int64(LARGE)
    grid, size = (whole(LARGE, 4 * 256),), (x, blank(LARGE), n)
    relu, args = {1: np.maximum(x, 0)}, (*size, np.float32(0), np.float32(0))
    yield "elementwise", Case("unary_vectors<float>", grid, (256,), args, relu, 0,
                              variant_cases.RELU)  # fmt: skip
    args = x, z, blank(LARGE), n
    yield "elementwise", Case("binary_vectors<float>", grid, (256,), args, {2: x + z})
    for name, block in variant_cases.SUMS:
        args = abs(x), blank(1), n
        total = {1: [abs(x).sum(dtype=float)]}
        yield "reduce", Case(f"{name}<float>", (1,), (block,), args, total, 1e-4)
    step, struct = variant_cases.view_of(torch.from_numpy(numbers(2 * LARGE))[::2])
    args = step, struct, blank(LARGE), np.int32(LARGE)
    grid = (whole(LARGE, 256),)
    yield "copy", Case("contiguous<float>", grid, (256,), args, {2: step[::2]})


def large_rows():
    x = numbers(33, 5000)
    for case in variant_cases_rows.softmax_of(x, "float", 5000):
        yield "softmax", case
    for case in variant_cases_rows.layer_norm(numbers(4, 5000) / 100 + 100, 5000):
        yield "layer_norm", case
    for case in variant_cases.rows_of(x, 33, 5000):
        yield "reduce", case
    for case in variant_cases_rows.best_of(x, 33, 5000):
        yield "argmax", case


def large_products():
    a, b = numbers(3, 517, 300), numbers(300, 1000, seed=1)
    a, b = torch.from_numpy(a), torch.from_numpy(b)
    for along_a, along_b, wide in ((1, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)):
        x = a if along_a else a.transpose(1, 2).contiguous().transpose(1, 2)
        y = b.t().contiguous().t() if along_b else b
        name = f"matmul_pipelined<{along_a}, {along_b}, {wide}>"
        yield "matmul", variant_cases_rows.tiled(name, x, y, 128, (128,), 2)
    yield "matmul", variant_cases_rows.tiled("matmul_tiled<float>", a, b, 16, (16, 16))


@pytest.mark.parametrize("stem", FAMILIES)
def test_awkward_sizes(stem):
    for case in FAMILIES[stem]():
        on_the_gpu(stem, case)


@pytest.mark.parametrize("cases", [large_vectors, large_rows, large_products])
def test_large_sizes(cases):
    for stem, case in cases():
        on_the_gpu(stem, case)
