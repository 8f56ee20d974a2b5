"""max_pool2d and avg_pool2d, forward and backward, against PyTorch."""

import math

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import (
    OnDevice,
    Torch,
    assert_like_torch,
    from_ours,
    numbers_alone,
    on_devices,
    slow_on_sim,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from table import table

import minigrad
from minigrad.autograd.gradcheck import gradcheck
from minigrad.testing.compare import assert_close

torch = pytest.importorskip("torch", reason="not run: pooling (need torch)")
F = torch.nn.functional


def ties(*shape):
    """Few different numbers, so that many of a window are equal."""
    return np.random.default_rng(0).integers(-3, 4, shape).astype(float)


def gradient(function, x, dy):
    leaf = from_ours(x).double().requires_grad_()
    (dx,) = torch.autograd.grad(function(leaf), leaf, from_ours(dy).double())
    return dx.numpy()


@pytest.mark.parametrize("how", [(2,), (3, 2, 1), (2, 1)], ids=str)
def test_gradients_and_their_gradients(how):
    x = (
        np.random.default_rng(0).permutation(60).astype(float).reshape(2, 1, 6, 5)
    )  # no ties
    x = minigrad.tensor(x).requires_grad_()
    for function in minigrad.functional.max_pool2d, minigrad.functional.avg_pool2d:

        def slope(x, function=function):
            with minigrad.enable_grad():
                y = function(x, *how)
                (dx,) = minigrad.autograd.grad((y * y).sum(), x, create_graph=True)
                return dx

        assert gradcheck(lambda x, f=function: f(x, *how), x)
        assert gradcheck(numbers_alone(slope), x)


def check_max(device, x, *how, dtype="float32"):
    """Values and indices as PyTorch's, and backward by them."""

    def run(m, x):
        return m.functional.max_pool2d(x, *how, return_indices=True)

    if assert_like_torch(run, device, lambda m: [m.tensor(x, dtype)]):
        return
    x = minigrad.tensor(x, dtype).to(device).requires_grad_()
    y, _ = minigrad.functional.max_pool2d(x, *how, return_indices=True)
    dy = minigrad.tensor(np.random.default_rng(1).normal(size=y.shape), dtype)
    true = gradient(lambda t: F.max_pool2d(t, *how), x, dy)
    (dx,) = minigrad.autograd.grad(y, x, dy.to(device))
    assert_close(dx, true, terms=9, magnitude=9.0)


WINDOWS = [
    (2, None, 0, 1, False), ((3, 2), (2, 1), (1, 1), 1, True), (3, 1, 1, 2, False),
    ((2, 3), (1, 2), 0, (2, 1), True), (2, 3, 1, 1, True), (1, 1, 0, 1, False),
]  # fmt: skip


@slow_on_sim
@pytest.mark.parametrize("how", WINDOWS, ids=str)
def test_maximum(how, device):
    for dtype in ("float32", "float64", "float16"):
        check_max(device, ties(2, 3, 7, 8), *how, dtype=dtype)
    check_max(device, ties(3, 8, 6), *how)


@on_devices
def test_maximum_of_nan_and_infinities(device):
    x = ties(2, 1, 6, 6)
    x[0, 0, :2, :2], x[0, 0, 3, 3:5], x[1] = math.nan, math.nan, -math.inf
    x[0, 0, 5, 5] = math.inf
    for how in WINDOWS[:4]:
        check_max(device, x, *how)


def check_mean(device, x, *how, dtype="float32"):
    def run(m, x):
        return m.functional.avg_pool2d(x, *how)

    far = {"terms": 9, "magnitude": 12.0}
    if assert_like_torch(run, device, lambda m: [m.tensor(x, dtype)], **far):
        return
    x = minigrad.tensor(x, dtype).to(device).requires_grad_()
    y = minigrad.functional.avg_pool2d(x, *how)
    dy = minigrad.tensor(np.random.default_rng(1).normal(size=y.shape))
    dy = dy.to(getattr(minigrad, dtype))
    true = gradient(lambda t: F.avg_pool2d(t, *how), x, dy)
    (dx,) = minigrad.autograd.grad(y, x, dy.to(device))
    assert_close(dx, true, **far)


@on_devices
@pytest.mark.parametrize("count_pad, divisor", [(True, None), (False, None), (True, 3)])
def test_mean(count_pad, divisor, device):
    for kernel, stride, padding, dilation, ceil_mode in WINDOWS:
        how = kernel, stride, padding, ceil_mode, count_pad, divisor
        if dilation == 1:
            for dtype in ("float32", "float16"):
                check_mean(device, ties(2, 3, 7, 8), *how, dtype=dtype)


def has_inside(size, kernel, dilation, padding):
    """Is a part of every window inside, wherever it stands?"""
    reach = (kernel - 1) * dilation + 1
    return all(
        any(0 <= begin + k * dilation < size for k in range(kernel))
        for begin in range(-padding, size + padding - reach + 1)
    )


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_random_windows(data):
    two = st.tuples(st.integers(1, 3), st.integers(1, 3))
    kernel, stride, dilation = (data.draw(two) for _ in range(3))
    padding = tuple(data.draw(st.integers(0, k // 2)) for k in kernel)
    size = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    ceil_mode = data.draw(st.booleans())
    ways = zip(size, kernel, dilation, padding, strict=True)
    assume(all(has_inside(*way) for way in ways))
    for device in ("cpu", "sim"):
        check_max(device, ties(2, 2, *size), kernel, stride, padding, dilation,
                  ceil_mode)  # fmt: skip
        check_mean(device, ties(2, 2, *size), kernel, stride, padding, ceil_mode, False,
                   None)  # fmt: skip


def test_a_window_in_the_padding_alone():
    """PyTorch gives an index beyond the plane here."""
    for device in "cpu", "sim":
        x = minigrad.tensor([[[5.0], [7.0]]]).to(device).requires_grad_()
        y, at = minigrad.functional.max_pool2d(
            x, (1, 2), 1, (0, 1), (1, 2), False, True
        )
        assert y.tolist() == [[[-math.inf], [-math.inf]]] and at.tolist() == [
            [[-1], [-1]]
        ]
        y.sum().backward()
        assert x.grad.tolist() == [[[0.0], [0.0]]]


MISTAKES = """
max_pool2d(z(2, 2), 2) | Expected 3D or 4D (batch mode) tensor
max_pool2d(z(1, 2, 5, 5), 2, padding=2) | at most half of effective kernel size
max_pool2d(z(1, 2, 5, 5), 2, padding=-1) | padding should be non-negative
max_pool2d(z(1, 2, 5, 5), 2, stride=0) | stride should be greater than zero
max_pool2d(z(1, 2, 5, 5), 7) | Calculated output size: (2x0x0). Output size is too small
max_pool2d(z(1, 2, 5, 5), 2, dilation=0) | dilation should be greater than zero
max_pool2d(z(1, 0, 5, 5), 2) | [1, 0, 5, 5]
avg_pool2d(z(1, 2, 5, 5), 2, padding=2) | got pad=2, kernel_size=2 and dilation=1
avg_pool2d(z(1, 2, 5, 5), 2, divisor_override=0) | divisor must be not zero
avg_pool2d(z(1, 2, 5, 5), 2, (1, 2, 3)) | stride must either be a .. (1, 2, 3)
avg_pool2d(z(1, 2, 3, 5), 4) | Given input size: (2x3x5)
"""


@on_devices
@table("line", MISTAKES.strip().split("\n"))
def test_mistakes(line, device):
    text, words = (part.strip() for part in line.split("|"))
    with pytest.raises((RuntimeError, IndexError)):
        named(text, Torch())
    with pytest.raises(RuntimeError) as caught:
        named(text, OnDevice(device))
    for piece in (text.partition("(")[0], *words.split(" .. ")):
        assert piece in str(caught.value)


def named(text, m):
    functions = {n: getattr(m.functional, n) for n in ("max_pool2d", "avg_pool2d")}
    return eval(text, functions | {"z": lambda *n: m.tensor(np.zeros(n, np.float32))})
