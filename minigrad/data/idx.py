"""IDX, the file format of MNIST: a header of integers, then the bytes.

Source: the page of LeCun, Cortes and Burges, The MNIST database.
"""

from ..exercises.registry import exercise


@exercise(points=2, stars=2, minutes=15, level="good to know")
def read_idx(data):
    """Return the array that an IDX file holds, with dtype np.uint8.

    data: bytes. The header is two zero bytes, a byte for the type (8 means unsigned
        bytes), a byte for the number of dimensions, and each size as an unsigned
        integer of four bytes, big-endian. There may be no dimensions, and a size may be
        0. The elements follow in row-major order.

    Raises ValueError if the first two bytes aren't 0, if the type isn't 8, or if there
    are too few or too many bytes for the header or the elements. It must not allocate
    memory for elements that aren't there.
    """
