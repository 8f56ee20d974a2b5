"""pip install --no-build-isolation ./examples/extension, then: import minigrad_ops.

A package with a compiled part. BuildExtension adds PyTorch's headers, libraries and
flags; `BuildExtension.with_options(use_ninja=False)` would do without ninja.
"""

import torch
from setuptools import setup
from torch.utils.cpp_extension import (
    CUDA_HOME,
    BuildExtension,
    CppExtension,
    CUDAExtension,
)

sources = ["csrc/bindings.cpp", "csrc/cpu.cpp"]
if torch.version.cuda and CUDA_HOME:
    flags = {"cxx": ["-O3", "-DWITH_CUDA"], "nvcc": ["-O3"]}
    native = CUDAExtension(
        "minigrad_ops._C", [*sources, "csrc/cuda.cu"], extra_compile_args=flags
    )
else:
    native = CppExtension("minigrad_ops._C", sources, extra_compile_args=["-O3"])

setup(
    name="minigrad_ops",
    version="0.1.0",
    packages=["minigrad_ops"],
    ext_modules=[native],
    cmdclass={"build_ext": BuildExtension},
)
