"""Kernels of scalar_t and acc_t: launches, and what nvcc builds, beside PyTorch."""

import functools
import random as random_numbers

import numpy as np
import torch

from grading.checking.kernel_judgment import NotRun
from grading.exercise import Check, Launch, Limits, arrays
from grading.kernels.cpp import launched
from minigrad.testing import native

from ..launches import specials

ROUNDS = {"float32": 2e-7, "float64": 4e-16, "float16": 5e-4}  # a unit or two
SMALL = 8.0  # in units of 1: 1 + erf of a large negative number is a difference
SIZES = {
    "rows of any length": [(4, 3), (33, 5), (1, 257), (100, 1), (7, 64), (2, 1000)],
    "many elements": [(40, 1000)],
    "no elements": [(0, 3)],
}
TYPES = [  # scalar_t, acc_t, and NumPy's name of the first
    ("float", "float", "float32"), ("double", "double", "float64"),
    ("float", "double", "float32"), ("__half", "float", "float16"),
]  # fmt: skip


def kernel_check(
    exercise, *, drawn, reference, more, sizes=SIZES, few=((9, 7), (3, 100)),
    small=SMALL, limits=Limits(),  # noqa: B008
):  # fmt: skip
    """The check of a kernel.

    drawn(random, dtype, rows, N): (arguments, threads). more(random): cases beside
    those of `sizes`, {part: [(rows, N)]}, in float, and of `few`, in other types.
    """

    def cases(random):
        for part, known in sizes.items():
            for number, size in enumerate(known):
                block = (64, 96, 256, 1024)[number % 4]
                yield part, launch(*drawn(random, np.float32, *size), block)
        for scalar, acc, dtype in TYPES[1:]:
            for size in few:
                args, threads = drawn(random, dtype, *size)
                yield f"{scalar} in {acc}", launch(args, threads, 256, scalar, acc)
        yield from more(random)

    return Check(
        exercise,
        cases=cases,
        reference=reference,
        compare=arrays(tolerance=functools.partial(tolerance, small), rounded=False),
        limits=limits,
        on_gpu={
            "as an extension of PyTorch": functools.partial(
                extension, drawn, reference, small
            )
        },
        not_tested="bfloat16: the contract names no type, and half is like it",
    )


def launch(args, threads, block, scalar="float", acc="float", **more):
    """One block too many, so that it always takes a guard."""
    options = f"-Dscalar_t={scalar}", f"-Dacc_t={acc}", "--pre-include=cuda_fp16.h"
    return Launch(threads // block + 2, block, args, options=options, **more)


def tolerance(small, got):
    """Half is rounded once, so it is off by that alone, and by what float is."""
    half = got.dtype == np.float16
    unit = ROUNDS["float32" if half else got.dtype.name]
    return unit + (2.0**-11 if half else 2 * unit), small * unit


def extension(drawn, reference, small, exercise, text):
    """A part on a GPU: the kernel as PyTorch launches it, in three dtypes."""
    if not native.has_nvcc():
        raise NotRun("it needs nvcc and PyTorch with CUDA")
    random, asked = random_numbers.Random(0), []
    for dtype in ROUNDS:
        args, threads = drawn(random, dtype, 99, 33)
        arrays, sizes = ([a for a in args if bool(a.ndim) == d] for d in (True, False))
        asked.append((arrays, [*map(int, sizes)], threads))
    outputs = launched(exercise.name, text, asked)
    if isinstance(outputs, str):
        yield False, outputs
        return
    for (arrays, sizes, _), got in zip(asked, outputs, strict=True):
        expected = reference(*map(torch.from_numpy, arrays), *sizes)
        unit = ROUNDS[got.dtype.name]
        right = np.allclose(got, expected, 4 * unit, small * unit)
        yield right, "" if right else f"in {got.dtype} the values are not right"


def odd(random):
    """(x, bias) whose sums are numbers of every kind, also far out."""
    bias = np.float32([0, 1, np.inf, -np.inf])
    return np.repeat(specials(random, more=(80, -80)), len(bias)), bias


def added(x, bias, launch=None):
    """x + bias, row by row, in double; rounded to float where acc_t is float."""
    u = x.double().view(-1, len(bias)) + bias
    single = launch and "-Dacc_t=float" in launch.options
    return u.float().double() if single else u


def gelu(u):
    return torch.nn.functional.gelu(u)


def slope(dy, u):
    """dy times the derivative of gelu at u."""
    u = u.detach().requires_grad_()
    return torch.autograd.grad(gelu(u), u, dy)[0]
