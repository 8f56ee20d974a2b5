"""Functions of half, bfloat16 and double whose rounding has a name, exactly."""

import bisect
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from cudasim.front import builtins, ctype as C
from cudasim.numerics import find

U16, F16, F32, F64 = np.uint16, np.float16, np.float32, np.float64
INTEGERS = {
    "short": np.int16, "ushort": U16, "int": np.int32, "uint": np.uint32,
    "ll": np.int64, "ull": np.uint64,
}  # fmt: skip
FORMATS = {"half": C.HALF, "bfloat16": C.BFLOAT16}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def function(name, type=None):
    """The function of a builtin; of the overload that takes `type` first, if given."""
    for b in builtins.overloads(name):
        if type is None or b.types[0] is type:
            return find(b)
    raise LookupError(name)


def every(type):
    """All values of a format, and each as a float."""
    bits = np.arange(65536, dtype=U16)
    if type is C.BFLOAT16:
        return bits, (bits.astype(np.uint32) << 16).view(F32).astype(F64)
    return bits.view(F16), bits.view(F16).astype(F64)


def as_float(x, type):
    return float((U16(x).astype(np.uint32) << np.uint32(16)).view(F32)
                 if type is C.BFLOAT16 else x)  # fmt: skip


def rounded_in(mode, exact, ladder):
    """The value of a sorted list next to an exact number, in a direction."""
    if mode == "z":
        mode = "d" if exact > 0 else "u"
    if mode == "d":
        return ladder[bisect.bisect_right(ladder, exact) - 1]
    return ladder[bisect.bisect_left(ladder, exact)]


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("form", FORMATS)
def test_numbers_become_integers(form, name):
    """Each rounding, of every value there is; what does not fit gives the end."""
    type, dtype = FORMATS[form], INTEGERS[name]
    x, wide = every(type)
    info = np.iinfo(dtype)
    rounding = {"n": round, "z": math.trunc, "u": math.ceil, "d": math.floor}
    for mode, how in rounding.items():
        got = function(f"__{form}2{name}_r{mode}")(x)
        assert got.dtype == dtype
        for g, v in list(zip(got, wide, strict=True))[::37]:
            if v != v:
                assert int(g) == (0 if info.bits < 64 else int(dtype(1) << 63))
            elif math.isinf(v):
                assert g == (info.max if v > 0 else info.min)
            else:
                assert int(g) == min(max(how(v), info.min), info.max), (mode, v)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("form", FORMATS)
def test_integers_become_numbers(form, name):
    type, dtype = FORMATS[form], INTEGERS[name]
    _, wide = every(type)
    ladder = sorted({float(v) for v in wide if v == v})
    info, rng = np.iinfo(dtype), np.random.default_rng(1)
    x = rng.integers(info.min, info.max, 60, dtype, endpoint=True)
    x = x >> rng.integers(0, info.bits, 60).astype(dtype)
    tie = [2**k + 2 ** (k - 8) + e for k in (10, 20, 30, 62) for e in (-1, 0, 1)]
    x = np.append(x, np.array([t for t in tie if t <= info.max] + [info.max], dtype))
    for mode in "zud":
        got = function(f"__{name}2{form}_r{mode}")(x)
        for g, v in zip(got, x.tolist(), strict=True):
            assert as_float(g, type) == rounded_in(mode, v, ladder), (mode, v)
    for g, v in zip(function(f"__{name}2{form}_rn")(x), x.tolist(), strict=True):
        below, above = (rounded_in(m, v, ladder) for m in "du")
        if math.isinf(above) or math.isinf(below):  # up to the next one's half
            assert type is C.HALF
            near = math.copysign(math.inf if abs(v) >= 65520 else 65504, v)
        else:
            gaps = Fraction(v) - Fraction(below), Fraction(above) - Fraction(v)
            near = below if gaps[0] < gaps[1] else above
            if gaps[0] == gaps[1]:
                near = below if even(below, type) else above
        assert as_float(g, type) == near, v


def even(value, type):
    bits = F32(value).view(np.uint32) >> 16 if type is C.BFLOAT16 else F16(value)
    return int(bits if type is C.BFLOAT16 else bits.view(U16)) % 2 == 0


SOME = [0.0, -0.0, 1.0, -1.5, 3.0, math.inf, -math.inf, math.nan]


def made(type, values):
    x = np.array(values, F32)
    return (
        (x.view(np.uint32) >> 16).astype(U16) if type is C.BFLOAT16 else x.astype(F16)
    )


@pytest.mark.parametrize("form", FORMATS)
def test_comparisons_of_numbers_and_pairs(form):
    type = FORMATS[form]
    a, b = zip(*itertools.product(SOME, SOME), strict=True)
    x, y = made(type, a), made(type, b)
    pair = C.BFLOAT162 if type is C.BFLOAT16 else C.HALF2
    tests = {
        "eq": lambda p, q: p == q, "ne": lambda p, q: p < q or p > q,
        "lt": lambda p, q: p < q, "le": lambda p, q: p <= q, "gt": lambda p, q: p > q,
        "ge": lambda p, q: p >= q,
    }  # fmt: skip
    for (name, test), unordered in itertools.product(tests.items(), (False, True)):
        wanted = [test(p, q) or unordered and (p != p or q != q)
                  for p, q in zip(a, b, strict=True)]  # fmt: skip
        wanted, name = np.array(wanted), name + "u" * unordered
        np.testing.assert_array_equal(function(f"__h{name}", type)(x, y), wanted)
        two = (x, y[::-1]), (y, x[::-1])
        high = function(f"__h{name}", type)(y[::-1], x[::-1])
        numbers = function(f"__h{name}2", pair)(*two)
        np.testing.assert_array_equal(numbers[0], made(type, wanted))
        np.testing.assert_array_equal(numbers[1], made(type, high))
        mask = function(f"__h{name}2_mask", pair)(*two)
        np.testing.assert_array_equal(mask & 0xFFFF, wanted * 0xFFFF)
        np.testing.assert_array_equal(mask >> 16, high * 0xFFFF)
        np.testing.assert_array_equal(
            function(f"__hb{name}2", pair)(*two), wanted & high
        )


@pytest.mark.parametrize("form", FORMATS)
def test_minimum_and_maximum_that_keep_nan(form):
    type = FORMATS[form]
    a, b = zip(*itertools.product(SOME, SOME), strict=True)
    x, y = made(type, a), made(type, b)
    for name, pick in (("min", min), ("max", max)):
        got = function(f"__h{name}_nan", type)(x, y)
        for g, p, q in zip(got, a, b, strict=True):
            if p != p or q != q:
                assert g.view(U16) == 0x7FFF
            else:  # -0 is less than +0
                key = lambda v: (v, math.copysign(1, v))  # noqa: E731
                assert key(as_float(g, type)) == key(pick(p, q, key=key))


@pytest.mark.parametrize("form", FORMATS)
def test_relu_of_a_fused_sum(form):
    type = FORMATS[form]
    x = made(type, [1, -2, math.nan, -0.0, 3])
    y, z = made(type, [1, 1, 1, 1, -1]), made(type, [1, 1, 1, -0.0, 1])
    got = function("__hfma_relu", type)(x, y, z)
    assert got.view(U16).tolist()[1:] == [0, 0x7FFF, 0, 0]
    assert as_float(got[0], type) == 2


@pytest.mark.parametrize("form", FORMATS)
def test_complex_product(form):
    type = FORMATS[form]
    pair = C.BFLOAT162 if type is C.BFLOAT16 else C.HALF2
    numbers = [made(type, [v])[0] for v in (2, 3, 5, 7, 11, 13)]
    a, b, c = zip(numbers[::2], numbers[1::2], strict=True)
    real, imaginary = function("__hcmadd", pair)(a, b, c)
    wanted = complex(2, 3) * complex(5, 7) + complex(11, 13)
    assert (as_float(real, type), as_float(imaginary, type)) == (0, 42) == (
        wanted.real, wanted.imag
    )  # fmt: skip


DOUBLE = {
    "dadd": lambda a, b: a + b, "dsub": lambda a, b: a - b,
    "dmul": lambda a, b: a * b, "ddiv": lambda a, b: a / b,
    "fma": lambda a, b, c: a * b + c,
}  # fmt: skip


def doubles(seed, count=300):
    rng = np.random.default_rng(seed)
    some = rng.standard_normal(count) * 2.0 ** rng.integers(-60, 60, count)
    wild = rng.standard_normal(count) * 2.0 ** rng.integers(-1000, 1000, count)
    return np.append(some, wild)


@pytest.mark.parametrize("name", DOUBLE)
@pytest.mark.parametrize("mode", "zud")
def test_doubles_in_a_direction(name, mode):
    count = DOUBLE[name].__code__.co_argcount
    xs = [doubles(seed) for seed in range(count)]
    got = function(f"__{name}_r{mode}")(*xs)
    for r, *x in zip(got.tolist(), *(x.tolist() for x in xs), strict=True):
        exact = DOUBLE[name](*map(Fraction, x))
        towards = mode if mode != "z" else "d" if exact > 0 else "u"
        if towards == "d":
            assert r == -math.inf or Fraction(r) <= exact
            above = math.nextafter(r, math.inf)
            assert above == math.inf or Fraction(above) > exact
        else:
            assert r == math.inf or Fraction(r) >= exact
            below = math.nextafter(r, -math.inf)
            assert below == -math.inf or Fraction(below) < exact


def test_roots_and_reciprocals_of_doubles():
    x = abs(doubles(5))
    for mode, sign in (("z", -1), ("d", -1), ("u", 1)):
        root, inverse = (function(f"__{n}_r{mode}")(x) for n in ("dsqrt", "drcp"))
        for r, i, v in zip(root.tolist(), inverse.tolist(), x.tolist(), strict=True):
            r, other = Fraction(r), Fraction(math.nextafter(r, -sign * math.inf))
            low, high = sorted((r, other))
            assert low**2 <= Fraction(v) <= high**2
            assert (Fraction(i) - 1 / Fraction(v)) * sign >= 0
            other = Fraction(math.nextafter(i, -sign * math.inf))
            assert (other - 1 / Fraction(v)) * sign < 0


@pytest.mark.parametrize("name", ["__fadd", "__dadd", "__fmaf", "__fma"])
def test_a_sum_of_zero_is_negative_if_rounded_down(name):
    dtype = F32 if name[2] == "f" and name != "__fma" else F64
    for a, b, negative in ((1, -1, True), (0.0, -0.0, True), (0.0, 0.0, False)):
        ones = (dtype(1),) if "fma" in name else ()
        down = function(f"{name}_rd")(dtype(a), *ones, dtype(b))
        assert down == 0 and np.signbit(down) == negative
        assert not np.signbit(function(f"{name}_ru")(dtype(a), *ones, dtype(b)))


@pytest.mark.parametrize("to", ["float", "double"])
def test_long_integers_in_a_direction(to):
    ones = [2**63 - 1, 2**53 + 1, 2**62 + 2**38 + 1, 7, 0]
    for name, values in (
        ("ll", ones + [-v for v in ones]),
        ("ull", [2**64 - 1, *ones]),
    ):
        x = np.array(values, INTEGERS[name])
        for mode in "zud":
            got = function(f"__{name}2{to}_r{mode}")(x)
            for r, v in zip(got, values, strict=True):
                towards = mode if mode != "z" else "d" if v > 0 else "u"
                other = np.nextafter(r, r.dtype.type(math.inf if towards == "d"
                                                     else -math.inf))  # fmt: skip
                low, high = sorted((Fraction(float(r)), Fraction(float(other))))
                assert low <= v <= high and (Fraction(float(other)) != v)


def test_remainder_and_quotient():
    x = np.array([10, -10, 7.5, 100, 5, 1e30, -3], F32)
    y = np.array([3, 3, -2, 7, 2, 7, 10], F32)
    remainder, quotient = function("remquof")(x, y)
    for r, q, a, b in zip(remainder, quotient, x.tolist(), y.tolist(), strict=True):
        exact = round(Fraction(a) / Fraction(b))
        assert Fraction(float(r)) == Fraction(a) - exact * Fraction(b)
        assert int(q) == int(math.copysign(abs(exact) & 7, exact or 1))


@pytest.mark.parametrize("name", ["__dp2a_lo", "__dp2a_hi"])
def test_dot_of_two(name):
    number, vector = (b for b in builtins.overloads(name) if b.result is C.INT)
    a, b, c = np.int32(-2 << 16 | 3), np.int32(0x057F_FD80 - (1 << 31)), np.int32(9)
    bytes_ = [int(v) for v in np.array([b]).view(np.int8)][2 * name.endswith("hi") :]
    assert find(number)(a, b, c) == 9 + 3 * bytes_[0] - 2 * bytes_[1]
    parts = tuple(np.array([b]).view(np.int8))
    pair = np.int16(3), np.int16(-2)
    assert find(vector)(pair, parts, c) == 9 + 3 * bytes_[0] - 2 * bytes_[1]
