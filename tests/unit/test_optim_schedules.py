"""Learning rates from epoch to epoch, and clipping, beside PyTorch's."""

import math
import warnings

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import on_devices
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad import nn, optim

torch = pytest.importorskip("torch", reason="not run: optimizers (needs torch)")


def ours(arrays, device="cpu"):
    return [nn.Parameter(minigrad.tensor(a, device=device)) for a in arrays]


def torchs(arrays):
    return [torch.nn.Parameter(torch.tensor(a)) for a in arrays]


SCHEDULES = [
    lambda s, o: s.StepLR(o, step_size=3, gamma=0.5),
    lambda s, o: s.StepLR(o, step_size=1),
    lambda s, o: s.CosineAnnealingLR(o, T_max=5, eta_min=0.01),
    lambda s, o: s.CosineAnnealingLR(o, 7),
    lambda s, o: s.LambdaLR(o, lambda epoch: 0.9**epoch),
    lambda s, o: s.LambdaLR(
        o, [lambda epoch: 1 / (1 + epoch), lambda epoch: 2 + epoch]
    ),
]


@pytest.mark.parametrize("number", range(len(SCHEDULES)))
def test_schedules(number):
    lists = []
    for lib, params in (optim, ours), (torch.optim, torchs):
        p, q = params([np.ones(1, "f4"), np.ones(1, "f4")])
        o = lib.SGD([{"params": [p]}, {"params": [q], "lr": 0.7}], lr=0.3)
        schedule = SCHEDULES[number](lib.lr_scheduler, o)
        rates = []
        for _ in range(20):
            rates.append([group["lr"] for group in o.param_groups])
            assert schedule.get_last_lr() == rates[-1]
            o.step()
            schedule.step()
        lists.append(rates)
    np.testing.assert_allclose(*lists, rtol=1e-12)


def test_a_schedule_goes_on_from_its_state():
    p = ours([np.ones(1, "f4")])
    o = optim.SGD(p, lr=1.0)
    first = optim.lr_scheduler.StepLR(o, 2)
    for _ in range(3):
        first.step()
    second = optim.lr_scheduler.StepLR(optim.SGD(p, lr=1.0), 99)
    second.load_state_dict(first.state_dict())
    assert (second.last_epoch, second.step_size) == (3, 2)
    assert second.optimizer is not o
    again = optim.lr_scheduler.StepLR(o, 2, last_epoch=3)
    assert again.get_last_lr() == [pytest.approx(0.01)]
    with pytest.raises(KeyError, match="initial_lr"):
        optim.lr_scheduler.StepLR(optim.SGD(p, lr=1.0), 2, last_epoch=3)
    with pytest.raises(ValueError, match="Expected 1 lr_lambdas"):
        optim.lr_scheduler.LambdaLR(o, [abs, abs])


# ---------------------------------------------------------------- clipping


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.floats(math.log(1e-3), math.log(100)).map(math.exp),
    st.sampled_from([2.0, 1, 3.5, math.inf]),
)
def test_clipping_by_the_norm(seed, max_norm, norm_type):
    draw = np.random.default_rng(seed)
    grads = [draw.normal(size=shape) for shape in ((3, 4), (5,), (), (2, 3, 2))]
    params, others = ours(grads), torchs(grads)
    for p, q, g in zip(params[1:], others[1:], grads[1:], strict=True):
        p.grad, q.grad = minigrad.tensor(g), torch.tensor(g)
    norm = nn.utils.clip_grad_norm_((p for p in params), max_norm, norm_type)
    expected = torch.nn.utils.clip_grad_norm_(others, max_norm, norm_type)
    assert norm.shape == () and norm.item() == pytest.approx(expected.item(), 1e-9)
    for p, q in zip(params[1:], others[1:], strict=True):
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-9)


@on_devices
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_clipping_on_devices(dtype, device):
    (p,) = ours([np.zeros(4, dtype)], device)
    p.grad = minigrad.tensor(np.array([300, 400, 0, 0], dtype), device=device)
    norm = nn.utils.clip_grad_norm_(p, 5)
    assert norm.device == device and norm.item() == 500
    np.testing.assert_allclose(p.grad.cpu().numpy(), [3, 4, 0, 0], rtol=2e-3)
    nn.utils.clip_grad_value_([p], 3.5)
    np.testing.assert_allclose(p.grad.cpu().numpy(), [3, 3.5, 0, 0], rtol=2e-3)


def test_clipping_nothing_and_what_is_not_finite():
    (p,) = ours([np.zeros(2, "f4")])
    assert nn.utils.clip_grad_norm_([p], 1).item() == 0
    p.grad = minigrad.tensor([math.nan, 1])
    with pytest.raises(RuntimeError, match="non-finite"):
        nn.utils.clip_grad_norm_([p], 1, error_if_nonfinite=True)
    assert math.isnan(nn.utils.clip_grad_norm_([p], 1).item())


def test_a_schedule_that_goes_before_its_optimizer_warns():
    """As by PyTorch, which counts the optimizer's steps, whatever they change."""
    for lib, params in (optim, ours), (torch.optim, torchs):
        p = params([np.ones(1, "f4")])
        for wrong in True, False:
            o = lib.SGD(p, lr=1.0)
            schedule = lib.lr_scheduler.StepLR(o, 2)
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                for step in (schedule, o, schedule) if wrong else (o, schedule):
                    step.step()
            assert ["before" in str(w.message) for w in seen] == [True] * wrong
