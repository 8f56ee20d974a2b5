"""conv2d, unfold and fold, forward and backward, against PyTorch in float64."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import (
    OnDevice,
    Torch,
    assert_like_torch,
    numbers_alone,
    on_devices,
    slow_on_sim,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from table import table

import minigrad
from minigrad.autograd.gradcheck import gradcheck
from minigrad.ops import conv
from minigrad.testing.compare import assert_close

torch = pytest.importorskip("torch", reason="not run: convolution (need torch)")
F = torch.nn.functional


def data(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def true_gradients(x, w, b, dy, how):
    """y, dx, dw, db by PyTorch in float64, and by how much each may be wrong."""
    leaves = [torch.tensor(a, dtype=torch.float64).requires_grad_() for a in (x, w, b)]
    sizes = [leaf.detach().abs().requires_grad_() for leaf in leaves]
    results = []
    for group in (leaves, sizes):
        y = F.conv2d(*group, **how)
        seed = torch.as_tensor(dy, dtype=torch.float64)
        seed = seed if group is leaves else seed.abs()
        results.append([y, *torch.autograd.grad(y, group, seed)])
    return [[t.detach().numpy() for t in group] for group in results]


def check(device, dtype, x, w, b, variant="fastest", **how):
    """Forward and backward on a device; what was launched."""
    dtype = getattr(minigrad, dtype)
    x, w, b = (minigrad.tensor(a, dtype) for a in (x, w, b))
    s = conv.shape_of(x.shape, w.shape, **how)
    dy = minigrad.tensor(data(*s.y, seed=9), dtype)
    true, sizes = true_gradients(*(t.double().numpy() for t in (x, w, b, dy)), how)
    x, w, b, dy = (t.to(device) for t in (x, w, b, dy))
    leaves = [t.requires_grad_() for t in (x, w, b)]
    with minigrad.kernel_variant(variant), minigrad.trace() as launches:
        y = minigrad.functional.conv2d(*leaves, **how)
        got = [y.detach(), *minigrad.autograd.grad(y, leaves, dy)]
    terms = max(s.w[1] * s.window.taps, s.w[0] * s.window.taps, s.N * s.places) + 1
    for name, y, e, size in zip(("y", "dx", "dw", "db"), got, true, sizes, strict=True):
        what = f"{name} by {variant} on {device}"
        assert_close(y, e, terms=terms, magnitude=size, ulps=4, what=what)
    return launches


VARIANTS = ["direct", "halo", "im2col", "implicit", "pipelined"]
# x, w, and how: 1 x 1, 5 x 3, strides, padding, dilation, groups
SHAPES = [
    ((2, 3, 9, 7), (10, 3, 3, 3), {"padding": 1}),
    ((2, 8, 6, 5), (9, 8, 1, 1), {"stride": (2, 1)}),
    ((1, 8, 9, 8), (8, 8, 5, 3), {"stride": 2, "padding": (2, 1)}),
    ((2, 16, 7, 9), (16, 8, 3, 2), {"dilation": (1, 2), "groups": 2, "stride": (1, 2)}),
    ((3, 1, 8, 6), (32, 1, 3, 3), {"padding": "same"}),
    ((2, 4, 6, 7), (8, 1, 2, 3), {"groups": 4, "padding": (0, 2)}),
]


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("x, w, how", SHAPES)
def test_every_rung(x, w, how, variant):
    launches = check("sim", "float32", data(*x), data(*w, seed=1), data(w[0]), variant,
                     **how)  # fmt: skip
    ran = {launch.variant for launch in launches}
    small = min(w[0] // how.get("groups", 1), w[1]) < 8
    assert {"im2col": "window"}.get(variant, variant) in ran or "i" in variant and small


@pytest.mark.parametrize("k, how", [(3, {"padding": 1}), (2, {"stride": 2})])
def test_the_learners_own_kernels(k, how):
    """variants("yours"): what lab 07 has written runs, wherever it is made for."""
    with minigrad.kernel_variant("yours"), minigrad.trace() as launches:
        ran = check("sim", "float32", data(2, 3, 9, 7), data(4, 3, k, k), data(4),
                    "yours", **how)  # fmt: skip
        x = minigrad.tensor(data(2, 3, 8, 6), minigrad.float32).to("sim")
        y = minigrad.functional.max_pool2d(x.requires_grad_(), 2)
        y.sum().backward()
    with minigrad.kernel_variant("fastest"):
        assert (y.cpu() == minigrad.functional.max_pool2d(x.detach().cpu(), 2)).all()
    assert x.grad.sum().item() == y.numel()
    own = {
        launch.kernel for some in (ran, launches) for launch in some
        if launch.variant == "yours"
    }  # fmt: skip
    assert {"max_pool2d", "max_pool2d_backward", "im2col", "col2im"} <= own
    assert own & {"conv2d_direct", "conv2d_gemm"}


@on_devices
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_dtypes(dtype, device):
    for x, w, how in SHAPES[:2]:
        check(device, dtype, data(*x), data(*w, seed=1), data(w[0]), **how)


@st.composite
def convolutions(draw):
    """Shapes of x and w, and how."""
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    two = st.tuples(st.integers(1, 3), st.integers(1, 3))
    kernel, stride, dilation = draw(two), draw(two), draw(two)
    padding = draw(st.tuples(st.integers(0, 2), st.integers(0, 2)))
    least = [(k - 1) * d + 1 - 2 * p
             for k, d, p in zip(kernel, dilation, padding, strict=True)]  # fmt: skip
    size = [max(1, n) + draw(st.integers(0, 4)) for n in least]
    inside, out = draw(st.integers(1, 5)), groups * draw(st.integers(1, 5))
    x = draw(st.integers(1, 3)), groups * inside, *size
    how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    if stride == (1, 1) and draw(st.booleans()):
        how["padding"] = draw(st.sampled_from(["same", "valid"]))
        if how["padding"] == "valid":
            x = (*x[:2], *(n + 2 * p for n, p in zip(size, padding, strict=True)))
    return x, (out, inside, *kernel), how


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(convolutions(), st.sampled_from(["float32", "float64"]))
def test_random_shapes_on_cpu(shapes, dtype):
    x, w, how = shapes
    check("cpu", dtype, data(*x), data(*w, seed=1), data(w[0], seed=2), **how)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True)
@given(convolutions(), st.sampled_from(VARIANTS))
def test_random_shapes_on_sim(shapes, variant):
    x, w, how = shapes
    check("sim", "float32", data(*x), data(*w, seed=1), data(w[0]), variant, **how)


@on_devices
def test_views_and_no_batch(device):
    """Operands of any layout; an image alone; no image; no bias."""

    def run(m, x, w):
        F = m.functional
        one = F.conv2d(x.permute(0, 3, 1, 2), w[::2], None, 1, 1)
        return (
            one,
            F.conv2d(x[1].permute(2, 0, 1)[:3], w[:, :, 1:]),
            F.conv2d(x[:0].permute(0, 3, 1, 2), w),
        )

    assert_like_torch(
        run, device, lambda m: (m.tensor(data(2, 6, 5, 3)), m.tensor(data(8, 3, 3, 3))),
        terms=27, magnitude=30.0,
    )  # fmt: skip


@on_devices
def test_few_launches(device):
    """Forward is one launch, dw with db two: nothing is stored but parts of sums."""
    if device == "cpu":
        pytest.skip("not run: launches on cpu (NumPy has none)")
    sizes = (4, 8, 6, 6), (8, 8, 3, 3), (8,)
    leaves = [minigrad.tensor(data(*n), minigrad.float32).to(device) for n in sizes]
    leaves = [t.requires_grad_() for t in leaves]
    with minigrad.trace() as launches:
        y = minigrad.functional.conv2d(*leaves, padding=1)
        minigrad.autograd.grad(y, leaves, y.detach())
    kernels = [launch.kernel.partition("<")[0] for launch in launches]
    assert kernels == ["conv2d_pipelined"] * 3 + ["conv2d_join"]


@on_devices
def test_few_blocks_share_the_channels_of_dx(device):
    """Where tiles of dx are few, several blocks make each, and their sums are added."""
    launches = check(
        device, "float32", data(2, 8, 6, 6), data(64, 8, 3, 3), data(64), padding=1
    )
    grids = [launch.grid for launch in launches if launch.operator == "conv2d_input"]
    assert device == "cpu" or grids == [(2, 1, 4)]


@pytest.mark.parametrize("variant", ["implicit", "pipelined", "im2col"])
def test_parts_are_added_in_the_same_order(variant):
    x, dy = (minigrad.tensor(data(9, 8, 7, 9, seed=i), minigrad.float32).to("sim")
             for i in range(2))  # fmt: skip
    s = conv.shape_of(x.shape, (8, 8, 3, 3), padding=1)
    with minigrad.kernel_variant(variant):
        first, again = (conv.conv2d_weight(x, dy, sizes=s)[0] for _ in range(2))
    assert (first.cpu() == again.cpu()).all()


@pytest.mark.slow
@pytest.mark.parametrize("groups, padding, stride", [(1, 1, 1), (2, 0, (2, 1))])
def test_gradients_and_their_gradients(groups, padding, stride):
    F, how = minigrad.functional, {"padding": padding, "stride": stride}
    x, w, b = (minigrad.tensor(data(*n)).requires_grad_()
               for n in ((2, 4, 4, 3), (4, 4 // groups, 2, 3), (4,)))  # fmt: skip

    def run(x, w, b):
        return F.conv2d(x, w, b, groups=groups, **how)

    def slopes(x, w, b):
        with minigrad.enable_grad():
            y = run(x, w, b)
            return minigrad.autograd.grad(
                (y * y * y).sum(), (x, w, b), create_graph=True
            )

    assert gradcheck(run, (x, w, b))
    assert gradcheck(numbers_alone(slopes), (x, w, b))
    assert gradcheck(lambda x: F.unfold(x, (2, 3), **how), x)
    assert gradcheck(lambda y: F.fold(y, (3, 4), 2, 1, 1), minigrad.rand(
        2, 8, 20, dtype=minigrad.float64).requires_grad_())  # fmt: skip


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_whole_numbers_on_cpu(dtype):
    """As in PyTorch, which has them there alone: without gradients, and overflowing."""
    x, w = (
        np.arange(n).reshape(s) * 7 for n, s in ((96, (2, 4, 3, 4)), (48, (6, 2, 2, 2)))
    )
    results = []
    for m in minigrad, torch:
        F, make = m.nn.functional, getattr(m, dtype)
        a, b = (m.from_numpy(t.copy()).to(make) for t in (x, w))
        ys = [F.conv2d(a, b, b[:, 0, 0, 0], padding=1, groups=2, stride=(1, 2)),
              F.conv1d(a[:, :2, 0], b[:, :, 0])]  # fmt: skip
        if dtype == "int64":
            ys.append(F.conv_transpose2d(a[:, :2], b[:2], stride=2))
        results.append([y.numpy() for y in ys])
    for ours, theirs in zip(*results, strict=True):
        assert ours.dtype == theirs.dtype and (ours == theirs).all()


# ------------------------------------------------- unfold and fold

WINDOWS = [
    {"kernel_size": 2},
    {"kernel_size": (3, 2), "padding": 1},
    {"kernel_size": (1, 3), "stride": (2, 1), "dilation": (1, 2)},
    {"kernel_size": 3, "stride": 3, "padding": (1, 0)},
    {"kernel_size": 1},
]


@slow_on_sim
@pytest.mark.parametrize("how", WINDOWS, ids=str)
@pytest.mark.parametrize("variant", ["fastest", "element", "scatter"])
def test_unfold_and_fold(how, variant, device):
    if device == "cpu" and variant != "fastest":
        pytest.skip("not run: variants on cpu (NumPy has one)")

    def run(m, x):
        y = m.functional.unfold(x, **how)
        back = m.functional.fold(y, (5, 6), **how)
        return y, back, m.functional.unfold(x[0], **how)

    with minigrad.kernel_variant(variant):
        for dtype in ("float32", "float64", "float16"):
            assert_like_torch(
                run, device, lambda m, t=dtype: [m.tensor(data(2, 3, 5, 6), t)],
                terms=9, magnitude=30.0,
            )  # fmt: skip


@on_devices
def test_fold_is_the_adjoint_of_unfold(device):
    m, how = OnDevice(device), {"kernel_size": (3, 2), "padding": 1, "stride": (1, 2)}
    x = m.tensor(data(2, 3, 5, 6))
    columns = m.functional.unfold(x, **how)
    y = m.tensor(data(*columns.shape, seed=1))
    left = (columns * y).sum().item()
    right = (x * m.functional.fold(y, (5, 6), **how)).sum().item()
    assert abs(left - right) < 1e-9 * abs(left) * columns.numel()


def test_unfold_copies():
    x = minigrad.ones(1, 2, 3, 4)
    minigrad.functional.unfold(x, 1).zero_()
    assert x.numpy().all()


# ------------------------------------------------- mistakes

MISTAKES = """
conv2d(z(1, 2, 5, 5), z(4, 3, 3, 3)) | Given groups=1, weight of size [4, 3, 3, 3]
conv2d(z(1, 2, 5, 5), z(3, 1, 3, 3), groups=2) | to be divisible by 2 at dimension 0
conv2d(z(1, 2, 5, 5), z(1, 1, 3, 3), groups=2) | weight to be at least 2 at dimension 0
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), z(3)) | 1-dimensional with 4 elements .. size [3]
conv2d(z(1, 2, 2, 2), z(4, 2, 3, 3)) | input size per channel: (2 x 2). Kernel size: (3
conv2d(z(2, 2), z(4, 2, 3, 3)) | Expected 3D (unbatched) or 4D (batched) input to conv2d
conv2d(z(1, 2, 5, 5), z(4, 2, 3)) | conv2d .. [4, 2, 3]
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), stride=0) | non-positive stride is not supported
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), padding=-1) | negative padding is not supported
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), dilation=0) | dilation should be greater than zero
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), groups=0) | non-positive groups is not supported
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), padding="same", stride=2) | 'same' is not supported
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), padding="full") | Invalid padding string: 'full'
conv2d(z(1, 2, 5, 5), z(4, 2, 3, 3), stride=(1, 2, 3)) | tuple of two ints .. (1, 2, 3)
conv2d(z(1, 2, 5, 5).double(), z(4, 2, 3, 3)) | but found float32
unfold(z(2, 2), 3) | unfold: Expected 3D or 4D .. [2, 2]
unfold(z(1, 2, 5, 5), 7) | array of sliding blocks as (-1, -1), but its components
unfold(z(1, 2, 5, 5), 0) | kernel size should be greater than zero
unfold(z(1, 2, 5, 5), 2, stride=0) | stride should be greater than zero
unfold(z(1, 2, 5, 5), 2, padding=-1) | padding should be non-negative
unfold(z(1, 2, 5, 5), 2, dilation=0) | dilation should be greater than zero
unfold(z(1, 2, 5, 5), (3, 3, 3)) | kernel_size
fold(z(1, 7, 9), (4, 4), 2) | divisible by the product of kernel_size .. size(1)=7
fold(z(1, 8, 8), (4, 4), 2) | blocks 3 * 3 = 9, but got input.size(2)=8
fold(z(8), (4, 4), 2) | Expected 2D or 3D (batch mode) tensor .. [8]
"""


@on_devices
@table("line", MISTAKES.strip().split("\n"))
def test_mistakes(line, device):
    text, words = (part.strip() for part in line.split("|"))
    with pytest.raises((RuntimeError, IndexError)):
        named(text, Torch())
    with pytest.raises(RuntimeError) as caught:
        named(text, OnDevice(device))
    for piece in words.split(" .. "):
        assert piece in str(caught.value)
    with pytest.raises(RuntimeError, match=text.partition("(")[0]):
        named(text, OnDevice(device))


def named(text, m):
    functions = {n: getattr(m.functional, n) for n in ("conv2d", "unfold", "fold")}
    return eval(text, functions | {"z": lambda *n: m.tensor(np.zeros(n, np.float32))})
