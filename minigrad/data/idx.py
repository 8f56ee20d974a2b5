"""IDX, the file format of MNIST: a head of whole numbers, then the bytes.

Source: the page of LeCun, Cortes and Burges, The MNIST database.
"""

from ..exercises.registry import exercise


@exercise(points=2, stars=2, minutes=15)
def read_idx(data):
    """The array that lies in the bytes of an IDX file, as uint8.

    The head is big-endian: two zero bytes, a byte for the type (8: unsigned bytes, the
    only one that MNIST uses), a byte for the number of dimensions, then each dimension
    as an unsigned whole number of four bytes. The elements follow, the last dimension
    running fastest. Raises ValueError where the bytes are not that, or are too few or
    too many.
    """
