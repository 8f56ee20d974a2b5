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

from .compiled import explain, jit

jit.explain = explain
__all__ = ["explain", "jit"]
