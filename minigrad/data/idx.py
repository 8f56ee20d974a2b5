"""IDX, the file format of MNIST: a head of whole numbers, then the bytes.

Source: the page of LeCun, Cortes and Burges, The MNIST database.
"""

import numpy as np

UNSIGNED_BYTES = 0x08  # the only type that MNIST uses; the format knows five more


def read_idx(data):
    """The array that lies in the bytes of an IDX file, as uint8.

    The head is big-endian: two zero bytes, a byte for the type (8: unsigned bytes), a
    byte for the number of dimensions, then each dimension as four bytes. Raises
    ValueError where the bytes are not that, or are too few or too many.
    """
    if len(data) < 4 or data[:2] != b"\0\0":
        raise ValueError(f"not an IDX file: it begins with {bytes(data[:4])!r}")
    if data[2] != UNSIGNED_BYTES:
        raise ValueError(f"an IDX file of type 0x{data[2]:02x}, not of bytes (0x08)")
    head = 4 + 4 * data[3]
    shape = tuple(np.frombuffer(data[4:head], ">u4").tolist())
    count = int(np.prod(shape, dtype=np.int64))
    if len(shape) != data[3] or len(data) - head != count:
        raise ValueError(
            f"an IDX file that says it holds {shape}, {count:,} bytes, but "
            f"{max(0, len(data) - head):,} bytes follow its head"
        )
    return np.frombuffer(data, np.uint8, count, head).reshape(shape)
