"""What the checks of chapter 07 share: tiles in shared memory, and whole numbers.

The numbers have so few bits that float adds and multiplies them without rounding.
"""

import numpy as np

from grading.exercise import KernelCheck, distinct


def factors(random, fine, *shapes):
    """Arrays whose products, summed up, stay exact in float.

    fine: which of them has fractions, of 8 bits; None: none, for long sums.
    """
    for n, shape in enumerate(shapes):
        values = distinct(random, *shape, dtype=np.int32) % 31 - 15
        fraction = distinct(random, *shape, dtype=np.int32) % 256 if n == fine else 0
        yield (values + fraction / 256).astype(np.float32)


def exact(random, *shape):
    """Numbers that half rounds, and of which float adds a hundred without rounding."""
    values = distinct(random, *shape, dtype=np.int32) % 2000 - 1000
    return (values + distinct(random, *shape, dtype=np.int32) % 64 / 64).astype(
        np.float32
    )


def bias(random, size):
    """Numbers beyond what half counts, with fractions."""
    return np.float32(distinct(random, size, dtype=np.int32) % 50 * 1000 + 0.25)


class ProductCheck(KernelCheck):
    """A kernel that multiplies, tile by tile."""
