"""How results of a GPU and of the simulator compare, and which may differ."""

import dataclasses

import numpy as np

EXACT = None


@dataclasses.dataclass
class Bound:
    """Errors of at most `most`, in 2**-23 of the expected value, or of `scale` where
    that is larger (for results of cancellation)."""

    most: float
    why: str
    scale: float = 0


# Kernels whose bits may differ; CUDA's programming guide gives the functions' errors.
BOUNDS = {
    "adam": Bound(16, "powf (up to 8 ulp)", 1),
    "bfloat_sum": Bound(16, "float atomics, in any order", 32),
    "gelu": Bound(8, "tanhf (2 ulp)", 1),
    "layernorm": Bound(32, "rsqrtf (2 ulp)", 1),
    "reduce_shared": Bound(32, "float atomics, in any order", 32),
    "softmax": Bound(16, "expf (2 ulp), __expf"),
    "solutions/05_reductions: softmax_rows": Bound(16, "expf (2 ulp)"),
    "solutions/05_reductions: online_softmax": Bound(32, "expf (2 ulp), repeatedly"),
    "solutions/07_convolution: col2im": Bound(16, "float atomics, in any order", 1),
    "solutions/09_nn: cross_entropy_forward": Bound(16, "expf (2 ulp), logf", 1),
    "solutions/09_nn: cross_entropy_backward": Bound(16, "expf (2 ulp)", 1),
    "solutions/11_extending_pytorch: bias_gelu": Bound(8, "erff (2 ulp)", 1),
    "solutions/11_extending_pytorch: bias_gelu_backward": Bound(16, "erff, expf", 1),
    "tests: mma_is_the_product": Bound(8, "a tensor core's own rounding of sums", 1),
    "tests: wmma_is_the_product": Bound(8, "a tensor core's own rounding of sums", 1),
    "minigrad.jit: smooth": Bound(16, "tanhf, expf (2 ulp)", 1),
    "minigrad.jit: reduced": Bound(16, "powf (up to 8 ulp)", 1),
    "lessons/04_elementwise: change": Bound(16, "expf, logf, log1pf"),
    "lessons/05_reductions: softmax_threads": Bound(16, "expf (2 ulp)"),
}


@dataclasses.dataclass
class Outcome:
    """How the results of a kernel's launches compare: elements, and what differs."""

    elements: int = 0
    differ: int = 0
    error: float = 0.0
    problem: str = ""

    def add(self, gpu, sim, scale):
        """One array of each."""
        gpu, sim = flushed(gpu), flushed(sim)
        bits = [np.ascontiguousarray(a).view(f"u{a.itemsize}") for a in (gpu, sim)]
        differ = bits[0] != bits[1]
        self.elements += gpu.size
        self.differ += int(differ.sum())
        if differ.any():
            self.error = max(self.error, error(gpu[differ], sim[differ], scale))

    def holds(self, bound):
        """Is this good enough?"""
        good = self.differ == 0 if bound is EXACT else self.error <= bound.most
        return good and not self.problem

    def __str__(self):
        if self.problem:
            return self.problem
        if not self.differ:
            return "same bits"
        return f"{self.differ} of {self.elements} differ, error up to {self.error:.3g}"


def flushed(array):
    """With zero for floats below 2**-126, as CuPy compiles kernels to do."""
    if array.dtype != np.float32:
        return array
    small = np.abs(array) < np.finfo(np.float32).smallest_normal
    return np.where(small, np.copysign(np.float32(0), array), array)


def error(gpu, sim, scale):
    """The largest difference, in 2**-23 of the value, or of a larger `scale`.

    One NaN is as good as another: functions may give any of them.
    """
    gpu, sim = gpu.astype(np.float64), sim.astype(np.float64)
    numbers = ~(np.isnan(gpu) & np.isnan(sim))
    gpu, sim = gpu[numbers], sim[numbers]
    if not np.isfinite(gpu).all() or not np.isfinite(sim).all():
        return np.inf
    size = np.maximum(np.abs(gpu), scale)
    errors = np.abs(gpu - sim) / (np.where(size, size, 1) * 2.0**-23)
    return float(np.max(errors, initial=0))
