"""Elements chosen by masks, lists and tensors, against PyTorch."""

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import assert_like_torch, on_devices, torch
from hypothesis import given, settings
from hypothesis import strategies as st
from table import table

import minigrad
from cudasim import nvrtc
from minigrad.dtypes import DTYPES
from minigrad.launch import file_text

NONZERO = file_text("nonzero.cu")


def split(table):
    return [t.strip() for t in table.strip().replace("\n", "|").split("|")]


READ = """
x[x > 4] | x[[0, 2]] | x[[2, 0, 0, -1]] | x[i] | x[i, 1] | x[1, i] | x[:, i] | x[..., i]
x[i, i] | x[i, :, i] | x[:, i, i] | x[j] | x[:, j] | x[j, i] | x[i, j] | x[j, :, j]
x[x[:, :, 0] > 3] | x[:, k] | x[k] | x[:, :, m.tensor([True, False, True, False])]
x[i, None] | x[None, i] | x[i, None, i] | x[..., i, 1] | x[0, :, i] | x[:, 0, i]
x[k2, 1:] | x[1:, i] | x[i, ::2] | x[i.int()] | x[m.tensor(1)] | x[m.tensor(1), i]
x[[]] | x[:, []] | x[x > 100] | x[[True, False, True]] | x[[0, 1], [1, 2]]
x[(0, 1), :, 2] | x.transpose(0, 1)[:, i] | x[:0][x[:0] > 1]
x.transpose(0, 2)[x.transpose(0, 2) > 5] | x[:, ::2][x[:, ::2] > 5] | x[5] | x[[3]]
x[[-4]] | x[i, 4] | x[i, [1]] | x[i, [0, 1]] | x[i, i, i, i]
x[m.tensor([True, False])] | x[x[0] > 1] | x[x] | x[j, [0, 1, 2]]
x[0, 0, 0][m.tensor(0)] | x[k, i[:2]] | x[i[:2], :, k3] | x[k3k]
x.masked_select(x > 5) | x.masked_select(x[0] > 5) | x.masked_select(x) | x.nonzero()
(x > 7).nonzero() | x[:0].nonzero() | x[0, 0, 0].nonzero() | x[0, 0, 1].nonzero()
x[True] | x[False] | x[None, True] | x[0, True] | x[True, i] | x[m.tensor(True)]
x[m.tensor(False), 0] | m.nonzero(x > 30, as_tuple=True) | m.where(x > 30)
x.nonzero(as_tuple=True) | m.where(x[0, 0, 1]) | m.masked_select(x, k) | m.nonzero(k)
x[0, 0, 1].masked_select(m.tensor(True))
"""
WRITE = """
x[x > 4] = 0 | x[[0, 2]] = 7 | x[i] = 1.5 | x[:, i] = x[:, :1] | x[i, i] = 2 | x[k] = -1
x[:, k] = 3 | x[x[:, :, 0] > 3] = x[0, 0].clone() | x[x > 4] = x[x > 4] * 2
x[[1, 0]] = x[[0, 1]] | x[[2, 0]] = x[:2].clone() | x[i, :, 1] = 5 | x[[]] = 1
x[x > 100] = 9 | x.transpose(0, 2)[[0, 1]] = 4 | x[:, ::2][:, [0, 1]] = 8
x[0, [1, 2]] = x[1, :2] | x[[0, 1]] = x[0].long() | x[[0, 1]] = x[:, 0].clone()
x[x > 4] = x[0] | x[i] += 1 | x[x > 4] += 10 | x[[5]] = 1
x[[0, 1], [1, 2]] = x[0, :2].clone() | x[[0], 1:] = x[None, :1, 1:]
x[[0, 1], :, [1, 2]] = x[0, :2, :3].clone() | x[True] = 2 | x[False] = 3
x[m.tensor(True)] = x[0, 0, 1].clone() | x[m.tensor([True])] = 1
x[k] = m.tensor([5.0])
"""


def make(m):
    x = m.tensor(np.arange(36.0).reshape(3, 3, 4))
    return x, m.tensor([2, 0, 1]), m.tensor([[0, 2], [1, 1]])


def names(m, x, i, j):
    masks = {
        "k": m.tensor([True, False, True]),
        "k2": m.tensor([[True, False, True], [False, False, True], [True, True, True]]),
        "k3": m.tensor([False, True, False, True]),
        "k3k": m.tensor([[True] * 4] * 3),
    }
    return {"m": m, "x": x, "i": i, "j": j, **masks}


@on_devices
@table("text", split(READ))
def test_read(text, device):
    assert_like_torch(lambda m, *xij: eval(text, names(m, *xij)), device, make)


@on_devices
@table("statement", split(WRITE))
def test_write(statement, device):
    def run(m, x, i, j):
        exec(statement, names(m, x, i, j))
        return x

    assert_like_torch(run, device, make)


@on_devices
@pytest.mark.parametrize("dtype", [d.name for d in DTYPES])
def test_every_dtype(dtype, device):
    def run(m, x, mask):
        y = x.clone()
        y[mask] = 1
        y[[0, 1]] = x[[1, 0]]
        return y, x[mask], x[:, [1]]

    data = [[1, 0], [2, 3]]
    make = lambda m: (m.tensor(data, dtype), m.tensor([[True, False], [True, True]]))  # noqa: E731
    assert_like_torch(run, device, make)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 255, 256, 257, 1000, 70_001])
def test_masks_of_awkward_sizes(n):
    x = np.random.default_rng(n).random(n, np.float32)
    for share in (0, 0.3, 1):
        mask = minigrad.tensor(x < share)
        ours = minigrad.tensor(x).to("sim")[mask.to("sim")]
        assert ours.tolist() == x[x < share].tolist()


@on_devices
def test_values_of_the_tensor_itself_are_read_first(device):
    x = minigrad.arange(6.0).view(3, 2).to(device)
    x[[1, 2]] = x[:2]
    assert x.tolist() == [[0, 1], [0, 1], [2, 3]]


def test_a_choice_out_of_range():
    x = minigrad.arange(6.0).view(2, 3)
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1"):
        x[[0, 1], [0, 3]]
    with pytest.raises(IndexError, match="index 3 is out of bounds .* with size 3"):
        x.to("sim")[[0, 1], [0, 3]]


TEXTS = {
    "nonzero": (NONZERO, ["count_true", "add_counts", "write_places"]),
    "index": (file_text("index.cu"),
              ["locate", "gather<float>", "put<double>", "put<unsigned char>"]),
}  # fmt: skip


@pytest.mark.skipif(nvrtc.missing() is not None, reason="not run: NVRTC (is missing)")
@pytest.mark.parametrize("family", TEXTS)
def test_nvrtc_takes_the_kernels(family, targets):
    text, kernels = TEXTS[family]
    for arch in targets:
        assert nvrtc.compiled(text, arch, tuple(kernels), nvrtc.QUICKLY) == ""


@pytest.mark.parametrize("n", [1, 31, 257, 1000])
def test_no_tool_finds_anything(n):
    mask, blocks = np.arange(n) % 3 == 1, -(-n // 256)
    counts, places = (np.zeros(k, np.int64) for k in (blocks + 1, n // 3 + 1))
    steps = {
        "count_true": (blocks, (mask, counts, np.int64(n))),
        "add_counts": (1, (counts, np.int64(blocks))),
        "write_places": (blocks, (mask, counts, places, np.int64(n))),
    }
    for name, (grid, args) in steps.items():
        kernel = minigrad.Kernel(NONZERO, name)
        for schedule in ("lockstep", "warps"):
            kernel.check(grid, 256, args, schedule=schedule).raise_if_any()
        kernel(grid, 256, args)
    assert places[: mask.sum()].tolist() == np.flatnonzero(mask).tolist()


def test_the_trace_of_a_mask():
    x = minigrad.arange(600.0, device="sim")
    with minigrad.trace() as launches:
        x[x > 5] = 9
        assert [n.operator for n in launches] == ["gt", "where", "copy"]
        x[x > 5]
    names = [n.kernel.partition("<")[0] for n in launches[4:]]
    assert names == ["count_true", "add_counts", "write_places", "locate", "gather"]


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_random_indices(data):
    shape = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    items = []
    for n in shape:
        one = st.integers(0, n - 1)
        some = st.lists(one, min_size=2, max_size=2)
        kinds = [one, some, st.just(slice(None)), st.just(slice(0, None, 2)), st.none()]
        items.append(data.draw(st.one_of(kinds)))
    items = [i for i in items if i is not None or data.draw(st.booleans())]

    def run(m, x):
        lists = tuple(m.tensor(i) if isinstance(i, list) else i for i in items)
        y = x.clone()
        y[lists] = -1
        return x[lists], y

    for device in ("cpu", "sim"):
        size = int(np.prod(shape))
        numbers = np.arange(float(size)).reshape(shape)
        assert_like_torch(run, device, lambda m, a=numbers: [m.tensor(a)])


@pytest.mark.parametrize("text", ["y = z[i]", "z[i] = 5.0; y = z"])
def test_indices_that_are_changed_before_backward(text):
    for m in (minigrad, torch):
        names = {"z": m.ones(3, requires_grad=True) * 1, "i": m.tensor([0, 1])}
        exec(text, names)
        names["i"][0] = 2
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            names["y"].sum().backward()
