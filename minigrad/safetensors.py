"""Checkpoints that PyTorch and others read: files of the library safetensors.

Nothing in such a file is ever run, unlike a pickle. Lesson 09 shows what it looks like.
https://huggingface.co/docs/safetensors
"""

from pathlib import Path

import numpy as np

from . import dtypes
from .check import check
from .storage import copy_to_device
from .tensor import Tensor, _of

NAMES = dict(zip(
    ("F16", "BF16", "F32", "F64", "U8", "I8", "I16", "I32", "I64", "BOOL"),
    (*dtypes.FLOATS, *dtypes.INTEGERS, dtypes.bool_), strict=True,
))  # fmt: skip


def library():
    """The library, or an error that says how to get it."""
    try:
        import safetensors
    except ImportError as error:
        raise ImportError(
            "files of tensors are read and written by safetensors, which is not "
            "installed: pip install safetensors"
        ) from error
    return safetensors


def save_file(tensors, filename, metadata=None):
    """Write {name: tensor} to a file; metadata: {text: text}."""
    check(isinstance(tensors, dict), "save_file() takes a dict of tensors, as model."
          f"state_dict() is, not {type(tensors).__name__}", TypeError)  # fmt: skip
    package, arrays, specs = library(), [], {}
    for name, x in tensors.items():
        check(isinstance(x, Tensor), f"{name!r} is no tensor, but a "
              f"{type(x).__name__}", TypeError)  # fmt: skip
        array = copy_to_device(x.detach().contiguous().memory(), "cpu")
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        arrays.append(array)  # a TensorSpec has its address alone
        how = {"data_ptr": array.ctypes.data, "data_len": array.nbytes}
        specs[name] = package.TensorSpec(dtype=x.dtype.name, shape=x.shape, **how)
    Path(filename).write_bytes(package.serialize(specs, metadata))


def load_file(filename, device="cpu"):
    """The {name: tensor} of a file, on a device. ValueError for a damaged one."""
    package, content, tensors = library(), Path(filename).read_bytes(), {}
    try:
        entries = sorted(package.deserialize(content))
    except package.SafetensorError as error:
        raise ValueError(
            f"{filename} is no safetensors file, or it is damaged: {error}"
        ) from None
    for name, entry in entries:
        check(entry["dtype"] in NAMES, f"{filename}: {name} is of the type "
              f"{entry['dtype']}; minigrad has {', '.join(NAMES)}", ValueError
              )  # fmt: skip
        dtype = NAMES[entry["dtype"]]
        held = dtypes.carrier(dtype)
        data = np.frombuffer(entry["data"], held.newbyteorder("<"))
        array = data.astype(held, copy=False).reshape(entry["shape"])
        tensors[name] = _of(array, device, dtype)
    return tensors
