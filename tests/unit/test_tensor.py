"""Tensor against PyTorch, a method at a time; what is said of mistakes; the text."""

import copy
import math
import pickle
import re

import numpy as np
import pytest
from answers import filled  # noqa: F401  every exercise has an answer
from table import table

import minigrad
from minigrad import Tensor
from minigrad.dtypes import DTYPES
from minigrad.storage import Storage

torch = pytest.importorskip(
    "torch", reason="not run: tests against PyTorch (torch is not installed)"
)


def both(text, **more):
    """The value of `text` in minigrad (as m) and in PyTorch (as m)."""
    return [eval(text, {"np": np, **tensors(m), **more}) for m in (minigrad, torch)]


def split(table):
    """A table of expressions, several to a line with | between them."""
    return re.split(r"\s*[|\n]\s*", table.strip())


def tensors(m):
    return {
        "m": m,
        "x": m.arange(6).reshape(2, 3),
        "y": m.arange(24.0).reshape(2, 3, 4),
        "z": m.tensor(5.0),
        "e": m.zeros(2, 0, 3),
        "one": m.ones(1, 3, 1),
    }


def plain(value):
    """A tensor of either library as plain values; anything else as it is.

    Of the strides those that are never used, of size 1 or in an empty tensor, are 1.
    """
    if not isinstance(value, Tensor | torch.Tensor):
        return tuple(value) if isinstance(value, torch.Size) else value
    name = str(value.dtype).removeprefix("torch.")
    steps = zip(value.shape, value.stride(), strict=True)
    strides = [s if size > 1 and value.numel() else 1 for size, s in steps]
    return tuple(value.shape), strides, name, value.tolist()


LIKE_TORCH = """
m.zeros(2, 3) | m.zeros((2, 3)) | m.zeros([2, 3], dtype=m.int32) | m.zeros(())
m.zeros(np.int64(2), 0) | m.zeros(2, dtype=None) | m.zeros(2, dtype=bool)
m.zeros(2, device="cpu") | m.ones(3) | m.ones(2, 1, dtype=m.float64, device="cpu")
m.empty(2, 0) | m.empty(4, 3).shape | m.arange(5) | m.arange(0) | m.arange(2, 9, 3)
m.arange(9, 2, -3) | m.arange(2.5) | m.arange(0, 1, 0.25)
m.arange(1, 0, -0.3).numel() | m.arange(3, dtype=m.float64) | m.arange(np.int32(4))
m.arange(3, 3) | m.tensor(3) | m.tensor(3.5) | m.tensor(True) | m.tensor([])
m.tensor([[], []]) | m.tensor([[1, 2], [3, 4]]) | m.tensor(((1, 2), (3, 4.5)))
m.tensor([True, 2]) | m.tensor([True, 2.5]) | m.tensor(range(3))
m.tensor([1.9, -1.9], dtype=m.int64) | m.tensor([0, 2], dtype=bool)
m.tensor(1e300) | m.tensor(np.float64(3)) | m.tensor(np.arange(3, dtype=np.int32))
m.tensor([np.ones(3), np.zeros(3)]) | m.tensor([z, z])
m.from_numpy(np.arange(6).reshape(2, 3)) | x.shape | x.shape == (2, 3) | x.size()
y.size(1) | y.size(-1) | y.stride() | y.stride(0) | x.ndim | x.dim() | z.dim()
x.numel() | z.numel() | e.numel() | x[1].storage_offset() | len(x) | len(e)
[row.tolist() for row in x] | [n.item() for n in x[0]] | list(e[0])
x.dtype == m.int64 | str(x.device) | x.is_contiguous() | x.T.is_contiguous()
z.is_contiguous() | e.T.is_contiguous() | z.item() | x[1, 2].item() | x.tolist()
x.T.tolist() | z.tolist() | e.tolist() | x.numpy().strides | x.T.numpy().tolist()
z.numpy().shape | e.numpy().shape | np.asarray(x.T).tolist()
np.array(x, dtype=np.float32).dtype | bool(z) | bool(m.zeros(1, 1))
"abc"[m.tensor(1)] | "abc"[m.tensor([True])] | list(range(m.tensor(3))) | hex(x[1, 2])
x[m.tensor(1) :] | x.sum(m.tensor(0)) | x.sum((m.tensor(0), 1)) | y.size(m.tensor(1))
x.reshape(m.tensor(3), 2) | m.zeros(m.tensor(2), 3) | y.transpose(m.tensor(0), -1)
f"{z:.2f}" | f"{z}" | f"{m.tensor(7):>4}" | f"{m.tensor(True)}" | f"{z!r}" | f"{x}"
float(m.tensor([2.5])) | int(m.tensor(2.7)) | x == None | x[0] | x[-1] | x[1, 2]
x[np.int64(1)] | x[np.array(1)] | x[:, 1] | x[:, ::2] | x[1:] | x[5:] | x[-9:9]
x[...] | x[()] | x[None] | x[:, None, 1] | x[..., None] | y[..., 0] | y[0, ..., 1:3]
z[None] | z[...] | z[()] | e[1] | x.T | z.T | y.permute(2, 0, 1)
y.permute((-1, 0, 1)) | y.permute([0, 2, 1]) | z.permute(()) | y.transpose(0, 2)
y.transpose(-1, -2) | y.transpose(1, 1) | z.transpose(0, -1) | one.expand(4, 3, 2)
one.expand(2, -1, -1, 2) | one.expand((0, 3, 1)) | z.expand(2, 3) | z.expand(1, 1)
z.expand(()) | x.expand(2, 3) | x.view(6) | x.view(3, -1) | x.view((1, 6, 1))
x.view([2, 3]) | z.view(()) | z.view(1, -1) | e.view(3, -1) | x.T.reshape(6)
x.reshape(-1) | x.reshape(np.int64(3), 2) | e.reshape(0) | y.flatten()
y.flatten(1) | y.flatten(0, 1) | y.flatten(-2, -1) | y.flatten(1, 1) | z.flatten()
e.flatten() | one.squeeze() | one.squeeze(0) | one.squeeze(1) | one.squeeze((0, -1))
z.squeeze(0) | x.unsqueeze(0) | x.unsqueeze(-1) | x.T.unsqueeze(1) | z.unsqueeze(0)
x.T.contiguous() | e.contiguous() | x.clone() | m.tensor(x)
m.tensor(x, dtype=m.float64) | x.as_strided((2, 2), (1, 2), 1)
x.as_strided((), (), 5) | x.as_strided((0,), (1,), 99)
x.as_strided((1, 3), (5, 1)).flatten(0, 0) | x.as_strided((1, 3), (5, 1)).view(1, 3)
"""


@table("text", split(LIKE_TORCH))
@pytest.mark.filterwarnings("ignore")
def test_like_torch(text):
    ours, theirs = both(text)
    assert plain(ours) == plain(theirs)


def test_a_tensor_that_is_no_index_and_one_that_takes_no_format_say_why():
    for x in [minigrad.tensor(1.0), minigrad.tensor([0, 1])]:
        with pytest.raises(TypeError, match="only integer tensors of a single element"):
            "abc"[x]
    with pytest.raises(TypeError, match=r"shape \(2,\) takes no format, and got '.2f'"):
        f"{minigrad.ones(2):.2f}"


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8"])
@pytest.mark.parametrize("step", [1.0, 1.5, 2.7, -1.2])
def test_bounds_that_are_floats_are_cut_off_for_integers(dtype, step):
    for low, high in (0.5, 5.7), (-2.5, 3.2), (-4.6, -3.1), (-7.04, 0.92):
        start, end = (low, high) if step > 0 else (high, low)
        ours, theirs = (
            m.arange(start, end, step, dtype=getattr(m, dtype)).tolist()
            for m in (minigrad, torch)
        )
        assert ours == theirs
        ours, theirs = (
            m.linspace(start, end, 5, dtype=getattr(m, dtype)).tolist()
            for m in (minigrad, torch)
        )
        assert ours == theirs


def test_arange_of_floats_is_as_exact_as_torchs():
    for args in [(0, 1, 0.1), (-3, 7, 0.37), (1e3, 2e3, 0.7), (5, -5, -0.013)]:
        ours, theirs = minigrad.arange(*args).numpy(), torch.arange(*args).numpy()
        np.testing.assert_allclose(ours, theirs, rtol=3e-7, atol=1e-6, strict=True)


@pytest.mark.parametrize(
    "make", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_copies_keep_what_is_shared(make):
    x = minigrad.arange(6)
    a, b = make((x, x.view(2, 3).T))
    a[1] = 9
    assert b.tolist() == [[0, 3], [9, 4], [2, 5]]
    assert x[1].item() == 1


# ---------------------------------------------------------------- writing


WRITING = """
y[0] = 7 | y[0] = True | y[0, 1] = 2.5 | y[...] = 1 | y[()] = 1 | y[:, 1] = z
y[1] = m.arange(4) | y[1] = m.ones(1, 1, 3, 1) | y[0, :, 0] = y[1, :, 3]
y[:0] = m.ones(1, 4) | y[0, 0, 0] = m.ones(1) | y.T[1] = m.arange(6).reshape(3, 2)
y[0][1][2] = 5 | x[0] = 1.9 | x[:] = m.tensor([1.9, 2.5, -1.9]) | x[1:] = x[:1]
e[...] = 1 | z[...] = 3 | z[()] = m.tensor(2)
"""


@table("statement", split(WRITING))
@pytest.mark.filterwarnings("ignore")
def test_writing_like_torch(statement):
    names = [tensors(m) for m in (minigrad, torch)]
    for tensors_of_one in names:
        exec(statement, tensors_of_one)
    ours, theirs = names
    for name in "xyze":
        assert plain(ours[name]) == plain(theirs[name])


def test_copies_are_row_major():  # PyTorch keeps the order of the dimensions in memory
    x = minigrad.arange(6).reshape(2, 3).T
    for copied in (x.clone(), minigrad.tensor(x), minigrad.tensor(x.numpy())):
        assert (copied.tolist(), copied.stride()) == (x.tolist(), (2, 1))


def test_writing_to_itself_shifted():
    x = minigrad.arange(5)
    x[1:] = x[:-1]  # PyTorch refuses this one
    assert x.tolist() == [0, 0, 1, 2, 3]


# ---------------------------------------------------------------- as text


def like_torch(values, dtype=None):
    """Our text and PyTorch's, whose types have a longer name."""
    array = np.array(values, dtype=dtype)
    theirs = repr(torch.from_numpy(array))
    return repr(minigrad.from_numpy(array)), theirs.replace("torch.", "")


TEXT = """
1 | [0, 1] | [[0, 1], [-20, 300]] | [True, False] | [1.0, 2.0] | np.int32(7)
f([1, 2, 3]) | f(2.5) | f([1.5, -2, 100]) | f([[1, 2.25], [3, 4]]) | f(1234.5678)
f([0.1, 0.25, 1 / 3]) | np.float16([1.5, 2]) | np.uint8([1, 255]) | f([0, -0.0])
f(np.zeros((2, 3, 4))) | np.zeros((2, 2, 1, 3), np.int32)
f([nan, inf, 1]) | f([nan, -inf, 1.5]) | f([nan] * 40) | f([1e30, inf, 0])
f([1e-5, 1]) | f([1e-5]) | f([1e9, 1]) | f([1e9]) | f([1, 1000]) | f([1, 1001])
f([0.5, 501]) | f([1e-40, 1]) | np.array([1e-300, 1e300])
[] | f([]) | np.zeros((2, 0)) | f(np.zeros((0, 3))) | np.zeros(0, bool)
np.arange(30) | np.arange(60).reshape(2, 30) | np.arange(1000) | np.arange(1001)
np.arange(1001) / 7 | f(np.arange(4000).reshape(10, 20, 20))
np.arange(4000).reshape(40, 100) | np.arange(4000).reshape(4, 2, 500)
np.zeros((1, 1, 2000), np.uint8) | np.ones(2000, bool) | f([[1e10, 1]] * 600)
"""


@table("values", split(TEXT))
def test_text_is_torchs(values):
    names = {"np": np, "f": np.float32, "nan": math.nan, "inf": math.inf}
    ours, theirs = like_torch(eval(values, names))
    assert ours == theirs


def test_text_of_random_tensors_is_torchs():
    rng = np.random.default_rng(0)
    for _ in range(300):
        shape = rng.integers(0, 6, rng.integers(0, 4))
        kind = rng.choice(["float32", "int64", "bool"])
        values = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 12)
        values = values.round() if rng.random() < 0.3 else values
        ours, theirs = like_torch(values, kind)
        assert ours == theirs


def test_text_can_be_typed_back():
    names = {d.name: d for d in DTYPES} | {"tensor": minigrad.tensor}
    for d in DTYPES:
        x = minigrad.tensor([[0, 1], [1, 0]], dtype=d)
        again = eval(repr(x), names)
        assert (again.dtype, again.tolist()) == (x.dtype, x.tolist())


def test_text_shows_the_view_not_the_storage():
    x = minigrad.arange(6).reshape(2, 3)
    assert repr(x.T[1:]) == "tensor([[1, 4],\n        [2, 5]])"
    assert "[0., 0., 0.,  ..., 0., 0., 0.]" in repr(minigrad.zeros(1).expand(10**9))
    assert str(x.storage) == "Storage(6 x int64, device='cpu')"


def test_storage_and_tensor_can_be_made_by_hand():
    storage = Storage(np.arange(6.0))
    assert Tensor(storage, (2, 2), (1, 2), 1).tolist() == [[1, 3], [2, 4]]
    assert Tensor(storage, offset=3).item() == 3
    assert len(storage) == 6
