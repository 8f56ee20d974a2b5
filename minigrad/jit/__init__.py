"""jit: a function of tensors, traced, made shorter, and run without its Python.

    @minigrad.jit
    def f(x, y):
        return (x * y + 1).relu()

The first call runs the function and writes down the operators that it calls (trace).
Passes make that graph shorter (passes), elementwise chains become kernels, or parts of
the kernel before or after them (codegen), and further calls run those (program), as
long as what the trace depends on is the same (guards). `jit.explain(f)` says why it was
traced again, or not at all.
"""

import functools


def jit(function=None, *, mode=None):
    """A function that does what `function` does, by kernels traced and fused.

    `function` takes and returns tensors, numbers and lists, tuples, dicts of them; it
    may use modules and optimizers, and call backward(). f.graph: what the last trace
    has become. f.code: its kernels. jit.explain(f): why it was traced, or refused.

    mode: "reduce-overhead", as of torch.compile: the kernels are replayed as one CUDA
    graph. What f returns is then the same memory in each call: clone() keeps it.
    """
    if mode not in (None, "default", "reduce-overhead"):
        raise ValueError(f'mode is "default" or "reduce-overhead", not {mode!r}')
    if function is None:
        return functools.partial(jit, mode=mode)
    if not callable(function):
        raise TypeError(f"jit takes a function, not {type(function).__name__}")
    from .compiled import Compiled  # at first use, for it loads all of the compiler

    return Compiled(function, None if mode == "default" else mode)


def explain(function):
    """What became of each call of a jitted function that was not simply run."""
    from . import compiled

    return compiled.explain(function)


jit.explain = explain
__all__ = ["explain", "jit"]
