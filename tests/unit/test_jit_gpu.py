"""jit and CUDA graphs on a GPU: the numbers of the same steps without them."""

import numpy as np
import pytest

import minigrad
from minigrad import cuda, nn, optim
from minigrad.nn import functional as F

pytestmark = pytest.mark.skipif(
    not minigrad.gpu_available(), reason="not run: CUDA graphs (needs a GPU)"
)
STEPS = 6


@pytest.fixture(autouse=True)
def _answers():
    minigrad.answers_from("solutions")


def new(dropout=True):
    """A small network, its optimizer, and a training step."""
    minigrad.manual_seed(3)
    some = [nn.Dropout(0.3)] if dropout else []
    conv = nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
    model = nn.Sequential(*conv, *some, nn.Linear(8 * 49, 4)).to("cuda")
    rate = minigrad.tensor(0.01, device="cuda")
    optimizer = optim.Adam(model.parameters(), lr=rate, capturable=True)

    def step(x, t):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), t)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step, rate


def batches():
    random = np.random.default_rng(0)
    for _ in range(STEPS):
        x = random.standard_normal((16, 1, 14, 14)).astype("f4")
        t = random.integers(0, 4, 16)
        yield minigrad.tensor(x, device="cuda"), minigrad.tensor(t, device="cuda")


def losses(make, dropout=True):
    """The losses of steps; the learning rate changes in their midst."""
    step, rate = new(dropout)
    minigrad.manual_seed(5)
    step, results = make(step), []
    for i, batch in enumerate(batches()):
        if i == 4:
            rate.fill_(0.1)
        results.append(step(*batch).item())
    return results


def captured(step):
    """Steps as replays of a graph that is captured after the first."""
    state = {}

    def run(x, t):
        if not state:
            state["static"] = [x.clone(), t.clone()]
            state["graph"] = cuda.CUDAGraph()
            first = step(x, t).clone()
            with cuda.graph(state["graph"]):
                state["loss"] = step(*state["static"])
            return first
        cuda.copy_inputs(state["static"], [x, t])
        state["graph"].replay()
        return state["loss"]

    return run


@pytest.mark.parametrize("dropout", [False, True])
def test_the_losses_are_those_of_the_same_steps(dropout):
    expected = losses(lambda step: step, dropout)
    for make in (captured, minigrad.jit, minigrad.jit(mode="reduce-overhead")):
        got = losses(make, dropout)
        np.testing.assert_allclose(got, expected, 1e-4)


def test_what_cannot_be_captured_says_its_line():
    x = minigrad.ones(3, device="cuda")
    (x * 2).sum()
    refused = pytest.raises(cuda.CaptureError, match=r"\(x \* 2\).sum\(\).item\(\)")
    with refused, cuda.graph(cuda.CUDAGraph()):
        (x * 2).sum().item()
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):  # and the stream is as it was
        y = x * 2
    x.fill_(5)
    graph.replay()
    assert y.tolist() == [10.0] * 3


def test_graphed_callables():
    minigrad.manual_seed(1)
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4)).to("cuda")
    graphed = cuda.make_graphed_callables(model, (minigrad.ones(5, 8, device="cuda"),))
    for _ in range(3):
        x = minigrad.randn(5, 8, device="cuda")
        results = []
        for f in model, graphed:
            model.zero_grad()
            (f(x) ** 2).sum().backward()
            results.append([p.grad.cpu().numpy() for p in model.parameters()])
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(a, b, 1e-5, 1e-6)
