"""A stand-in for CuPy where there is no GPU: it records what it was asked to do.

It shows how minigrad speaks to CuPy. Whether CuPy agrees, test_kernel_gpu.py asks it.
"""

import importlib.machinery
import types

import numpy as np


class ndarray:
    """An array "on the GPU": NumPy memory that only get() reveals."""

    def __init__(self, array):
        self._host = array

    shape = property(lambda self: self._host.shape)
    strides = property(lambda self: self._host.strides)
    ndim = property(lambda self: self._host.ndim)
    dtype = property(lambda self: self._host.dtype)
    nbytes = property(lambda self: self._host.nbytes)
    flags = property(lambda self: types.SimpleNamespace(
        c_contiguous=self._host.flags.c_contiguous))  # fmt: skip
    data = property(lambda self: types.SimpleNamespace(ptr=self._host.ctypes.data))

    def get(self):
        return self._host.copy()

    def fill(self, value):
        self._host.fill(value)

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed")


ndarray.__module__ = "cupy"


class CompileException(Exception):
    def __init__(self, log, name):
        super().__init__(log)
        self.name = name


class CUDADriverError(RuntimeError):
    pass


def install(monkeypatch, available=True, log=None, refuse=None, plain=None):
    """Put the stand-in where `import cupy` finds it; the module, with `.calls`.

    log: what "NVRTC" says against every text, or with `plain` against every name
    expression; plain: the kernels that are extern "C". refuse: the driver's error at a
    launch.
    """
    cupy = types.ModuleType("cupy")
    cupy.__spec__ = importlib.machinery.ModuleSpec("cupy", None)
    cupy.calls, cupy.ndarray = [], ndarray
    cupy.array = lambda a, dtype=None, order="K": ndarray(
        np.array(a, dtype, order=order)
    )
    cupy.empty = lambda shape, dtype=np.float32: ndarray(np.empty(shape, dtype))

    class RawModule:
        def __init__(self, **how):
            cupy.calls.append(("module", how))
            self.by_expression = "name_expressions" in how

        def get_function(self, name):
            if log and (self.by_expression or plain is None):
                raise CompileException(log, "/tmp/k.cubin.cu")
            if not self.by_expression and name not in plain:
                raise CUDADriverError("CUDA_ERROR_NOT_FOUND: named symbol not found")
            cupy.calls.append(("function", name))
            return launch

    def launch(grid, block, args, *, shared_mem=0):
        if refuse:
            raise CUDADriverError(refuse)
        cupy.calls.append(("launch", grid, block, args, shared_mem))

    class RawKernel:
        def __init__(self, *_):
            pass

        def compile(self):
            if log:
                raise CompileException(log, "/tmp/k.cubin.cu")

    class Device:
        attributes = {"L2CacheSize": 1000}

        def synchronize(self):
            cupy.calls.append(("synchronize",))

    cupy.RawModule, cupy.RawKernel = RawModule, RawKernel
    cupy.cuda = types.SimpleNamespace(
        is_available=lambda: available,
        compiler=types.SimpleNamespace(CompileException=CompileException),
        driver=types.SimpleNamespace(CUDADriverError=CUDADriverError),
        Device=Device,
    )
    monkeypatch.setitem(__import__("sys").modules, "cupy", cupy)
    return cupy
