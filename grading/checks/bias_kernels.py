"""What the checks of lab 11's kernels share: launches, and the built extension."""

import numpy as np
import torch

from grading.exercise import KernelCheck, Launch
from grading.kernels import gpu
from grading.kernels.cpp import launched
from minigrad.testing import native

BUILT = "as an extension of PyTorch"
ROUNDS = {"float32": 2e-7, "float64": 4e-16, "float16": 5e-4}  # a unit or two


def numbers(random, *shape, dtype=np.float32, size=3.0):
    draw = np.random.default_rng(random.getrandbits(64))
    return (size * draw.standard_normal(shape)).astype(dtype)


DTYPES = {"float": "float32", "double": "float64", "__half": "float16"}


def types(scalar, acc):
    return f"-Dscalar_t={scalar}", f"-Dacc_t={acc}", "--pre-include=cuda_fp16.h"


def cover(n, block=256):
    """One block too many, so that it always takes a guard."""
    return n // block + 2, block


class BiasCheck(KernelCheck):
    """Kernels of scalar_t and acc_t; close: but for a rounding of the output's type.

    Half is rounded once, so it is off by that alone, and by what float is.
    """

    gpu_parts = (BUILT,)
    small = 8.0  # in units of 1: 1 + erf of a large negative number is a difference
    sizes = {
        "rows of any length": [(4, 3), (33, 5), (1, 257), (100, 1), (7, 64), (2, 1000)],
        "many elements": [(40, 1000)],
        "no elements": [(0, 3)],
    }
    few = [(9, 7), (3, 100)]

    def tolerance(self, got):
        half = got.dtype == np.float16
        unit = ROUNDS["float32" if half else got.dtype.name]
        return unit + (2.0**-11 if half else 2 * unit), self.small * unit

    def close(self, got, expected):
        """The expected array is not rounded to half."""
        near = np.allclose(got, expected, *self.tolerance(got), equal_nan=True)
        return got.shape == expected.shape and near

    def launches(self, random, make):
        """(part, Launch); make(random, dtype, size) gives (arguments, threads)."""
        kinds = [("float", "float"), ("double", "double"), ("float", "double")]
        kinds += [("__half", "float")]
        for part, sizes in self.sizes.items():
            for number, size in enumerate(sizes):
                block = (64, 96, 256, 1024)[number % 4]
                args, threads = make(random, np.float32, size)
                yield part, self.launch(args, threads, block, *kinds[0])
        for scalar, acc in kinds[1:]:
            for size in self.few:
                args, threads = make(random, DTYPES[scalar], size)
                yield f"{scalar} in {acc}", self.launch(args, threads, 256, scalar, acc)

    def launch(self, args, threads, block, scalar, acc, **more):
        grid, block = cover(threads, block)
        return Launch(grid, block, args, options=types(scalar, acc), **more)

    def built(self, dtype):
        """(arrays, sizes, threads, expected) of a launch on the GPU."""
        raise NotImplementedError

    def on_gpu(self, text):
        """The kernel as PyTorch launches it: built by nvcc, in three dtypes."""
        if not native.has_nvcc():
            return
        cases = [self.built(dtype) for dtype in (np.float32, np.float64, np.float16)]
        found = launched(self.exercise.name, text, [case[:3] for case in cases])
        for number, (tensors, *_, expected) in enumerate(cases):
            if isinstance(found, str):
                yield BUILT, False, found
                return
            unit, size = ROUNDS[tensors[0].dtype.name], self.small
            got = found[number].astype(np.float64)
            right = np.allclose(got, expected, 4 * unit, max(size, 1) * unit)
            yield BUILT, right, f"in {tensors[0].dtype} the values are not right"

    def all_right(self, tried):
        said = super().all_right(tried)
        if gpu.available() and not native.has_nvcc():
            said += f"; {BUILT}: not run, it needs nvcc and PyTorch with CUDA"
        return said


def in_float(launch):
    return "-Dacc_t=float" in launch.options


def added(x, bias, single=False):
    """x + bias, row by row, in double; single: rounded to float, as acc_t may be."""
    u = torch.from_numpy(x).double().view(-1, len(bias)) + torch.from_numpy(bias)
    return u.float().double() if single else u


def gelu(u):
    return torch.nn.functional.gelu(u)
