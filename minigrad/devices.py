"""Where arrays live: on a GPU as CuPy arrays, without one in the simulator's memory.

The simulator's device memory is NumPy arrays. Nothing is chosen at import: each call
asks whether there is a GPU. device: "cuda" (a GPU), "sim" (the simulator), or "auto"
(a GPU where there is one).
"""

import importlib.util

import numpy as np

from . import faults, plan_cache
from .check import check

DEVICES = ("auto", "cuda", "sim")


def gpu_available():
    """Is there a GPU that CuPy can use?"""
    return lacking() is None


def lacking():
    """Why CuPy can use no GPU, and what to do; None where it can."""
    if importlib.util.find_spec("cupy") is None:
        return "CuPy is not installed (pip install cupy-cuda12x, or cupy-cuda13x)"
    try:
        import cupy
    except Exception as error:  # two wheels of it, say, or one for another NumPy
        return f"CuPy cannot be imported ({_first_line(error)})"
    try:
        there = cupy.cuda.is_available()
    except Exception as error:  # a driver that's too old, or half of a CuPy
        return f"CuPy can use no GPU ({_first_line(error)}); ask `minigrad doctor`"
    return (
        None
        if there
        else ("CuPy finds no GPU (`nvidia-smi` shows those that the driver sees)")
    )


def _first_line(error):
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def on_gpu(x):
    """Is x a CuPy array? (It is asked without importing CuPy.)"""
    return type(x).__module__.partition(".")[0] == "cupy" and hasattr(x, "ndim")


def for_cupy(struct):
    """A struct as CuPy takes it: an array of one element, for its bytes.

    CuPy asks NumPy to describe the array, and of a dtype with fields that takes longer
    than the launch: these bytes have none.
    """
    return np.frombuffer(struct.tobytes(), f"V{struct.itemsize}")


def which(device="auto"):
    """ "cuda" or "sim": what `device` means on this computer."""
    check(device in DEVICES, f"no device {device!r}: choose from "
          f"{', '.join(map(repr, DEVICES))}", ValueError)  # fmt: skip
    there = device != "sim" and gpu_available()
    check(device != "cuda" or there, lambda: 'device="cuda" needs an NVIDIA GPU and '
          f'CuPy: {lacking()}. device="sim" works everywhere.')  # fmt: skip
    return "cuda" if there else "sim"


def to_device(array, device="auto"):
    """A copy of a NumPy array (or of numbers in lists) in device memory."""
    if which(device) == "sim":
        return np.array(to_host(array), order="C")
    import cupy

    return cupy.array(array, order="C")


def to_host(array):
    """A copy of an array of device memory as a NumPy array."""
    return array.get() if on_gpu(array) else np.array(array)


def device_empty(shape, dtype=np.float32, device="auto"):
    """An uninitialized array in device memory: its elements may be anything."""
    if which(device) == "cuda":
        import cupy

        return cupy.empty(shape, dtype)
    import cudasim

    return cudasim.empty(shape, dtype)


def synchronize():
    """Wait until the GPU has done all it was given; errors of kernels surface here."""
    plan_cache.host("synchronize()")
    if gpu_available():
        import cupy

        cupy.cuda.Device().synchronize()
        faults.check("cuda")
