"""Operators, conversions, fused multiply-add and integer intrinsics, exactly."""

import itertools
import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from cudasim import numerics
from cudasim.front import builtins, ctype as C

F16, F32, F64 = np.float16, np.float32, np.float64
I32, U32, I64, U64 = np.int32, np.uint32, np.int64, np.uint64
EDGES = [0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 255, 65535]
VALUE_ONLY = ("math", "integer", "bits", "convert", "half")
NOT_VALUES = ("atomic", "__shfl", "__ld", "__st")


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def find(name, *types):
    """The function of the overload whose value types are `types`, or the first."""
    for b in builtins.overloads(name):
        given = tuple(t for t in b.types if not isinstance(t, C.Pointer))
        if not types or given == types:
            return numerics.find(b)
    raise LookupError(name, types)


def same(a, b):
    """Equal in type and bits, any NaN being like any other."""
    assert a.dtype == b.dtype, (a.dtype, b.dtype)
    if a.dtype.kind == "f":
        assert np.array_equal(np.isnan(a), np.isnan(b))
        a, b = np.where(a == a, a, 0), np.where(b == b, b, 0)
        assert np.array_equal(np.signbit(a), np.signbit(b))
    wrong = np.nonzero(np.atleast_1d(a != b))[0]
    assert not len(wrong), (wrong[0], np.ravel(a)[wrong[0]], np.ravel(b)[wrong[0]])


def integers(dtype, seed=0, count=1500):
    """Edge cases and random values of every size, as an array."""
    info, rng = np.iinfo(dtype), np.random.default_rng(seed)
    some = [v for e in EDGES for v in (e, -e, info.max - e, info.min + e)]
    some = [v for v in some if info.min <= v <= info.max]
    wide = rng.integers(info.min, info.max, count, dtype, endpoint=True)
    shift = rng.integers(0, info.bits, count).astype(dtype)
    return np.concatenate([np.array(some, dtype), wide >> shift])


def pairs(dtype):
    a, b = integers(dtype), integers(dtype, 1)
    edge = len(a) - 1500
    some = np.array(list(itertools.product(a[:edge], b[:edge])), dtype)
    return np.append(some[:, 0], a), np.append(some[:, 1], b)


def wrap(values, dtype):
    """Python integers brought into the range of a type."""
    mask = 2 ** (8 * np.dtype(dtype).itemsize) - 1
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    return np.array([int(v) & mask for v in values], unsigned).view(dtype)


def by_zero(a):
    return 2**32 - 1 if a >> 32 == 0 else -1


def trunc_div(a, b):
    return (
        by_zero(a) if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    )


def trunc_mod(a, b):
    return by_zero(a) if b == 0 else a - trunc_div(a, b) * b


@pytest.mark.parametrize("dtype", [I32, U32, I64, U64])
@pytest.mark.parametrize("name, exact", [("div", trunc_div), ("mod", trunc_mod)])
def test_division_truncates(dtype, name, exact):
    a, b = pairs(dtype)
    function = getattr(numerics, f"int_{name}")
    expected = wrap(map(exact, a.tolist(), b.tolist()), dtype)
    same(function(a, b), expected)
    for at in range(0, len(a), 37):
        same(function(a[at], b[at]), expected[at])
    for divisor in (dtype(1), dtype(8), dtype(7), dtype(0), np.iinfo(dtype).min):
        divisor = dtype(divisor)
        whole = [exact(int(x), int(divisor)) for x in a]
        same(function(a, divisor), wrap(whole, dtype))
        part = a[a >= 0]
        whole = [exact(int(x), int(divisor)) for x in part]
        same(function(part, divisor), wrap(whole, dtype))


@pytest.mark.parametrize("amount", [I32, U32, I64, U64])
@pytest.mark.parametrize("dtype", [I32, U32, I64, U64])
def test_shifts_clamp(dtype, amount):
    bits, unsigned = 8 * np.dtype(dtype).itemsize, np.dtype(amount).kind == "u"
    values = integers(dtype, count=40)
    for n in (0, 1, 5, 31, 32, 33, 63, 64, 100, 2**31 - 1, -1, -32, 2**32 + 3):
        if (n < 0 and unsigned) or n > np.iinfo(amount).max:
            continue
        by = min(n % 2**32, bits)
        left = wrap([int(v) << by for v in values], dtype)
        right = wrap([int(v) >> by for v in values], dtype)
        same(numerics.shift_left(values, amount(n)), left)
        same(numerics.shift_right(values, amount(n)), right)
        same(numerics.shift_left(values[3], amount(n)), left[3])


def nearest(value, precision, least_exponent, most):
    """A Fraction rounded to `precision` bits, half to even; beyond `most` infinite."""
    if value == 0:
        return value
    size = abs(value)
    e = size.numerator.bit_length() - size.denominator.bit_length()
    e -= size < Fraction(2) ** e
    unit = Fraction(2) ** (max(e, least_exponent) - precision + 1)
    size = round(size / unit) * unit
    return (math.inf if size > most else size) * (-1 if value < 0 else 1)


FORMATS = {
    "half": (11, -14, 65504),
    "bf16": (8, -126, Fraction(2) ** 127 * Fraction(255, 128)),
    "float": (24, -126, Fraction(float(np.finfo(F32).max))),
    "double": (53, -1022, Fraction(float(np.finfo(F64).max))),
}


def widen(bits):
    """The float32 values of bfloat16's bits."""
    return (bits.astype(U32) << U32(16)).view(F32)


def fused(a, b, c, form):
    """a * b + c in exact arithmetic, rounded once."""
    a, b, c = float(a), float(b), float(c)
    if not all(map(math.isfinite, (a, b, c))) or 0 in (a, b):
        return float(F64(a) * F64(b) + F64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return 0.0
    rounded = float(nearest(exact, *FORMATS[form]))
    return math.copysign(rounded, -1 if exact < 0 else 1)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 3.0, np.inf, -np.inf, np.nan]


def floats(dtype, seed, count=2500):
    """Specials, denormals, and random bits: every exponent."""
    rng, info = np.random.default_rng(seed), np.finfo(dtype)
    some = [info.max, info.tiny, info.smallest_subnormal, -info.max, 1 + info.eps]
    bits = rng.integers(0, 256, (count, info.bits // 8), np.uint8).view(dtype).ravel()
    near = rng.standard_normal(count).astype(dtype)
    return np.concatenate([np.array(SPECIAL + some, dtype), bits, near])


def triples(dtype):
    """Triples of random values, of all sizes or cancelling, and of specials."""
    a, b, c = (floats(dtype, seed) for seed in range(3))
    some = np.array(list(itertools.product(a[:11], repeat=3)), dtype).T
    cancel = (-(a * b) * (1 + np.finfo(dtype).eps)).astype(dtype)
    return [
        np.concatenate(xs) for xs in zip(some, (a, b, c), (a, b, cancel), strict=True)
    ]


@pytest.mark.parametrize(
    "dtype, form", [(F16, "half"), (F32, "float"), (F64, "double")]
)
def test_fma_rounds_once(dtype, form):
    a, b, c = triples(dtype)
    expected = np.array([fused(*xs, form) for xs in zip(a, b, c, strict=True)])
    same(numerics.fma(a, b, c), expected.astype(dtype))
    for at in range(0, len(a), 501):
        same(numerics.fma(a[at], b[at], c[at]), expected[at].astype(dtype))


def test_fma_at_halfway_cases():
    """Sums that float64 rounds to the middle between two float32."""
    one, tiny = F32(1), F32(2.0**-60)
    a = np.array([1 + 2.0**-12] * 4, F32)
    c = np.array([tiny, -tiny, tiny, -tiny], F32)
    b = np.array([1 + 2.0**-12, 1 + 2.0**-12, 3 * 2.0**-12, 1 - 2.0**-12], F32)
    expected = [fused(*xs, "float") for xs in zip(a, b, c, strict=True)]
    same(numerics.fma(a, b, c), np.array(expected, F32))
    small = F32(2.0**-75)
    got = numerics.fma(small, small, F32(2.0**-149))
    same(got, F32(fused(small, small, 2.0**-149, "float")))
    assert numerics.fma(one, F32(2.0**-24), one) == 1
    assert numerics.fma(one + F32(2.0**-23), F32(2.0**-24), one) == 1 + 2.0**-23


def test_bfloat16_rounds_once():
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 65536, (3, 5000)).astype(np.uint16)
    c[:2000] = numerics.half_op("*", True)(a, b)[:2000] ^ 0x8000
    got = widen(numerics.fma(a, b, c))
    wide = zip(*(widen(x) for x in (a, b, c)), strict=True)
    same(got, np.array([fused(*xs, "bf16") for xs in wide], F32))


def test_every_half_converts_and_back():
    bits = np.arange(65536, dtype=np.uint16)
    half = bits.view(F16)
    wide = numerics.converter(C.HALF, C.FLOAT)(half)
    same(wide, half.astype(F32))
    back = numerics.converter(C.FLOAT, C.HALF)(wide)
    assert np.array_equal(back.view(np.uint16)[half == half], bits[half == half])
    wide = numerics.converter(C.BFLOAT16, C.FLOAT)(bits)
    back = numerics.converter(C.FLOAT, C.BFLOAT16)(wide)
    assert np.array_equal(back[wide == wide], bits[wide == wide])
    assert (back[wide != wide] == 0x7FFF).all()


@pytest.mark.parametrize("source", [C.FLOAT, C.DOUBLE])
def test_to_bfloat16_is_nearest_even(source):
    x = floats(source.dtype.type, 5)
    middle = widen(np.arange(0x3F00, 0x4100, dtype=np.uint16)).astype(F64)
    x = np.append(x, (middle[:-1] + middle[1:]) / 2).astype(source.dtype)
    if source is C.DOUBLE:
        x = np.append(x, np.nextafter((middle[:-1] + middle[1:]) / 2, 9))
    x = x[np.isfinite(x)]
    got = widen(numerics.converter(source, C.BFLOAT16)(x))
    exact = [nearest(Fraction(float(v)), *FORMATS["bf16"]) for v in x]
    same(got, np.copysign(np.array(list(map(float, exact)), F32), x.astype(F32)))


@pytest.mark.parametrize("op", "+-*/")
def test_half_arithmetic_rounds_once(op):
    exact = {"+": operator.add, "-": operator.sub, "*": operator.mul}
    exact["/"] = operator.truediv
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 65536, (2, 4000)).astype(np.uint16)
    for form, view in (("half", lambda x: x.view(F16)), ("bf16", widen)):
        x, y = view(a).astype(F32), view(b).astype(F32)
        good = np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0)
        bf16 = form == "bf16"
        values = (a, b) if bf16 else (a.view(F16), b.view(F16))
        got = numerics.half_op(op, bf16)(*(v[good] for v in values))
        got = widen(got) if bf16 else got.astype(F32)
        for g, p, q in zip(got, x[good], y[good], strict=True):
            e = nearest(
                exact[op](Fraction(float(p)), Fraction(float(q))), *FORMATS[form]
            )
            assert g == float(e), (form, p, q)


def test_half_comparisons():
    nan, one = F16(np.nan), F16(1)
    assert numerics.half_op("!=")(nan, one) and not numerics.half_op("<")(nan, one)
    assert not find("__hne", C.HALF, C.HALF)(nan, one)
    bits = U32(0x7FC0).astype(np.uint16)
    assert not find("__hlt", C.BFLOAT16, C.BFLOAT16)(bits, np.uint16(0x3F80))
    assert find("__hmax", C.HALF, C.HALF)(nan, one) == 1
    assert find("__hadd_sat", C.HALF, C.HALF)(nan, one) == 0
    assert numerics.half_op("neg", True)(np.uint16(0x3F80)) == 0xBF80


def saturated(x, dtype, rounding, wide=False):
    info = np.iinfo(dtype)
    if math.isnan(x):
        return 1 << (info.bits - 1) if wide or info.bits == 64 else 0
    if math.isinf(x):
        return info.max if x > 0 else info.min
    return max(info.min, min(info.max, rounding(x)))


TARGETS = {"int": I32, "uint": U32, "ll": I64, "ull": U64}
ROUNDINGS = {"rn": round, "rz": math.trunc, "ru": math.ceil, "rd": math.floor}


@pytest.mark.parametrize("source, dtype", [("float", F32), ("double", F64)])
def test_float_to_integer_saturates(source, dtype):
    ends = [2.0**31, 2.0**32, 2.0**63, 2.0**64, 0.5, 1.5, 2.5, 0.99]
    ends = [s * v for e in ends for v in (e, np.nextafter(e, 0)) for s in (1, -1)]
    x = np.append(floats(dtype, 3, 300), np.array(ends, dtype))
    x = np.append(x, (floats(dtype, 4, 300) * 1e9).astype(dtype))
    for (name, target), (mode, rounding) in itertools.product(
        TARGETS.items(), ROUNDINGS.items()
    ):
        full = f"__{source}2{name}_{mode}"
        if full not in builtins.ROWS:
            continue
        expected = wrap(
            [saturated(float(v), target, rounding, dtype is F64) for v in x], target
        )
        same(find(full)(x), expected)
        same(find(full)(x[20]), expected[20])
    for type in (C.INT, C.UINT, C.LONG, C.ULONGLONG):
        target = type.dtype.type
        whole = [saturated(float(v), target, math.trunc, dtype is F64) for v in x]
        same(numerics.converter(C.BASES[source], type)(x), wrap(whole, target))


def test_float_to_narrow_integers_takes_the_low_bits():
    """As nvcc compiles it: cvt.rzi.u32.f32 and a store of one byte."""
    x = np.array([300.7, -1.0, 255.0, 1e20, np.nan], F32)
    to = {t: numerics.converter(C.FLOAT, t)(x).tolist() for t in (C.UCHAR, C.CHAR)}
    assert to[C.UCHAR] == [44, 0, 255, 255, 0]
    assert to[C.CHAR] == [44, -1, -1, -1, 0]
    half = np.array([300.5, -1, -400, np.inf, np.nan], F16)
    assert numerics.converter(C.HALF, C.UCHAR)(half).tolist() == [255, 0, 0, 255, 0]
    assert numerics.converter(C.HALF, C.CHAR)(half).tolist() == [127, -1, -128, 127, 0]


def test_integer_conversions_wrap():
    for a, b in itertools.product(list(C.BASES.values())[:10], repeat=2):
        x = integers(a.dtype.type, count=100)
        change = numerics.converter(a, b)
        if change is None:
            assert a.dtype == b.dtype
            continue
        same(change(x), wrap(x.tolist(), b.dtype))
        same(change(x[3]), wrap(x[3:4].tolist(), b.dtype)[0])


def test_conversions_of_other_types():
    assert numerics.converter(C.INT, C.BOOL)(I32(-3)).dtype == np.bool_
    same(numerics.converter(C.BOOL, C.FLOAT)(np.bool_(True)), F32(1))
    assert numerics.converter(C.FLOAT, C.BOOL)(F32(np.nan))
    assert numerics.converter(C.FLOAT.qualified(C.CONST), C.FLOAT) is None
    assert numerics.converter(C.FLOAT.pointer(), C.INT.pointer()) is None
    same(numerics.converter(C.Enum("E", False, C.INT), C.LONG)(I32(-2)), I64(-2))
    assert numerics.converter(C.USHORT, C.BFLOAT16)(np.uint16(1)) == 0x3F80
    same(numerics.converter(C.BFLOAT16, C.USHORT)(np.uint16(0x4000)), np.uint16(2))


DIRECTED = {
    "fadd": operator.add, "fsub": operator.sub, "fmul": operator.mul,
    "fdiv": operator.truediv,
}  # fmt: skip


def directed(exact, mode):
    """The float32 next to a Fraction in a direction."""
    r = F32(float(nearest(exact, *FORMATS["float"])))
    high = math.isinf(r) and r > 0
    low = math.isinf(r) and r < 0
    below = low or (not high and Fraction(float(r)) < exact)
    above = high or (not low and Fraction(float(r)) > exact)
    mode = ("d" if exact > 0 else "u") if mode == "z" else mode
    if mode == "d" and above:
        return np.nextafter(r, F32(-np.inf))
    return np.nextafter(r, F32(np.inf)) if mode == "u" and below else r


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_rounding(name):
    a, b = floats(F32, 7, 700), floats(F32, 8, 700)
    good = np.isfinite(a) & np.isfinite(b) & (a != 0) & (b != 0)
    a, b = a[good], b[good]
    for mode in "nzud":
        if f"__{name}_r{mode}" not in builtins.ROWS:
            continue
        got = find(f"__{name}_r{mode}")(a, b)
        for g, x, y in zip(got, a, b, strict=True):
            exact = DIRECTED[name](Fraction(float(x)), Fraction(float(y)))
            if exact:
                assert g == directed(exact, mode), (name, mode, x, y)


def test_directed_square_root_and_reciprocal():
    x = abs(floats(F32, 9, 500))
    x = x[np.isfinite(x) & (x > 0)]
    for mode in "zud":
        root, inverse = find(f"__fsqrt_r{mode}")(x), find(f"__frcp_r{mode}")(x)
        for r, i, v in zip(root, inverse, x, strict=True):
            v, r = Fraction(float(v)), Fraction(float(r))
            step = Fraction(float(np.spacing(F32(float(r)))))
            if mode == "u":
                assert (r - step) ** 2 < v <= r**2
            else:
                assert r**2 <= v < (r + step) ** 2
            assert i == directed(1 / v, mode)


def signed(value, bits=32):
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def bytes_of(x, is_signed):
    return [signed(x >> s, 8) if is_signed else (x >> s) & 255 for s in (0, 8, 16, 24)]


def dot(a, b, c, is_signed):
    products = zip(bytes_of(a, is_signed), bytes_of(b, is_signed), strict=True)
    return c + sum(x * y for x, y in products)


def clz(x, bits):
    return bits - (x & (2**bits - 1)).bit_length()


def picked(x, y, s):
    """__byte_perm, by its definition."""
    out, pair = 0, (y << 32) | x
    for at in range(4):
        nibble = s >> (4 * at) & 15
        byte = pair >> (8 * (nibble & 7)) & 255
        out |= byte << (8 * at)
    return out


INTEGER = {
    "__popc": lambda x: x.bit_count(), "__popcll": lambda x: x.bit_count(),
    "__clz": lambda x: clz(x, 32), "__clzll": lambda x: clz(x, 64),
    "__ffs": lambda x: (x & -x).bit_length(),
    "__ffsll": lambda x: (x & -x).bit_length(),
    "__brev": lambda x: int(f"{x:032b}"[::-1], 2),
    "__brevll": lambda x: int(f"{x:064b}"[::-1], 2),
    "__mulhi": lambda a, b: a * b >> 32, "__umulhi": lambda a, b: a * b >> 32,
    "__mul64hi": lambda a, b: a * b >> 64, "__umul64hi": lambda a, b: a * b >> 64,
    "__mul24": lambda a, b: signed(a, 24) * signed(b, 24),
    "__umul24": lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "__byte_perm": picked,
    "__funnelshift_l": lambda a, b, n: (b << 32 | a) << (n & 31) >> 32,
    "__funnelshift_r": lambda a, b, n: (b << 32 | a) >> (n & 31),
    "__funnelshift_lc": lambda a, b, n: (b << 32 | a) << min(n, 32) >> 32,
    "__funnelshift_rc": lambda a, b, n: (b << 32 | a) >> min(n, 32),
    "__sad": lambda a, b, c: abs(a - b) + c, "__usad": lambda a, b, c: abs(a - b) + c,
    "__hadd": lambda a, b: a + b >> 1, "__uhadd": lambda a, b: a + b >> 1,
    "__rhadd": lambda a, b: a + b + 1 >> 1, "__urhadd": lambda a, b: a + b + 1 >> 1,
}  # fmt: skip


@pytest.mark.parametrize("name", INTEGER)
def test_integer_intrinsics(name):
    b = next(b for b in builtins.overloads(name) if b.category == "integer")
    first = pairs(b.types[0].dtype.type)[0]
    xs = [first]
    for at, type in enumerate(b.types[1:], 1):
        other = pairs(type.dtype.type)[1]
        xs.append(np.roll(np.resize(other, len(first)), 17 * (at - 1)))
    xs = [x[:4000:2] if len(b.types) > 1 else x for x in xs]
    expected = [INTEGER[name](*map(int, lane)) for lane in zip(*xs, strict=True)]
    expected = wrap(expected, b.result.dtype)
    function = numerics.find(b)
    same(function(*xs), expected)
    same(function(*(x[5] for x in xs)), expected[5])


def test_dp4a():
    for b in builtins.overloads("__dp4a"):
        if isinstance(b.types[0], C.Struct):
            continue
        xs = [integers(t.dtype.type, at) for at, t in enumerate(b.types)]
        lanes = zip(*(x.tolist() for x in xs), strict=True)
        expected = [dot(*lane, b.result.signed) for lane in lanes]
        same(numerics.find(b)(*xs), wrap(expected, b.result.dtype))


def argument(type, shape):
    """A value of a C type to call a builtin with."""
    if isinstance(type, C.Struct):
        return tuple(argument(t, shape) for t, _ in type.fields.values())
    if isinstance(type, C.Pointer):
        return None
    return np.full(shape, 1, type.dtype)[()] if shape else type.dtype.type(1)


def check(value, type, shape):
    if isinstance(type, C.Struct):
        for part, (t, _) in zip(value, type.fields.values(), strict=True):
            check(part, t, shape)
        return
    assert value.dtype == type.dtype and value.shape == shape


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(), (2, 1, 32), (40, 1, 256)])
def test_every_builtin_has_its_function_and_type(shape):
    for name in builtins.ROWS:
        for b in builtins.overloads(name):
            if b.category not in VALUE_ONLY or name.startswith(NOT_VALUES):
                assert numerics.find(b) is None, name
                continue
            values = [argument(t, shape) for t in b.types]
            got = numerics.find(b)(*(v for v in values if v is not None))
            outputs = [
                t.to for t in b.types if isinstance(t, C.Pointer) and not t.to.const
            ]
            if not outputs:
                check(got, b.result, shape if values[0] is not None else ())
                continue
            types = outputs if b.result is C.VOID else [b.result, *outputs]
            for value, type in zip(got, types, strict=True):
                check(value, type, shape)
