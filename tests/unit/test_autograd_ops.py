"""The gradient of every operator against torch.autograd: one line an operator."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import OnDevice, Torch, on_devices, slow_on_sim, torch
from hypothesis import given, settings
from hypothesis import strategies as st
from table import table

import minigrad
from minigrad.autograd import gradcheck
from minigrad.testing.compare import assert_close, values_of

X = np.arange(1, 13).reshape(3, 4) / 7 - 0.6
Y = np.arange(4) / 3 + 0.5
Z = (np.arange(24).reshape(2, 3, 4) % 7) / 3 - 0.9  # with equal elements
AT, J = np.array([[0, 0, 1], [3, 2, 3]]), np.array([0, 2, 2])

ELEMENTWISE = """
x + y | x - y | x * y | x / y | 2 / x | x / 2 | y ** x | y ** 2 | y ** -1.5 | 2 ** x
y ** y | y ** 0 | 3 - x | x % y | x % 0.3 | abs(x) | -x | x.exp() | (x * x + 1).log()
(x * x).sqrt() | (x * x + 1).rsqrt() | x.sigmoid() | x.tanh() | x.sin() | x.cos()
x.erf() | x.relu() | m.functional.gelu(x) | m.functional.gelu(x, approximate="tanh")
x.clamp(-0.3, 0.5) | x.clamp(min=0) | x.clamp(max=0.2) | z.clamp(-x, x + 0.3)
x.div(y, rounding_mode="floor") | x.div(y, rounding_mode="trunc") | (x * 1).copy_(2)
x.clamp(min=y) | x.minimum(y) | x.maximum(x) | z.maximum(z.transpose(1, 2)[:, :3, :1])
m.where(x > 0, x, y) | m.where(x > 0, x, 2) | x.masked_fill(x > 0, 2) | x.double() * 2
(x > 0) * x | x.clone() | x.T.contiguous()
x.tan() | (x / 2).asin() | (x / 2).acos() | x.atan() | x.sinh() | x.cosh() | x.asinh()
(x * x + 2).acosh() | (x / 2).atanh() | x.expm1() | (x * x).log1p() | (x * x + 1).log2()
(x * x + 1).log10() | x.exp2() | m.atan2(x, y)
m.atan2(x * 0, y - y[0]) | m.lerp(x, y, 0.3) | m.lerp(x, y, x)
x.floor() | x.frac() | x.sign() | x.clip(-0.3, 0.5) | m.functional.silu(x)
m.functional.mish(x) | m.functional.elu(x, 0.5) | m.functional.leaky_relu(x, 0.1)
m.functional.softplus(x, 2.0, 0.5) | m.functional.hardtanh(x, -0.3, 0.5)
m.functional.relu6(8 * x)
"""
REDUCTIONS = """
x.sum() | x.sum(0) | x.sum(1, keepdim=True) | z.sum((0, 2)) | x.mean() | x.mean(0)
z.mean((1, 2), keepdim=True) | x.prod() | x.prod(1) | z.prod(0, keepdim=True) | x.var()
x.var(1) | z.var((0, 2), correction=0) | x.std(0) | x.std() | x.amax(1) | x.amin(0)
x.max() | z.min() | x.max(1).values | x.min(0, keepdim=True).values | z.amax((0, 2))
z.amin((1, 2), keepdim=True) | z.max(2)[0] | z.max(1, keepdim=True)[0] | x.softmax(0)
x.softmax(1) | x.log_softmax(1) | z.softmax(1) | z.log_softmax(0)
m.functional.layer_norm(x, (4,), y, y) | m.functional.layer_norm(z, (3, 4))
m.functional.layer_norm(x, (4,), None, y) | m.functional.layer_norm(z, (3, 4), x)
x.cumsum(0) | z.cumsum(1) | x.cumprod(1) | (x - x[1, 1]).cumprod(0) | z.cumprod(-1)
x.flip(0) | z.flip((0, 2)) | x.roll(2) | z.roll((1, -1), (0, 2)) | x.repeat(2, 3)
z.tile(2) | x.split(2, 1)[1] | z.chunk(2)[1] | z.unbind(1)[0] * x[0, 0]
z.movedim(0, 2) | x.diagonal(1) | z.diagonal(0, 1, 2) | x.diag() | x[0].diag(1)
x.sort(1).values | z.sort(0, descending=True).values | x.topk(2, 0).values
x.scatter(1, x.detach().argsort(1), x * 2) | x.scatter_add(0, i % 3, (x * 2)[:2, :3])
x.scatter(0, i[:1] % 3, 2.0) | (x - x[1, 1]).prod() | (x - x[1, 1]).prod(1)
(z - z[0, 1, 1]).prod(0) | ((x - x[1, 1]) * (x - x[0, 1])).prod(0) | x.logcumsumexp(1)
z.logcumsumexp(0) | x.logsumexp(1) | z.logsumexp((0, 2), True) | x.norm() | x.norm(1, 0)
(x * 0).norm(3) | (x - x[1]).norm(1.5, 1) | x.norm(3, dim=1)
x.norm(float("inf"), 1) | z.norm(dim=(0, 1)) | m.var_mean(x, 1)[0]
m.var_mean(z, (0, 1), keepdim=True)[1] | m.functional.group_norm(z, 3)
m.functional.group_norm(z[..., :3], 1, y[:3], y[1:]) | m.functional.instance_norm(z)
m.functional.instance_norm(z, weight=y[:3], bias=y[:3])
m.functional.rms_norm(x, (4,), y, 0.1) | m.functional.rms_norm(z, (3, 4))
m.functional.binary_cross_entropy(x.sigmoid(), y.sigmoid().expand(3, 4))
m.functional.binary_cross_entropy(x.sigmoid(), z[0].sigmoid(), reduction="sum")
m.functional.smooth_l1_loss(x, z[0])
m.functional.smooth_l1_loss(x, z[0], reduction="none", beta=0.3)
m.functional.kl_div(x, z[0].softmax(1), reduction="sum")
m.functional.kl_div(x, z[0], reduction="batchmean", log_target=True)
m.functional.scaled_dot_product_attention(z, x, x + y)
m.functional.scaled_dot_product_attention(z, z, z, is_causal=True, scale=0.5)
m.functional.scaled_dot_product_attention(x, x, x, attn_mask=x[:, :3])
m.functional.scaled_dot_product_attention(x, x, x, attn_mask=x[:, :3] > 0.3)
"""
PRODUCTS = """
x @ y | y @ x.T | x.T @ x | z @ x.T | z @ y | x @ z.transpose(1, 2) | y @ y
z @ z.transpose(1, 2) | y @ z.transpose(1, 2) | z[:, None] @ z.transpose(1, 2)
y.dot(y) | x.mv(y) | x.mm(x.T) | z.bmm(z.transpose(1, 2)) | y.outer(x[:, 0])
m.addmm(y[:3], x, x.T, beta=0.5, alpha=2) | m.einsum("ij,j->i", x, y)
m.einsum("bij,kj->bik", z, x) | m.einsum("bij,bkj", z, z) | m.einsum("i,j->ij", y, y)
m.einsum("iij->j", x[:1].expand(3, 3, 4))
m.einsum("...ij,ij->...", z, x) | m.einsum("ii->i", x[:, :3]) | m.einsum("ij->ji", x)
m.functional.conv1d(z, z[:1].transpose(0, 1)[:2, :, :2].expand(2, 3, 2), stride=2)
m.functional.conv_transpose2d(z, z.view(2, 3, 2, 2)[:, :2].transpose(0, 1), None, 2)
"""
MOVES = """
m.cat([x, x * 2], 1) | m.cat([x, z[0], x]) | m.stack([y, y]) | m.stack([x, z[1]], 2)
x.gather(1, i) | x.gather(0, i % 3) | x.index_select(0, j) | z.index_select(1, j)
x.tril() | x.triu(1) | z.tril(-1)
x.T | z.permute(2, 0, 1) | z.permute(-1, 0, 1) | x.transpose(0, 1) | z.transpose(-1, 0)
m.functional.pad(x, (1, 2)) | m.functional.pad(z, (1, -2, 0, 3), value=2.5)
m.functional.pad(z, (2, 1), "reflect") | m.functional.pad(z, (2, 5), "replicate")
m.functional.pad(z, (1, 2, 2, 0), "circular") | m.functional.interpolate(z, 6)
m.functional.interpolate(z[None], scale_factor=1.5, mode="bilinear")
m.functional.interpolate(z[None], (5, 7), mode="bilinear", align_corners=True)
m.functional.adaptive_avg_pool2d(z, (2, 3)) | m.functional.adaptive_avg_pool2d(z, 1)
y.expand(2, 3, 4) | x[:, :1].expand(-1, 5) | x.view(12) | x.reshape(2, 6)
x.T.reshape(2, 6) | x.flatten() | z.flatten(1) | x.unsqueeze(1)
x.unsqueeze(1).squeeze(1) | x[:1].squeeze() | x[1] | x[:, 1:3] | x[::2, None]
x[..., -1] | z[1, :, ::3] | x[1, 2] | x[:0] | x.as_strided((2, 3), (4, 1), 1)
x.as_strided((3, 3), (1, 1), 0) | x.as_strided((2, 2, 3), (0, 2, 1), 2)
x[:1].expand(3, 4).as_strided((3, 3), (0, 1), 1)
x[0].expand(2, 4).as_strided((4,), (1,))
x[1:].as_strided((2, 2), (1, 4), 0) | x.T[1:3].flatten() | sum(row for row in x)
"""
IN_PLACE = """
x.add_(y) | x.sub_(y) | x.mul_(y) | x.div_(y) | y.pow_(2) | (x * x).pow_(y) | x.neg_()
x.exp_() | y.sqrt_() | x.relu_() | x.clamp_(-0.2, 0.2) | x.clamp_(min=0)
x.masked_fill_(x > 0, 3) | x.copy_(y) | x.zero_() | x.fill_(3) | x.remainder_(0.3)
m.functional.silu(x, inplace=True) | m.functional.elu(x, 0.5, inplace=True)
x[0].mul_(y).sum() + x.sum() | x.T[1].copy_(x[:, 0] * 2).sum() + (x * x).sum()
"""


def split(table):
    lines = table.strip().split("\n")
    return [t.strip() for line in lines for t in line.split("|") if t.strip()]


OUT_OF_PLACE = split(ELEMENTWISE + REDUCTIONS + PRODUCTS + MOVES)


def compiled(text):
    return eval(f"lambda m, x, y, z, i, j: {text}", {"sum": sum})


def leaves(m, arrays=(X, Y, Z), dtype="float64"):
    return [m.tensor(a, dtype).requires_grad_() for a in arrays]


def gradients(m, function, tensors, order=1):
    """The gradients of an expression, weighted; of order 2 those of their weighted sum.

    The weights are such that no gradient is 0 or equal to another by chance.
    """
    indices = [m.tensor(a, "int64") for a in (AT, J)]
    y = function(m, *tensors, *indices)
    ones = [weights(m, y)]
    if order == 1:
        y.backward(*ones)
        return [x.grad for x in tensors]
    grad = m.autograd.grad(y, tensors, ones, create_graph=True, allow_unused=True)
    grad = [g for g in grad if g is not None and g.requires_grad]
    if not grad:
        return [x.detach() * 0 for x in tensors]
    ones = [weights(m, g) for g in grad]
    return m.autograd.grad(grad, tensors, ones, materialize_grads=True)


def weights(m, y):
    count = np.arange(int(np.prod(tuple(y.shape))))
    dtype = getattr(y.dtype, "name", str(y.dtype).removeprefix("torch."))
    return m.tensor(np.cos(count).reshape(tuple(y.shape)), dtype)


def assert_same(ours, theirs, rtol=1e-9, atol=1e-12, what=""):
    for mine, true in zip(ours, theirs, strict=True):
        assert (mine is None) == (true is None)
        if mine is not None:
            got, expected = (
                values_of(mine.detach()),
                (true.detach().double() + 0).numpy(),
            )
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected, rtol, atol, err_msg=what)


def compare(text, device, order=1, dtype="float64", **how):
    ours, theirs = OnDevice(device), Torch()
    function = compiled(text)
    assert_same(
        gradients(ours, function, leaves(ours, dtype=dtype), order),
        gradients(theirs, function, leaves(theirs), order),
        **how,
    )


@slow_on_sim
@table("text", OUT_OF_PLACE)
def test_gradient(text, device):
    compare(text, device)


@pytest.mark.slow
@table("text", OUT_OF_PLACE)
def test_gradient_of_the_gradient(text):
    if "None" in text:
        return  # PyTorch itself fails there
    if "max(" in text or "min(" in text or "prod" in text:
        text = f"({text}) ** 2"  # else it is 0, or nothing at all
    compare(text, "cpu", order=2, atol=1e-9)


@on_devices
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@table(
    "text", ["x * y", "x.softmax(1)", "x @ y", "x.gather(1, i)", "x.sigmoid()",
             "m.functional.layer_norm(x, (4,), y)", "x.max(1).values", "x[1:] ** 2"],
)  # fmt: skip
def test_gradient_in_other_dtypes(text, dtype, device):
    error = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 6e-2}[dtype]
    compare(text, device, dtype=dtype, rtol=error, atol=error)


@on_devices
@table("text", split(IN_PLACE))
def test_in_place(text, device):
    """On results of operators, since a leaf must not be written to."""
    names = [name for name in "xy" if f"{name}" in text]
    wrapped = f"(lambda {', '.join(names)}: {text})"
    wrapped += f"({', '.join(f'{name} * 1' for name in names)})"
    compare(wrapped, device)


# ------------------------------------------------- layouts

LAYOUTS = """
x.T.permute(1, 0) | x[:, ::2].expand(3, 2) | x[:0] | y[0] | x[1:2] | x[..., None]
y.expand(3, 4) | x[:, :1]
"""
USES = """
q * q | q.exp() | q.sum() | q.sum(-1) | q.softmax(-1) | q.relu() | q + z[0, 0, 0]
q.contiguous() * q | q * 2 + z.sum()
"""


@on_devices
@pytest.mark.parametrize("layout", split(LAYOUTS))
def test_any_layout(layout, device):
    for use in split(USES):
        if layout == "y[0]" and "-1" in use:
            continue
        compare(f"(lambda q: {use})({layout})", device)


SHAPES = [(), (1,), (4,), (3, 1), (1, 4), (3, 4), (2, 3, 4), (2, 1, 1), (0, 4), (3, 0)]


@pytest.mark.parametrize("text", ["a * b", "a / (b + 9)", "a - b", "a.maximum(b)"])
def test_every_pair_that_can_be_broadcast(text):
    function = eval(f"lambda m, a, b, i, j: {text}")
    for one in SHAPES:
        for two in SHAPES:
            arrays = [np.resize(Z, one), np.resize(X, two)]
            try:
                np.broadcast_shapes(one, two)
            except ValueError:
                continue
            results = [
                gradients(m, function, leaves(m, arrays))
                for m in (OnDevice("cpu"), Torch())
            ]
            assert_same(*results)


def test_a_gradient_has_the_dtype_and_device_of_its_tensor():
    x = minigrad.ones(3, requires_grad=True)
    y = minigrad.ones(3, dtype=minigrad.float64, device="sim", requires_grad=True)
    (x.to("sim") * y).sum().backward()
    assert (x.grad.device, x.grad.dtype) == ("cpu", minigrad.float32)
    assert (y.grad.device, y.grad.dtype) == ("sim", minigrad.float64)


# ------------------------------------------------- by differences, and at random


@pytest.mark.slow
@table("text", OUT_OF_PLACE)
def test_gradcheck(text):
    """At points where nothing jumps: no ties, no zeros."""
    if "x[1:].as" in text or "maximum(x)" in text or "% " in text or "y ** y" in text:
        return  # equal elements, or a jump
    rng = np.random.default_rng(0)
    tensors = [
        minigrad.tensor(np.abs(rng.normal(size=a.shape)) + 0.2, minigrad.float64)
        for a in (X, Y, Z)
    ]
    for x in tensors:
        x.requires_grad_()
    indices = [minigrad.tensor(a) for a in (AT, J)]
    m = OnDevice("cpu")
    function = compiled(text)
    assert gradcheck(lambda *t: function(m, *t, *indices), tensors, 1e-6, 1e-6, 1e-4)


@st.composite
def expressions(draw, depth=4):
    """A random expression of x (3, 4), y (4,) and z (2, 3, 4)."""
    if depth == 0:
        return draw(st.sampled_from(["x", "y", "z", "x[:, :1]", "z.mean()"]))
    form = draw(
        st.sampled_from(
            ["({a} + {b})", "({a} * {b})", "({a} - {b})", "{a}.sigmoid()",
             "{a}.tanh()", "({a}).sum(-1, keepdim=True)", "({a} / ({b} * {b} + 1))",
             "{a}.exp().sin()", "{a}.softmax(-1)", "m.where({a} > 0.1, {a}, {b})",
             "({a}).clone().mul_(2)"]
        )
    )  # fmt: skip
    parts = {name: draw(expressions(depth=depth - 1)) for name in "ab" if name in form}
    return form.format(**parts)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(expressions())
def test_random_expressions(text):
    compare(text, "cpu", rtol=1e-7, atol=1e-9)


# ------------------------------------------------- which operators there are

NOT_DIFFERENTIABLE = """
x > 0 | x == y | x.argmax() | x.argmax(1) | x.isnan() | x.logical_not() | (x > 0).any()
x.long() | x.int() | x.bool() | x.max(1).indices | x.min(0).indices
"""


@on_devices
@table("text", split(NOT_DIFFERENTIABLE))
def test_what_has_no_gradient_requires_none(text, device):
    m = OnDevice(device)
    y = compiled(text)(m, *leaves(m), None, None)
    assert not y.requires_grad
    assert y.is_leaf
    assert y.grad_fn is None


def test_the_gradients_of_pytorch_at_the_edges():
    """Where torch decides what the slope is: at 0, of NaN, of infinities."""
    edges = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 2.5]
    texts = ["x.relu()", "abs(x)", "x.clamp(-1, 1)", "x ** 2", "x ** 0", "x.sqrt()",
             "x.maximum(y)", "x.minimum(y)", "x.sigmoid()", "x.tanh()", "x * y",
             "m.where(x > 0, x, y)", "abs(x) ** y", "x.clamp(min=1)"]  # fmt: skip
    for text in texts:
        arrays = [np.array(edges), np.array(edges[3:] + edges[:3]), Z]
        function = compiled(text)
        with np.errstate(all="ignore"):
            results = [
                gradients(m, function, leaves(m, arrays))
                for m in (OnDevice("cpu"), OnDevice("sim"), Torch())
            ]
        assert_same(results[0], results[2], what=text)
        assert_same(results[1], results[2], what=text)


def test_a_tie_of_three_is_shared_in_the_dtype_of_the_gradient():
    x = minigrad.ones(3, dtype=minigrad.float64, requires_grad=True)
    x.amax().backward()
    assert x.grad.tolist() == [1 / 3] * 3


@pytest.mark.parametrize("variants", ["answered", "fastest"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_gradients_of_relu_that_are_no_numbers(dtype, variants):
    values = [0, 1, np.nan, 0, 2, -1, np.inf, -np.inf]
    back = [5, 5, 5, np.inf, -np.inf, np.nan, np.nan, 3]
    results = []
    for m in (minigrad, torch):
        x = m.tensor(values, dtype=getattr(m, dtype), requires_grad=True)
        with minigrad.kernel_variant(variants):
            x.relu().backward(m.tensor(back, dtype=x.dtype))
        results.append(np.array(x.grad.tolist()))
    np.testing.assert_array_equal(*results)


def test_backward_of_what_pytorch_has_no_derivative_for():
    x = minigrad.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for .*floor_divide is not"):
        (x // 2).sum().backward()
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for .*floor_divide is not"):
        (x // 2).sum().backward()


def test_a_backward_is_one_launch():
    fused = ["x.sigmoid()", "x.tanh()", "x.relu()", "x.exp()", "x.softmax(1)",
             "x.log_softmax(0)", "m.functional.gelu(x)", "abs(x)", "x ** 3.0",
             "m.functional.layer_norm(x, (4,))", "x.sqrt()", "x.sin()",
             "x * 2"]  # fmt: skip
    for text in fused:
        x = minigrad.tensor(X, requires_grad=True)
        y = compiled(text)(OnDevice("cpu"), x, None, None, None, None)
        dy = minigrad.ones(3, 4, dtype=y.dtype)
        with minigrad.trace() as launches:
            y.backward(dy)
        assert len(launches) == 1, (text, launches)


@on_devices
@pytest.mark.parametrize("text", split("""
x + c | c - x | x * c | c / x | x / c | c ** x | m.where(x > 0, c, x) | x.maximum(c)
x.clamp(min=c) | x[0].add_(c)
"""))  # fmt: skip
def test_a_number_of_the_cpu_beside_a_devices_tensor(text, device):
    """Its gradient lies on the CPU, as it does."""
    results = []
    for m in (OnDevice(device), Torch()):
        x, c = m.tensor(X), m.tensor(0.75).cpu()
        (x.requires_grad_(), c.requires_grad_())
        eval(text, {"m": m, "x": x * 1 if "_(" in text else x, "c": c}).sum().backward()
        results.append((x.grad, c.grad))
    ours, theirs = results
    assert [g.device for g in ours] == [device, "cpu"]
    for a, b in zip(ours, theirs, strict=True):
        assert_close(a, b.numpy(), ulps=64, magnitude=8.0)
