"""Functions that NumPy lacks, in float64: errors, gamma and Bessel functions."""

import numpy as np

from . import tables
from .rounding import split
from .trigonometry import sinpi

ROOT2, ROOT_PI = np.sqrt(2.0), np.sqrt(np.pi)


def choose(x, conditions, functions):
    """Each function on the lanes where its condition is the first to hold.

    The last function takes the remaining lanes.
    """
    if x.ndim == 0:
        for condition, function in zip(conditions, functions, strict=False):
            if condition:
                return function(x)
        return functions[-1](x)
    out, left = np.empty_like(x), np.ones(x.shape, bool)
    for at, function in enumerate(functions):
        mask = left & conditions[at] if at < len(conditions) else left
        if mask.all():
            return function(x)
        if mask.any():
            out[mask] = function(x[mask])
            left = left & ~mask
    return out


def exp_square(x, sign=-1.0):
    """exp(sign * x * x), corrected for the rounding error of the square."""
    high, _ = split(x)
    return np.exp(sign * high * high) * np.exp(sign * (x - high) * (x + high))


def _erfcx_positive(x):
    """exp(x * x) * erfc(x) for x >= 0."""
    t = 1.0 - 8.0 / (x + 4.0)
    return tables.polynomial(tables.ERFCX, t) / (1.0 + 2.0 * x)


def _erfc_positive(x):
    x = np.minimum(x, 30.0)
    return exp_square(x) * _erfcx_positive(x)


def _erf_small(x):
    return x * tables.polynomial(tables.ERF, x * x)


def erf(x):
    def large(x):
        return np.copysign(1.0 - _erfc_positive(abs(x)), x)

    return choose(x, [abs(x) < 1.0], [_erf_small, large])


def erf_narrow(x):
    """erf good to 1e-11 only, by one polynomial: enough for float32."""
    x = np.maximum(np.minimum(x, 4.0), -4.0)
    return x * tables.polynomial(tables.ERF_NARROW, x * x / 8.0 - 1.0)


def erfc(x):
    return choose(
        x,
        [abs(x) < 0.5, x > 0],
        [
            lambda x: 1.0 - _erf_small(x),
            _erfc_positive,
            lambda x: 2.0 - _erfc_positive(-x),
        ],
    )


def erfcx(x):
    """exp(x * x) * erfc(x)."""

    def negative(x):
        x = np.maximum(x, -30.0)
        return 2.0 * exp_square(x, 1.0) - _erfcx_positive(-x)

    return choose(x, [x >= 0], [_erfcx_positive, negative])


def _erfcinv_tail(y):
    """For y < 1/2: an estimate (Hastings), then Halley's method twice."""
    s = np.sqrt(-2.0 * np.log(y / 2.0))
    above = (0.010328 * s + 0.802853) * s + 2.515517
    below = ((0.001308 * s + 0.189269) * s + 1.432788) * s + 1.0
    t = (s - above / below) / ROOT2
    for _ in range(2):
        step = (y * exp_square(t, 1.0) - _erfcx_positive(t)) * (ROOT_PI / 2)
        t = t - step / (1.0 + t * step)
    return np.where(y == 0, np.inf, t)[()]


def _erfinv_middle(x):
    return x * tables.polynomial(tables.ERFINV, x * x)


def erfinv(x):
    def tail(x):
        return np.copysign(_erfcinv_tail(1.0 - abs(x)), x)

    return choose(x, [abs(x) <= 0.5], [_erfinv_middle, tail])


def erfcinv(y):
    return choose(
        y,
        [y < 0.5, y <= 1.5],
        [
            _erfcinv_tail,
            lambda y: _erfinv_middle(1.0 - y),
            lambda y: -_erfcinv_tail(2.0 - y),
        ],
    )


def normcdf(x):
    return 0.5 * erfc(x / -ROOT2)


def normcdfinv(p):
    return -ROOT2 * erfcinv(2.0 * p)


def _shifted(x):
    """x < 8 as z in [3/2, 5/2] and a factor: gamma(x) = gamma(z) * factor."""
    n = np.clip(np.rint(x) - 2.0, -2.0, 6.0)
    z, factor = x - n, np.where(n < 0, 1.0 / x, 1.0)
    factor = np.where(n < -1, factor / (x + 1.0), factor)
    for i in range(6):
        factor = np.where(n > i, factor * (z + i), factor)
    return z, factor


def _log_gamma_middle(z):
    """log(gamma(z)) for z in [3/2, 5/2]."""
    return (z - 1.0) * (z - 2.0) * tables.polynomial(tables.LGAMMA, 2.0 * (z - 2.0))


# Coefficients of Stirling's series, in powers of 1 / x**2.
STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156,
    -3617 / 122400,
)  # fmt: skip


def _stirling(x):
    return tables.polynomial(STIRLING, 1.0 / (x * x)) / x


def _lgamma_positive(x):
    def small(x):
        z, factor = _shifted(x)
        return _log_gamma_middle(z) + np.log(factor)

    def large(x):
        value = (x - 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi) + _stirling(x)
        return np.where(x < np.inf, value, x)[()]

    return choose(x, [x < 8.0], [small, large])


def lgamma(x):
    """log(|gamma(x)|)."""

    def negative(x):
        value = np.log(np.pi / abs(x * sinpi(x))) - _lgamma_positive(-x)
        return np.where(x == np.rint(x), np.inf, value)[()]

    return choose(x, [x <= 0.0], [negative, _lgamma_positive])


def _tgamma_positive(x):
    """For x >= -1/2."""

    def small(x):
        z, factor = _shifted(x)
        return np.exp(_log_gamma_middle(z)) * factor

    def large(x):
        power = np.power(x, 0.5 * x - 0.25)
        value = power * np.exp(-x) * power * np.sqrt(2 * np.pi) * np.exp(_stirling(x))
        return np.where(x < 171.7, value, x * np.inf)[()]

    return choose(x, [x < 8.0], [small, large])


def tgamma(x):
    def negative(x):
        value = np.pi / sinpi(x) / _tgamma_positive(1.0 - x)
        return np.where(x == np.rint(x), np.nan, value)[()]

    return choose(x, [x < -0.5], [negative, _tgamma_positive])


def _waves(n, x):
    """Amplitude * (P, Q) and cos, sin of the phase, of Hankel's expansion."""
    w = 8.0 / x
    p = tables.polynomial((tables.P0, tables.P1)[n], w * w)
    q = tables.polynomial((tables.Q0, tables.Q1)[n], w * w) * w
    a = 1.0 / np.sqrt(np.pi * x)
    s, c = np.sin(x), np.cos(x)
    if n == 0:
        return a * p, a * q, c + s, s - c
    return a * p, a * q, s - c, -(s + c)


def _bessel_j(n, table):
    def small(x):
        return tables.polynomial(table, x * x / 32.0 - 1.0) * (x if n else 1.0)

    def large(x):
        p, q, c, s = _waves(n, abs(x))
        value = p * c - q * s
        value = np.where(np.isinf(x), 0.0, value)
        return np.where((x < 0) & (n == 1), -value, value)[()]

    return lambda x: choose(x, [abs(x) < 8.0], [small, large])


j0, j1 = _bessel_j(0, tables.J0), _bessel_j(1, tables.J1)


def _bessel_y(n, table, first_kind):
    def small(x):
        smooth = tables.polynomial(table, x * x / 32.0 - 1.0) * (x if n else 1.0)
        value = smooth + 2.0 / np.pi * (np.log(x) * first_kind(x) - (1.0 / x) * n)
        return np.where(x == 0, -np.inf, value)[()]

    def large(x):
        p, q, c, s = _waves(n, x)
        return np.where(x == np.inf, 0.0, p * s + q * c)[()]

    return lambda x: choose(x, [x < 8.0], [small, large])


y0, y1 = _bessel_y(0, tables.Y0, j0), _bessel_y(1, tables.Y1, j1)

WIDE = {
    "erf": erf, "erfc": erfc, "erfcx": erfcx, "erfinv": erfinv, "erfcinv": erfcinv,
    "normcdf": normcdf, "normcdfinv": normcdfinv, "lgamma": lgamma, "tgamma": tgamma,
    "j0": j0, "j1": j1, "y0": y0, "y1": y1,
}  # fmt: skip
