"""Matrix products, operators that move elements, and new tensors, against PyTorch."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import assert_like_torch, on_devices, torch
from hypothesis import given, settings
from hypothesis import strategies as st
from table import table

import minigrad
from minigrad.dtypes import DTYPES
from minigrad.ops import matmul
from minigrad.testing.compare import assert_close

TYPES = [d.name for d in DTYPES]


def split(table):
    return [text.strip() for text in table.strip().replace("\n", "|").split("|")]


def numbers(shape, seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape) / 8


# ------------------------------------------------- matmul

SHAPES = [
    ((5,), (5,)), ((3, 5), (5,)), ((5,), (5, 2)), ((3, 5), (5, 2)), ((1, 1), (1, 1)),
    ((4, 3, 5), (5, 2)), ((3, 5), (4, 5, 2)), ((4, 3, 5), (4, 5, 2)), ((5,), (4, 5, 2)),
    ((4, 3, 5), (5,)), ((2, 1, 3, 5), (4, 5, 2)), ((2, 4, 3, 5), (1, 1, 5, 2)),
    ((0, 5), (5, 2)), ((3, 0), (0, 2)), ((3, 5), (5, 0)), ((0, 3, 5), (5, 2)),
    ((0,), (0,)), ((37, 51), (51, 29)), ((17, 16), (16, 33)), ((70, 65), (65, 66)),
    ((130, 20), (20, 131)), ((2, 33, 18), (2, 18, 17)),
    ((3, 5), (4, 2)), ((), (5,)), ((2, 3, 5), (3, 5, 2)),
]  # fmt: skip


@on_devices
@table("one, two", SHAPES)
def test_matmul(one, two, device):
    def make(m):
        return m.tensor(numbers(one), "float32"), m.tensor(numbers(two, 1), "float32")

    k = one[-1] if one else 1
    how = {"terms": max(k, 1), "magnitude": float(k)}
    assert_like_torch(lambda m, a, b: a @ b, device, make, **how)


@on_devices
@pytest.mark.parametrize("dtype", TYPES)
def test_matmul_of_dtypes(dtype, device):
    if dtype == "bool":
        return  # PyTorch multiplies no matrices of bool; nor do we: test_mistakes
    data = numbers((6, 7)) * 8

    def make(m):
        return m.tensor(abs(data).tolist(), dtype), m.tensor(
            abs(data).T.tolist(), dtype
        )

    how = {"terms": 7, "magnitude": 500.0}
    assert_like_torch(lambda m, a, b: m.matmul(a, b), device, make, **how)


OPERANDS = """
x @ y | x.T @ y.T | x[:, ::2] @ y[::2] | x[1:] @ y[:, 2:] | x[0] @ y | x @ y[:, 1]
x.expand(2, 4, 6) @ y | x @ y.expand(3, 6, 4) | x[None] @ y[None].expand(2, 6, 4)
x[0].expand(3, 6) @ y | x.T[1] @ x | y.T @ y | x.unsqueeze(1) @ y
"""
LARGE = """
p @ q | p.T @ q.T | p.T.contiguous().T @ q | p @ q.T.contiguous().T | p[:, 1:] @ q[1:]
p[:, ::2] @ q[::2] | p[1:] @ q[:, :70] | p[None].expand(2, 76, 72) @ q
p[:, :0] @ q[:0]
p[:, :70] @ q[:70, 1:] | p[:72, :72].T @ q
"""


@on_devices
@table("text", split(OPERANDS))
def test_matmul_takes_views_as_they_are(text, device):
    def make(m):
        return m.tensor(numbers((4, 6)), "float32"), m.tensor(numbers((6, 4), 1), "f4")

    expression = eval(f"lambda m, x, y: {text}")
    how = {"terms": 6, "magnitude": 6.0}
    assert_like_torch(expression, device, make, **how)
    x, y = (t.to(device) for t in make(minigrad))
    with minigrad.trace() as launches:
        expression(minigrad, x, y)
    assert [launch.operator for launch in launches] == ["matmul"]


@pytest.mark.slow
@on_devices
@table("text", split(LARGE))
def test_matmul_of_large_matrices(text, device):
    def make(m):
        return m.tensor(numbers((76, 72)), "f4"), m.tensor(numbers((72, 76), 1), "f4")

    expression = eval(f"lambda m, p, q: {text}")
    how = {"terms": 76, "magnitude": 76.0}
    assert_like_torch(expression, device, make, **how)


# ------------------------------------------------- moving elements

MOVING = """
m.cat([x, x]) | m.cat([x, x + 1], 1) | m.cat((x, x[:1]), dim=0)
m.cat([x[:, :0], x], -1) | m.cat([x, x[0]]) | m.cat([x]) | m.cat([x.long(), x.half()])
m.cat([x.T, x.T]) | m.cat([]) | m.cat([x, 2]) | m.stack([x, 2]) | m.cat(x)
x.gather(0, [0]) | x.index_select(0, [0]) | x.index_select(0, x[0])
m.functional.one_hot([0]) | m.cat([x, x[:, :2]]) | m.cat([m.tensor([]), x])
m.cat([x[0, 0]]) | m.stack([x, x]) | m.stack([x, x + 1], 1) | m.stack([x.T, x.T], -1)
m.stack([x, x[0]]) | m.stack([x[0, 0], x[1, 1]]) | x.gather(1, i) | x.gather(0, i)
x.T.gather(1, i.T) | x.gather(-1, i[:, :1]) | x.gather(1, i[:1]) | x.gather(0, i[0])
x.gather(1, i.int()) | x.index_select(0, i[0]) | x.index_select(1, i[0, :2])
x.index_select(-1, i[0].int()) | x.T.index_select(0, i[0]) | x.index_select(0, i)
x.index_select(0, i[0, :0]) | m.functional.one_hot(i) | m.functional.one_hot(i[0], 5)
m.functional.one_hot(i, 2) | m.functional.one_hot(x) | m.functional.one_hot(i[0, 0], 4)
m.functional.one_hot(i - 1) | x.tril() | x.triu() | x.tril(1) | x.triu(-1) | x.tril(-2)
x.triu(2) | x.T.tril() | x.expand(2, 3, 4).triu(1) | x[0].tril() | (x > 0).tril()
i.triu(1) | x[:0].tril() | x.contiguous() | x.T.contiguous() | x[:, ::2].clone()
x.T.reshape(-1) | x.T.flatten() | x[0, 0].clone() | x[:0].contiguous() | x.T.bool()
x[:, 1:].to(m.int32) | x.T.bfloat16() | m.cat([x, x], axis=1) | m.stack([x, x], axis=-1)
x.to(m.uint8) | x.T.to(m.uint8) | x.to(m.float32, copy=True) | x.squeeze(axis=0)
x.unsqueeze(axis=1) | x.matmul(other=x.T) | x[0, 0].gather(0, i[0, :1])
x[0].gather(0, i[0, 0]) | x.gather(0, i[0, 0]) | x.tril(1.5) | x.triu(True)
m.functional.one_hot(i, 3.0) | m.functional.one_hot(i, None) | m.nonzero(2)
x.repeat(2, 1) | x.repeat(2, 1, 3) | x.repeat(1, 1) | x.repeat(2) | x.repeat(0, 2)
x.repeat() | x.tile(2) | x.tile(2, 3) | x.tile((2, 1, 1)) | x.tile(())
x.T.repeat(2, 2) | m.tile(x, (2,)) | x.repeat(-1, 2) | x.flip(0) | x.flip(0, 1)
x.flip((-1,)) | x.flip(dims=(0,)) | x.flip(2) | m.flip(x, (0, 1)) | x.flip(0, 0)
x.flip(()) | x.T.flip(0) | x[0, 0].flip(()) | x[:0].flip(0) | x.roll(1) | x.roll(-5)
x.roll(1, 0) | x.roll((1, 2), (0, 1)) | x.roll((1, 1), (0, 0)) | x.roll(1, (0, 1))
x.roll(2, 5) | x.T.roll(1, 0) | x.roll(shifts=1, dims=1) | x[:0].roll(1, 0) | x.split(2)
x.split(2, 1) | x.split((1, 3), 1) | x.split([1, 1], dim=0) | x.split(9) | x.split(0)
x.split([4, 1], -1) | x.split([1, -1, 4], 1) | x.split(-1) | x[0, 0].split(1)
m.split(x, 3, 1) | x.chunk(2) | x.chunk(3, 1) | x.chunk(2, -1) | x.chunk(9) | x.chunk(0)
m.chunk(x, 2, dim=1) | x.unbind() | x.unbind(1) | x.unbind(-1) | m.unbind(x, 5)
x[0, 0].unbind() | x[:0].unbind() | x.movedim(0, 1) | m.movedim(x, (0, 1), (1, 0))
x.movedim(0, 2) | x.movedim((0, 0), (1, 0)) | x.movedim((0, 1), 0)
x.unsqueeze(0).movedim(-1, 0) | x.diagonal() | x.diagonal(1) | x.diagonal(-1)
x.diagonal(9) | x.diagonal(0, 1, 0) | m.diagonal(x, offset=1) | x[0].diagonal()
x.diagonal(0, 0, 0) | x.expand(2, 3, 4).diagonal()
x.expand(2, 3, 4).diagonal(1, -1, 0) | x.diag() | x[0].diag() | x[0].diag(1)
x[0].diag(-2) | m.diag(x, 2) | x.diag(-7) | x.expand(2, 3, 4).diag() | x[0, 0].diag()
m.tril(x, 1) | x.sort() | x.sort(0) | x.sort(-1, True)
m.sort(x, dim=0, descending=True) | i.sort(stable=True)
i.sort(dim=1, descending=True, stable=True) | x.T.sort(0) | x[0, 0].sort()
x[:0].sort(0) | x[:, :0].sort() | x.sort(2) | x.argsort() | x.argsort(0, True)
m.argsort(x, dim=1) | (x / (x > 0)).sort(stable=True)
(x / (x > 0)).sort(dim=0, descending=True, stable=True) | x.topk(2) | x.topk(2, 0)
x.topk(1, largest=False) | x.topk(0) | x.topk(5) | x.topk(-1) | m.topk(x, 3, 1, False)
x[0, 0].topk(1) | x[0, 0].topk(0) | x.T.topk(k=2, dim=0) | (-x).topk(4).indices
i.unique() | x[0, 0].unique()
m.unique(i, return_inverse=True) | m.unique(i, return_counts=True)
i.unique(return_inverse=True, return_counts=True) | i.unique(dim=0) | i.unique(dim=1)
i.T.unique(dim=0, return_inverse=True, return_counts=True) | x[:0].unique()
(x / 0).unique() | (x > 0).unique()
m.cat([i, i]).unique(dim=0, return_counts=True) | x.view(m.int32) | x.view(m.float64)
x.view(dtype=m.uint8) | x.T.view(m.int32) | x.T.view(m.float16)
x[:, 1:3].view(m.float64) | x[:, :3].view(m.float64) | x[0, 0].view(m.int32)
x[0, 0].view(m.float16) | i.view(m.float64) | x[1].view(m.int64)
x.view(m.int32).bitwise_and(255) | x.half().view(m.int16) | x.bfloat16().view(m.int16)
x.scatter(1, x.argsort(1), x) | x.scatter(0, i[:2] % 3, 1.0)
x.scatter(1, i[:1], value=2) | x.scatter_add(1, i, x)
x.scatter_add(0, i[:, :2], x[:, 1:]) | i.scatter_add(1, i, i) | x.scatter(1, i, i)
x.scatter(1, i + 9, x) | x.scatter(3, i, x) | x.scatter_add(1, i[0], x)
x.scatter(1, i[:0], x) | x.scatter(1, x.long() * 0 + 1, 5)
x[0, 0].scatter(0, i[0, 0], 3.0) | x.masked_select(True) | x.gather(axis=1, index=i)
x.index_select(axis=1, index=i[0])
"""


@pytest.mark.slow
@on_devices
@table("text", split(MOVING))
def test_moving(text, device):
    def make(m):
        x, i = np.arange(12.0).reshape(3, 4) - 5, [[0, 2, 1, 0], [1, 1, 0, 2], [2] * 4]
        return m.tensor(x), m.tensor(i)

    assert_like_torch(eval(f"lambda m, x, i: {text}"), device, make)


ODD = """
f.pad(x, (2, -1), "circular") | f.pad(x, (-2, 1), "circular") | f.pad(x, (-2, 1))
f.pad(x, (-3, 4, 1, -2)) | f.pad(x, (-5, 6)) | f.pad(x, (6, -5))
f.pad(x, (1, -2), "reflect") | f.pad(x[:, :1], (-2, 4), "replicate")
f.interpolate(x[None, None], scale_factor=1.3)
f.interpolate(x[None], scale_factor=2.1)
f.interpolate(x[None, None], scale_factor=2.1)
f.interpolate(x[None, None], scale_factor=(1.3, 1.2), mode="bilinear")
f.interpolate(x[None, None], 5) | f.interpolate(x[None, None], (5, 4, 3))
f.interpolate(x[None, None].long(), 6, mode="bilinear")
f.adaptive_avg_pool2d(x[None] / (x > -5), (2, 3))
f.adaptive_avg_pool2d(x[None], (0, 2))
f.scaled_dot_product_attention(x, x, x, x[:, :3] > 0)
f.scaled_dot_product_attention(x, x, x, (x / (x > 0)).abs()[:, :3] * -m.tensor(1.0))
f.kl_div(x, x, reduction="none") | f.kl_div(x.long(), x.long())
f.kl_div(x, x.relu())
m.lerp(x.long(), x.long(), 0.5) | f.rms_norm(x.long(), (4,))
m.einsum("ii->", x[:, :3])
m.einsum("iij->j", x[:1].expand(3, 3, 4))
m.einsum("iii->i", x[:3, None, :3].expand(3, 3, 3))
x[0, 0].unique(dim=0) | f.interpolate(x, 3) | f.interpolate(x[None, None], "3")
f.interpolate(x[None, None], 2.5) | f.interpolate(x[None, None], -1) | m.einsum(5)
x.diagonal("a") | x.diag("1") | f.adaptive_avg_pool2d(x[None], "a")
x.round(decimals=1.5)
f.scaled_dot_product_attention(x, x, x, "a")
f.adaptive_avg_pool2d(x[None], (1, 2, 3))
"""


@on_devices
@table("text", split(ODD))
@pytest.mark.filterwarnings("ignore")
def test_odd_calls(text, device):
    """Sizes cut off, scales that round, NaN, infinity, whole numbers."""

    def make(m):
        return [m.tensor(np.arange(12.0).reshape(3, 4) - 5, "float32")]

    function = eval(f"lambda m, x, f=None: (lambda f: {text})(m.functional)")
    assert_like_torch(function, device, make, terms=4, magnitude=30.0)


@on_devices
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_the_bytes_of_floats_as_other_floats(dtype, device):
    array = np.arange(12, dtype="f4").reshape(3, 4)
    x, y = minigrad.tensor(array).to(device), array.view(dtype)
    x = x.view(np.dtype(dtype))
    np.testing.assert_array_equal(x.cpu().numpy(), y)
    assert x.device == device and not x.requires_grad
    np.testing.assert_array_equal(x.view(minigrad.float32).cpu().numpy(), array)


@on_devices
def test_what_is_written_as_another_dtype_is_seen(device):
    x = minigrad.ones(2, 3, requires_grad=True).to(device)
    y, bits = x.exp(), x.detach().view(minigrad.int32)
    assert not x.view(minigrad.float32).requires_grad
    bits += 1 << 23  # the exponent's lowest bit
    assert x.detach().tolist() == [[2.0] * 3] * 2
    y.detach().view(minigrad.int32).zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@on_devices
@pytest.mark.parametrize("n", [511, 512, 513, 3000])
@pytest.mark.parametrize("descending", [False, True])
def test_sort_of_long_rows_is_stable(n, descending, device):
    few = np.random.default_rng(n).integers(0, 40, (3, n)).astype("f4")
    few[few == 7] = np.nan
    theirs = torch.from_numpy(few).sort(dim=1, descending=descending, stable=True)
    ours = minigrad.tensor(few).to(device).sort(1, descending)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a.cpu().numpy(), b.numpy())


@pytest.mark.slow
@on_devices
@pytest.mark.parametrize("dtype", TYPES)
def test_moving_every_dtype(dtype, device):
    for text in (
        "m.cat([x, x.T])",
        "x.gather(0, i)",
        "x.tril()",
        "x.T.contiguous()",
        "x.flip(1)",
        "x.roll(1)",
        "x.repeat(2, 1)",
        "x.sort(0)",
        "x.unique()",
        "x.scatter(0, i, x)",
        "x.diag()",
        "x.topk(1, 0)",
    ):
        make = lambda m: (m.tensor([[1, 0], [2, 3]], dtype), m.tensor([[1, 0]]))  # noqa: E731
        assert_like_torch(eval(f"lambda m, x, i: {text}"), device, make)


@pytest.mark.parametrize("text, words", [
    ("m.cat([x, 2])", r"cat\(\): expected Tensor as element 1 .* got int"),
    ("m.stack([x, 2])", r"stack\(\): expected Tensor as element 1 .* got int"),
    ("x.gather(0, [0])", r"gather\(\): argument 'index' must be Tensor, not list"),
    ("x.index_select(0, [0])", r"index_select\(\): argument 'index' must be Tensor"),
    ("m.functional.one_hot([0])", r"one_hot\(\): argument 'input' must be Tensor"),
])  # fmt: skip
def test_what_is_no_tensor(text, words):
    with pytest.raises(TypeError, match=words):
        eval(text, {"m": minigrad, "x": minigrad.ones(2)})


def test_gather_counts_the_same_bytes_everywhere():
    counts = []
    for device in ("cpu", "sim"):
        x, i = (minigrad.zeros(3, 40, dtype=t, device=device) for t in ("f4", "i8"))
        with minigrad.trace() as launches:
            x.gather(1, i[:, :2])
        counts.append([n.bytes for n in launches])
    assert counts == [[6 * (8 + 4 + 4)]] * 2


def test_index_out_of_range():
    x, i = minigrad.arange(6).view(2, 3), minigrad.tensor([[0, 3]])
    with pytest.raises(
        IndexError, match="index 3 is out of bounds for dimension 1 with"
    ):
        x.gather(1, i)
    with pytest.raises(IndexError, match="index 3 is out of bounds .* with size 3"):
        x.to("sim").gather(1, i.to("sim"))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.data())
def test_copies_of_random_views(shape, data):
    order = data.draw(st.permutations(range(len(shape))))
    steps = [slice(None, None, data.draw(st.integers(1, 2))) for _ in shape]
    dtype = data.draw(st.sampled_from(TYPES))
    x = minigrad.tensor(np.resize([1, 0, 3, 2], shape), dtype)
    view = x.permute(*order)[tuple(steps)]
    there = x.to("sim").permute(*order)[tuple(steps)]
    for copy in (
        there.clone(),
        there.contiguous(),
        there + 0 if dtype != "bool" else there,
    ):
        assert (copy.cpu().tolist(), copy.dtype) == (view.tolist(), view.dtype)
    target = minigrad.zeros(*view.shape, dtype=dtype, device="sim")
    assert target.copy_(there).cpu().tolist() == view.tolist()


# ------------------------------------------------- new tensors

NEW = """
m.zeros(2, 3, device=D) | m.ones(2, dtype=m.int64, device=D) | m.full((2,), 7, device=D)
m.full((2, 2), 0.5, device=D) | m.full((), True, device=D) | m.eye(3, device=D)
m.eye(2, 4, dtype=m.int32, device=D) | m.arange(5, device=D)
m.arange(1, 2, 0.25, device=D)
m.arange(3, dtype=m.float16, device=D) | m.linspace(0, 1, 5, device=D)
m.linspace(3, -3, 1, device=D) | m.linspace(0, 1, 0, device=D) | m.zeros_like(x)
m.ones_like(x, dtype=m.bool) | m.full_like(x, 3) | m.empty_like(x).shape == (2, 2)
m.tensor([1, 2], device=D) | m.tensor([1.5], dtype=m.bfloat16, device=D)
x.new_tensor([1])
m.zeros(2, dtype=m.bfloat16, device=D) | x.item() == 1 | x.tolist() | x[1, 1].item()
m.zeros(size=(2, 3), device=D) | m.eye(2.0) | m.eye(2, -1)
m.arange(end=4, device=D) | m.linspace(0, float("inf"), 4, device=D)
m.linspace(0, 9, 5, dtype=m.int32, device=D) | m.linspace(0, "a", 3)
m.linspace(0, 1, 2.5)
m.full((2,), x[0, 1], device=D) | m.full((2,), x) | m.zeros_like([1])
m.tensor(-1, m.uint8, device=D) | m.full((2,), -255, dtype=m.uint8, device=D)
m.tensor([300], dtype=m.uint8) | m.zeros(2, dtype=[1])
x.new_empty((2, 0)) | bool(x[0, 0]) | float(x[0, 1]) | x.sum().item()
"""


@on_devices
@table("text", split(NEW))
def test_new(text, device):
    def run(m, x):
        text_ = text.replace("m.bool", "bool") if m.device == device else text
        value = eval(text_, {"m": m, "x": x, "D": m.device, "bool": bool})
        return value if hasattr(value, "device") else m.tensor(value)

    assert_like_torch(run, device, lambda m: [m.tensor([[1.0, 2], [3, 4]])])


@on_devices
@pytest.mark.filterwarnings("error")
def test_a_list_of_tensors_and_numbers(device):
    x = minigrad.arange(3.0).to(device)
    mixed = minigrad.tensor([[x[1], 2], [x[2].long(), 0.5]], device=None)
    assert (mixed.tolist(), mixed.dtype) == ([[1, 2], [2, 0.5]], minigrad.float32)
    assert minigrad.tensor([x[1].half(), x[2].long()]).dtype == minigrad.float16
    assert minigrad.tensor([1e30], minigrad.float16).tolist() == [float("inf")]


@on_devices
def test_to_and_back(device):
    x = minigrad.arange(12.0).view(3, 4)
    y = x.to(device)
    assert y.device == device and y.cpu().tolist() == x.tolist()
    assert y.to(device) is y and y.to("cpu", minigrad.int64).dtype == minigrad.int64
    assert y.T.to("cpu").tolist() == x.T.tolist()
    assert x.to(y).device == device
    if device != "cpu":
        y[0] = 9
        assert x[0, 0].item() == 0
        assert f"device='{device}')" in repr(y)
        with pytest.raises(TypeError, match=f"'{device}' to numpy: x.cpu"):
            y.numpy()


@pytest.mark.parametrize("turned", ["", "a", "b", "ab"])
@pytest.mark.parametrize("M, K", [(64, 1024), (10, 1040)])
def test_a_long_product_of_few_tiles_is_cut_in_parts(M, K, turned):  # noqa: N803
    random = np.random.default_rng(K)
    a, b = random.normal(size=(M, K)), random.normal(size=(K, 68))
    x, y = (minigrad.tensor(t.astype(np.float32)).to("sim") for t in (a, b))
    if "a" in turned:
        x = x.T.contiguous().T
    if "b" in turned:
        y = y.T.contiguous().T
    with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
        result = x @ y
    product, total = launches
    parts = product.grid[2]
    assert parts > 1 and K % (4 * parts) == 0 and K // parts >= matmul.SHORT
    assert (product.operator, total.operator) == ("matmul", "sum")
    assert_close(result, a @ b, terms=K, magnitude=K)


DEVICES = ["sim", pytest.param("cuda", marks=pytest.mark.skipif(
    not minigrad.gpu_available(), reason="not run: needs a GPU"))]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["?", "f2", "f4", "f8"])  # one of each size
@pytest.mark.parametrize("text, variant", [
    ("x.T.contiguous()", {8: "patches", 4: "patches"}),
    ("z.transpose(1, 2).contiguous()", {8: "patches", 4: "patches", 2: "patches"}),
    ("z[1].T.clone()", {8: "patches", 4: "patches", 2: "patches"}),
    ("x[1:].T.contiguous()", {}),
    ("odd.T.contiguous()", {}),
])  # fmt: skip
def test_large_transposes_have_kernels_of_their_own(text, variant, dtype, device):
    x = np.arange(300 * 300).reshape(300, 300) % 113
    z = np.arange(2 * 264 * 328).reshape(2, 264, 328) % 113
    names = {"x": x, "z": z, "odd": z.reshape(-1)[1 : 1 + 273 * 301].reshape(273, 301)}
    names = {n: minigrad.tensor(a, dtype).to(device) for n, a in names.items()}
    with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
        result = eval(text, {**names})
    expected = eval(text, {n: t.cpu() for n, t in names.items()})
    assert result.tolist() == expected.tolist()
    wanted = variant.get(np.dtype(expected.memory().dtype).itemsize, "transposed")
    assert [n.variant for n in launches] == [wanted]


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("text, variant", [
    ("x + x[0]", "rows"), ("x + x[:, :1]", "rows"), ("x[:, 4:] * x[0, 4:]", "rows"),
    ("x > x[:1]", "rows"), ("x + x[0].double()", "rows"), ("x.T + x[0]", "strided"),
    ("x[:4, :160, None] * x[4:8, None, :160]", "rows"),
    ("x[:4, None] + x[:50]", "rows"),
    ("x.reshape(4, -1)[:, :1] * x.reshape(4, -1)", "rows"),
    ("x[:, 3:] + x[0, 3:]", "strided"), ("x[:, ::2] + x[0, ::2]", "strided"),
])  # fmt: skip
def test_rows_that_are_broadcast_are_read_in_packs(text, variant, device):
    x = minigrad.tensor(np.arange(400 * 400).reshape(400, 400) % 113, np.float32)
    with minigrad.kernel_variant("fastest"), minigrad.trace() as launches:
        result = eval(text, {"x": x.to(device)})
    assert result.tolist() == eval(text, {"x": x}).tolist()
    assert launches[-1].variant == variant
