"""Batch norm and losses, forward and backward, against PyTorch."""

import itertools

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
from table import table

import minigrad
from minigrad.autograd.gradcheck import gradcheck
from minigrad.testing.compare import assert_close

torch = pytest.importorskip("torch", reason="not run: losses (need torch)")
F = torch.nn.functional


def data(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def gradients(function, leaves, dy):
    """dx, ... by PyTorch in float64."""
    leaves = [from_ours(t).double().requires_grad_() for t in leaves]
    y = function(*leaves)
    return [g.numpy() for g in torch.autograd.grad(y, leaves, from_ours(dy).double())]


# ------------------------------------------------- batch norm

SIZES = [(5, 3), (4, 3, 7, 9), (2, 70, 3), (1, 2, 5000)]


@slow_on_sim
@pytest.mark.parametrize("training, kept, affine",
                         [(1, 1, 1), (1, 0, 0), (0, 1, 1), (1, 1, 0)])  # fmt: skip
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_batch_norm(sizes, training, kept, affine, device):
    def run(m, x, mean, var, w, b):
        running = (mean, var) if kept else (None, None)
        given = (w, b) if affine else (None, None)
        y = m.functional.batch_norm(x, *running, *given, bool(training), 0.3, 1e-3)
        return y, mean, var

    c = sizes[1]
    for dtype in ("float32", "float64", "float16"):
        values = data(*sizes) + 3, data(c), abs(data(c, seed=1)) + 0.5, data(c, seed=2)
        values = [*values, data(c, seed=3)]
        assert_like_torch(
            run, device,
            lambda m, v=values, t=dtype: [m.tensor(a, t) for a in v],
            terms=np.prod(sizes), magnitude=9.0, ulps=8,
        )  # fmt: skip


@on_devices
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_batch_norm_backward(sizes, training, device):
    c = sizes[1]
    x, w, b, dy = (minigrad.tensor(a, minigrad.float32) for a in (
        data(*sizes) + 3, data(c), data(c, seed=1), data(*sizes, seed=2)))  # fmt: skip
    mean, var = minigrad.zeros(c), minigrad.ones(c)
    true = gradients(
        lambda x, w, b: F.batch_norm(x, torch.zeros(c).double(), torch.ones(c).double(),
                                     w, b, training), (x, w, b), dy)  # fmt: skip
    x, w, b, dy, mean, var = (t.to(device) for t in (x, w, b, dy, mean, var))
    leaves = [t.requires_grad_() for t in (x, w, b)]
    y = minigrad.functional.batch_norm(x, mean, var, w, b, training)
    got = minigrad.autograd.grad(y, leaves, dy)
    for a, e in zip(got, true, strict=True):
        assert_close(a, e, terms=x.numel(), magnitude=20.0, ulps=20)


@on_devices
def test_batch_norm_keeps_the_digits_of_a_small_variance(device):
    x = minigrad.tensor(1e4 + data(8, 2, 50), minigrad.float32)
    y = minigrad.functional.batch_norm(x.to(device), None, None, training=True)
    true = F.batch_norm(from_ours(x).double(), None, None, training=True)
    assert_close(y, true.numpy(), magnitude=1e4)  # of which 2^-24 are 6e-4


@pytest.mark.parametrize("training", [True, False])
def test_gradients_of_gradients_of_batch_norm(training):
    x, w, b = (minigrad.tensor(data(*n)).requires_grad_()
               for n in ((4, 2, 3), (2,), (2,)))  # fmt: skip
    kept = minigrad.zeros(2, dtype=minigrad.float64), minigrad.ones(2).double()

    def run(x, w, b):
        return minigrad.functional.batch_norm(x, *kept, w, b, training, momentum=0.0)

    def slopes(x, w, b):
        with minigrad.enable_grad():
            y = run(x, w, b)
            return minigrad.autograd.grad(
                (y * y * y).sum(), (x, w, b), create_graph=True
            )

    assert gradcheck(run, (x, w, b))
    assert gradcheck(numbers_alone(slopes), (x, w, b))


# ------------------------------------------------- classification


@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_gradients_of_gradients_of_losses(name, reduction):
    how = {"reduction": reduction, "ignore_index": 1}
    how |= {"label_smoothing": 0.2} if name == "cross_entropy" else {}
    x = minigrad.tensor(data(4, 3, 2)).requires_grad_()
    w = minigrad.tensor(abs(data(3, seed=1)))
    target = minigrad.tensor(np.random.default_rng(2).integers(0, 3, (4, 2)))

    def run(x):
        return getattr(minigrad.functional, name)(x, target, w, **how)

    def slope(x):
        with minigrad.enable_grad():
            y = run(x)
            return minigrad.autograd.grad((y * y).sum(), x, create_graph=True)[0]

    assert gradcheck(run, x)
    assert gradcheck(numbers_alone(slope), x)


CASES = [
    (sizes, *how)
    for sizes in ((5, 3), (4, 10, 7), (3, 200), (6, 1), (2, 3, 4, 2))
    for how in itertools.product((0, 1), (-100, 1), (0.0, 0.2))
]


@pytest.mark.slow
@on_devices
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_classification(name, reduction, device):
    for sizes, weighted, ignore, smooth in CASES:
        if name == "nll_loss" and smooth or sizes[1] == 1 and ignore == 1:
            continue
        how = {"reduction": reduction, "ignore_index": ignore}
        how |= {"label_smoothing": smooth} if smooth else {}
        check_loss(name, sizes, weighted, device, how)


def check_loss(name, sizes, weighted, device, how):
    target = np.random.default_rng(1).integers(0, sizes[1], (sizes[0], *sizes[2:]))
    values = data(*sizes), target, abs(data(sizes[1], seed=2))

    def run(m, x, target, weight):
        weight = weight if weighted else None
        return getattr(m.functional, name)(x, target, weight, **how)

    def make(m, t="float32"):
        x, target, weight = values
        return m.tensor(x, t), m.tensor(target), m.tensor(weight, t)

    far = {"terms": target.size * sizes[1], "magnitude": 40.0}
    assert_like_torch(run, device, make, **far)
    if sizes == (5, 3):
        assert_like_torch(run, device, lambda m: make(m, "float64"), **far)
        assert_like_torch(run, device, lambda m: make(m, "float16"), **far)
    x, target, weight = make(OnDevice(device))
    y = run(OnDevice(device), x.requires_grad_(), target, weight)
    dy = minigrad.tensor(data(*y.shape, seed=3), minigrad.float32)
    true = gradients(
        lambda t: run(Torch(), t, from_ours(target), from_ours(weight).double()), (x,),
        dy,
    )[0]  # fmt: skip
    (dx,) = minigrad.autograd.grad(y, x, dy.to(device))
    assert_close(dx, true, terms=sizes[1], magnitude=9.0)


@on_devices
def test_one_row_huge_scores_many_rows_and_none(device):
    def run(m, x, target):
        f = m.functional
        many = f.cross_entropy(x.expand(5000, 3), target.expand(5000))
        return (f.cross_entropy(x[0] * 1e4, target[0]), many,
                f.nll_loss(x[:0], target[:0], reduction="sum"),
                f.nll_loss(x[:0], target[:0]))  # fmt: skip

    assert_like_torch(
        run, device, lambda m: (m.tensor([[1.0, -2.0, 3.0]]), m.tensor([1])),
        terms=5000, magnitude=5e4,
    )  # fmt: skip


def test_several_blocks_are_one_launch():
    f, x = minigrad.functional, minigrad.rand(2, 2, 5000).to("sim").requires_grad_()
    target = minigrad.zeros(5000).long().to("sim")
    with minigrad.trace() as launches:
        y = f.batch_norm(x, None, None, training=True)
        f.cross_entropy(y.view(5000, 4), target)
        minigrad.autograd.grad(y, x, y.detach())
    grids = {launch.kernel.partition("<")[0]: launch.grid for launch in launches}
    joined = {"batch_norm_moments": (2, 4, 1), "nll": (5, 1, 1),
              "batch_norm_sums": (2, 4, 1)}  # fmt: skip
    assert joined.items() <= grids.items()
    assert grids.keys() - joined == {"batch_norm_plane", "batch_norm_input"}


COMPOSED = """
f.cross_entropy(x, p, label_smoothing=0.1) | f.cross_entropy(x, p, w, reduction="sum")
f.cross_entropy(x, p, reduction="none") | f.mse_loss(x, p)
f.mse_loss(x, p, reduction="sum") | f.mse_loss(x, p, reduction="none")
f.binary_cross_entropy_with_logits(x * 50, p)
f.binary_cross_entropy_with_logits(x, p, w, reduction="none", pos_weight=w)
f.binary_cross_entropy_with_logits(x, p, reduction="sum", pos_weight=w)
"""


@on_devices
@table("text", COMPOSED.strip().replace("\n", "|").split("|"))
def test_composed(text, device):
    def run(m, x, p, w):
        return eval(text.strip(), {"f": m.functional, "x": x, "p": p, "w": w})

    def make(m):
        rng = np.random.default_rng(0)
        values = rng.normal(size=(4, 5)), rng.random((4, 5)), rng.random(5)
        return [m.tensor(a, "float32") for a in values]

    assert_like_torch(run, device, make, terms=40, magnitude=50.0)


MISTAKES = """
batch_norm(z(1, 2), None, None, training=True) | ValueError | Expected more than 1 value
batch_norm(z(3, 2), None, None) | RuntimeError | running_mean must be defined
batch_norm(z(3, 2), z(3), z(3)) | RuntimeError | running_mean should contain 2 .. not 3
batch_norm(z(3, 2), z(2), z(2), z(3)) | RuntimeError | weight should contain 2 elements
batch_norm(z(3, 2), z(2), z(2), z(2), z(5)) | RuntimeError | bias should contain 2 .. 5
nll_loss(z(3, 4), z(3)) | RuntimeError | expected target dtype to be int64
nll_loss(z(3, 4), i(2)) | ValueError | batch_size (3) to match target batch_size (2).
nll_loss(z(3, 4), i(3), z(3)) | RuntimeError | for all 4 classes .. shape: [3]
nll_loss(z(3, 4), i(3), reduction="max") | ValueError | max is not a valid value for
nll_loss(z(3, 4, 5), i(3)) | RuntimeError | Expected target size [3, 5], got [3]
cross_entropy(z(3, 4), i(3), label_smoothing=2) | RuntimeError | between 0.0 and 1.0
cross_entropy(z(3, 4), z(2, 4)) | RuntimeError ValueError | target
cross_entropy(z(3, 4), i(3, 4)) | RuntimeError | Expected floating point type for target
binary_cross_entropy_with_logits(z(3), z(2)) | ValueError | Target size ([2]) must be
mse_loss(z(3), z(3), reduction="x") | ValueError | x is not a valid value for reduction
"""


@on_devices
@table("line", MISTAKES.strip().split("\n"))
def test_mistakes(line, device):
    text, kinds, words = (part.strip() for part in line.split("|"))
    with pytest.raises((RuntimeError, ValueError)):
        named(text, Torch())
    with pytest.raises((RuntimeError, ValueError)) as caught:
        named(text, OnDevice(device))
    assert caught.type.__name__ in kinds
    for piece in words.split(" .. "):
        assert piece in str(caught.value)


def test_a_target_out_of_bounds_on_cpu():
    x = minigrad.zeros(3, 4)
    with pytest.raises(IndexError, match="Target 4 is out of bounds."):
        minigrad.functional.cross_entropy(x, minigrad.tensor([0, 4, 1]))


@pytest.mark.parametrize("name, share", [("input", np.nan), ("target", 1.5)])
def test_shares_beyond_0_and_1_on_cpu(name, share):
    """On a GPU that would wait for the numbers."""
    shares = {"input": 0.5, "target": 0.5, name: share}
    for m in minigrad, torch:
        x, y = (m.tensor([n]) for n in shares.values())
        with pytest.raises(RuntimeError, match=f"all elements of {name} should be"):
            m.nn.functional.binary_cross_entropy(x, y)


def named(text, m):
    names = [line.partition("(")[0] for line in MISTAKES.strip().split("\n")]
    called = {n: getattr(m.functional, n) for n in names}
    called["z"] = lambda *n: m.tensor(np.zeros(n, np.float32))
    called["i"] = lambda *n: m.tensor(np.zeros(n, np.int64))
    return eval(text, called)
