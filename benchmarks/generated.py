"""The launches of kernels that minigrad.jit has written, whole or in part."""

import contextlib
import functools
import io
from unittest.mock import patch

import numpy as np

import minigrad
from benchmarks.common import Launch, fresh
from minigrad import launch
from minigrad.nn import functional as F

WRITTEN = "fused_", "PROLOGUE(x, i) prologue(", "EPILOGUE(i, value) epilogue("
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


def reduced(x, y):
    return ((x - y) ** 2).sum(1) * 0.5 + 1


def product(x, y):
    return (x @ x.T + 1).relu()


def convolved(x, y):
    weight = y[:1].reshape(1, 1, 1, 1).expand(4, 1, 1, 1)
    return F.conv2d(x.reshape(1, 1, *x.shape), weight).relu() * 2


FUNCTIONS = chain, types, halves, turned, smooth, reduced, product, convolved


@functools.cache
def launches():
    """A list of Launch; a function's kernel has its name in the label."""
    with contextlib.redirect_stdout(io.StringIO()):
        minigrad.answers_from("solutions")
    random = np.random.default_rng(0)
    return [
        one
        for function in FUNCTIONS
        for rows, cols in SIZES
        for one in of(function, *(random.standard_normal(s).astype(np.float32)
                                  for s in ((rows, cols), (cols,))))
    ]  # fmt: skip


def of(function, *arrays):
    """The launches of a jitted function's kernels."""
    launches, run = [], launch.Launch.run

    def recording(one, args):
        launches.append((one, fresh(args)))
        run(one, args)

    f = minigrad.jit(function)
    with launch.kernel_variant("fastest"):
        tensors = [minigrad.tensor(a, device="sim") for a in arrays]
        f(*tensors)  # traced
        with patch.object(launch.Launch, "run", recording):
            f(*tensors)
    return [
        Launch(f"{LABEL}: {function.__name__}", one.kernel.run.code, one.kernel.name,
               one.grid, one.block, args, file=f"{plain(one)}.cu", unset=unset(one))
        for one, args in launches
        if any(text in one.kernel.name + one.kernel.run.code for text in WRITTEN)
    ]  # fmt: skip


def plain(one):
    """The kernel's name without its types."""
    return one.kernel.name.partition("<")[0]


def unset(one):
    """The positions of what a kernel that jit wrote whole writes, and never reads."""
    types = [p.type.plain for p in one.kernel.run.parameters]
    free = [i for i, t in enumerate(types) if hasattr(t, "to") and not t.to.const]
    return tuple(free) if plain(one).startswith("fused_") else ()
