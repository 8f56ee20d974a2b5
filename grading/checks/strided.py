"""What the checks of kernels for any layout share: views, and texts that read them."""

import torch

from grading.kernels import blank
from minigrad.kernels.copy import Strides

from .layouts import random_view, shuffled

THREADS = 64
STRUCT = "struct Strides { int dims; long long shape[8]; long long stride[8]; };\n"
OFFSET_OF = """
__device__ long long offset_of(long long i, const Strides& view) {
    long long offset = 0;
    for (int d = view.dims - 1; d >= 0; d--) {
        offset += i % view.shape[d] * view.stride[d];
        i /= view.shape[d];
    }
    return offset;
}
"""
MY_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
GUARD = f"{MY_I} if (i >= n) return;"
NO_GUARD = "there is no guard: the last block has more threads than there are elements"
SCATTERED = "the offset is used on the wrong side: read x[offset], write y[i]"


def text_of(hole, body, before=""):
    """A whole text: the struct, functions that stand before the kernel, its body."""
    return f"{STRUCT}{before}\n{hole.form()} {{\n{body}\n}}"


def row_major(shape):
    return torch.empty(shape).stride()


def permuted(random, shape):
    """The strides of a row-major tensor whose dimensions were put in another order."""
    order, strides = shuffled(random, shape), [0] * len(shape)
    steps = row_major([shape[d] for d in order])
    for d, step in zip(order, steps, strict=True):
        strides[d] = step
    return tuple(strides)


def layouts(random):
    """(part, shape, strides) of views of every kind."""
    yield "any order of dimensions", (4, 3), (1, 4)
    yield "any order of dimensions", (2, 3, 4), permuted(random, (2, 3, 4))
    for _ in range(2):
        shape, strides, _ = random_view(random)
        yield "any order of dimensions", shape, strides
    yield "steps and gaps", (5, 3), (16, 2)
    for n in (31, 33, 257):
        yield "steps and gaps", (n,), (2,)
    yield "repeated elements", (3, 4), (1, 0)
    yield "repeated elements", (2, 5, 3), (0, 1, 0)
    yield "repeated elements", (33,), (0,)
    yield "plain rows", (20, 13), (13, 1)
    for n in (1, 32, 256, 1000):
        yield "plain rows", (n,), (1,)
    yield "several blocks", (37, 29), (1, 37)
    eight = (2, 1, 3, 2, 4, 1, 2, 3)
    yield "up to eight dimensions", eight, permuted(random, eight)
    yield "up to eight dimensions", (3, 2, 2, 3, 2), (1, 0, 3, 6, 18)
    yield "no dimensions", (), ()


def size_of(shape):
    return int(torch.Size(shape).numel())


def cells(shape, strides):
    """How many cells it takes to read a view."""
    return 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))


def cover(n):
    """One block too many, so that it always takes a guard."""
    return -(-n // THREADS) + 1


def view(shape, strides):
    return Strides(shape, strides)


def read(x, view):
    """The tensor that an array and a struct Strides mean."""
    dims = int(view["dims"])
    shape, strides = (view[key][:dims].tolist() for key in ("shape", "stride"))
    return torch.from_numpy(x).as_strided(shape, strides)


def written(y, n, values):
    """y with its first n elements set to a tensor's."""
    y.reshape(-1)[:n] = values.reshape(-1)[:n].to(torch.from_numpy(y).dtype).numpy()
    return y


def output(shape, dtype="float32"):
    return blank(*(shape or (1,)), dtype=dtype)
