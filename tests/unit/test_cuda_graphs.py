"""CUDA graphs where there is no GPU: the launches are recorded here, and replayed."""

import numpy as np
import pytest

import minigrad
from minigrad import cuda, nn, optim
from minigrad.nn import functional as F

DEVICES = "cpu", "sim"


@pytest.fixture(autouse=True)
def _answers():
    minigrad.answers_from("solutions")


def new(device):
    minigrad.manual_seed(3)
    layers = nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 4)
    model = nn.Sequential(*layers).to(device)
    rate = minigrad.tensor(0.01, device=device)
    optimizer = optim.Adam(model.parameters(), lr=rate, capturable=True)

    def step(x, t):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), t)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, rate


def batches(device):
    random = np.random.default_rng(0)
    for _ in range(6):
        x, t = random.standard_normal((8, 8)).astype("f4"), random.integers(0, 4, 8)
        yield minigrad.tensor(x, device=device), minigrad.tensor(t, device=device)


@pytest.mark.parametrize("device", DEVICES)
def test_replays_are_the_same_steps_with_dropout_and_another_learning_rate(device):
    step, rate = new(device)
    minigrad.manual_seed(5)
    expected = []
    for i, batch in enumerate(batches(device)):
        rate.fill_(0.1 if i == 4 else 0.01)
        expected.append(step(*batch).item())
    step, rate = new(device)
    minigrad.manual_seed(5)
    (x, t), *others = batches(device)
    results = [step(x, t).item()]
    graph = cuda.CUDAGraph()
    with cuda.graph(graph, device="sim"):
        loss = step(x, t)
    for i, batch in enumerate(others, 1):
        rate.fill_(0.1 if i == 4 else 0.01)
        cuda.copy_inputs([x, t], batch)
        graph.replay()
        results.append(loss.item())
    assert results == expected


@pytest.mark.parametrize("device", DEVICES)
def test_a_capture_runs_nothing(device):
    x, y = minigrad.ones(3, device=device), minigrad.zeros(3, device=device)
    y.copy_(x * 1)
    y.zero_()
    graph = cuda.CUDAGraph()
    with cuda.graph(graph, device="sim"):
        y.add_(x * 1)
    assert y.tolist() == [0.0] * 3
    for _ in range(2):
        graph.replay()
    assert y.tolist() == [2.0] * 3
    graph.reset()
    with pytest.raises(RuntimeError, match="without a preceding successful capture"):
        graph.replay()


@pytest.mark.parametrize(
    ("what", "text"),
    [(lambda x: x.sum().item(), "item() reads numbers"),
     (lambda x: 1 if x.sum() > 0 else 2, "bool() reads numbers"),
     (lambda x: minigrad.tensor([1.0, 2, 3], device="sim") + x, "copied from the host"),
     (lambda x: minigrad.synchronize(), "the host waits")],
)  # fmt: skip
def test_what_cannot_be_captured(what, text):
    x = minigrad.ones(3, device="sim")
    graph = cuda.CUDAGraph()
    with pytest.raises(cuda.CaptureError) as caught, cuda.graph(graph, device="sim"):
        what(x)
    assert text in str(caught.value) and "test_cuda_graphs.py, line" in str(
        caught.value
    )
    assert x.sum().item() == 3  # all is as it was
    with (
        cuda.graph(graph, device="sim"),
        pytest.raises(cuda.CaptureError, match="begun already"),
    ):
        cuda.CUDAGraph().capture_begin()


@pytest.mark.parametrize("device", DEVICES)
def test_graphed_callables(device):
    minigrad.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4)).to(device)
    sample = (minigrad.ones(5, 8, device=device),)
    graphed = cuda.make_graphed_callables(model, sample, device="sim")
    for _ in range(2):
        x, results = minigrad.randn(5, 8, device=device), []
        for f in model, graphed:
            model.zero_grad()
            (f(x) ** 2).sum().backward()
            results.append([p.grad.cpu().numpy() for p in model.parameters()])
        for a, b in zip(*results, strict=True):
            np.testing.assert_array_equal(a, b)
    double = cuda.make_graphed_callables(lambda x: x * 2, sample, device="sim")
    assert double(sample[0] * 3).tolist() == [[6.0] * 8] * 5


def test_capturable_adam_is_pytorchs():
    import torch

    values = np.array([1.0, -2, 3], "f4")
    ours = nn.Parameter(minigrad.tensor(values, device="sim"))
    theirs = torch.nn.Parameter(torch.tensor(values))
    lr = minigrad.tensor(0.1, device="sim")
    a = optim.Adam([ours], lr=lr, capturable=True)
    b = torch.optim.Adam([theirs], lr=0.1)
    schedule = optim.lr_scheduler.StepLR(a, 1), torch.optim.lr_scheduler.StepLR(b, 1)
    for _ in range(3):
        ours.grad, theirs.grad = ours.detach() * 2, theirs.detach() * 2
        a.step(), b.step()
        [s.step() for s in schedule]
    np.testing.assert_allclose(ours.tolist(), theirs.tolist(), 1e-5)
    assert a.param_groups[0]["lr"] is lr
    again = optim.Adam([ours], lr=lr, capturable=True)
    again.load_state_dict(a.state_dict())
    assert again.state[ours]["step"].item() == 3
    with pytest.raises(ValueError, match="lr as a Tensor is not supported"):
        optim.Adam([ours], lr=lr)
