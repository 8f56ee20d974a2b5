"""Plans: an operator's second call does what its first did, on other memory."""

import ctypes
import sys
import threading
import types

import fake_cupy
import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import NO_GPU

import minigrad
from minigrad import functional as F  # noqa: N812
from minigrad.ops import ladder, launcher, plans
from minigrad.ops.matmul import matmul

pytestmark = pytest.mark.usefixtures("filled")
DEVICES = ["sim", pytest.param("cuda", marks=NO_GPU)]
on_devices = pytest.mark.parametrize("device", DEVICES)
TARGET = [1, 0, 3, 2, 2, 1]


def random(*shape, seed=0):
    return minigrad.tensor(np.random.default_rng(seed).normal(size=shape), "f4")


CALLS = {
    "sum": lambda x: x.view(24, 24).sum(0),
    "mean of all": lambda x: x.mean(),
    "a sum of several blocks": lambda x: minigrad.cat([x] * 60).sum(),
    "columns of several blocks": lambda x: x.expand(100, 576).mean(0),
    "argmax of several blocks": lambda x: minigrad.cat([x] * 60).argmax(),
    "a permuted sum": lambda x: x.view(4, 6, 24).sum((0, 2), True),
    "argmax": lambda x: x.view(24, 24).max(1),
    "softmax": lambda x: x.view(6, 96).softmax(0),
    "log_softmax": lambda x: x.view(6, 96).log_softmax(1),
    "layer_norm": lambda x: F.layer_norm(x.view(6, 96), (96,)),
    "var": lambda x: x.view(6, 96).var(1, correction=0),
    "matmul": lambda x: x[:96].view(8, 12) @ x[100:196].view(12, 8),
    "a batch of products": lambda x: x.view(6, 8, 12) @ x.view(6, 12, 8),
    "a vector's product": lambda x: x[:24].view(4, 6) @ x[30:36],
    "gather": lambda x: x.view(24, 24).gather(
        1, minigrad.tensor([[1], [2]]).to(x.device)
    ),
    "conv2d": lambda x: F.conv2d(x[:200].view(2, 2, 5, 10), x[:54].view(3, 2, 3, 3)),
    "max_pool2d": lambda x: F.max_pool2d(x.view(1, 4, 12, 12), 2),
    "avg_pool2d": lambda x: F.avg_pool2d(x.view(1, 4, 12, 12), 3, padding=1),
    "unfold": lambda x: F.unfold(x.view(1, 4, 12, 12), 3),
    "fold": lambda x: F.fold(x.view(1, 36, 16), (6, 6), 3),
    "batch_norm": lambda x: F.batch_norm(
        x.view(6, 4, 24), None, None, training=True
    ),
    "cross_entropy": lambda x: F.cross_entropy(
        x.view(6, 96), minigrad.tensor(TARGET).to(x.device)
    ),
}  # fmt: skip


@on_devices
@pytest.mark.parametrize("rungs", ["answered", "fastest"])
@pytest.mark.parametrize("name", CALLS)
def test_a_second_call_is_the_same_on_other_memory(name, rungs, device):
    call = CALLS[name]
    first, second = random(576), random(576, seed=1)
    with minigrad.rungs(rungs):
        with minigrad.trace() as before:
            there = first.to(device)
            call(there)
        there.storage.data.fill(0)
        with minigrad.trace() as after:
            found = call(second.to(device))
    assert [tuple(a[:7]) for a in after] == [tuple(b[:7]) for b in before] != []
    for ours, true in zip(*map(listed, (found, call(second))), strict=True):
        np.testing.assert_allclose(ours.cpu().numpy(), true.numpy(), 1e-4, 1e-5)


def listed(result):
    return result if isinstance(result, tuple) else (result,)


def test_what_a_number_decides_is_not_planned():
    """The key has an operand's type, not its value; that of options it has."""
    scaled = plans.PlannedOperator("scaled", lambda x, factor: x.dtype)
    scaled.find = lambda operands: plans.Planned(lambda x, factor: factor)
    assert [scaled(random(3).to("sim"), n) for n in (2, 5)] == [2, 5]


@pytest.fixture
def works(monkeypatch):
    """How often the operator's own Python has run."""
    calls = []
    real = type(matmul).run

    def run(self, *args):
        calls.append(args)
        return real(self, *args)

    monkeypatch.setattr(type(matmul), "run", run)
    return calls


def test_the_work_is_done_once_for_each_layout(works):
    a, b = random(4, 6).to("sim"), random(6, 5).to("sim")
    for _ in range(3):
        a @ b
    assert len(works) == 1
    a @ random(5, 6).to("sim").T
    assert len(works) == 2


def test_a_tensor_times_itself_says_nothing_of_two(works):
    a, b = random(4, 4).to("sim"), random(4, 4, seed=1).to("sim")
    a @ a
    found = (a @ b).cpu().numpy()
    np.testing.assert_allclose(found, a.cpu().numpy() @ b.cpu().numpy(), 1e-5, 1e-6)
    assert len(works) == 2


def test_other_rungs_are_other_plans(works):
    a, b = random(4, 6).to("sim"), random(6, 5).to("sim")
    a @ b
    with minigrad.rungs("naive"), minigrad.trace() as launches:
        a @ b
        a @ b
    assert [launch.rung for launch in launches] == ["naive"] * 2


def test_numbers_count_by_value():
    x = random(3, 5).to("sim")
    for correction in 0, 1, 0, 2:
        found = x.var(1, correction=correction).cpu().numpy()
        expected = x.cpu().numpy().var(1, ddof=correction)
        np.testing.assert_allclose(found, expected, 1e-5)


def test_what_keeps_running_goes_on():
    x, n = random(6, 4).to("sim"), 3
    mean, var = minigrad.zeros(4).to("sim"), minigrad.ones(4).to("sim")
    for _ in range(n):
        F.batch_norm(x, mean, var, training=True, momentum=0.5)
    expected = x.cpu().numpy().mean(0) * (1 - 0.5**n)
    np.testing.assert_allclose(mean.cpu().numpy(), expected, 1e-5, 1e-6)


def test_memory_of_nobody_makes_no_plan():
    other = random(4).to("sim")

    def work(x):
        y = x.new_empty((4,))
        args = ladder.memory(other), ladder.memory(x), ladder.memory(y), np.int64(4)
        text = """template <typename T> __global__ void add(const T* a, const T* b,
            T* c, long long n) { if (threadIdx.x < n) c[threadIdx.x] =
            a[threadIdx.x] + b[threadIdx.x]; }"""
        add = ladder.compiled(text, "add<float>", "sim")
        ladder.launch("add", "", add, "sim", (1, 1, 1), (32, 1, 1), args, 0)
        return y

    x = random(4, seed=1).to("sim")
    plan = plans.Plan(work, [x])
    assert plan(x).tolist() == plan(x).tolist() and plan.launches is None


def test_threads_do_not_hear_each_other():
    failures = []

    def run(seed):
        for n in range(2, 40):
            a, b = random(n, 4, seed=seed).to("sim"), random(4, n, seed=seed).to("sim")
            found = (a @ b).sum().item()
            true = (a.cpu().numpy().astype(float) @ b.cpu().numpy()).sum()
            if abs(found - true) > 1e-3:
                failures.append((n, found, true))

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ------------------------------------------------- views, which are kept, too


def test_a_view_that_is_made_again_is_a_view_of_its_own_tensor():
    for seed in range(3):
        x = random(4, 6, seed=seed)
        for view in x.T, x[1:, ::2], x.view(3, 8), x.expand(2, 4, 6), x[None, ..., 1]:
            assert view.storage is x.storage and view._base is x
        np.testing.assert_array_equal(x.T[1:].numpy(), x.numpy().T[1:])
        np.testing.assert_array_equal(x[1:, ::2].numpy(), x.numpy()[1:, ::2])


def test_a_view_that_does_not_fit_is_refused_again():
    x = random(4, 6)
    x.view(24), x[0]
    for _ in range(2):
        with pytest.raises(RuntimeError):
            x.view(5, 5)
        with pytest.raises(TypeError):
            x.view(24.0)
        with pytest.raises(IndexError):
            x[True]


def test_another_answer_makes_other_views(filled):  # noqa: F811
    x = random(2, 3)
    assert x.permute(1, 0).shape == (3, 2)
    hole = minigrad.Tensor.permute
    before = hole.answer, hole._run
    try:
        hole._run = lambda self, *dims: self.as_strided((1,), (1,), 0)
        assert x.permute(1, 0).shape == (1,)
    finally:
        hole.answer, hole._run = before
    assert x.permute(1, 0).shape == (3, 2)


# ------------------------------------------------- launches through the driver


@pytest.fixture
def driver(monkeypatch):
    """What reaches a driver: (function, sizes, where the parameters are)."""
    cupy = fake_cupy.install(monkeypatch)
    launches, freed = [], []

    def launch_kernel(function, *sizes):
        *sizes, stream, parameters, extra = sizes
        assert (stream, extra) == (7, 0)
        launches.append((function, sizes, parameters))

    cuda = cupy.cuda
    cuda.driver = types.SimpleNamespace(launchKernel=launch_kernel)
    cuda.runtime = types.SimpleNamespace(free=freed.append)
    cuda.get_current_stream = lambda: types.SimpleNamespace(ptr=7)
    monkeypatch.setitem(sys.modules, "cupy.cuda", cuda)
    monkeypatch.setattr(launcher._thread, "has_context", False)
    yield launches
    assert freed == [0]


def read(parameters, number, kind):
    """Parameter number so-and-so of a launch, as a number of NumPy."""
    address = ctypes.c_uint64.from_address(parameters + 8 * number).value
    size = np.dtype(kind).itemsize
    return np.frombuffer(ctypes.string_at(address, size), kind)[0]


def test_only_what_changes_is_written_anew(driver):
    at = lambda pointer: types.SimpleNamespace(ptr=pointer)  # noqa: E731
    array = lambda pointer: types.SimpleNamespace(data=at(pointer), itemsize=4)  # noqa: E731
    function = types.SimpleNamespace(kernel=types.SimpleNamespace(ptr=99))
    kernel = ladder.Ready(function, "f<float>")
    view = np.arange(17, dtype=np.int64)
    args = None, ladder.struct(view.view("V136")[0], "cuda"), None, np.int64(5), at(3)
    told = "f", "", kernel, "cuda", (2, 1, 1), (64, 1, 1), 0
    launch = launcher.Launch(told, (*args, None), (0, 2), (5,))
    for first, second, number in (10, 20, 0.5), (2**40, 2**63, -1.0):
        launch([(array(first), 0), (array(second - 8), 2)], [np.float32(number)])
        function, sizes, parameters = driver[-1]
        assert (function, sizes) == (99, [2, 1, 1, 64, 1, 1, 0])
        kinds = "u8", "V136", "u8", "i8", "u8", "f4"
        found = [read(parameters, i, kind) for i, kind in enumerate(kinds)]
        assert found[0] == first and found[2] == second and found[5] == number
        assert found[1].tobytes() == view.tobytes() and found[3:5] == [5, 3]
    assert len(driver) == 2
