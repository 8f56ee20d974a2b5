"""Where a launch runs, and what CuPy needs to be told; the rest simt checks."""

import numpy as np

from .devices import gpu_available, on_gpu
from .simt.engine import admit
from .simt.engine.admit import sizes
from .storage import Storage

SHARED = 48 * 1024  # bytes of shared memory that a block has unasked


def place(name, function, args):
    """ "cuda" or "sim": where the arrays are; without any, a GPU if there is one."""
    arrays = {i: on_gpu(a) for i, a in enumerate(args) if is_array(a)}
    if len(set(arrays.values())) < 2:
        gpu = any(arrays.values()) if arrays else gpu_available()
        return "cuda" if gpu else "sim"
    names = [f"argument {i + 1}" for i in range(len(args))]
    if function:
        names = [p.name or n for p, n in zip(function.parameters, names, strict=True)]
    there = ", ".join(names[i] for i, gpu in arrays.items() if gpu)
    here = ", ".join(names[i] for i, gpu in arrays.items() if not gpu)
    raise TypeError(
        f"{name}: on the GPU (CuPy arrays): {there}; on the host (NumPy arrays): "
        f"{here}. Bring them to the GPU with minigrad.to_device(x)"
    )


def arguments(name, function, args):
    """The arguments as exactly what the parameters are; tensors as their arrays.

    function: the kernel as the front end read it, or None where only NVRTC could.
    """
    admit.in_a_tuple(name, args)
    args = [tensor_memory(a) for a in args]
    if function is not None:
        return admit.arguments(name, function, args, is_array)
    pairs = enumerate(args, 1)
    return tuple(of_unknown_type(a, f"{name}: argument {i}") for i, a in pairs)


def tensor_memory(value):
    """A tensor's array, which reads the same memory; all else as it is."""
    is_tensor = isinstance(getattr(value, "storage", None), Storage)
    return value.memory() if is_tensor else value


def for_cupy(struct):
    """A struct as CuPy takes it: an array of one element, for its bytes.

    CuPy asks NumPy to describe the array, and of a dtype with fields that takes longer
    than the launch: these bytes have none.
    """
    return np.frombuffer(struct.tobytes(), f"V{struct.itemsize}")


def is_array(value):
    return admit.is_numpy(value) or on_gpu(value)


def of_unknown_type(value, where):
    """An argument of a kernel of which only NVRTC knows the types."""
    if is_array(value):
        return admit.in_order(value, where)
    if type(value) is float:
        raise TypeError(f"{where}: say np.float32({value}) or np.float64({value})")
    return value


__all__ = ["SHARED", "arguments", "for_cupy", "is_array", "place", "sizes"]
