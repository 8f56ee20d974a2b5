"""Texture and surface objects: tex2D<float>(texture, x, y), surf2Dwrite(...)."""

import numpy as np

HEAD = np.dtype(
    [
        (name, np.int32)
        for name in ("width", "height", "depth", "linear", "normalized", "address")
    ]
    + [("unused", np.int32, 2)]
)
ADDRESS = ("clamp", "border", "wrap", "mirror")


def texture(array, filter="point", address="clamp", normalized=False):
    """The argument for a parameter of the type cudaTextureObject_t: a copy of `array`.

    array: (width,), (height, width) or (depth, height, width), of a number's dtype; a
    vector's components are a structured dtype, or the dtype of its bytes. filter:
    "point", or "linear" between floats. address: what lies outside: "clamp", "border",
    "wrap", "mirror". normalized: coordinates go from 0 to 1.
    """
    array = np.ascontiguousarray(array)
    if not 1 <= array.ndim <= 3:
        raise ValueError(f"a texture has 1 to 3 dimensions, not {array.ndim}")
    if filter not in ("point", "linear") or address not in ADDRESS:
        raise ValueError(
            f"filter is 'point' or 'linear', address one of {ADDRESS}, "
            f"not {filter!r} and {address!r}"
        )
    if address in ("wrap", "mirror") and not normalized:
        raise ValueError(f"{address!r} needs normalized=True: a GPU clamps otherwise")
    depth, height, width = (1, 1, *array.shape)[-3:]
    head = (width, height, depth, filter == "linear", normalized)
    out = np.zeros(1 - (-array.nbytes // HEAD.itemsize), HEAD)
    out[0] = (*head, ADDRESS.index(address), (0, 0))
    out[1:].view(np.uint8)[: array.nbytes] = array.reshape(-1).view(np.uint8)
    return out


def surface(array):
    """(the argument for a parameter of the type cudaSurfaceObject_t, the array that a
    kernel reads and writes there: a copy of `array`).

    array: (width,), (height, width) or (depth, height, width), layers as depth.
    """
    entries = texture(array)
    image = entries[1:].view(np.uint8)[: np.asarray(array).nbytes]
    return entries, image.view(np.asarray(array).dtype).reshape(np.shape(array))
