"""Numbers with so few bits that float32 adds and multiplies them without rounding.

So a sum is the same in any order. In half precision it would not be.
"""

import numpy as np

from grading.exercise import distinct


def factors(random, fine, *shapes):
    """Arrays whose products, summed up, stay exact.

    fine: which of them has fractions, of 8 bits; None: none, for long sums.
    """
    for n, shape in enumerate(shapes):
        values = distinct(random, *shape, dtype=np.int32) % 31 - 15
        fraction = distinct(random, *shape, dtype=np.int32) % 256 if n == fine else 0
        yield (values + fraction / 256).astype(np.float32)


def terms(random, *shape):
    """Numbers that half rounds, and a hundred of which have an exact sum."""
    values = distinct(random, *shape, dtype=np.int32) % 2000 - 1000
    fraction = distinct(random, *shape, dtype=np.int32) % 64
    return (values + fraction / 64).astype(np.float32)


def bias(random, size):
    """Numbers beyond what half counts, with fractions."""
    return np.float32(distinct(random, size, dtype=np.int32) % 50 * 1000 + 0.25)
