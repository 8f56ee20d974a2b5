"""The kernels of the course, and what launches them: the learner's exercises.

A kernel's exercise is its specification and declaration; `exercise.text` is the CUDA C
of its answer, which `minigrad.Kernel(exercise.text, exercise.name)` compiles.
"""

from . import (
    bias_gelu,
    bindings,
    convolution,
    copy,
    driver,
    elementwise,
    first,
    losses,
    memory,
    reductions,
    threads,
    transfers,
)

__all__ = [
    "bias_gelu",
    "bindings",
    "convolution",
    "copy",
    "driver",
    "elementwise",
    "first",
    "losses",
    "memory",
    "reductions",
    "threads",
    "transfers",
]
