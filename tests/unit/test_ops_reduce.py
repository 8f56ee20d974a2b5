"""Reductions, argmax, softmax, layer norm and variance against PyTorch."""

import math
import re

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import OnDevice, assert_like_torch, first_fast, on_devices
from hypothesis import given, settings
from hypothesis import strategies as st
from table import table

import minigrad
from minigrad import launch
from minigrad.dtypes import DTYPES
from minigrad.storage import Storage
from minigrad.testing.compare import assert_close, values_of

TYPES = [d.name for d in DTYPES]
DATA = np.random.default_rng(0).integers(-40, 90, (3, 4, 5)) / 8


def split(table):
    return [text.strip() for text in table.strip().replace("\n", "|").split("|")]


def compiled(text):
    return eval(f"lambda m, x, *more: {text}")


REDUCTIONS = """
x.sum() | x.sum(0) | x.sum(-1) | x.sum((0, 2)) | x.sum(1, keepdim=True)
x.sum((0, 1, 2))
x.sum(dtype=m.int32) | abs(x * 16).sum(1, dtype=m.uint8) | x.prod(2, dtype=bool)
x.prod(2, True, dtype=m.int16) | x.sum(dtype=bool)
x.sum(dtype=m.float64) | x.mean() | x.mean(1) | x.mean((0, 2), keepdim=True) | x.prod(2)
x.amax() | x.amax(0) | x.amax((1, 2)) | x.amin(-1, keepdim=True) | x.any() | x.all()
x.any(1) | x.all(2, keepdim=True) | x.max() | x.min() | x.max(1) | x.min(-1)
x.max(0, keepdim=True) | x.argmax() | x.argmin() | x.argmax(1)
x.argmin(0, keepdim=True)
x.argmax(keepdim=True) | x.argmax(dim=-1)
x.sum(axis=0) | x.mean(axis=1, keepdims=True) | x.var(axis=0) | x.std(axis=(0, 1))
x.prod(axis=0) | x.amax(axis=1) | x.any(axis=0) | x.all(axis=1, keepdims=True)
x.max(axis=0) | x.min(axis=1, keepdims=True) | x.argmax(axis=0) | x.argmin(axis=1)
x.any(()) | x.all([]) | x.sum(()) | x.sum([0, 2]) | x.sum(np.int64(1))
x.max(np.int8(0))
x.softmax(axis=0) | x.log_softmax(axis=1) | x.sum(dim=0, axis=0)
x.var(unbiased=False) | x.var(0, False) | x.var(False) | x.std(1, True, True)
x.var(0, unbiased=True, correction=0) | x.std(-1, unbiased=False, keepdim=True)
x.var() | x.var(1) | x.std((0, 2)) | x.var(0, correction=0, keepdim=True) | x.std()
x.softmax(-1) | x.softmax(0) | x.log_softmax(1) | x.softmax(1, dtype=m.float64)
m.functional.softmax(x, 2) | m.functional.layer_norm(x, x.shape[-1:])
m.functional.layer_norm(x, tuple(x.shape[1:]), eps=0.1)
m.functional.layer_norm(x, (5,), m.tensor([1, 2, 3, 4, 5], "float32"))
m.functional.layer_norm(x, (5,), None, m.tensor([1, 2, 3, 4, 5], "float32"))
m.functional.layer_norm(x, (5,), m.tensor([1] * 5, "float64"))
m.functional.layer_norm(x, (5,), x[0, 0], m.tensor([1] * 5, "float32"))
"""
VIEWS = """
x | x.permute(2, 0, 1) | x[:, 1:3, ::2] | x[:1].expand(3, 4, 5) | x[1:2] | x[:, :, :1]
"""
ROUGH = dict(terms=60, magnitude=200.0)  # noqa: C408


def sizes(text):
    """How far rounding may go: sums of up to 60 numbers up to 12."""
    exact = any(f in text for f in ("max(", "min(", "any", "all", "arg"))
    if "softmax" in text or "layer_norm" in text:
        return {"terms": 20, "ulps": 20, "magnitude": 20.0}
    if "prod" in text:
        return {"terms": 5}
    return {} if exact and "soft" not in text else ROUGH


@pytest.mark.slow
@on_devices
@table("text", split(REDUCTIONS))
@pytest.mark.filterwarnings("ignore")
def test_dtypes(text, device):
    for dtype in TYPES:
        data = abs(DATA) if dtype == "uint8" else DATA
        assert_like_torch(
            compiled(text), device,
            lambda m, d=data, t=dtype: [m.tensor(d.tolist(), t)],
            **sizes(text),
        )  # fmt: skip


@on_devices
@first_fast(split(VIEWS), ["x", "x.permute(2, 0, 1)"])
@table("text", split(REDUCTIONS))
def test_layouts(text, some, device):
    for view in some:
        expression = compiled(re.sub(r"\bx\b", f"({view})", text))
        assert_like_torch(
            expression, device, lambda m: [m.tensor(DATA.tolist())], **sizes(text)
        )


SPECIAL = """
x.sum(1) | x.amax(1) | x.amin(1) | x.max(1) | x.min(1) | x.argmax(1) | x.argmin(1)
x.any(1) | x.all(1) | x.mean(1) | x.softmax(1) | x.log_softmax(1) | x.var(1)
"""


@on_devices
@table("text", split(SPECIAL))
def test_nan_infinity_ties_and_negative_rows(text, device):
    inf, nan = math.inf, math.nan
    rows = [
        [1, nan, 3, nan], [inf, 1, 2, inf], [-inf, -inf, -3, -5], [-7, -2, -2, -9],
        [inf, -inf, 0, 0], [0, -0.0, 0, 0], [-inf, -inf, -inf, -inf], [2, 2, 2, 2],
    ]  # fmt: skip
    assert_like_torch(
        compiled(text), device, lambda m: [m.tensor(rows)], terms=4, ulps=6,
        magnitude=30.0,
    )  # fmt: skip


EMPTY = """
x.sum() | x.sum(0) | x.sum(1) | x.prod(1) | x.mean(1) | x.any(1) | x.all(1) | x.amax(1)
x.amax(0) | x.max(1) | x.argmax(1) | x.argmax(0) | x.argmax() | x.softmax(1)
x.softmax(0)
x.log_softmax(1) | x.var(1) | x.sum((0, 1), keepdim=True) | x[:, :0].sum(0) | x.all()
m.functional.layer_norm(x, (x.shape[1],)) | x.any(()) | x.all(()) | x.var(correction=-1)
x.amax() | x.min() | x.logsumexp(1) | x.logsumexp((0, 1), True) | x.bool().logsumexp(0)
m.functional.group_norm(x[..., None], 1) | m.functional.instance_norm(x[..., None])
"""


@on_devices
@table("text", split(EMPTY))
@pytest.mark.filterwarnings("ignore")
def test_empty(text, device):
    for shape in ((2, 0), (0, 3)):
        make = lambda m, s=shape: [m.tensor(np.zeros(s, np.float32))]  # noqa: E731
        assert_like_torch(compiled(text), device, make)


@on_devices
@pytest.mark.parametrize("text", ["x.sum()", "x.sum(0)", "x.mean(-1)", "x.amax(0)",
                                  "x.argmax()", "x.max(0)", "x.softmax(0)", "x.var()",
                                  "x.any()", "x.argmax(0)"])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_without_dimensions(text, device):
    assert_like_torch(compiled(text), device, lambda m: [m.tensor(3.5)])


# ------------------------------------------------- sizes, and every variant

LENGTHS = [1, 31, 32, 33, 255, 256, 257, 1000, 5000]


@on_devices
@pytest.mark.parametrize("n", LENGTHS)
def test_row_lengths(n, device):
    data = np.random.default_rng(n).normal(size=(3, n)).astype(np.float32)
    data[1] += 1e4 if n > 1 else 0
    for text in ("x.sum(1)", "x.sum(0)", "x.amax(1)", "x.argmax(1)", "x.mean(1)",
                 "x.softmax(1)", "x.sum()", "x.T.sum(0)"):  # fmt: skip
        size = {"terms": n, "magnitude": 2e4 * n} if "sum" in text else {"ulps": 8}
        if "mean" in text:
            size = {"terms": n, "magnitude": 2e4}
        elif "softmax" in text:
            size = {"terms": n, "ulps": 3e4}  # x - max, rounded, is in the exponent
        assert_like_torch(compiled(text), device, lambda m: [m.tensor(data)], **size)


VARIANTS = {
    "x.sum(1)": ["strided", "columns", "warps", "blocks"],
    "x.amax(1)": ["strided", "columns", "warps", "blocks"],
    "x.softmax(1)": ["three passes", "shared", "online", "registers"],
    "x.log_softmax(1)": ["three passes", "shared", "online", "registers"],
    "m.functional.layer_norm(x, (2048,))": ["two passes", "welford", "registers"],
    "x + 1": ["strided", "contiguous"],
    "x * x": ["strided", "contiguous"],
    "x @ x.T.contiguous()": ["naive", "coalesced", "tiled"],
    "x[0].view(64, 32) @ x[1].view(32, 64)": ["column", "vectors", "pipelined"],
}


@on_devices
@pytest.mark.parametrize("text", VARIANTS)
def test_every_rung(text, device):
    """Each does what the specification says, and the trace tells which ran."""
    if device == "cpu":
        pytest.skip("not run: variants on cpu (NumPy has one)")
    data = np.random.default_rng(3).normal(size=(3, 2048)).astype(np.float32)
    expression, m = compiled(text), OnDevice(device)
    expected = expression(OnDevice("cpu"), minigrad.tensor(data)).numpy()
    size = 2100.0 if "@" in text else 40.0
    for variant in VARIANTS[text]:
        with minigrad.kernel_variant(variant), minigrad.trace() as launches:
            y = expression(m, m.tensor(data))
        assert variant in {launch.variant for launch in launches}, launches
        assert_close(y, expected, terms=2048, magnitude=size, what=variant)


YOURS = {
    "x.sum()": ["sum_all"] * 2, "x.sum(1)": ["sum_dim"], "x.sum(0)": ["sum_dim"],
    "x.T.sum()": ["sum_dim"], "x[:, ::2].sum((0, 1), keepdim=True)": ["sum_dim"],
    "x[0, 0].sum()": ["sum_all"] * 2, "x.max(1)": ["max_argmax", "unary"],
    "x.argmax(0)": ["unary_strided", "max_argmax", "unary"], "x.min(1)": ["arg_blocks"],
    "x.softmax(1)": ["online_softmax"], "x[0, 0].softmax(0)": ["online_softmax"],
    "x.log_softmax(1)": ["softmax_online"],
    "m.functional.layer_norm(x, (70,), x[0], x[1])": ["layer_norm"],
    "x.double().sum(1)": ["unary", "reduce_warps"], "x.amax(1)": ["reduce_warps"],
}  # fmt: skip


@on_devices
@pytest.mark.parametrize("text", YOURS)
def test_the_kernels_of_lab_05(text, device):
    """Each runs where it is chosen and made for the operands, and is right."""
    if device == "cpu":
        pytest.skip("not run: variants on cpu (NumPy has one)")
    data = np.random.default_rng(3).normal(size=(7, 70)).astype(np.float32)
    how = {"terms": 490, "magnitude": 500.0}
    with minigrad.kernel_variant("yours"), minigrad.trace() as launches:
        assert_like_torch(compiled(text), device, lambda m: [m.tensor(data)], **how)
    names = [launch.kernel.partition("<")[0] for launch in launches]
    plain = [n.replace("contiguous_kernel", "unary_strided") for n in names]
    names = [n.replace("unary_kernel", "unary") for n in plain]
    assert names == 3 * YOURS[text]  # twice with plans, once without


def test_vectors_rung_on_large_tensors():
    x = minigrad.rand(2**16 + 3).to("sim")
    with minigrad.trace() as launches:
        y, z = x * x, x + 0.5
    assert [launch.variant for launch in launches] == ["vectors"] * 2
    for got, expected in (y, x.cpu() ** 2), (z, x.cpu() + 0.5):
        assert (got.cpu() == expected).all()


# ------------------------------------------------- several blocks a row, one launch


@pytest.mark.parametrize("name, dtype, n", [
    ("sum", "float32", 100_003), ("sum", "int16", 65_537), ("mean", "float16", 33_000),
    ("prod", "float64", 32_769), ("amax", "bfloat16", 33_333), ("amin", "int8", 65_536),
])  # fmt: skip
def test_a_long_row_takes_one_launch(name, dtype, n):
    data = np.random.default_rng(n).normal(size=n) * 9
    data = data / 1e6 + 1 if name == "prod" else data
    many_blocks(name, minigrad.tensor(data, dtype), None, "blocks")


@pytest.mark.parametrize("name, dtype", [
    ("sum", "float32"), ("mean", "float16"), ("prod", "float64"), ("amax", "int8"),
    ("amin", "float32"), ("any", "bool"),
])  # fmt: skip
def test_few_long_columns_take_one_launch(name, dtype):
    data = np.random.default_rng(0).integers(0, 60, (5001, 33))
    data = data / 1e6 + 1 if name == "prod" else data
    many_blocks(name, minigrad.tensor(data, dtype), 0, "columns")


def many_blocks(name, x, dim, variant):
    """Right, in one launch of several blocks a row; and again, by the plan."""
    there, bits = x.to("sim"), set()
    for _ in range(2):
        with minigrad.trace() as launches:
            y = getattr(there, name)(dim)
        assert [launch.variant for launch in launches] == [variant]
        assert launches[0].grid[1] > 1
        bits.add(y.cpu().storage.data.tobytes())
    assert len(bits) == 1
    wide = x if name == "any" else x.double()
    true, size = values_of(getattr(wide, name)(dim)), abs(x.double()).sum().item()
    assert_close(y, true, terms=x.shape[0], magnitude=size)


def test_the_best_of_a_long_row_takes_one_launch():
    x = minigrad.rand(100_003).to("sim")
    for places in ([70_001], [99_999, 50_000, 40_000], [3]):
        x[places] = 2.0  # of equals the first, in whatever block
        with minigrad.trace() as launches:
            assert x.argmax().item() == min(places)
        assert len(launches) == 1 and launches[0].grid[1] > 1
    x[[5, 60_000]] = float("nan")
    assert x.argmax().item() == x.argmin().item() == 5


def test_counters_are_zero_again_and_serve_every_launch(monkeypatch):
    """As on a GPU, where all launches are given the same ones."""
    same = np.zeros(launch.COUNTERS, np.uint32)
    storage = Storage(same, "sim", same.dtype)
    monkeypatch.setattr(launch, "zeros", lambda count, dtype, device: storage)
    x, columns = minigrad.rand(40_000).to("sim"), minigrad.rand(5000, 50).to("sim")
    for _ in range(2):
        for y in (x.sum(), columns.mean(0), x.view(1, -1).amax(1), x.argmin()):
            assert not same.any() and y.numel()


# ------------------------------------------------- tolerances


def naive(x, dtype):
    """The running sum in a dtype, one after the other."""
    total = dtype(0)
    for value in x.astype(dtype):
        total = dtype(total + value)
    return np.float64(total)


@pytest.mark.parametrize("n", [2, 10, 100, 1000, 20_000])
def test_tolerance_lets_float32_pass_and_float16_fail(n):
    """The worst order of all in float32 passes, the best in float16 does not."""
    for seed in range(5):
        x = np.random.default_rng(seed).normal(size=n) / 8 + 1
        true, size = x.astype(np.float32).sum(dtype=np.float64), abs(x).sum()
        with np.errstate(all="ignore"):
            pairs = [(x, naive(x, np.float32))] if n <= 1000 else []
            pairs.append((x, x.astype(np.float32).sum()))
            half = naive(x, np.float16) if n <= 1000 else x.astype("f2").sum()
        for _, total in pairs:
            assert_close(
                minigrad.tensor(np.float32(total)), true, terms=n, magnitude=size
            )
        with pytest.raises(AssertionError, match="1 of 1 elements differ"):
            assert_close(
                minigrad.tensor(np.float32(half)), true, terms=n, magnitude=size
            )


@pytest.mark.parametrize("text", ["x @ y", "x.softmax(1)", "x.sigmoid()", "x * y.T",
                                  "x.layer()", "x.exp()"])  # fmt: skip
def test_float16_fails_what_float32_passes(text):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(40, 64)), rng.normal(size=(64, 40))
    text = text.replace("x.layer()", "f.layer_norm(x, (64,))")

    def run(dtype):
        tensors = {"x": minigrad.tensor(x, dtype), "y": minigrad.tensor(y, dtype)}
        return eval(text, tensors | {"f": minigrad.functional})

    size = (abs(x) @ abs(y)).max() if "@" in text else 3.0 if "layer" in text else None
    how = {"terms": 64, "ulps": 8, "magnitude": size}
    true = values_of(run(minigrad.float64))
    assert_close(run(minigrad.float32), true, **how)
    with pytest.raises(AssertionError, match="elements differ"):
        assert_close(run(minigrad.float16).float(), true, **how)


def test_variance_of_large_mean_keeps_its_digits():
    x = 1e4 + np.random.default_rng(0).normal(size=(4, 1000))
    for device in ("cpu", "sim"):
        y = minigrad.tensor(x.astype(np.float32), device=device).var(1)
        true = x.astype(np.float32).astype(np.float64).var(1, ddof=1)
        assert_close(y, true, terms=1000, magnitude=2.0 * 100)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data(),
    st.sampled_from(["sum", "amax", "all", "mean"]),
    st.sampled_from(["float32", "int64", "bool", "float16"]),
)  # fmt: skip
def test_random_dims(shape, data, name, dtype):
    dims = data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
    order = data.draw(st.permutations(range(len(shape))))
    keepdim = data.draw(st.booleans())

    def run(m, x):
        return getattr(x.permute(*order), name)(tuple(dims), keepdim=keepdim)

    values = np.resize([3, 1, 0, 2, 5, 7, 4], shape)
    for device in ("cpu", "sim"):
        assert_like_torch(
            run, device, lambda m: [m.tensor(values, dtype)], terms=256, magnitude=1e3
        )


MISTAKES = """
x.sum(3)          | IndexError    | Dimension out of range
x.sum((0, 0))     | RuntimeError  | dim 0 appears multiple times
x.sum(axes=0)     | TypeError     | sum() got .. 'axes'; by name .. dim (or axis)
x.sum(dim=0, axis=0) | TypeError  | sum() got both 'dim' and 'axis'
x.sum(0, 1)       | TypeError     | 'keepdim' must be bool, not int; .. dim=(0, 1)
x.var(0, keepdim=None) | TypeError | 'keepdim' must be bool, not NoneType
x.sum(np.array([0])) | TypeError  | expected ints or one tuple of ints, got (array([0]))
x.max(np.arange(2)) | TypeError   | a dimension is an int, not ndarray
x.max(keepdim=True) | TypeError   | max() takes keepdim beside a dim only
x.any(dtype=bool) | TypeError     | any() got an unexpected argument 'dtype'
x.softmax()       | TypeError     | softmax() missing 1 required positional argument
x.softmax(0, 1, of=2) | TypeError | softmax() got an .. argument 'of'; by name .. dim
f.layer_norm(x, (4,), 2) | TypeError | layer_norm(): argument 'weight' must be Tensor
f.layer_norm(x, (4,), eps="a") | TypeError | 'eps' must be Number, not str
(x > 0).argmax()  | RuntimeError  | argmax(): does not support bool input
x.long().mean()   | DispatchError | mean has no kernel for int64 on '@'
x[:, :0].amax(1)  | IndexError    | amax(): Expected reduction dim 1 to have non-zero
x[:, :0].amin()   | RuntimeError  | amin(): Expected reduction dim to be specified
x[:, :0].max()    | RuntimeError  | max(): Expected reduction dim to be specified for
x[:0].argmax()    | IndexError    | non-zero size
x.long().softmax(0) | DispatchError | softmax has no kernel for int64
x.long().var()    | DispatchError | var has no kernel for int64
f.layer_norm(x, (3,)) | RuntimeError | normalized_shape=[3] .. [3, 4]
f.layer_norm(x.half(), (4,), x[0].double()) | RuntimeError | is float16 .. are float64
f.layer_norm(x, (4,), x[0, :2]) | RuntimeError | expected weight of shape [4], got [2]
"""


@on_devices
@table("line", MISTAKES.strip().split("\n"))
def test_mistakes(line, device):
    text, error, words = (part.strip() for part in line.split("|"))
    x = minigrad.arange(12.0).reshape(3, 4).to(device)
    with pytest.raises(Exception) as caught:
        eval(text, {"x": x, "f": minigrad.functional, "np": np})
    assert caught.type.__name__ == error, caught.value
    for piece in words.replace("@", device).split(" .. "):
        assert piece in str(caught.value)


DIMENSIONS = """
sum mean amax amin prod var std logsumexp all any argmax argmin max min cumsum cumprod
logcumsumexp softmax log_softmax sort argsort squeeze unsqueeze unbind flatten
m.var_mean(x,d) m.std_mean(x,d)
x.topk(1,d) x.norm(2,d) x.flip((d,)) x.movedim(d,0) x.transpose(d,0) x.gather(d,i)
x.index_select(d,i.view(-1)) x.roll(1,d) x.sum((d,),True) x.all((d,)) x.norm(0,(d,))
x.scatter(d,i,x) x.chunk(1,d) x.split(1,d) x.unique(dim=d) m.stack([x,x],d)
m.cat([x,x],d) x.permute(d) x.diagonal(0,d,0) x.sum((0,d)) x.flatten(0,d)
"""


@table("text", DIMENSIONS.split())
@pytest.mark.parametrize("shape", [(), (3,)])
def test_dimensions_are_those_of_pytorch(text, shape):
    import torch

    def outcome(m, dim):
        x = m.ones(shape) * 2
        try:
            y = eval(text, {"m": m, "x": x, "d": dim, "i": m.zeros(shape).long()})
        except (IndexError, RuntimeError, TypeError) as error:
            return type(error)
        return [tuple(t.shape) for t in (y if isinstance(y, tuple | list) else (y,))]

    text = text if "(" in text else f"x.{text}(d)"
    for dim in range(-3, 4):
        assert outcome(minigrad, dim) == outcome(torch, dim), dim
