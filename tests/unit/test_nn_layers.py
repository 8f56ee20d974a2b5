"""Layers and losses beside PyTorch's, with copied weights: results and gradients."""

import math

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import on_devices, slow_on_sim
from table import table

import minigrad
from minigrad import nn

torch = pytest.importorskip("torch", reason="not run: layers (needs torch)")


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


IMAGES, ROWS = numbers(2, 4, 6, 5), numbers(5, 6)
LAYERS = [
    (lambda n: n.Linear(6, 3), ROWS),
    (lambda n: n.Linear(6, 3, bias=False), numbers(2, 3, 6)),
    (lambda n: n.Linear(6, 2), numbers(6)),
    (lambda n: n.Embedding(7, 3), np.array([[1, 6, 1], [0, 2, 5]])),
    (lambda n: n.Embedding(7, 3, padding_idx=-2), np.array([5, 1, 5, 2])),
    (lambda n: n.Flatten(), IMAGES),
    (lambda n: n.Flatten(0, 1), IMAGES),
    (lambda n: n.Identity(), ROWS),
    (lambda n: n.ReLU(), ROWS),
    (lambda n: n.ReLU6(), 8 * ROWS),
    (lambda n: n.LeakyReLU(0.2), ROWS),
    (lambda n: n.ELU(), ROWS),
    (lambda n: n.Sequential(n.Linear(6, 4), n.ELU(0.5, inplace=True)), ROWS),
    (lambda n: n.Hardtanh(-0.5, 2.0), ROWS),
    (lambda n: n.SiLU(), ROWS),
    (lambda n: n.Mish(), ROWS),
    (lambda n: n.Softplus(), ROWS),
    (lambda n: n.Softplus(2.0, threshold=1.0), ROWS),
    (lambda n: n.Sigmoid(), ROWS),
    (lambda n: n.Tanh(), ROWS),
    (lambda n: n.GELU(), ROWS),
    (lambda n: n.GELU("tanh"), ROWS),
    (lambda n: n.Softmax(1), ROWS),
    (lambda n: n.LogSoftmax(0), ROWS),
    (lambda n: n.LayerNorm(6), ROWS),
    (lambda n: n.LayerNorm((6, 5), elementwise_affine=False), IMAGES),
    (lambda n: n.LayerNorm(5, eps=0.1, bias=False), IMAGES),
    (lambda n: n.Dropout(0.0), ROWS),
    (lambda n: n.Dropout(0.5).eval(), ROWS),
    (lambda n: n.Sequential(n.Linear(6, 4), n.Tanh(), n.Linear(4, 2)), ROWS),
    (lambda n: n.Conv2d(4, 6, 3), IMAGES),
    (lambda n: n.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 2)), IMAGES),
    (lambda n: n.Conv2d(4, 2, 2, dilation=2, bias=False), IMAGES),
    (lambda n: n.Conv2d(4, 4, 3, groups=2, padding=1), IMAGES),
    (lambda n: n.Conv1d(3, 6, 2, stride=2, padding=1), numbers(4, 3, 5)),
    (lambda n: n.Conv1d(3, 3, 3, padding="same", groups=3), numbers(4, 3, 5)),
    (lambda n: n.ConvTranspose2d(4, 3, 3), IMAGES),
    (lambda n: n.ConvTranspose2d(4, 6, (3, 2), 2, 1, (1, 0), 2, False), IMAGES),
    (lambda n: n.ConvTranspose2d(4, 2, 2, padding=1, dilation=2), IMAGES),
    (lambda n: n.BatchNorm2d(4), IMAGES),
    (lambda n: n.BatchNorm2d(4).eval(), IMAGES),
    (lambda n: n.BatchNorm2d(4, momentum=None), IMAGES),
    (lambda n: n.BatchNorm2d(4, affine=False, track_running_stats=False), IMAGES),
    (lambda n: n.BatchNorm1d(6, momentum=0.3, eps=0.1), ROWS),
    (lambda n: n.BatchNorm1d(3), numbers(4, 3, 5)),
    (lambda n: n.InstanceNorm2d(4), IMAGES),
    (lambda n: n.InstanceNorm2d(4, 0.1, 0.3, True, True), IMAGES),
    (lambda n: n.InstanceNorm2d(4, track_running_stats=True).eval(), IMAGES),
    (lambda n: n.GroupNorm(2, 4), IMAGES),
    (lambda n: n.GroupNorm(3, 6, eps=0.1, affine=False), ROWS),
    (lambda n: n.RMSNorm(6), ROWS),
    (lambda n: n.RMSNorm((6, 5), 0.1, elementwise_affine=False), IMAGES),
    (lambda n: n.ZeroPad2d(2), IMAGES),
    (lambda n: n.ZeroPad2d((1, 0, 3, 2)), IMAGES),
    (lambda n: n.ReflectionPad2d((1, 4, 0, 2)), IMAGES),
    (lambda n: n.MaxPool2d(2), IMAGES),
    (lambda n: n.MaxPool2d(3, stride=2, padding=1, ceil_mode=True), IMAGES),
    (lambda n: n.AvgPool2d(2), IMAGES),
    (lambda n: n.AvgPool2d((3, 2), stride=1, padding=1), IMAGES),
    (lambda n: n.AdaptiveAvgPool2d(1), IMAGES),
    (lambda n: n.AdaptiveAvgPool2d((4, None)), IMAGES),
    (lambda n: n.Upsample(scale_factor=2), IMAGES),
    (lambda n: n.Upsample((7, 9)), IMAGES),
    (lambda n: n.Upsample((9, 8), mode="bilinear"), IMAGES),
    (lambda n: n.Upsample(None, 1.5, "bilinear", align_corners=True), IMAGES),
]


def alike(make, dtype):
    """The layer of each library, with the same weights."""
    torch.manual_seed(0)
    theirs = make(torch.nn).to(getattr(torch, dtype))
    ours = make(nn).to(getattr(minigrad, dtype))
    ours.load_state_dict(
        {k: minigrad.tensor(v.numpy()) for k, v in theirs.state_dict().items()}
    )
    assert repr(ours).count("(") == repr(theirs).count("(")
    return ours, theirs


def near(ours, theirs, dtype):
    rtol = {"float64": 1e-9, "float32": 2e-4}[dtype]
    ours, theirs = ours.detach().cpu().numpy(), theirs.detach().numpy()
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol, rtol)


@slow_on_sim
@table("number", range(len(LAYERS)))
def test_a_layer_and_its_gradients(number, device):
    make, data = LAYERS[number]
    dtype = "float64" if device == "cpu" else "float32"
    ours, theirs = alike(make, dtype)
    ours.to(device)
    x, z = minigrad.tensor(data, device=device), torch.tensor(data)
    if data.dtype.kind == "f":
        x = x.to(getattr(minigrad, dtype)).requires_grad_()
        z = z.to(getattr(torch, dtype)).requires_grad_()
    for turn in range(2):  # the second one adds to the gradients
        y, w = ours(x), theirs(z)
        near(y, w, dtype)
        up = numbers(*w.shape, seed=turn)
        if w.requires_grad:
            y.backward(minigrad.tensor(up, device=device).to(getattr(minigrad, dtype)))
            w.backward(torch.tensor(up).to(getattr(torch, dtype)))
    if x.requires_grad:
        near(x.grad, z.grad, dtype)
    for (name, p), (_, q) in zip(
        ours.named_parameters(), theirs.named_parameters(), strict=True
    ):
        assert (p.grad is None) == (q.grad is None), name
        near(p.grad, q.grad, dtype)
    for (_, p), (_, q) in zip(
        ours.named_buffers(), theirs.named_buffers(), strict=True
    ):
        near(p, q, dtype)


def of_sigmoid(n, loss):
    """The loss of probabilities."""

    class OfSigmoid(n.Module):
        def __init__(self):
            super().__init__()
            self.loss = loss

        def forward(self, input, target):
            return self.loss(input.sigmoid(), target)

    return OfSigmoid()


TARGET, SOFT = np.array([1, 0, 5, 3, 3]), abs(numbers(5, 6, seed=4)) % 1
LOSSES = [
    (lambda n, t: n.MSELoss(), numbers(5, 6, seed=2)),
    (lambda n, t: n.MSELoss(reduction="sum"), numbers(5, 6, seed=2)),
    (lambda n, t: n.MSELoss(reduction="none"), numbers(5, 6, seed=2)),
    (lambda n, t: n.BCEWithLogitsLoss(), SOFT),
    (lambda n, t: n.BCEWithLogitsLoss(reduction="sum", weight=t(SOFT[0])), SOFT),
    (lambda n, t: n.BCEWithLogitsLoss(pos_weight=t(2 * SOFT[1] + 1)), SOFT),
    (lambda n, t: of_sigmoid(n, n.BCELoss()), SOFT),
    (lambda n, t: of_sigmoid(n, n.BCELoss(weight=t(SOFT[0]), reduction="sum")), SOFT),
    (lambda n, t: n.SmoothL1Loss(), numbers(5, 6, seed=2)),
    (lambda n, t: n.SmoothL1Loss(reduction="sum", beta=0.3), numbers(5, 6, seed=2)),
    (lambda n, t: n.KLDivLoss(), SOFT),
    (lambda n, t: n.KLDivLoss(reduction="batchmean", log_target=True), numbers(5, 6)),
    (lambda n, t: n.NLLLoss(), TARGET),
    (lambda n, t: n.NLLLoss(weight=t(SOFT[2]), reduction="sum"), TARGET),
    (lambda n, t: n.NLLLoss(ignore_index=3), TARGET),
    (lambda n, t: n.CrossEntropyLoss(), TARGET),
    (lambda n, t: n.CrossEntropyLoss(label_smoothing=0.2), TARGET),
    (lambda n, t: n.CrossEntropyLoss(weight=t(SOFT[2]), ignore_index=0), TARGET),
    (lambda n, t: n.CrossEntropyLoss(reduction="none"), TARGET),
]


@on_devices
@table("number", range(len(LOSSES)))
def test_a_loss_and_its_gradients(number, device):
    make, target = LOSSES[number]
    dtype = "float64" if device == "cpu" else "float32"
    results = []
    for lib, place in (minigrad, device), (torch, "cpu"):

        def tensor(values, lib=lib, place=place):
            x_ = lib.tensor(values, device=place)
            return x_.to(getattr(lib, dtype)) if values.dtype.kind == "f" else x_

        loss = make(lib.nn, tensor).to(place)
        x, t = tensor(3 * ROWS).requires_grad_(), tensor(target)
        if target.dtype.kind == "f":
            t.requires_grad_()
        y = loss(x, t)
        y.backward(lib.ones_like(y) * 0.5)
        results.append([y, x.grad, *[t.grad] * (target.dtype.kind == "f")])
    for ours, theirs in zip(*results, strict=True):
        near(ours, theirs, dtype)


@pytest.mark.parametrize("name", ["mse_loss", "binary_cross_entropy_with_logits"])
def test_gradients_of_gradients_of_losses(name):
    results = []
    for lib in (minigrad, torch):
        x, t = (lib.tensor(numbers(3, 2, seed=s)).requires_grad_() for s in (1, 2))
        loss = getattr(lib.nn.functional, name)(x, t)
        first, second = lib.autograd.grad(loss, (x, t), create_graph=True)
        (first * second * second).sum().backward()
        results.append((x.grad, t.grad))
    for ours, theirs in zip(*results, strict=True):
        near(ours, theirs, "float64")


def test_a_loss_far_out_is_exact():
    for value in (-800.0, -40.0, 40.0, 800.0):
        x = minigrad.tensor([value]).double()
        for goal in (0.0, 1.0):
            ours = nn.BCEWithLogitsLoss()(x, x * 0 + goal).item()
            right = max(value, 0) - value * goal + math.log1p(math.exp(-abs(value)))
            assert math.isclose(ours, right, rel_tol=1e-12)


def test_mistakes_are_reported():
    with pytest.raises(RuntimeError, match=r"\[2, 5\].*\[3, 6\].*in_features = 6"):
        nn.Linear(6, 3)(minigrad.zeros(2, 5))
    with pytest.raises(RuntimeError, match=r"float32.*input.long\(\)"):
        nn.Embedding(3, 2)(minigrad.zeros(2))
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        nn.Embedding(3, 2)(minigrad.tensor([3]))
    with pytest.raises(ValueError, match="expected 4D input"):
        nn.BatchNorm2d(3)(minigrad.zeros(2, 3))
    with pytest.raises(ValueError, match="expected 2D or 3D input"):
        nn.BatchNorm1d(3)(minigrad.zeros(2, 3, 4, 4))
    with pytest.raises(ValueError, match=r"Target size.*must be the same"):
        nn.BCEWithLogitsLoss()(minigrad.zeros(2), minigrad.zeros(2, 1))
    with pytest.warns(UserWarning, match=r"target size \(\[2\]\) that is different"):
        nn.MSELoss()(minigrad.zeros(2, 1), minigrad.zeros(2))
    for make in (
        lambda: nn.Dropout(1.5),
        lambda: nn.Conv2d(3, 4, 1, groups=2),
        lambda: nn.Conv2d(4, 3, 1, groups=2),
        lambda: nn.MSELoss("no"),
    ):
        with pytest.raises(ValueError, match="probability|divisible|reduction"):
            make()


def watched(lib):
    """What full backward hooks see and change."""
    seen, fc = [], lib.nn.Linear(2, 2)
    with lib.no_grad():
        fc.weight.copy_(lib.tensor([[1.0, 2.0], [3.0, 4.0]]))
        fc.bias.zero_()

    def see(m, inner, outer):
        seen.append([None if g is None else g.tolist() for g in (*inner, *outer)])

    fc.register_full_backward_hook(see)
    handle = fc.register_full_backward_hook(lambda m, inner, outer: (inner[0] * 10,))
    x = lib.ones(1, 2).requires_grad_()
    fc(x).sum().backward()
    handle.remove()
    fc(x * 2).sum().backward()
    fc(lib.ones(1, 2)).sum().backward()
    with lib.no_grad():
        fc(x)
    return seen, x.grad.tolist(), fc.weight.grad.tolist()


@pytest.mark.filterwarnings("ignore:Full backward hook")
def test_backward_hooks():
    assert watched(minigrad) == watched(torch)


# ---------------------------------------------------------------- training


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_a_line_is_learned(device):
    minigrad.manual_seed(0)
    x = minigrad.linspace(-1, 1, 40).reshape(40, 1).to(device)
    y, line, loss_fn = 3 * x + 2, nn.Linear(1, 1, device=device), nn.MSELoss()
    optimizer = minigrad.optim.SGD(line.parameters(), lr=0.2, momentum=0.5)
    for _ in range(60):
        optimizer.zero_grad()
        loss = loss_fn(line(x), y)
        loss.backward()
        optimizer.step()
    assert line.weight.item() == pytest.approx(3, abs=1e-3)
    assert line.bias.item() == pytest.approx(2, abs=1e-3)


@pytest.mark.slow
def test_a_net_learns_the_digits_just_as_pytorchs_does():
    images, labels = minigrad.data.digits(train=True)
    images, labels = images[:256].flatten(1), labels[:256]
    hot = nn.functional.one_hot(labels, 10).float()

    def net(n):
        return n.Sequential(n.Linear(64, 32), n.Tanh(), n.Linear(32, 10))

    ours, theirs = alike(net, "float32")
    losses = []
    for lib, model in (minigrad, ours), (torch, theirs):
        x, y = (lib.tensor(t.numpy()) for t in (images, hot))
        optimizer = lib.optim.Adam(model.parameters(), lr=0.01)
        losses.append([])
        for _ in range(40):
            optimizer.zero_grad()
            loss = lib.nn.MSELoss()(model(x), y)
            loss.backward()
            lib.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            losses[-1].append(loss.item())
    np.testing.assert_allclose(*losses, rtol=1e-3)
    assert losses[0][-1] < 0.2 * losses[0][0]


@pytest.mark.parametrize("variants", ["answered", "fastest"])
def test_layers_name_what_does_not_fit(variants):
    ones, conv = minigrad.ones, nn.Conv2d(1, 1, 3)
    with minigrad.kernel_variant(variants):
        for x in ones(64, 28, 28), ones(1, 2, 4, 4):
            with pytest.raises(RuntimeError, match="conv2d: Given groups=1, weight of"):
                conv(x)
        with pytest.raises(RuntimeError, match="conv2d: non-positive stride"):
            nn.Conv2d(1, 1, 3, stride=0)(ones(1, 1, 4, 4))
        with pytest.raises(RuntimeError, match="conv2d: expected weight of the input"):
            conv(ones(1, 1, 4, 4, dtype=minigrad.float64))
        with pytest.raises(ValueError, match="more than 1 value per channel"):
            nn.BatchNorm1d(2)(ones(1, 2))
        with pytest.raises(RuntimeError, match="should contain 3 elements not 2"):
            nn.BatchNorm1d(2)(ones(4, 3))


@pytest.mark.parametrize("variants", ["answered", "fastest"])
def test_convolutions_of_one_image_and_with_padding_by_name(variants):
    with minigrad.kernel_variant(variants):
        assert nn.Conv2d(4, 5, 3)(minigrad.ones(4, 7, 8)).shape == (5, 5, 6)
        same = nn.Conv2d(1, 1, 3, padding="same")
        assert same(minigrad.ones(2, 1, 5, 4)).shape == (2, 1, 5, 4)
    assert str(same).endswith("padding=same)")
