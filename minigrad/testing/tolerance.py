"""How far a computed float may lie from the true value: derived, in this one place."""

import math

import numpy as np

from ..dtypes import bfloat16, float16, float32, float64

# Unit roundoff: the largest relative error of rounding a number to the dtype.
UNIT = {float16: 2.0**-11, bfloat16: 2.0**-8, float32: 2.0**-24, float64: 2.0**-53}
TINY = {float16: 2.0**-24, bfloat16: 2.0**-133, float32: 2.0**-149, float64: 2.0**-1074}
CERTAINTY = 4.0
# Unit roundoffs that functions of one element may be off on every device: for pow the 4
# units in the last place that the CUDA C++ Programming Guide publishes for powf, each
# two unit roundoffs, and 2 more. exp, log, tanh, erf and their kin stay within 2 units,
# and a formula of two of them within this, too.
POW, FUNCTION = 10, 6


def tolerance(dtype, terms=1, magnitude=1.0, ulps=2, result=None):
    """The largest error that rounding explains.

    dtype: what is computed in. terms: how many numbers are added up. magnitude: the sum
    of the terms' absolute values: for a sum sum(|x|), for a product of matrices
    |a| @ |b|, for a function of one element its value. ulps: the error of one term, in
    unit roundoffs. result: the dtype that the result is rounded to in the end.

    Derivation. Rounding to a dtype with unit roundoff u makes of x some x (1 + d) with
    |d| <= u. In a sum of n terms each term passes through at most n - 1 additions, in
    whatever order they are done, so it ends as x (1 + d1) ... (1 + dn), and the sum's
    error is at most about n u sum(|x|). That bound is reached only if all roundings go
    the same way. They do not: the d are as good as independent with mean 0, so their
    sum is of the size of sqrt(n) u, and exceeds CERTAINTY sqrt(n) u with a probability
    below 2 exp(-CERTAINTY**2 / 2), one in 1500, for a term that is as bad as can be
    (Higham and Mary, A new approach to probabilistic rounding error analysis, 2019).
    The orders in which our kernels add, trees and blocks, stay far below. So:

        |error| <= (ulps + CERTAINTY sqrt(n - 1)) u magnitude + tiny

    where `tiny`, a few steps of the smallest numbers, stands for what gets lost below
    the normal range. A float16 has u = 2**-11, 8192 times float32's: rounding a single
    operand to it already breaks the bound of float32 up to a few million terms.
    """
    unit = UNIT[dtype]
    factor = (ulps + CERTAINTY * math.sqrt(max(terms - 1, 0))) * unit
    if result not in (None, dtype):
        factor += UNIT[result]
    return factor * np.abs(magnitude) + 4 * TINY[result or dtype]
