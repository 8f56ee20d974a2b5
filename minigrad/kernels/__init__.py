"""The kernels of the course, and what belongs to launching them: the learner's holes.

A kernel's hole is its specification and its declaration; `hole.text` is the CUDA C of
its answer, which `minigrad.Kernel(hole.text, hole.name)` compiles.
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
