"""Values to begin with: their bounds and deviations, beside PyTorch's."""

import math

import numpy as np
import pytest
from answers import filled  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad import nn
from minigrad.nn import init

torch = pytest.importorskip("torch", reason="not run: init (needs torch)")
theirs = torch.nn.init
SHAPES = [(300, 200), (60, 30, 5, 5), (200, 100, 3)]
DRAWN = [
    ("uniform_", (-2, 3)),
    ("normal_", (1, 0.5)),
    ("xavier_uniform_", ()),
    ("xavier_uniform_", (2.5,)),
    ("xavier_normal_", (0.5,)),
    ("kaiming_uniform_", ()),
    ("kaiming_uniform_", (math.sqrt(5),)),
    ("kaiming_uniform_", (0, "fan_out", "relu")),
    ("kaiming_normal_", (0, "fan_in", "tanh")),
    ("kaiming_normal_", (0.2, "fan_out")),
    ("constant_", (3.5,)),
    ("zeros_", ()),
    ("ones_", ()),
    ("orthogonal_", (2,)),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("name", "args"), DRAWN)
def test_numbers_are_drawn_as_pytorch_draws_them(name, args, shape):
    minigrad.manual_seed(1)
    x = minigrad.empty(shape)
    torch.manual_seed(1)
    assert getattr(init, name)(x, *args) is x
    other = getattr(theirs, name)(torch.empty(shape), *args).numpy()
    ours, spread = x.numpy(), other.std()
    assert abs(ours.std() - spread) <= 0.02 * spread
    assert abs(ours.mean() - other.mean()) <= 0.02 * (spread or 1)
    if "normal" not in name and name != "orthogonal_":
        assert abs(ours.max() - other.max()) <= 0.01 * (other.max() - other.min())
        assert abs(ours.min() - other.min()) <= 0.01 * (other.max() - other.min())


@pytest.mark.parametrize("shape", [(5, 8), (8, 5), (6, 2, 3)])
def test_orthogonal(shape):
    q = init.orthogonal_(minigrad.empty(shape), gain=2).numpy().reshape(shape[0], -1)
    product = q @ q.T if q.shape[0] <= q.shape[1] else q.T @ q
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=0, max_size=5))
def test_fans(shape):
    x = torch.empty(shape)
    if len(shape) < 2:
        with pytest.raises(ValueError, match="fewer than 2"):
            init.fans(tuple(shape))
    else:
        assert init.fans(tuple(shape)) == theirs._calculate_fan_in_and_fan_out(x)


@pytest.mark.parametrize(
    "name", ["linear", "conv2d", "sigmoid", "tanh", "relu", "selu"]
)
def test_gains(name):
    assert init.calculate_gain(name) == theirs.calculate_gain(name)
    assert init.calculate_gain("leaky_relu", 0.3) == theirs.calculate_gain(
        "leaky_relu", 0.3
    )


def test_what_is_not_known_is_refused():
    for bad in (lambda i: i.calculate_gain("swish"),
                lambda i: i.calculate_gain("leaky_relu", "a")):  # fmt: skip
        for lib in (init, theirs):
            with pytest.raises(ValueError, match=r"Unsupported|not a valid number"):
                bad(lib)
    for name in ("kaiming_uniform_", "kaiming_normal_"):
        with pytest.raises(ValueError, match="Mode both not supported"):
            getattr(init, name)(minigrad.empty(2, 2), mode="both")


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_layers_begin_as_pytorchs_do(device):
    minigrad.manual_seed(0)
    torch.manual_seed(0)
    pairs = [
        (nn.Linear(100, 80, device=device), torch.nn.Linear(100, 80)),
        (nn.Conv2d(10, 20, 5, groups=2, device=device),
         torch.nn.Conv2d(10, 20, 5, groups=2)),
        (nn.Embedding(90, 30, padding_idx=-1, device=device),
         torch.nn.Embedding(90, 30, padding_idx=-1)),
        (nn.BatchNorm2d(7, device=device), torch.nn.BatchNorm2d(7)),
        (nn.LayerNorm((3, 4), device=device), torch.nn.LayerNorm((3, 4))),
    ]  # fmt: skip
    for ours, theirs in pairs:
        values = theirs.state_dict()
        assert list(ours.state_dict()) == list(values)
        for name, value in ours.state_dict().items():
            assert value.device == device
            a, b = value.cpu().numpy(), values[name].numpy()
            assert a.shape == b.shape and str(a.dtype) == str(b.dtype)
            apart = 0.1 if b.size > 500 else 0.5
            assert abs(a.std() - b.std()) <= apart * b.std()
    assert pairs[2][0].weight[89].tolist() == [0] * 30
