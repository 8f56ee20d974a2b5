"""An expression in minigrad, on a device, beside the same in PyTorch."""

import numpy as np
import pytest

import minigrad
from minigrad import plan_cache
from minigrad.testing.compare import assert_close

torch = pytest.importorskip("torch", reason="not run: operators (need torch)")

NO_GPU = pytest.mark.skipif(
    not minigrad.gpu_available(), reason="not run: operators on cuda (needs a GPU)"
)
DEVICES = ["cpu", "sim", pytest.param("cuda", marks=NO_GPU)]
on_devices = pytest.mark.parametrize("device", DEVICES)
# For tables that take the simulator long.
slow_on_sim = pytest.mark.parametrize(
    "device", ["cpu", pytest.param("sim", marks=pytest.mark.slow), DEVICES[2]]
)


def first_fast(every, first):
    """Give a test `some`: the first in `make check`, and the rest as a slow test."""
    rest = pytest.param([x for x in every if x not in first], marks=pytest.mark.slow)
    return pytest.mark.parametrize("some", [first, rest], ids=["first", "rest"])


class OnDevice:
    """minigrad on a device: what `m` is in an expression."""

    def __init__(self, device):
        self.device = device

    def __getattr__(self, name):
        return getattr(minigrad, name)

    def tensor(self, data, dtype=None):
        return minigrad.tensor(data, dtype).to(self.device)


class Torch:
    """PyTorch; dtypes are those of minigrad's names."""

    device = "cpu"

    def __init__(self, wide=False):
        self.wide = wide  # floats as float64: the true values

    def __getattr__(self, name):
        result = getattr(torch, name)
        narrow = isinstance(result, torch.dtype) and result.is_floating_point
        return torch.float64 if self.wide and narrow else result

    def tensor(self, data, dtype=None):
        x = from_ours(minigrad.tensor(data, dtype))
        return x.double() if self.wide and x.is_floating_point() else x

    @property
    def functional(self):
        return torch.nn.functional


def from_ours(x):
    """A tensor of PyTorch with the same elements and dtype."""
    x = x.detach().cpu()
    if x.dtype is minigrad.bfloat16:
        return torch.from_numpy(x.float().numpy().copy()).bfloat16()
    return torch.from_numpy(np.array(x.numpy()))


def assert_like_torch(expression, device, make, **how):
    """The same shape, dtype and values, or both refuse.

    expression: a function of (m, *tensors). make: m -> the tensors.
    """
    try:
        with np.errstate(all="ignore"):
            theirs = expression(Torch(), *make(Torch()))
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        if "ZeroDivisionError" in str(error) and device == "cuda":
            expression(OnDevice(device), *make(OnDevice(device)))
            return error  # a GPU does not stop there, and its values mean nothing
        with pytest.raises((RuntimeError, IndexError, TypeError, ValueError)):
            expression(OnDevice(device), *make(OnDevice(device)))
            minigrad.synchronize()  # a GPU tells what its kernels saw
        return error
    before = make(OnDevice(device))
    ours = expression(OnDevice(device), *before)
    true = expression(Torch(wide=True), *make(Torch(wide=True)))
    compare(ours, theirs, true, device, **how)
    if device != "cpu":  # once more, now by the plans of the first time
        for x in before:
            x.storage.data.fill(1)  # who still reads or writes there is found out
        ours = expression(OnDevice(device), *make(OnDevice(device)))
        compare(ours, theirs, true, device, **how)
    with plan_cache.disabled():
        slowly = expression(OnDevice(device), *make(OnDevice(device)))
    for a, b in zip(*map(listed, (ours, slowly)), strict=True):
        np.testing.assert_array_equal(bits(a), bits(b))
    return None


def bits(x):
    """The bits of a tensor's elements, row by row; one NaN is as good as another.

    Which sign it has, a processor and a C compiler choose.
    """
    array = np.array(x.detach().contiguous().cpu().memory())
    array[array != array] = np.nan if array.dtype.kind == "f" else 0
    return array.view(f"u{array.itemsize}")


def compare(ours, theirs, true, device, **how):
    """Ours are on the device, and have PyTorch's dtypes and the true values."""
    for a, b, c in zip(*map(listed, (ours, theirs, true)), strict=True):
        assert a.device == device
        assert a.dtype.name == str(b.dtype).removeprefix("torch.")
        expected = c.double().numpy() if b.is_floating_point() else b.numpy()
        assert_close(a, expected, **how)


def listed(result):
    return result if isinstance(result, tuple) else (result,)


def numbers_alone(function):
    """The function, whose results ask for no gradient where none are recorded."""

    def run(*inputs):
        result = function(*inputs)
        if minigrad.is_grad_enabled():
            return result
        return tuple(y.detach() for y in listed(result))

    return run
