"""Functions that NumPy lacks, on arrays."""

import functools

import numpy as np

CHUNK = 2**15  # elements whose intermediate results stay in a processor's cache

# erf(x) = x P(x^2) / Q(x^2) on [-4, 4], and +-1 beyond; highest power first. The
# coefficients of Eigen's generic_fast_erf_float (MPL 2): 4 units in the last place.
P = (-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06,
     -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03,
     -1.60960333262415e-02)  # fmt: skip
Q = (-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03,
     -7.37332916720468e-03, -1.42647390514189e-02)  # fmt: skip


def in_chunks(function):
    """Apply a function of float32 arrays to pieces that fit into a cache, one by one.

    Other arrays it gets whole: a formula of many steps reads memory in each of them.
    """

    @functools.wraps(function)
    def run(*arrays):
        shapes = {x.shape for x in arrays}
        whole = len(shapes) == 1 and all(x.flags.c_contiguous for x in arrays)
        if not whole or arrays[0].size <= CHUNK:
            return function(*arrays)
        flat = [x.reshape(-1) for x in arrays]
        out = np.empty(flat[0].shape, flat[0].dtype)
        for at in range(0, out.size, CHUNK):
            out[at : at + CHUNK] = function(*(x[at : at + CHUNK] for x in flat))
        return out.reshape(arrays[0].shape)

    return run


def polynomial(coefficients, x):
    """A polynomial's values, by Horner's rule."""
    y = x * coefficients[0]
    for c in coefficients[1:-1]:
        y += c
        y *= x
    y += coefficients[-1]
    return y


@in_chunks
def erf(x):
    """The error function, of float32 by a rational function, else by the series."""
    if x.dtype != np.float32:
        from cudasim import special

        return special.erf(x).astype(x.dtype)
    x = np.clip(x, -4, 4)
    square = x * x
    y = polynomial(P, square)
    y *= x
    y /= polynomial(Q, square)
    return y
