"""jit: the same bits as without it, on "cpu" and "sim"; passes, guards, refusals."""

import contextlib
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import minigrad
import minigrad.viz
from minigrad import launch, nn, optim, storage
from minigrad.jit.fork import Fork, aside
from minigrad.jit.ir import FREE
from minigrad.nn import functional as F

DEVICES = "cpu", "sim"


@pytest.fixture(autouse=True)
def _answers():
    minigrad.answers_from("solutions")


def bits(result):
    tensors = result if isinstance(result, tuple) else (result,)
    return [t.detach().cpu().numpy().tobytes() for t in tensors]


def chain(x, y):
    h = x * y + 1
    return (h.relu() * 0.5 - y).exp(), h.sum()


def types(x, y):
    small = x < y
    return minigrad.where(small, x, y).double() * 2, (x // 0.7).long() + 3, small


def shapes(x, y):
    return (x.T.contiguous() + 1).T * y[None], x.reshape(-1)[3:9] - x[0, 0]


def halves(x, y):
    return (x.half() * y.half() + 1).sigmoid() * 3


def twice(x, y):
    return (x + y) * 2, (x + y) * 2 + 1, x[[1, 0]] @ y


def in_place(x, y):
    h = x * y
    h.add_(1)
    h[h > y] = 0.0
    return h * 2


FUNCTIONS = [chain, types, shapes, halves, twice, in_place]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_bits_are_those_without_it(function, device):
    f = minigrad.jit(function)
    for _ in range(3):
        x = minigrad.randn(6, 5, device=device)
        y = minigrad.randn(5, device=device)
        assert bits(f(x, y)) == bits(function(x, y))
    assert len(f.log) == 1, minigrad.jit.explain(f)
    assert f.program.kernels


def test_a_chain_is_one_kernel_and_pytorch_agrees():
    f = minigrad.jit(lambda x, y: ((x * y + 1).tanh() - y).relu())
    x, y = minigrad.randn(7, 3, device="sim"), minigrad.randn(3, device="sim")
    f(x, y)
    with minigrad.trace() as launches:
        result = f(x, y)
    assert [one.kernel for one in launches] == ["fused_mul_add_tanh_sub_and_1_more"]
    a, b = torch.tensor(x.cpu().numpy()), torch.tensor(y.cpu().numpy())
    expected = ((a * b + 1).tanh() - b).relu()
    np.testing.assert_allclose(result.cpu().numpy(), expected, 1e-6, 1e-7)
    assert "v1 = p1[i % 3]" in f.code


def test_passes():
    f = minigrad.jit(lambda x: ((x + 2) * (x + 2), x.exp() is None))
    f(minigrad.ones(3))
    assert f.graph.count() == 1  # exp is dead, x + 2 is computed once
    assert str(f.graph).count("add") == 2  # in the kernel's name, and in it


def test_gradients_of_what_is_jitted():
    w = minigrad.randn(5).requires_grad_()
    f = minigrad.jit(lambda x: ((x * w).tanh() * x).sum())
    for _ in range(3):
        results, x = [], minigrad.randn(4, 5)
        for g in (f.function, f):
            w.grad = None
            g(x).backward()
            results.append(w.grad.numpy().tobytes())
        assert results[0] == results[1]
    with pytest.raises(RuntimeError, match="gradients of gradients"):
        minigrad.autograd.grad(f(x), w, create_graph=True)


@pytest.mark.parametrize("device", DEVICES)
def test_the_gradients_of_relu_and_pooling_are_one_kernel(device):
    w = minigrad.randn(2, 3, 4, 6, device=device).requires_grad_()
    f = minigrad.jit(lambda x: (F.max_pool2d((w * x).relu(), 2) * 2).sum())
    with minigrad.kernel_variant("fastest"):
        for _ in range(2):
            results, x = [], minigrad.randn(2, 3, 4, 6, device=device)
            for g in (f.function, f):
                w.grad = None
                g(x).backward()
                results.append(bits(w.grad))
            assert results[0] == results[1]
        assert "relu_backward" not in str(f.program.back.graph)


def test_pictures():
    f = minigrad.jit(lambda x, y: ((x * y + 1).relu() @ y).sum())
    f(minigrad.ones(3, 3), minigrad.ones(3, 3))
    said = repr(minigrad.viz.program(f))
    assert "5 boxes, 1 of them fused kernels" in said
    with minigrad.graph.Graph().as_default() as g:
        x = minigrad.graph.placeholder("x")
        minigrad.graph.tanh(x * 2.0)
    assert "Mul uses x, const1; Tanh uses Mul" in repr(minigrad.viz.program(g))


def network(device, make):
    minigrad.manual_seed(3)
    layers = nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 4)
    model = nn.Sequential(*layers).to(device)
    optimizer = make(model.parameters())

    def step(x, t):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), t)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return model, optimizer, step


def batches(device, count=5):
    random = np.random.default_rng(0)
    for _ in range(count):
        x, t = random.standard_normal((8, 8)).astype("f4"), random.integers(0, 4, 8)
        yield minigrad.tensor(x, device=device), minigrad.tensor(t, device=device)


OPTIMIZERS = {
    "sgd": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    "adam": lambda p: optim.Adam(p, lr=0.01, capturable=True),
}


@pytest.mark.parametrize("mode", [None, "reduce-overhead"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("device", DEVICES)
def test_a_whole_training_step(device, optimizer, mode):
    results = []
    for use in (False, True):
        model, _, step = network(device, OPTIMIZERS[optimizer])
        minigrad.manual_seed(5)
        step = minigrad.jit(step, mode=mode) if use else step
        losses = [step(*batch).item() for batch in batches(device)]
        results.append((losses, [bits(p) for p in model.parameters()]))
        results[-1] += ([bits(p.grad) for p in model.parameters()],)
    assert results[0] == results[1]
    assert [what for _, what, _ in step.log] == ["traced", "traced"]


@pytest.fixture
def most_bytes(monkeypatch):
    """A function of a function: how many bytes of new storages it has at most."""
    now, most = 0, 0

    def counted(data, dtype, device):
        nonlocal now, most
        storage, size = wrap(data, dtype, device), data.nbytes

        def freed():
            nonlocal now
            now -= size

        weakref.finalize(storage, freed)
        now += size
        most = max(most, now)
        return storage

    def measure(function):
        nonlocal now, most
        now = most = 0
        function()
        return most

    wrap = storage.Storage._wrap
    monkeypatch.setattr(storage.Storage, "_wrap", staticmethod(counted))
    return measure


def test_memory_is_free_after_its_last_use(most_bytes):
    model, _, step = network("sim", OPTIMIZERS["sgd"])
    batch = next(batches("sim", 1))
    step(*batch)
    eager, f = most_bytes(lambda: step(*batch)), minigrad.jit(step)
    gradients = sum(
        4 * p.numel() for p in model.parameters()
    )  # those of the call before
    assert most_bytes(lambda: f(*batch)) <= eager + gradients
    assert most_bytes(lambda: f(*batch)) <= eager


def test_what_a_second_stream_reads_is_kept_until_both_meet(monkeypatch, most_bytes):
    stream = lambda **_: contextlib.nullcontext()  # noqa: E731
    cuda = SimpleNamespace(Stream=stream, get_current_stream=stream)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setattr(launch, "counters_of", lambda aside: None)
    _, _, step = network("sim", OPTIMIZERS["sgd"])
    f = minigrad.jit(step)
    for batch in batches("sim", 2):
        f(*batch)
    fork, held = Fork(f.graph), []
    monkeypatch.setattr(fork, "wait", lambda *_: held.append(len(fork.open)))
    alone = most_bytes(lambda: f.program.run([*batch]))
    assert most_bytes(lambda: f.program.run([*batch], fork=fork)) >= alone
    work = [n for n in f.graph.nodes if n in fork.aside and n.target not in FREE]
    assert held[-1] == sum(1 + len(n.inputs) for n in work) and not fork.open


def test_what_may_run_on_a_second_stream():
    _, _, step = network("sim", OPTIMIZERS["sgd"])
    f = minigrad.jit(step)
    for batch in batches("sim", 2):
        f(*batch)
    results = [n for n in f.graph.nodes if n in aside(f.graph)]
    assert [n.target for n in results if n.target not in ("as_strided", "getitem")] == [
        "sum",
        "matmul",
        "sum",
        "matmul",
    ]  # the gradients of biases and weights


def test_guards():
    model, optimizer, step = network("cpu", OPTIMIZERS["sgd"])
    f = minigrad.jit(step)
    for batch in batches("cpu", 3):
        f(*batch)
    count = len(f.log)
    optimizer.param_groups[0]["lr"] = 0.5
    f(*batch)
    model.eval()
    f(*batch)
    f(batch[0][:4], batch[1][:4])
    said = [why for _, _, why in f.log[count:]]
    assert said[0] == ["optimizer.param_groups[0]['lr'] was 0.1, is 0.5"]
    assert "model.training was True, is False" in said[1]
    assert said[2][0].startswith("x was ('float32', 'cpu', (8, 8)")
    assert "calls 6, traces 5" in minigrad.jit.explain(f)


def reads(x):
    y = x * 2
    return y * y.sum().item()


def branches(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


def chooses(x):
    return x[x > 0] * 2 + 1


def writes(x):
    return x.add_(1) * 2


@pytest.mark.parametrize(
    ("function", "text"),
    [(reads, "item(): a number of a tensor is read on the host"),
     (branches, "bool(): what is done next depends on numbers"),
     (chooses, "nonzero(): how large a result is depends on numbers"),
     (writes, "add writes into the input 'x'")],
)  # fmt: skip
def test_refusals_name_the_line_and_the_function_runs_as_it_is(function, text):
    f, x = minigrad.jit(function), minigrad.ones(3)
    for sign in (1, -1):
        given = x.clone() * sign
        assert bits(f(given)) == bits(function(x.clone() * sign))
    said = minigrad.jit.explain(f)
    assert text in said and "test_jit.py, line" in said
    with pytest.raises(RuntimeError, match="has no trace"):
        _ = f.graph


def test_what_an_object_holds_is_guarded():
    def losses(jit):
        minigrad.manual_seed(0)
        run = SimpleNamespace(model=nn.Linear(4, 2))
        run.adam = optim.Adam(run.model.parameters(), capturable=True)

        def step(x):
            run.adam.zero_grad()
            loss = (run.model(x) ** 2).sum()
            loss.backward()
            run.adam.step()
            return loss.detach()

        step = jit(step)
        return [step(minigrad.ones(3, 4)).item() for _ in range(6)]

    assert losses(minigrad.jit) == losses(lambda f: f)


def test_after_eight_traces_it_gives_up():
    f = minigrad.jit(lambda x: x + 1)
    for n in range(1, 12):
        assert f(minigrad.ones(n)).tolist() == [2.0] * n
    assert "not traced any more after 8 traces" in minigrad.jit.explain(f)


def test_an_input_may_begin_anywhere_in_its_storage():
    data, order = minigrad.randn(40, 3), minigrad.randperm(40)
    for mode in (None, "reduce-overhead"):
        f = minigrad.jit(lambda some: data[some] * 2 + 1, mode=mode)
        for i in range(0, 40, 8):
            some = order[i : i + 8]
            assert bits(f(some)) == bits(f.function(some))
        assert len(f.log) == 1


def test_misuse():
    with pytest.raises(TypeError, match="jit takes a function, not int"):
        minigrad.jit(3)
    with pytest.raises(ValueError, match="reduce-overhead"):
        minigrad.jit(abs, mode="fast")
    with pytest.raises(TypeError, match="explain takes what jit returned"):
        minigrad.jit.explain(abs)
