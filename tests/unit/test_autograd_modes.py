"""What is recorded in which thread: as in PyTorch."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from answers import filled  # noqa: F401
from both import torch
from graphs import leaf

import minigrad
from minigrad import nn

libraries = pytest.mark.parametrize("m", [minigrad, torch], ids=["minigrad", "torch"])


def in_another_thread(function, *args):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *args).result(timeout=60)


def recorded(m):
    return m.is_grad_enabled(), (leaf(m) * 2).requires_grad


@libraries
def test_each_thread_decides_for_itself(m):
    with m.no_grad():
        assert in_another_thread(recorded, m) == (True, True)
        assert recorded(m) == (False, False)
        in_another_thread(m.set_grad_enabled, True)
        assert recorded(m) == (False, False)
    in_another_thread(m.set_grad_enabled, False)
    assert recorded(m) == (True, True)


@libraries
def test_no_grad_does_not_hold_for_a_thread_that_records(m):
    """One thread trains while another one, in no_grad(), comes and goes."""
    begun, seen, over = (threading.Event() for _ in range(3))

    def watch():
        with m.no_grad():
            begun.set()
            assert seen.wait(60)
        over.set()

    x = leaf(m)
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        assert begun.wait(60)
        (x * x).sum().backward()
        with m.no_grad():
            seen.set()
            assert over.wait(60)  # what the other one puts back is not ours
            inside = recorded(m)
        watching.result(timeout=60)
    assert x.grad.tolist() == [2, 4, 6]
    assert (inside, recorded(m)) == ((False, False), (True, True))


@libraries
def test_a_decorated_function_is_called_in_two_threads(m):
    """They enter one after the other and leave in the same order."""
    first_is_in, second_is_in, first_is_out = (threading.Event() for _ in range(3))

    @m.no_grad()
    def call(come, go):
        come.set()
        assert go.wait(60)

    def first():
        with m.enable_grad():
            call(first_is_in, second_is_in)
        first_is_out.set()
        return m.is_grad_enabled()

    def second():
        m.set_grad_enabled(False)
        assert first_is_in.wait(60)
        call(second_is_in, first_is_out)
        return m.is_grad_enabled()

    with ThreadPoolExecutor(2) as pool:
        results = [pool.submit(f) for f in (first, second)]
        assert [f.result(timeout=60) for f in results] == [True, False]


@libraries
def test_backward_records_in_its_own_thread_alone(m):
    x, seen = leaf(m), []
    x.register_hook(lambda g: seen.append((m.is_grad_enabled(), other(m))))

    def other(m):
        return in_another_thread(recorded, m)

    (x * x).sum().backward()
    assert seen == [(False, (True, True))]


@libraries
@pytest.mark.filterwarnings("ignore:.*nomaly", "ignore:Error detected in")
def test_anomaly_mode_is_for_all_threads(m):
    def fail(x):
        y = x.log()
        with pytest.raises(RuntimeError, match="returned nan values"):
            (y * 0).sum().backward()

    with m.autograd.detect_anomaly():
        in_another_thread(fail, m.tensor([0.0], requires_grad=True))


def test_each_thread_knows_the_module_that_is_called():
    class Calling(nn.Module):
        def forward(self, x):
            other = in_another_thread(lambda: x * 2).grad_fn
            return other.made_in, (x * 2).grad_fn.made_in

    model = Calling()
    elsewhere, here = model(leaf(minigrad))
    assert elsewhere is None
    assert here.module is model


@libraries
@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "set_grad_enabled"])
@pytest.mark.parametrize("outside", [True, False])
def test_the_mode_of_a_generator_is_its_own(m, name, outside):
    def decorated(function):  # set_grad_enabled sets at once, until it decorates
        return getattr(m, name)(*[False] * (name == "set_grad_enabled"))(function)

    def steps():
        yield m.is_grad_enabled()
        yield m.is_grad_enabled()

    with m.enable_grad() if outside else m.no_grad():
        results = [(inside, m.is_grad_enabled()) for inside in decorated(steps)()]
    assert results == [(name == "enable_grad", outside)] * 2


@pytest.mark.parametrize("given", [1, None, "no"])
def test_a_mode_is_a_bool(given):
    for m in (minigrad, torch):
        for act in (m.set_grad_enabled, m.ones(1).requires_grad_):
            with pytest.raises(TypeError, match="must be"):
                act(given)
        with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
            m.ones(1).requires_grad = given
        assert m.is_grad_enabled()
