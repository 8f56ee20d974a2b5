"""A training's state in one file: written whole or not at all.

The tensors of a state, and as one more, called "state", the text of all else: JSON, in
which {"tensor": name} stands for a tensor. The file is safetensors: nothing in it is
ever run.
"""

import contextlib
import json
import os
import tempfile
from pathlib import Path

import numpy as np

from ..creation import tensor
from ..safetensors import load_file, save_file
from ..tensor import Tensor

TEXT = "state"


def save(state, path):
    """Write a state to a file: dicts, lists, numbers, texts, None and tensors.

    The file is complete or what it was before, whenever the program or the computer
    stops. Keys that are whole numbers come back as such; tuples come back as lists.
    """
    path, tensors = Path(path), {}
    text = json.dumps(flat(state, tensors, ()), allow_nan=True)
    tensors[TEXT] = tensor(np.frombuffer(text.encode(), np.uint8))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, new = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    os.close(handle)
    try:
        save_file(tensors, new)
        with open(new, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise


def load(path):
    """The state that a file holds, its tensors on "cpu". ValueError if it has none."""
    tensors = load_file(path)
    if TEXT not in tensors:
        raise ValueError(f"{path} holds tensors, but no state that save() wrote")
    return whole(json.loads(bytes(tensors[TEXT].numpy())), tensors)


def flat(value, tensors, path):
    """The value as JSON can have it; its tensors go to `tensors`, by their paths."""
    if isinstance(value, Tensor):
        name = "/".join(map(str, path))
        while name in tensors or name == TEXT:
            name += "_"
        tensors[name] = value
        return {"tensor": name}
    if isinstance(value, dict):
        entries = [[k, flat(v, tensors, (*path, k))] for k, v in value.items()]
        return {"dict": entries}
    if isinstance(value, list | tuple):
        return [flat(v, tensors, (*path, i)) for i, v in enumerate(value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    place = "/".join(map(str, path)) or "the state"
    raise TypeError(
        f"{place} is a {type(value).__name__}: a checkpoint holds dicts, lists, "
        "numbers, texts, None and tensors. Of a model and an optimizer it is "
        "state_dict()"
    )


def whole(value, tensors):
    """What `flat` was given."""
    if isinstance(value, list):
        return [whole(v, tensors) for v in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensors[value["tensor"]]
    return {key: whole(v, tensors) for key, v in value["dict"]}
