"""What NVIDIA's own compiler says to the kernels of convolutions, in every dtype."""

import itertools

import pytest

from cudasim import nvrtc
from minigrad.dtypes import FLOATS, HEADERS, computed_in
from minigrad.launch import file_text, template, with_headers

MISSING = nvrtc.missing()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(MISSING is not None, reason=f"not run: NVRTC ({MISSING})"),
]
WAYS = (3, 3, 1, 1, 32, 64, 8), (3, 3, 1, 1, 64, 64, 16), (5, 2, 2, 3, 64, 32, 16)


def pipelined():
    for what, way in itertools.product(range(3), WAYS):
        yield template("conv2d_pipelined", what, *way)


# file: kernels, each with what stands before its dtypes T and A
PLAIN = {
    "conv": ("conv2d_direct", "conv2d_halo", "conv2d_input_direct",
             "conv2d_weight_direct"),
    "conv_gemm": ("conv2d_join",),
    "unfold": ("fold_gather",),
    "pool": ("max_pool2d", "max_pool2d_input", "avg_pool2d 0", "avg_pool2d 1",
             "avg_pool2d_input 0", "avg_pool2d_input 1"),
    "batch_norm": ("batch_norm_moments", "batch_norm_element", "batch_norm_plane",
                   "batch_norm_sums", "batch_norm_input"),
    "random": ("dropout",),
    "nll": (*(f"nll{end} {log} {r}" for log in (0, 1) for r in range(3)
              for end in ("", "_input")), "nll_logarithms"),
}  # fmt: skip


def names(stem):
    for kernel, dtype in itertools.product(PLAIN[stem], FLOATS):
        name, *numbers = kernel.split()
        yield template(name, *numbers, dtype, computed_in(dtype))
    if stem == "unfold":
        for kernel in ("unfold_element", "unfold_window"):
            yield from (template(kernel, dtype) for dtype in FLOATS)
    if stem == "conv_gemm":
        for what, dtype in itertools.product(range(3), FLOATS):
            wide = computed_in(dtype)
            types = dtype, wide if what == 2 else dtype, wide
            yield template("conv2d_implicit", what, *types)
        yield from pipelined()


@pytest.mark.parametrize("stem", PLAIN)
def test_nvrtc_takes_every_dtype(stem, targets):
    text = with_headers(file_text(f"{stem}.cu"), HEADERS)
    for arch in targets:
        said = nvrtc.compiled(text, arch, tuple(names(stem)), nvrtc.QUICKLY)
        assert said == ""
