"""The math library: units in the last place, special values, and C's own library."""

import math
import shutil
import subprocess

import numpy as np
import pytest
from cudasim import numerics
from cudasim.front import builtins
from table import table

F32, F64 = np.float32, np.float64
NAN, INF = np.nan, np.inf


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def find(name, dtype=F32):
    return next(
        numerics.find(b) for b in builtins.overloads(name) if b.types[0].dtype == dtype
    )


def references():
    """Name without f -> (the function of mpmath, where to sample each argument)."""
    mp = pytest.importorskip("mpmath", reason="not run: ulp bounds (no mpmath)")
    mp.mp.dps = 40
    wide, positive, unit = (-30, 30), (1e-6, 50), (-0.999999, 0.999999)
    return {
        "exp": (mp.exp, (-87, 88)), "exp2": (lambda x: mp.mpf(2) ** x, (-125, 127)),
        "exp10": (lambda x: mp.mpf(10) ** x, (-37, 38)), "expm1": (mp.expm1, (-20, 80)),
        "log": (mp.log, positive), "log2": (lambda x: mp.log(x, 2), positive),
        "log10": (mp.log10, positive), "log1p": (mp.log1p, (-0.9999, 50)),
        "sin": (mp.sin, (-4000, 4000)), "cos": (mp.cos, (-4000, 4000)),
        "tan": (mp.tan, wide), "asin": (mp.asin, unit), "acos": (mp.acos, unit),
        "atan": (mp.atan, wide), "sinh": (mp.sinh, wide), "cosh": (mp.cosh, wide),
        "tanh": (mp.tanh, (-9, 9)), "asinh": (mp.asinh, wide),
        "acosh": (mp.acosh, (1, 50)), "atanh": (mp.atanh, unit),
        "sinpi": (mp.sinpi, wide), "cospi": (mp.cospi, wide),
        "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), wide),
        "rcbrt": (lambda x: mp.sign(x) / mp.cbrt(abs(x)), wide),
        "rsqrt": (lambda x: 1 / mp.sqrt(x), positive),
        "erf": (mp.erf, (-5, 5)), "erfc": (mp.erfc, (-3, 9)),
        "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), (-8, 50)),
        "erfinv": (mp.erfinv, unit), "erfcinv": (lambda y: mp.erfinv(1 - y), (1e-9, 2)),
        "normcdf": (mp.ncdf, (-12, 5)),
        "normcdfinv": (lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), (1e-9, 1)),
        "lgamma": (lambda x: mp.log(abs(mp.gamma(x))), (-2.2, 60)),
        "tgamma": (mp.gamma, (-9, 34)),
        "j0": (lambda x: mp.besselj(0, x), (-8, 8)),
        "j1": (lambda x: mp.besselj(1, x), (-8, 8)),
        "y0": (lambda x: mp.bessely(0, x), (1e-3, 8)),
        "y1": (lambda x: mp.bessely(1, x), (1e-3, 8)),
        "pow": (mp.power, (0, 20), (-20, 20)),
        "atan2": (mp.atan2, wide, wide), "hypot": (mp.hypot, wide, wide),
        "rhypot": (lambda x, y: 1 / mp.hypot(x, y), wide, wide),
        "norm3d": (lambda *x: mp.norm(x), wide, wide, wide),
        "rnorm3d": (lambda *x: 1 / mp.norm(x), wide, wide, wide),
    }  # fmt: skip


def errors(name, dtype, count):
    """Errors against mpmath, in units in the last place, with the arguments."""
    import mpmath as mp

    exact, *ranges = references()[name]
    rng = np.random.default_rng(len(name))
    xs = [rng.uniform(*r, count).astype(dtype) for r in ranges]
    got = find(name + "f" * (dtype is F32), dtype)(*xs)
    assert got.dtype == dtype
    for at, lane in enumerate(zip(*xs, strict=True)):
        value = exact(*(mp.mpf(float(x)) for x in lane))
        if mp.isfinite(value):
            unit = np.spacing(np.abs(dtype(float(value))))
            if np.isfinite(unit):
                yield float(abs(mp.mpf(float(got[at])) - value) / float(unit)), lane


NAMES = sorted(references())


@table("name", NAMES)
def test_float_is_within_the_published_bound(name):
    """And well within: the float64 result is rounded once, so 0.51 is enough."""
    worst = max(errors(name, F32, 150))
    assert name + "f" in numerics.MAX_ULP
    assert worst[0] <= min(0.51, numerics.MAX_ULP[name + "f"]), worst


# Of float64 functions: NumPy's own are good to 2; near zeros of a function that
# changes sign only the absolute error is small.
DOUBLE_ULP = {
    "erfc": 5, "erfcx": 5, "erfinv": 8, "erfcinv": 8, "normcdf": 300, "normcdfinv": 8,
    "lgamma": 40, "tgamma": 50, "rsqrt": 2, "rnorm3d": 4, "rcbrt": 2, "norm3d": 3,
    "rhypot": 3, "j0": 5000, "j1": 5000, "y0": 5000, "y1": 5000,
}  # fmt: skip


@table("name", NAMES)
def test_double_is_close(name):
    worst = max(errors(name, F64, 100))
    assert worst[0] <= DOUBLE_ULP.get(name, 2), worst


@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1"])
def test_bessel_functions_of_large_arguments(name):
    import mpmath as mp

    exact = references()[name][0]
    x = np.random.default_rng(0).uniform(8, 1000, 60).astype(F32)
    got = find(name + "f")(x)
    for g, v in zip(got, x, strict=True):
        assert abs(g - float(exact(mp.mpf(float(v))))) < 2.2e-6


def test_huge_angles_and_mixed_sizes():
    x = np.array([1e30, 3e38, 2.0**22, 2.0**22 - 0.25, 1.0, INF, NAN, -1e8], F32)
    with_mp = [float(np.sin(v)) if np.isfinite(v) else NAN for v in x.astype(F64)]
    np.testing.assert_allclose(find("sinf")(x), with_mp, rtol=2e-7)
    assert np.signbit(find("sinf")(F32(-0.0)))


SPECIAL = [
    ("expf", -INF, 0), ("expf", INF, INF), ("logf", 0, -INF), ("logf", -1, NAN),
    ("erff", INF, 1), ("erff", -INF, -1), ("erff", NAN, NAN), ("erfcf", -INF, 2),
    ("erfcf", INF, 0), ("erfcxf", INF, 0), ("erfcxf", -INF, INF), ("erfinvf", 1, INF),
    ("erfinvf", -1, -INF), ("erfinvf", 2, NAN), ("erfcinvf", 0, INF),
    ("erfcinvf", 2, -INF), ("normcdff", -INF, 0), ("normcdff", INF, 1),
    ("normcdfinvf", 0, -INF), ("normcdfinvf", 1, INF), ("tgammaf", 0, INF),
    ("tgammaf", -0.0, -INF), ("tgammaf", -3, NAN), ("tgammaf", INF, INF),
    ("tgammaf", -INF, NAN), ("tgammaf", 5, 24), ("lgammaf", 1, 0), ("lgammaf", 2, 0),
    ("lgammaf", 0, INF), ("lgammaf", -4, INF), ("lgammaf", -INF, INF),
    ("lgammaf", NAN, NAN), ("tgammaf", NAN, NAN), ("j0f", 0, 1), ("j1f", -INF, -0.0),
    ("y0f", 0, -INF), ("y1f", 0, -INF), ("y0f", -1, NAN), ("rsqrtf", 0, INF),
    ("rsqrtf", -0.0, -INF), ("rsqrtf", INF, 0), ("sinpif", 3, 0), ("cospif", 2.5, 0),
    ("cospif", 3, -1), ("roundf", 0.5, 1), ("roundf", -2.5, -3), ("rintf", 2.5, 2),
    ("roundf", 0.49999997, 0), ("roundf", -0.3, -0.0), ("roundf", 8388609, 8388609),
    ("__saturatef", NAN, 0), ("__saturatef", 7, 1), ("__saturatef", -INF, 0),
    ("logbf", 0, -INF), ("logbf", -INF, INF), ("logbf", 0.75, -1), ("logbf", 8, 3),
    ("nearbyintf", -0.5, -0.0),
]  # fmt: skip
SPECIAL_TWO = [
    ("fmaxf", NAN, 1, 1), ("fminf", 1, NAN, 1), ("fmaxf", NAN, NAN, NAN),
    ("fmaxf", -0.0, 0, 0), ("fmaxf", 0, -0.0, 0), ("fmaxf", -0.0, -0.0, -0.0),
    ("fminf", -0.0, 0, -0.0), ("fminf", 0, -0.0, -0.0), ("powf", 0, 0, 1),
    ("powf", NAN, 0, 1), ("powf", 1, NAN, 1), ("powf", -2, 3, -8),
    ("powf", -2, 0.5, NAN),
    ("powf", -1, INF, 1), ("powf", 0, -1, INF), ("powf", -0.0, -1, -INF),
    ("powf", 3, 2, 9), ("powf", 0.5, INF, 0), ("powf", INF, -1, 0),
    ("fmodf", -7, 3, -1),
    ("fmodf", 5, INF, 5), ("fmodf", 5, 0, NAN), ("remainderf", 5, 2, 1),
    ("remainderf", 7, 2, -1), ("remainderf", 5, INF, 5), ("remainderf", 3e38, 3e38, 0),
    ("remainderf", -4, 2, -0.0), ("remainderf", INF, INF, NAN),
    ("fdimf", 1, 3, 0), ("fdimf", INF, INF, 0),
    ("fdimf", NAN, 1, NAN), ("hypotf", INF, NAN, INF), ("hypotf", 3e38, 3e38, INF),
    ("copysignf", 2, -0.0, -2), ("atan2f", 0, -0.0, math.pi),
    ("nextafterf", 0, 1, 1e-45),
    ("norm3df", INF, NAN, INF),
]  # fmt: skip


@table("case", SPECIAL + SPECIAL_TWO)
def test_special_values(case):
    name, *args, expected = case
    args = [F32(a) for a in args]
    if name == "norm3df":
        args.append(F32(1))
    many = find(name)(*(np.full((2, 1, 3), a) for a in args))
    for got in (find(name)(*args), many[1, 0, 2]):
        assert got.dtype == F32
        np.testing.assert_equal(got, F32(expected))
        if expected == 0:
            assert np.signbit(got) == np.signbit(F32(expected))


def test_several_results():
    m, e = find("frexpf")(F32(-6))
    assert (m, e) == (-0.75, 3) and e.dtype == np.int32
    fraction, whole = find("modff")(F32(-2.75))
    assert (fraction, whole) == (-0.75, -2) and whole.dtype == F32
    s, c = find("sincosf")(F32(1))
    assert s == F32(math.sin(1)) and c == F32(math.cos(1))
    assert find("ilogbf")(F32(0)) == -(2**31)
    assert find("lroundf")(F32(2.5)) == 3 and find("lrintf")(F32(2.5)) == 2


def test_power_with_an_int_squares_repeatedly():
    """Two results of an H200, far from the correctly rounded ones."""
    given = {b.types[0].dtype.type: numerics.find(b) for b in powers_with_int()}
    single = given[F32](F32(-0.6577538847923279), np.int32(111))
    assert single == F32(-6.383213038784633e-21)
    double = given[F64](F64(1.586048737536525), np.int32(118))
    assert double == 4.338607596786107e23
    assert given[F32](F32(2), np.int32(-3)) == 0.125
    assert given[F32](F32(NAN), np.int32(0)) == 1


def powers_with_int():
    return [b for b in builtins.overloads("pow") if b.types[1].name == "int"]


PROGRAM = r"""
#include <cmath>
#include <cstdio>
#include <vector>
int main() {
  int n; fread(&n, 4, 1, stdin);
  std::vector<float> a(n), b(n), c(n), out(n);
  fread(a.data(), 4, n, stdin); fread(b.data(), 4, n, stdin);
  fread(c.data(), 4, n, stdin);
#define ALL(e) for (int i = 0; i < n; ++i) { float x = a[i], y = b[i], z = c[i]; \
    (void)y; (void)z; out[i] = e; } fwrite(out.data(), 4, n, stdout);
  ALL(fmaf(x, y, z)) ALL(fmodf(x, y)) ALL(remainderf(x, y)) ALL(roundf(x))
  ALL(rintf(x)) ALL(fdimf(x, y)) ALL(x / y) ALL(sqrtf(x)) ALL(nextafterf(x, y))
  ALL(logbf(x)) ALL(ldexpf(x, (int)(z > -300 ? (z < 300 ? z : 300) : -300)))
  ALL(truncf(x))
}
"""
EXACT = [
    "fmaf", "fmodf", "remainderf", "roundf", "rintf", "fdimf", "__fdiv_rn", "sqrtf",
    "nextafterf", "logbf", "ldexpf", "truncf",
]  # fmt: skip
ARGUMENTS = {"fmaf": 3, "roundf": 1, "rintf": 1, "sqrtf": 1, "logbf": 1, "truncf": 1}


def samples():
    """Three arrays of float32: random bits, numbers near 1, and close pairs."""
    rng = np.random.default_rng(2)
    bits = rng.integers(0, 2**32, (3, 60000), np.uint32).view(F32)
    near = rng.standard_normal((3, 60000)).astype(F32)
    product = -(near[0] * near[1])
    close = np.stack([near[0], near[1], np.nextafter(product, F32(0))])
    return np.concatenate([bits, near, near * F32(100), close], axis=1)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """What g++'s own library gives for every sample."""
    if not shutil.which("g++"):
        pytest.skip("not run: comparison with C's library (no g++)")
    folder = tmp_path_factory.mktemp("exact")
    (folder / "exact.cpp").write_text(PROGRAM)
    build = ["g++", "-O1", "-ffp-contract=off", "-w", "-o", "exact", "exact.cpp"]
    subprocess.run(build, cwd=folder, check=True)
    xs = samples()
    given = np.int32(xs.shape[1]).tobytes() + np.ascontiguousarray(xs).tobytes()
    run = subprocess.run(
        [folder / "exact"], input=given, capture_output=True, check=True
    )
    return np.frombuffer(run.stdout, F32).reshape(len(EXACT), -1)


@pytest.mark.parametrize("name", EXACT)
def test_exact_functions_agree_with_c(name, compiled):
    expected = compiled[EXACT.index(name)]
    xs = list(samples()[: ARGUMENTS.get(name, 2)])
    if name == "ldexpf":
        z = samples()[2]
        z = np.where(z > -300, np.minimum(z, F32(300)), F32(-300))
        xs = [xs[0], z.astype(np.int32)]
    got = find(name)(*(x.reshape(-1, 1, 250) for x in xs)).ravel()
    number = expected == expected
    assert np.array_equal(got == got, number)
    wrong = np.nonzero(number & (got.view(np.uint32) != expected.view(np.uint32)))[0]
    assert not len(wrong), [x[wrong[0]] for x in xs] + [
        got[wrong[0]],
        expected[wrong[0]],
    ]
