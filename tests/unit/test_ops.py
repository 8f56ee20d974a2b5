"""Elementwise operators against PyTorch: one line an operator, on every device."""

import math

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import assert_like_torch, first_fast, on_devices
from hypothesis import given, settings
from hypothesis import strategies as st
from table import table

import minigrad
from minigrad.dtypes import DTYPES, bfloat16
from minigrad.testing.tolerance import FUNCTION, POW

FLOATS = ("float32", "float64", "float16", "bfloat16")
TYPES = [d.name for d in DTYPES]
NUMBERS = np.arange(1.0, 61).reshape(3, 4, 5) / 8 - 3
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -3.25, 0.375, 7.0, math.nan, math.inf, -math.inf]


def operand(dtype, seed=0, shape=None):
    """Numbers of a dtype: of floats also those that are special; none is 0 of ints."""
    if dtype in FLOATS:
        values = np.roll(SPECIAL, seed * 4)
    elif dtype == "bool":
        values = np.arange(11) % (2 + seed) == 0
    else:
        values = np.roll([1, 2, 3, 5, 7, -1, -2, -3, 4, 6, 9], seed * 4)
        values = abs(values) if dtype == "uint8" else values
    return values if shape is None else np.resize(values, shape)


UNARY = """
-x | +x | abs(x) | x.exp() | x.log() | x.sqrt() | x.rsqrt() | x.sigmoid() | x.tanh()
x.sin()
x.cos() | x.relu() | x.isnan() | x.erf() | x.logical_not() | x.clone() | x.contiguous()
m.functional.gelu(x) | m.functional.gelu(x, approximate="tanh") | x.clamp(-1, 2)
x.clamp(min=1) | x.clamp(max=0.5) | x.clamp(2, -2) | x.float() | x.double() | x.half()
x.bfloat16() | x.bool() | x.neg() | x + 2 | 2 - x | x * 2.5 | 3 / x | x / 4 | x // 2
x // 1.5 | x % 3 | x ** 2 | x ** 3.0 | x ** 0.5 | 2 ** x | 1 + x | 7 // x | 7 % x
x == np.bool_(True) | x != np.float32(2.5)
x == 1 | x != 2.5 | x < 0 | x <= 1 | x > 2 | x >= 2 | 2 < x | x + True
m.where(x > 1, x, 0) | m.where(x > 1, 1.5, x) | m.where(x > 1, 2, 1)
x.masked_fill(x > 1, 3) | x ** -1 | x.floor_divide(2) | x.remainder(-2) | x - 1
x.add(2, alpha=3) | x.sub(2, alpha=0.5) | x.add(1, alpha=True) | x.where(x, 1)
m.where(x > 1, x) | m.where(True, x, x) | x.masked_fill(x, 1)
m.functional.gelu(x, approximate="foo")
x.mul(2) | x.div(2) | x.div(2, rounding_mode="trunc") | x.div(-2, rounding_mode="floor")
~x | x & 6 | 5 ^ x | x & True | x ^ 2.5 | x.__or__(-3) | x.__ror__(False)
x.div(0.75, rounding_mode="trunc") | x ** -0.5 | x.div(2, rounding_mode="up")
x.floor() | x.ceil() | x.trunc() | x.round() | x.frac() | x.sign() | x.clip(-1, 2)
x.clone().floor_() | x.clone().ceil_() | x.clone().trunc_() | x.clone().clip_(-1, 2)
(x / 3).round_() | (x * 0.3).round(decimals=2) | x.round(decimals=1)
m.round(x, decimals=1) | m.round(x, decimals=-1) | m.lerp(x, x * 2, 0.25)
m.lerp(x, -x, 0.75)
x.tan() | x.asin() | x.acos() | x.atan() | x.sinh() | x.cosh() | x.asinh() | x.acosh()
x.atanh() | x.expm1() | x.log1p() | x.log2() | x.log10() | x.exp2() | m.atan2(x, x + 1)
m.nn.functional.silu(x) | m.nn.functional.mish(x) | m.nn.functional.elu(x, 0.5)
m.nn.functional.leaky_relu(x, 0.1) | m.nn.functional.softplus(x, 2.0, 4.0)
m.nn.functional.hardtanh(x, -2, 2) | m.nn.functional.relu6(x)
m.nn.functional.hardtanh(x, 2, -2)
"""
BINARY = """
x + y | x - y | x * y | x / y | x // y | x % y | x ** y | m.where(x > y, x, y) | x == y
x != y | x < y | x <= y | x > y | x >= y | x.minimum(y) | x.maximum(y) | x.max(y)
x.div(y, rounding_mode="trunc") | x.div(y, rounding_mode="floor")
x & y | x.bitwise_or(y) | x ^ y | x.add(y, alpha=2) | x.sub(y, alpha=0.5)
x.mul(other=y) | x.maximum(other=y) | x.sub(y, alpha=2)
x.logical_and(y) | x.logical_or(y) | m.where(y != 0, x, 1) | m.atan2(x, y)
x.lerp(y, 0.3) | x.lerp(y, x)
"""


def split(table):
    return [
        text.strip() for line in table.strip().split("\n") for text in line.split("|")
    ]


def bound(text):
    """The unit roundoffs that an expression may be off."""
    return POW if "**" in text else FUNCTION


def compiled(text):
    return eval(f"lambda m, x, y=None: {text}")


@on_devices
@first_fast(TYPES, ("float32", "int64", "bool"))
@table("text", split(UNARY))
@pytest.mark.filterwarnings("ignore")
def test_unary(text, some, device):
    for dtype in some:
        data = operand(dtype)
        size = np.abs(data) if "gelu" in text else None  # 1 + erf(x) loses digits
        assert_like_torch(
            compiled(text), device, lambda m, d=data, t=dtype: [m.tensor(d, t)],
            ulps=bound(text), magnitude=size,
        )  # fmt: skip


PAIRS = [(t, t) for t in TYPES] + [
    ("float32", "int64"), ("int32", "float16"), ("bool", "int8"), ("uint8", "int8"),
    ("bfloat16", "float16"), ("float64", "float32"), ("int64", "bool"),
]  # fmt: skip


@on_devices
@first_fast(PAIRS, [("float32", "float32"), ("float32", "int64"), ("int64", "int64")])
@table("text", split(BINARY))
@pytest.mark.filterwarnings("ignore")
def test_binary(text, some, device):
    for one, two in some:
        a, b = operand(one), operand(two, 1)

        def make(m, a=a, b=b, one=one, two=two):
            return m.tensor(a, one), m.tensor(b, two)

        assert_like_torch(compiled(text), device, make, ulps=bound(text))


# ------------------------------------------------- layouts

VIEWS = """
x | x.permute(2, 0, 1) | x[1] | x[:, 1:3] | x[..., ::2] | x[1:2] | x[2, 3, 4] | x[:0]
x[:, :, 2:3] | x[0].expand(3, 4, 5) | x[:, :1].expand(3, 4, 5) | x[0, 0, 0].expand(3, 1)
x[:1, :, :1] | x[0, 0].expand(2, 5) | x.transpose(0, 2) | x[None] | x[2][None, :, None]
"""
PARTNERS = """
x | x[0] | x[:, :1] | x[..., :1] | x[0, 0, 0] | x[:1, :, :1] | x.transpose(0, 2) | x[:0]
x[0, :, ::2] | x[1:, 1]
"""


@on_devices
@pytest.mark.parametrize("view", split(VIEWS))
def test_any_layout(view, device):
    """Every pair of views: broadcast, or refused as PyTorch does."""
    for other in split(PARTNERS):
        choice = f"m.where({view} > 0, {other}, {view})"
        for one in (f"({view}) * ({other})", f"({view}) - 1", choice):
            assert_like_torch(compiled(one), device, lambda m: [m.tensor(NUMBERS)])


@on_devices
def test_nothing_is_copied_to_broadcast(device):
    x, y = (minigrad.ones(n).to(device) for n in ((500, 1), (1, 400)))
    with minigrad.trace() as launches:
        _ = x.expand(500, 400) * y
    (launch,) = launches
    assert launch.bytes <= 4 * (500 * 400 + 900)


@st.composite
def views(draw):
    """A tensor of some dtype, as text of steps that make a view of it."""
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    steps = []
    for dim, n in enumerate(shape):
        kind = draw(st.sampled_from(["", "", "slice", "turn"]))
        if kind == "slice":
            begin, step = draw(st.integers(0, 2)), draw(st.integers(1, 3))
            steps.append(f"[{':, ' * dim}{begin}:{n}:{step}]")
        elif kind == "turn" and len(shape) > 1:
            steps.append(f".transpose({dim}, {draw(st.integers(0, len(shape) - 1))})")
    return shape, draw(st.sampled_from(TYPES)), "".join(steps)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(views(), views(), st.sampled_from(["x + y", "x * y", "x < y", "x.maximum(y)"]))
def test_random_views(one, two, text):
    def make(m):
        tensors = []
        for shape, dtype, steps in (one, two):
            data = np.resize([3, 1, 0, 2, 5, 7, 4], shape)
            tensors.append(eval(f"x{steps}", {"x": m.tensor(data, dtype)}))
        return tensors

    for device in ("cpu", "sim"):
        assert_like_torch(compiled(text), device, make, ulps=4)


# ------------------------------------------------- in place

IN_PLACE = """
x += 1 | x -= y | x *= 2.5 | x /= y | x //= 2 | x %= 3 | x **= 2 | x.add_(y[0])
x.exp_()
x.relu_() | x.neg_() | x.clamp_(-1, 1) | x.zero_() | x.fill_(7) | x.fill_(True)
x.copy_(y[0]) | x.copy_(y.T[:4].T) | x.masked_fill_(y > 1, 9) | x[1] += y[0]
x[:, ::2] *= 2 | x.T[0] = y.T[1] | x[...] = 3 | x[0] = y[1] | x[:, 1] = y[0, 0]
x.div_(y) | x.div_(y, rounding_mode="trunc") | x.div_(y, rounding_mode="floor")
x.abs_() | x.log_() | x.sqrt_() | x.rsqrt_() | x.sigmoid_() | x.tanh_() | x.sin_()
x.cos_() | x.erf_() | x.bitwise_not_() | x.add_(y, alpha=2) | x.sub_(y[0], alpha=0.5)
x **= 0.5 | x.pow_(3) | x &= y | x ^= 5 | x.__ior__(y > 3)
x.copy_(2) | x.mul_(other=y) | x.clamp_(m.tensor(1), 3) | x.fill_(m.tensor(2.5))
x += x | x[0] += x[1] | x.sub_(x) | x.mul_(y > 1) | x.T.add_(1) | x[:, 1:3] = 0.5
"""


@on_devices
@first_fast(["float32", "int64", "float16", "bfloat16"], ["float32", "int64"])
@table("statement", split(IN_PLACE))
def test_in_place(statement, some, device):
    for dtype in some:
        written_like_torch(statement, dtype, device)


def written_like_torch(statement, dtype, device):
    def run(m, x, y):
        view = x.transpose(0, 1)
        exec(statement, {"x": x, "y": y, "m": m})
        return x, view

    def make(m):
        x, y = np.arange(12).reshape(3, 4) - 3, np.arange(1, 13).reshape(3, 4)
        return m.tensor(x, dtype), m.tensor(y, dtype)

    assert_like_torch(run, device, make, ulps=4)


@on_devices
def test_in_place_where_operand_and_result_overlap(device):
    x = minigrad.arange(6).to(device)
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    x[:5] += x[1:]
    assert x.tolist() == [0, 1, 3, 5, 7, 4]
    y = minigrad.arange(9).reshape(3, 3).to(device)
    y += y.T
    assert y.tolist() == [[0, 4, 8], [4, 8, 12], [8, 12, 16]]


# ------------------------------------------------- mistakes, and bfloat16

MISTAKES = """
x + y[0, :2]       | RuntimeError | 4
x[0].add_(x)       | RuntimeError | shape [4] doesn't match the broadcast shape [3, 4]
x.long().add_(0.5) | RuntimeError | float32 can't be cast to .. output type int64
x.long() ** -1     | RuntimeError | negative integer powers
-(x > 0)           | RuntimeError  | Negation, the `-` operator, on a bool tensor is
(x > 0) % (x > 0)  | DispatchError | remainder has no kernel for bool on '@'
x & x              | DispatchError | bitwise_and has no kernel for float32 on '@'
~x                 | TypeError | only implemented on integer and Boolean-type tensors
x.long().pow_(-1)  | RuntimeError | negative integer powers
x.clamp(x, 1)      | TypeError | two numbers or two tensors .. got Tensor and int
x.clamp(min="a")   | TypeError | expected a tensor or a number, got str
x.fill_(y)         | RuntimeError | 0-dimensional value tensor, but got
x.fill_("a")       | TypeError | a str
x.exp(1)           | TypeError | exp() takes 1 operands, the tensor itself among them
x.exp(how=1)       | TypeError | exp() got an unexpected keyword argument 'how'
x.exp_(1)          | TypeError | exp() takes 1 operands, .. but 2 were given
x.mul_(how=1)      | TypeError | mul_() got an .. 'how'; by name it takes other
x.sub(x > 1, alpha=2) | RuntimeError | Subtraction, the `-` operator, with a bool tensor
x.sub_(x > 1)      | RuntimeError | Subtraction, the `-` operator, with a bool tensor
x.add(2, alpha="a") | TypeError | argument 'alpha' must be Number, not str
x + 2 ** 2000      | RuntimeError | a whole number is too large
x.long() + 2 ** 70 | RuntimeError | a whole number is too large
x == np.ones(3)    | TypeError | expected a tensor or a number, got ndarray
x.copy_("a")       | TypeError | a str
x.half().fill_(1e10) | RuntimeError | type float16 without overflow: 10000000000.0
x.masked_fill(x > 1, [1]) | TypeError | a list to a Tensor
x.half().masked_fill(x > 1, -1e9) | RuntimeError | type float16 without overflow
x ** "a"           | TypeError | expected a tensor or a number, got str
x.where(x, x)      | RuntimeError | condition to be a boolean tensor, .. dtype float32
x.where(1, x)      | TypeError | where(): argument 'condition' must be Tensor, not int
x.masked_fill(x, 1) | RuntimeError | only supports boolean masks, .. float32
x.long().add(x.long(), alpha=0.5) | RuntimeError | alpha must not be a floating point
m.functional.gelu(x, approximate="foo") | RuntimeError | must be either none or tanh.
x.clamp()          | RuntimeError | at least one of 'min' or 'max'
x[0].expand(3, 4).add_(1) | RuntimeError | refers to a single memory location
x.to("tpu")        | RuntimeError | no device 'tpu': a tensor is on one of 'cpu', 'sim'
x + "1"            | TypeError | got str
x.to(complex)      | TypeError | no tensor of complex128
"""


@on_devices
@table("line", MISTAKES.strip().split("\n"))
def test_mistakes(line, device):
    text, error, words = (part.strip() for part in line.split("|"))
    x = minigrad.arange(12.0).reshape(3, 4).to(device)
    with pytest.raises(Exception) as caught:
        eval(text, {"x": x, "y": x + 1, "m": minigrad, "np": np})
    assert caught.type.__name__ == error, caught.value
    for piece in words.replace("@", device).split(" .. "):
        assert piece in str(caught.value)


def test_whole_numbers_divided_by_zero_on_cpu():
    x = minigrad.arange(3)
    trunc = {"rounding_mode": "trunc"}
    for divide in (lambda: x // 0, lambda: x % x, lambda: 1 % x,
                   lambda: x.div(0, **trunc)):  # fmt: skip
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide()


def test_tensors_on_two_devices():
    x, y = minigrad.ones(2), minigrad.ones(2, device="sim")
    message = "add: operand 1 is on 'cpu' and operand 2 is on 'sim'. All tensors must"
    with pytest.raises(RuntimeError, match=message):
        x + y
    assert ((x.to("sim") + y).cpu() == minigrad.full((2,), 2.0)).all()


GUESTS = """
x + y | y + x | x * y | y - x | x / y | y ** x | x % y | y < x | x == y | x.maximum(y)
m.where(x > 2, x, y) | m.where(x > 2, y, y) | m.where(y > 1, x, 0) | x.clamp(y, y + 1)
x.add(y, alpha=2) | x.masked_fill(x > 2, y) | x.add_(y) | x[1:].mul_(y) | x.pow_(y)
"""


@on_devices
@table("text", split(GUESTS))
@pytest.mark.parametrize("types", ["float32 float64", "float16 int64", "int64 float32"])
def test_a_cpu_tensor_without_dimensions_beside_a_devices(text, types, device):
    one, two = types.split()

    def make(m):
        c = m.tensor(2, two)
        return m.tensor([1, 2, 3, 5], one), c.cpu()

    assert_like_torch(compiled(text), device, make, ulps=POW)


def test_such_a_tensor_goes_into_the_kernel_as_a_number():
    x, c = minigrad.ones(3, device="sim"), minigrad.tensor(2.0)
    with minigrad.trace() as launches:
        (x + c).mul_(c)
    assert [n.kernel for n in launches] == ["unary<float, float, float>"] * 2
    for wrong in (lambda: x[0] + minigrad.ones(3), lambda: c.add_(x)):
        with pytest.raises(RuntimeError, match="All tensors must be on one device"):
            wrong()


@pytest.mark.skipif(minigrad.gpu_available(), reason="not run: no GPU (there is one)")
def test_without_a_gpu_the_error_names_sim():
    for ask in (minigrad.ones(2).cuda, lambda: minigrad.zeros(2, device="cuda")):
        with pytest.raises(
            RuntimeError, match='"cuda" needs an NVIDIA GPU.*"sim" works'
        ):
            ask()


def test_bfloat16_shows_and_rounds():
    x = minigrad.tensor([1.0, 1.00390625, 1.01171875, math.inf], bfloat16)
    assert x.tolist() == [1.0, 1.0, 1.015625, math.inf]  # of two as near the even one
    assert repr(x[:1]) == "tensor([1.], dtype=bfloat16)"
    with pytest.raises(TypeError, match="NumPy has no bfloat16"):
        x.numpy()
