"""Which products --fmad=true joins with a sum: the choices that an H200 made.

Each case is C that sets r from the floats a to f, and the formula whose bits the GPU
gave; where `fma` rounds twice, it is the formula without contraction.
"""

import cudasim
import numpy as np
import on_gpu
import pytest

COUNT = 4096
POINT1, POINT9 = np.float32(0.1), np.float32(0.9)
TINY, ALMOST = np.float32(0.001), np.float32(0.999)
ONE = np.float32(1)
TEXT = """
extern "C" __global__ void k(const float* in, float* out, float* rest, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float a = in[i], b = in[n + i], c = in[2 * n + i];
    float d = in[3 * n + i], e = in[4 * n + i], f = in[5 * n + i], r, q = 0;
    {}
    out[i] = r;
    rest[i] = q;
}}"""
CASES = {
    "r = a * b - c * d;": lambda fma, a, b, c, d, e, f: fma(a, b, -(c * d)),
    "r = c * d - a * b;": lambda fma, a, b, c, d, e, f: fma(c, d, -(a * b)),
    "r = c - a * b;": lambda fma, a, b, c, d, e, f: fma(-a, b, c),
    "r = a * b - c;": lambda fma, a, b, c, d, e, f: fma(a, b, -c),
    "r = -(a * b) + c;": lambda fma, a, b, c, d, e, f: fma(-a, b, c),
    "r = -a * b + c;": lambda fma, a, b, c, d, e, f: fma(-a, b, c),
    "r = a * b + c * d;": lambda fma, a, b, c, d, e, f: fma(a, b, c * d),
    "r = c * d + a * b;": lambda fma, a, b, c, d, e, f: fma(a, b, c * d),
    "r = a * b + c * d - e * f;":
        lambda fma, a, b, c, d, e, f: fma(-e, f, fma(a, b, c * d)),
    "r = (a + b) * (c + d) - e * f;":
        lambda fma, a, b, c, d, e, f: fma(a + b, c + d, -(e * f)),
    "r = a + (b - a) * c;": lambda fma, a, b, c, d, e, f: fma(b - a, c, a),
    "r = a * (1.0f - c) + b * c;":
        lambda fma, a, b, c, d, e, f: fma(b, c, a * (ONE - c)),
    "r = a * b * c - d;": lambda fma, a, b, c, d, e, f: fma(a * b, c, -d),
    "r = a * b + c * c;": lambda fma, a, b, c, d, e, f: fma(a, b, c * c),
    "r = (a * b) * c + d;": lambda fma, a, b, c, d, e, f: fma(a * b, c, d),
    "r = 1.0f - a * b;": lambda fma, a, b, c, d, e, f: fma(-a, b, ONE),
    "r = 0.9f * a + 0.1f * b;":
        lambda fma, a, b, c, d, e, f: fma(POINT9, a, POINT1 * b),
    "r = 0.999f * a + 0.001f * b * b;":
        lambda fma, a, b, c, d, e, f: fma(ALMOST, a, TINY * b * b),
    "float t = a * b; r = t + c; q = t + d;":
        lambda fma, a, b, c, d, e, f: fma(a, b, c),
    "float x = a - b; r = x * x + c * d; q = x;":
        lambda fma, a, b, c, d, e, f: fma(a - b, a - b, c * d),
}  # fmt: skip
# Products that something else needs too, or that lie before a branch.
APART = {
    "float t = a * b; r = t + c; q = t;": lambda a, b, c, d: a * b + c,
    "float t = a * b; r = t - c; q = t;": lambda a, b, c, d: a * b - c,
    "float t = a * b; if (c > 0) t = t + d; r = t;":
        lambda a, b, c, d: np.where(c > 0, a * b + d, a * b),
}  # fmt: skip


def fused(a, b, c):
    """One rounding: a float64 holds the product of two floats exactly."""
    a, b, c = (np.asarray(x, np.float64) for x in (a, b, c))
    return (a * b + c).astype(np.float32)


def twice(a, b, c):
    return a * b + c


def numbers():
    return np.random.default_rng(0).standard_normal((6, COUNT)).astype(np.float32)


def run(kernel, given, out, rest):
    kernel((COUNT // 256,), (256,), (given, out, rest, np.int32(COUNT)))
    return out


def simulated(body, *options):
    kernel = cudasim.RawKernel(TEXT.format(body), "k", options)
    given = numbers()
    return run(kernel, given.ravel(), *np.zeros((2, COUNT), np.float32))


def on_the_gpu(body, *options):
    out, rest = np.zeros((2, COUNT), np.float32)
    args = numbers().ravel(), out, rest, np.int32(COUNT)
    text = TEXT.format(body)
    return on_gpu.launched(text, "k", COUNT // 256, 256, args, options)[1]


@pytest.mark.parametrize("body", CASES)
def test_what_is_fused(body):
    one, two = (CASES[body](how, *numbers()) for how in (fused, twice))
    assert (one != two).any()
    np.testing.assert_array_equal(simulated(body, "--fmad=true"), one)
    np.testing.assert_array_equal(simulated(body), two)


@pytest.mark.parametrize("body", APART)
def test_what_is_not_fused(body):
    expected = APART[body](*numbers()[:4])
    np.testing.assert_array_equal(simulated(body, "--fmad=true"), expected)
    np.testing.assert_array_equal(simulated(body), expected)


@pytest.mark.gpu
@pytest.mark.parametrize("body", CASES)
def test_what_a_gpu_fuses(body):
    expected = CASES[body](fused, *numbers())
    np.testing.assert_array_equal(on_the_gpu(body, "--fmad=true"), expected)


@pytest.mark.gpu
@pytest.mark.parametrize("body", APART)
def test_what_a_gpu_does_not_fuse(body):
    expected = APART[body](*numbers()[:4])
    np.testing.assert_array_equal(on_the_gpu(body, "--fmad=true"), expected)
