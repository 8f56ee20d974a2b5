"""Checkpoints that PyTorch and others read: the format safetensors.

A file is the length of a header (8 bytes, little-endian), the header, and the bytes of
all tensors. The header is JSON: {name: {"dtype": "F32", "shape": [...],
"data_offsets": [begin, end]}}, and "__metadata__": {text: text}. Nothing in it is ever
run, unlike a pickle. https://huggingface.co/docs/safetensors
"""

import json
import os

import numpy as np

from . import dtypes
from .check import check
from .layout import numel
from .storage import Storage, moved
from .tensor import Tensor

NAMES = dict(zip(
    ("F16", "BF16", "F32", "F64", "U8", "I8", "I16", "I32", "I64", "BOOL"),
    (*dtypes.FLOATS, *dtypes.INTEGERS, dtypes.bool_), strict=True,
))  # fmt: skip
TYPES = {dtype: name for name, dtype in NAMES.items()}
MOST = 100_000_000  # bytes of a header
BROKEN = ValueError, TypeError, LookupError, AttributeError, RecursionError


def save_file(tensors, filename, metadata=None):
    """Write {name: tensor} to a file; metadata: {text: text}."""
    check(isinstance(tensors, dict), "save_file() takes a dict of tensors, as model."
          f"state_dict() is, not {type(tensors).__name__}", TypeError)  # fmt: skip
    header, end = {}, 0
    if metadata:
        header["__metadata__"] = {str(k): str(v) for k, v in metadata.items()}
    for name, tensor in _ordered(tensors):
        begin, end = end, end + tensor.numel() * tensor.dtype.itemsize
        header[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [begin, end]}  # fmt: skip
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # the data begin at a multiple of 8
    with open(filename, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, tensor in _ordered(tensors):
            array = moved(tensor.detach().contiguous().memory().reshape(-1), "cpu")
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            file.write(little.tobytes())


def load_file(filename, device="cpu"):
    """The {name: tensor} of a file, on a device. ValueError for a damaged one."""
    with open(filename, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(MOST, size - 8):
            raise _damaged(filename, "its header is longer than the file")
        try:
            header = json.loads(file.read(length))
            header.pop("__metadata__", None)
            entries = [(name, *_entry(entry)) for name, entry in header.items()]
        except BROKEN as error:
            raise _damaged(filename, f"its header cannot be read: {error}") from None
        data = np.fromfile(file, np.uint8)
    _check_places(filename, entries, len(data))
    return {name: _tensor(data[begin:end], dtype, shape, device)
            for name, dtype, shape, begin, end in entries}  # fmt: skip


def _ordered(tensors):
    """By the size of their elements, the largest first: then all are aligned."""
    for name, x in tensors.items():
        check(isinstance(x, Tensor), f"{name!r} is no tensor, but a "
              f"{type(x).__name__}", TypeError)  # fmt: skip
    return sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))


def _entry(entry):
    """dtype, shape, begin and end of a tensor in the header."""
    shape, (begin, end) = tuple(entry["shape"]), entry["data_offsets"]
    whole = all(type(n) is int and n >= 0 for n in (*shape, begin, end))
    if not whole or entry["dtype"] not in NAMES:
        raise ValueError(f"no tensor is {entry}")
    return NAMES[entry["dtype"]], shape, begin, end


def _check_places(filename, entries, size):
    """The tensors lie one after the other, and fill the rest of the file."""
    at = 0
    for name, dtype, shape, begin, end in sorted(entries, key=lambda e: e[3:]):
        if begin != at or end - begin != numel(shape) * dtype.itemsize:
            raise _damaged(filename, f"{name} does not lie where it should")
        at = end
    if at != size:
        raise _damaged(filename, f"{at} bytes of tensors were expected, not {size}")


def _tensor(data, dtype, shape, device):
    held = dtypes.carrier(dtype)
    array = moved(data.view(held.newbyteorder("<")).astype(held), device)
    return Tensor(Storage(array, device, dtype), (len(array),), (1,)).view(shape)


def _damaged(filename, why):
    return ValueError(f"{filename} is no safetensors file, or it is damaged: {why}")
