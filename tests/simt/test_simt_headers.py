"""What CUDA's headers bring: beside PyTorch, NumPy, and NVRTC's compiler."""

import numpy as np
import pytest
import torch

from grading.mutation import nvrtc
from minigrad import simt


def compiles(text, arch=90):
    """Assert that NVRTC takes a text, where it is here."""
    if not nvrtc.missing():
        assert nvrtc.compiled(text, arch) == ""


FP8 = """
#include <cuda_fp8.h>
__global__ void k(const float* x, unsigned char* y, unsigned char* z, float* back) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __nv_fp8_e4m3 both[2];
    both[0] = __nv_fp8_e4m3(x[i]);
    __nv_fp8_e5m2 b(x[i]);
    y[i] = both[0].__x;
    z[i] = b.__x;
    back[2 * i] = float(both[0]);
    back[2 * i + 1] = static_cast<float>(b);
}"""


def test_fp8_as_pytorch():
    """But for what is too large: CUDA's constructors give the largest number."""
    random = np.random.default_rng(0)
    some = random.standard_normal(2000) * 10 ** random.uniform(-6, 6, 2000)
    edges = [
        0,
        -0.0,
        np.inf,
        -np.inf,
        448,
        464,
        465,
        57344,
        61440,
        61441,
        2**-10,
        -(2**-16),
    ]
    x = np.r_[some, edges, np.arange(36) / 16].astype(np.float32)
    made, back = np.zeros((2, 2048), np.uint8), np.zeros((2048, 2), np.float32)
    simt.RawKernel(FP8, "k")(8, 256, (x, made[0], made[1], back))
    for i, dtype in enumerate((torch.float8_e4m3fn, torch.float8_e5m2)):
        most = torch.finfo(dtype).max
        expected = torch.from_numpy(x).clamp(-most, most).to(dtype)
        assert made[i].tolist() == expected.view(torch.uint8).tolist()
        assert back[:, i].tolist() == expected.float().tolist()
    compiles(FP8)


def test_what_a_conversion_demands():
    text = FP8.replace("float(both[0])", "both[0]")
    with pytest.raises(simt.CompileError, match="'__nv_fp8_e4m3'"):
        simt.compile(text)
    if not nvrtc.missing():
        assert nvrtc.compiled(text, 90)
