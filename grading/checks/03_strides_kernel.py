"""Chapter 03, the kernel: PyTorch reads the same storage by the same strides."""

import numpy as np

from grading.checking import cause, checks
from grading.kernels import Fault, KernelCheck, Launch, distinct, mistake
from minigrad.kernels.copy import contiguous_kernel

from . import strided
from .strided import GUARD, MY_I, permuted

LARGE = (1003, 997)


def gather(text, step, begin="view.dims - 1", go_on="d >= 0", next_d="d--", end=""):
    """A mistake: how i is taken apart."""
    body = f"""{GUARD} long long offset = 0, rest = i;
    for (int d = {begin}; {go_on}; {next_d}) {{ {step} }} {end}
    y[i] = x[offset];"""
    return mistake(text, strided.text_of(contiguous_kernel, body))


def copied(text, body):
    return mistake(
        text,
        strided.text_of(contiguous_kernel, body, strided.OFFSET_OF),
    )


@checks(contiguous_kernel)
class ContiguousKernel(KernelCheck):
    def cases(self, random):
        for part, shape, strides in strided.layouts(random):
            yield part, self.launch(random, shape, strides)
        yield "several blocks", self.launch(random, LARGE, permuted(random, LARGE))
        yield "no elements", self.launch(random, (3, 2), (1, 3), n=0)

    def launch(self, random, shape, strides, n=None):
        n = strided.size_of(shape) if n is None else n
        x, y = (
            distinct(random, strided.cells(shape, strides)),
            strided.output(shape),
        )
        args = x, strided.view(shape, strides), y, np.int32(n)
        return Launch(strided.cover(n), strided.THREADS, args)

    def expected(self, launch, x, view, y, n):
        return strided.written(y, n, strided.read(x, view))

    flat = copied(
        "the strides are not used: element i of the view is cell i only if the tensor "
        "is contiguous already",
        f"{GUARD} y[i] = x[i];",
    )
    scattered = copied(
        "the offset is used on the wrong side: read x[offset], write y[i]",
        f"{GUARD} y[offset_of(i, view)] = x[i];",
    )
    both_sides = copied(
        "the offset is used on both sides: y is row-major, so element i of it is y[i]",
        f"{GUARD} y[offset_of(i, view)] = x[offset_of(i, view)];",
    )
    no_guard = copied(
        "there is no guard: the last block has more threads than there are elements",
        f"{MY_I} y[i] = x[offset_of(i, view)];",
    )
    column_major = gather(
        "column-major: the first index moves fastest here; begin with the last "
        "dimension",
        "offset += rest % view.shape[d] * view.stride[d]; rest /= view.shape[d];",
        begin="0",
        go_on="d < view.dims",
        next_d="d++",
    )
    reverse = gather(
        "each index goes with the stride of its own dimension: here one runs backwards",
        "offset += rest % view.shape[d] * view.stride[view.dims - 1 - d]; "
        "rest /= view.shape[d];",
    )
    no_division = gather(
        "i is never divided: once an index is found, go on with i / view.shape[d]",
        "offset += rest % view.shape[d] * view.stride[d];",
    )
    no_remainder = gather(
        "no remainder is taken: the index along d is i % view.shape[d]",
        "offset += rest * view.stride[d]; rest /= view.shape[d];",
    )
    by_stride = gather(
        "i is divided by a stride: counting row by row goes by the sizes, and strides "
        "only say where an element lies",
        "if (view.stride[d]) { offset += rest % view.shape[d] * view.stride[d]; "
        "rest /= view.stride[d]; }",
    )
    last_stride = gather(
        "the last index is added as it is: it too has a stride, which need not be 1",
        "offset += rest % view.shape[d] * (d == view.dims - 1 ? 1 : view.stride[d]); "
        "rest /= view.shape[d];",
    )
    first_left_out = gather(
        "the first dimension is left out: what remains of i at the end is its index",
        "offset += rest % view.shape[d] * view.stride[d]; rest /= view.shape[d];",
        go_on="d > 0",
    )
    two_dims = gather(
        "only the last two dimensions count here: there may be up to eight",
        "offset += rest % view.shape[d] * view.stride[d]; rest /= view.shape[d];",
        go_on="d >= 0 && d >= view.dims - 2",
    )

    @cause("a size of 0 divides: only the first view.dims of the places say anything")
    def always_eight(self, launch, *args):
        return Fault("divide-by-zero")

    gaps = gather(
        "a stride of 0 is taken for 1: an element that is repeated stays in its cell",
        "offset += rest % view.shape[d] * max(view.stride[d], 1LL); "
        "rest /= view.shape[d];",
    )
