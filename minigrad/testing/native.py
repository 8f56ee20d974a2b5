"""A learner's C++ and CUDA C as operators of PyTorch: torch.ops.NAMESPACE.name."""

import hashlib
import shutil

from ..data.files import cache
from . import extension

HEADERS = """\
#include <ATen/Dispatch.h>
#include <ATen/OpMathType.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

#include <cmath>
"""
CUDA = """\
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_fp16.h>
"""
KERNEL = """\
namespace of_SCALAR {
#define scalar_t SCALAR
#define acc_t ACC
#include "ANSWER"
#undef scalar_t
#undef acc_t
}
"""
LAUNCH = """\
void run(std::vector<at::Tensor> t, std::vector<int64_t> n, int64_t threads) {
    const c10::cuda::CUDAGuard guard(t[0].device());
    auto stream = c10::cuda::getCurrentCUDAStream();
    int64_t blocks = (threads + 255) / 256;
    if (blocks == 0) return;
    switch (t[0].scalar_type()) {
CASES        default: TORCH_CHECK(false, "no kernel for ", t[0].scalar_type());
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
}
"""
TYPES = [("float", "float", "Float"), ("double", "double", "Double"),
         ("__half", "float", "Half")]  # fmt: skip


def build(exercise, compiled=None, examine=None):
    """The operator that PyTorch makes of an exercise's C++; built once for each text.

    compiled: the path of `headers()`, where these are made elsewhere. examine: called
    with the library's path before anything in it runs; it may raise.
    """
    folder, space = place(exercise, "cpp")
    main = folder / "main.cc"
    main.write_text(
        f'#include "{exercise.name}.cpp"\n'
        f'TORCH_LIBRARY({space}, m) {{ m.def("{exercise.name}", &{exercise.name}); }}\n'
    )
    how = [*command(), "-include", compiled or headers(), "-shared"]
    return loaded(exercise.name, main, how, space, exercise.name, examine=examine)


def command():
    return [extension.compiler(), "-std=c++20", "-fPIC", "-O1", *includes()]


def headers():
    """The path of PyTorch's headers, compiled once, 300 MB: they take longest."""
    folder = cache() / "extensions" / "headers"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "torch_headers.hh"
    if not source.exists() or source.read_text() != HEADERS:
        source.write_text(HEADERS)
    compiled = extension.shared_library(
        "torch_headers",
        source,
        command=[*command(), "-x", "c++-header"],
        versions=[torch_version()],
        ending="hh.gch",
    )
    plain = compiled.with_suffix("")  # is included; the compiled one lies beside it
    if not plain.exists():
        plain.write_text(HEADERS)
    return str(plain)


def includes():
    from torch.utils import cpp_extension

    return [part for p in cpp_extension.include_paths() for part in ("-isystem", p)]


def torch_version():
    import torch

    return torch.__version__


def build_cuda(exercise, examine=None):
    """run(tensors, sizes, threads): an exercise's kernel, launched on PyTorch's stream.

    examine: as of `build`.
    """
    import torch

    folder, space = place(exercise, "cu")
    main = folder / "main.cu"
    main.write_text(cuda_source(exercise, space))
    target = "sm_{}{}".format(*torch.cuda.get_device_capability())
    how = ["nvcc", "-std=c++20", "-shared", "-Xcompiler=-fPIC", f"-arch={target}"]
    how += includes()
    libraries = "-lc10_cuda", "-ltorch_cuda"
    return loaded(exercise.name, main, how, space, "run", *libraries, examine=examine)


def has_nvcc():
    import torch

    return torch.cuda.is_available() and shutil.which("nvcc") is not None


def cuda_source(exercise, space):
    """A `.cu` that has the exercise's kernel for three dtypes, and its launch."""
    answer, cases = f"{exercise.name}.cu", ""
    pointers = [i for i, p in enumerate(exercise.parameters) if "*" in p]
    text = HEADERS + CUDA
    for scalar, acc, name in TYPES:
        kernel = KERNEL.replace("SCALAR", scalar).replace("ACC", acc)
        text += kernel.replace("ANSWER", answer)
        given = [
            f"({scalar}*)t[{pointers.index(i)}].data_ptr()" if i in pointers
            else f"(int)n[{i - len(pointers)}]"
            for i in range(len(exercise.parameters))
        ]  # fmt: skip
        cases += f"        case at::ScalarType::{name}: of_{scalar}::{exercise.name}"
        cases += f"<<<blocks, 256, 0, stream>>>({', '.join(given)}); break;\n"
    text += LAUNCH.replace("CASES", cases)
    return text + f'TORCH_LIBRARY({space}, m) {{ m.def("run", &run); }}\n'


def place(exercise, ending):
    """(the folder of a text, with the text in it; the namespace of its operators)."""
    said = HEADERS + CUDA + KERNEL + LAUNCH + exercise.name + exercise.text
    digest = hashlib.sha256(said.encode()).hexdigest()[:16]
    folder = cache() / "extensions" / f"text_{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{exercise.name}.{ending}").write_text(exercise.text, encoding="utf-8")
    return folder, f"minigrad_{digest}"


def loaded(name, source, command, space, operator, *more, examine=None):
    import torch
    from torch.utils import cpp_extension

    libraries = [f"-L{path}" for path in cpp_extension.library_paths()]
    library = extension.shared_library(
        name,
        source,
        command=command,
        flags=[*libraries, "-lc10", "-ltorch_cpu", "-ltorch", *more],
        versions=[torch_version()],
    )
    if examine:
        examine(library)
    torch.ops.load_library(str(library))
    return getattr(getattr(torch.ops, space), operator)
