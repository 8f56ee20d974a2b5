"""Capture: an operator's second call does what its first did, on other memory."""

import ctypes
import sys
import threading
import types

import fake_cupy
import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import NO_GPU
from table import table

import minigrad
from minigrad import dispatch, launch, plan_cache
from minigrad import functional as F  # noqa: N812
from minigrad.dtypes import as_number
from minigrad.ops import matmul, pointwise
from minigrad.plan_cache import Packed

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
@pytest.mark.parametrize("variants", ["answered", "fastest"])
@table("name", CALLS)
def test_a_second_call_is_the_same_on_other_memory(name, variants, device):
    call = CALLS[name]
    first, second = random(576), random(576, seed=1)
    with minigrad.kernel_variant(variants):
        there = first.to(device)
        call(there)
        there.storage.data.fill(0)
        result = call(second.to(device))
        with plan_cache.disabled(), minigrad.trace() as launches:
            slowly = call(second.to(device))
    assert launches
    for ours, same, true in zip(
        *map(listed, (result, slowly, call(second))), strict=True
    ):
        np.testing.assert_array_equal(ours.cpu().numpy(), same.cpu().numpy())
        np.testing.assert_allclose(ours.cpu().numpy(), true.numpy(), 1e-4, 1e-5)


@on_devices
def test_a_replay_launches_what_was_recorded(device, monkeypatch):
    """The same kernels, grids and blocks, in the same order."""
    runs, real = [], launch.Launch.run
    monkeypatch.setattr(
        launch.Launch, "run", lambda self, args: runs.append(self) or real(self, args)
    )
    for name, call in CALLS.items():
        x = random(576).to(device)
        runs.clear()
        call(x)
        first = [*runs]
        runs.clear()
        call(x)
        if device == "sim":  # on a GPU the driver is called directly
            assert [r[:6] for r in runs] == [r[:6] for r in first] != [], name


def listed(result):
    return result if isinstance(result, tuple) else (result,)


@pytest.fixture
def works(monkeypatch):
    """How often the operator's own Python has run."""
    calls, kernel = [], dispatch.KERNELS["matmul", "sim", minigrad.float32]
    real = kernel.function

    def run(*args, **options):
        calls.append(args)
        return real(*args, **options)

    monkeypatch.setattr(kernel, "function", run)
    plan_cache.clear()
    return calls


def test_the_work_is_done_once_for_each_layout(works):
    a, b = random(4, 6).to("sim"), random(6, 5).to("sim")
    for _ in range(3):
        a @ b
    assert len(works) == 1
    a @ random(5, 6).to("sim").T
    assert len(works) == 2


def test_without_plans_the_work_is_done_each_time(works):
    a, b = random(4, 6).to("sim"), random(6, 5).to("sim")
    with plan_cache.disabled():
        for _ in range(3):
            a @ b
    assert len(works) == 3 and not plan_cache.state.disabled


def test_a_tensor_times_itself_says_nothing_of_two(works):
    a, b = random(4, 4).to("sim"), random(4, 4, seed=1).to("sim")
    a @ a
    result = (a @ b).cpu().numpy()
    np.testing.assert_allclose(result, a.cpu().numpy() @ b.cpu().numpy(), 1e-5, 1e-6)
    assert len(works) == 1


def test_other_rungs_are_other_plans():
    a, b = random(4, 6).to("sim"), random(6, 5).to("sim")
    a @ b
    with minigrad.kernel_variant("naive"), minigrad.trace() as launches:
        a @ b
        a @ b
    assert [launch.variant for launch in launches] == ["naive"] * 2


def test_all_operators_are_called_by_the_same_code():
    operators = pointwise.add, pointwise.relu, pointwise.where, matmul.matmul
    assert len({operator.call.__code__ for operator in operators}) == 1


def test_a_planned_addition_takes_eight_frames():
    a, b = random(3), random(3, seed=1)
    a + b  # leaves the plan
    frames = []
    sys.setprofile(lambda frame, event, _: event == "call" and frames.append(frame))
    try:
        a + b
    finally:
        sys.setprofile(None)
    assert len(frames) <= 8, [frame.f_code.co_qualname for frame in frames]


def test_numpy_warns_of_nothing_inside_and_as_before_outside():
    zero = minigrad.zeros(2)
    with np.errstate(divide="raise"):
        assert (1 / zero).tolist() == [np.inf, np.inf]
        assert np.geterr()["divide"] == "raise"


def test_an_operator_may_run_while_another_computes(monkeypatch):
    """As a finalizer does that Python calls in between."""
    monkeypatch.setattr(dispatch, "KERNELS", dict(dispatch.KERNELS))
    one = minigrad.ones(2)
    inner = dispatch.Operator(lambda input: None, name="nested")
    inner.cpu(lambda x: x + (one + one).numpy())
    for _ in range(3):
        assert inner(one).tolist() == [3, 3]


@on_devices
def test_numbers_of_a_call_are_not_remembered(device):
    x = random(3).to(device)
    for n in 2, 5, minigrad.tensor(7.0):
        assert (x * n).tolist() == (x.cpu() * n).tolist()
        y = x.clone()
        y *= n
        assert y.tolist() == (x.cpu() * n).tolist()


def test_options_count_by_type_and_value():
    x = random(3, 4)
    x.sum(1)
    for wrong in True, 1.0:
        with pytest.raises(TypeError):
            x.sum(wrong)
    with pytest.raises(TypeError):
        x.sum((0, True))


def test_numbers_count_by_value():
    x = random(3, 5).to("sim")
    for correction in 0, 1, 0, 2:
        result = x.var(1, correction=correction).cpu().numpy()
        expected = x.cpu().numpy().var(1, ddof=correction)
        np.testing.assert_allclose(result, expected, 1e-5)


def test_what_keeps_running_goes_on():
    x, n = random(6, 4).to("sim"), 3
    mean, var = minigrad.zeros(4).to("sim"), minigrad.ones(4).to("sim")
    for _ in range(n):
        F.batch_norm(x, mean, var, training=True, momentum=0.5)
    expected = x.cpu().numpy().mean(0) * (1 - 0.5**n)
    np.testing.assert_allclose(mean.cpu().numpy(), expected, 1e-5, 1e-6)


def test_memory_of_nobody_makes_no_plan():
    other = random(4).to("sim")
    text = """template <typename T> __global__ void add(const T* a, const T* b,
        T* c, long long n) { if (threadIdx.x < n) c[threadIdx.x] =
        a[threadIdx.x] + b[threadIdx.x]; }"""
    add = launch.compiled(text, "add<float>", "sim")

    def work(x):
        y = x.new_empty((4,))
        args = other, x, y, np.int64(4)
        launch.launch("add", "", add, "sim", 1, 32, args)
        return y

    x = random(4, seed=1).to("sim")
    result, plan = plan_cache.recorded(work, [x])
    assert result.tolist() == (x.cpu() + other.cpu()).tolist() and plan is None


def test_an_operand_that_is_handed_back_makes_no_plan():
    x = random(4).to("sim")
    result, plan = plan_cache.recorded(lambda x: x.view(2, 2), [x])
    assert result.storage is x.storage and plan is None


def test_threads_do_not_hear_each_other():
    failures = []

    def run(seed):
        for n in range(2, 40):
            a, b = random(n, 4, seed=seed).to("sim"), random(4, n, seed=seed).to("sim")
            result = (a @ b).sum().item()
            true = (a.cpu().numpy().astype(float) @ b.cpu().numpy()).sum()
            if abs(result - true) > 1e-3:
                failures.append((n, result, true))

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
            x[7]


def test_another_answer_makes_other_views(filled):  # noqa: F811
    x = random(2, 3)
    assert x.permute(1, 0).shape == (3, 2)
    exercise = minigrad.Tensor.permute
    before = exercise.answer, exercise._run
    try:
        exercise._run = lambda self, *dims: self.as_strided((1,), (1,), 0)
        assert x.permute(1, 0).shape == (1,)
    finally:
        exercise.answer, exercise._run = before
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
    monkeypatch.setattr(plan_cache.state, "has_context", False)
    yield launches
    assert freed == [0]


def read(parameters, number, kind):
    """Parameter number so-and-so of a launch, as a number of NumPy."""
    address = ctypes.c_uint64.from_address(parameters + 8 * number).value
    size = np.dtype(kind).itemsize
    return np.frombuffer(ctypes.string_at(address, size), kind)[0]


def test_only_what_changes_is_written_anew(driver):
    at = lambda pointer: types.SimpleNamespace(ptr=pointer)  # noqa: E731
    function = types.SimpleNamespace(kernel=types.SimpleNamespace(ptr=99))
    kernel = launch.Ready(function, "f<float>")
    view = np.arange(17, dtype=np.int64)
    struct = launch.struct(view.view("V136")[0], "cuda")
    args = None, struct, None, np.int64(5), np.uint64(3), np.float32(0)
    one = launch.Launch("f", "", kernel, "cuda", (2, 1, 1), (64, 1, 1), 0)
    number = plan_cache.Number(np.float32(0), 1, lambda x: as_number(x, np.dtype("f4")))
    packed = Packed(one, args, [(0, 0, 0), (2, 1, 8)], [(5, number)])
    for first, second, value in (10, 20, 0.5), (2**40, 2**63, -1.0):
        packed([at(first), at(second - 8)], (None, value))
        function, sizes, parameters = driver[-1]
        assert (function, sizes) == (99, [2, 1, 1, 64, 1, 1, 0])
        kinds = "u8", "V136", "u8", "i8", "u8", "f4"
        result = [read(parameters, i, kind) for i, kind in enumerate(kinds)]
        assert result[0] == first and result[2] == second and result[5] == value
        assert result[1].tobytes() == view.tobytes() and result[3:5] == [5, 3]
    assert len(driver) == 2
