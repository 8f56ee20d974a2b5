"""The launches of kernels that minigrad.jit has written, by lab 12's answers."""

import contextlib
import functools
import io
from unittest.mock import patch

import numpy as np

import minigrad
from benchmarks.common import Launch
from minigrad.jit.codegen import FusedKernel
from minigrad.launch import THREADS, cdiv

LABEL, SIZES = "minigrad.jit", [(1, 1), (6, 5), (257, 33)]


def chain(x, y):
    return ((x * y + 1).relu() * 0.5 - y).abs(), x * y + 1


def types(x, y):
    small = x < y
    return minigrad.where(small, x, y).double() * 2, (x > 0.5).long() + 3, small


def halves(x, y):
    return (x.half() * y.half() + 1) * 3


def turned(x, y):
    return (x.T.contiguous() + 1).T * y - x.sum(0, keepdim=True)


def smooth(x, y):
    return ((x * y).tanh() + y.exp()).sigmoid()


@functools.cache
def launches():
    """A list of Launch; a function's kernel has its name in the label."""
    with contextlib.redirect_stdout(io.StringIO()):
        minigrad.answers_from("solutions")
    random = np.random.default_rng(0)
    return [
        one
        for function in (chain, types, halves, turned, smooth)
        for rows, cols in SIZES
        for one in of(function, *(random.standard_normal(s).astype(np.float32)
                                  for s in ((rows, cols), (cols,))))
    ]  # fmt: skip


def of(function, *arrays):
    """The launches of a jitted function's kernels."""
    found, call = [], FusedKernel.__call__

    def recording(kernel, *tensors, out=None):
        read = [t.storage.data[t.offset :].copy() for t in tensors]
        made = call(kernel, *tensors, out=out)
        found.append((kernel, read, [np.zeros_like(y.storage.data) for y in made]))
        return made

    f = minigrad.jit(function)
    with patch.object(FusedKernel, "__call__", recording):
        for _ in range(2):  # traced; run
            f(*(minigrad.tensor(a, device="sim") for a in arrays))
    return [
        Launch(f"{LABEL}: {function.__name__}", kernel.whole, kernel.name,
               (cdiv(kernel.n, THREADS),), (THREADS,),
               (*read, *made, np.int64(kernel.n)), file=f"{kernel.name}.cu",
               unset=tuple(range(len(read), len(read) + len(made))))
        for kernel, read, made in found
    ]  # fmt: skip
