"""Gradients where there is NaN, an infinite number or a tie, against PyTorch."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import OnDevice, Torch, on_devices
from table import table

NAN, INF = float("nan"), float("inf")
X = np.array([[1, NAN, 3, NAN], [INF, 2, INF, -INF], [0, 0, 1, 1], [NAN, INF, -INF, 0]])
Y = np.array([0, NAN, INF, 2])

ODD = """
x.amax() | x.amin() | x[2].max()
x[2].min() | x[1].amax() | x[2].amin() | x.max(1)[0] | x.min(1)[0]
x.max(0)[0] | x.min(0, keepdim=True)[0] | x.amax(1) | x.amin(0, keepdim=True)
x.amax((0, 1)) | x.maximum(y) | x.minimum(y) | x.clamp(0, 1) | x.clamp(min=0)
x.clamp(max=1) | x.clamp(min=y) | x.relu() | abs(x) | x / y | y / x | x ** y | y ** x
x ** 0 | 0 ** x | x % y | m.where(x > 0, x, y) | x.masked_fill(x > 0, 2) | x.softmax(1)
x[2:3].prod(1) | x.prod() | x.prod(0) | x.prod(1) | x[:2, :3].prod() | x[2:].prod(1)
y.prod() | y[[0, 2, 3]].prod() | y[[0, 2, 0]].prod() | x[0, :1].prod() | x[2, 0].prod()
x.tril() | x[:, :1].cumprod(1) | m.functional.max_pool2d(x.view(1, 1, 4, 4), 2)
m.functional.leaky_relu(x) | m.functional.softplus(x)
"""


@pytest.mark.slow
@on_devices
@table("text", ODD.strip().replace("\n", " | ").split(" | "))
@pytest.mark.filterwarnings("ignore")
def test_gradients_of_odd_numbers(text, device):
    function = eval(f"lambda m, x, y: {text}")
    ours, theirs = (both(m, function) for m in (OnDevice(device), Torch()))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, 1e-7, 1e-12)


def both(m, function):
    """The values, and the gradients of x and of y (or zeros)."""
    x, y = (m.tensor(a, "float64").requires_grad_() for a in (X, Y))
    result = function(m, x, y)
    result.sum().backward()
    grads = [np.zeros(t.shape) if t.grad is None else values(t.grad) for t in (x, y)]
    return values(result), *grads


def values(x):
    return x.detach().cpu().numpy()
