"""The ceilings of a machine: bytes and floating-point operations a second, measured."""

import dataclasses

import numpy as np

from ..devices import gpu_available
from .timing import bench

FLOAT = np.dtype(np.float32)


@dataclasses.dataclass(frozen=True)
class Ceilings:
    """What a machine can do at most, and how that was found out."""

    bandwidth: float  # bytes a second, read and written together
    peak: float  # FLOP a second, in float32
    machine: str
    copied_by: str = "a copy"
    multiplied_by: str = "a product of matrices"

    @property
    def ridge(self):
        """The FLOP for each byte from which on the arithmetic is the bound."""
        return self.peak / self.bandwidth

    def rate(self, intensity):
        """FLOP a second, at most, at an intensity."""
        return min(self.peak, intensity * self.bandwidth)

    def __str__(self):
        return (
            f"{self.machine}: {self.bandwidth / 1e9:,.4g} GB/s ({self.copied_by}), "
            f"{self.peak / 1e9:,.4g} GFLOP/s ({self.multiplied_by})"
        )


def ceilings(device="auto", floats=None, n=None, repeat=5):
    """The Ceilings of this machine: of a large copy, and a large product in float32.

    device: "cuda" is the GPU, by CuPy's copy and cuBLAS; "cpu" the host, by NumPy, and
    says nothing of a GPU; "auto" is "cuda" where there is a GPU. floats: how many are
    copied, 2**26 on a GPU and 2**24 on the host. n: matrices of n x n, 4096 and 768.
    """
    on_gpu = device == "cuda" or (device == "auto" and gpu_available())
    floats, n = floats or 2 ** (26 if on_gpu else 24), n or (4096 if on_gpu else 768)
    arrays = np
    names = "The host, without a GPU", "NumPy's copy", "NumPy's product"
    if on_gpu:
        import cupy as arrays

        names = gpu_name(arrays), "CuPy's copy", "cuBLAS, float32"
    x, y = arrays.ones(floats, FLOAT), arrays.zeros(floats, FLOAT)
    a, b, c = (arrays.ones((n, n), FLOAT) for _ in range(3))
    how = {"repeat": repeat, "device": "cuda" if on_gpu else "cpu"}
    copied = bench(arrays.copyto, y, x, **how)
    product = bench(lambda: arrays.matmul(a, b, out=c), **how)
    return Ceilings(2 * x.nbytes / copied.median, 2 * n**3 / product.median, *names)


def gpu_name(cupy):
    name = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"]
    return name.decode() if isinstance(name, bytes) else name
