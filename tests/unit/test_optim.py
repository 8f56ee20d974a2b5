"""Optimizers beside torch.optim: 50 steps from the same weights, on random settings."""

import math
import platform
import subprocess
import sys

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import on_devices
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from minigrad import nn, optim

torch = pytest.importorskip("torch", reason="not run: optimizers (needs torch)")
SHAPES = [(3, 4), (5,), (), (2, 3, 2), (1,), (0, 3)]
STEPS = 50


def rates(least=1e-4, most=0.3):
    return st.floats(math.log(least), math.log(most)).map(math.exp)


sgd = st.fixed_dictionaries(
    {"lr": rates()},
    optional={
        "momentum": st.floats(0, 0.99),
        "dampening": st.floats(0, 0.9),
        "weight_decay": st.floats(0, 0.5),
        "maximize": st.booleans(),
    },
)
nesterov = st.fixed_dictionaries(
    {"lr": rates(), "momentum": st.floats(0.1, 0.99), "nesterov": st.just(True)},
    optional={"weight_decay": st.floats(0, 0.5)},
)
adam = st.fixed_dictionaries(
    {"lr": rates()},
    optional={
        "betas": st.tuples(st.floats(0, 0.99), st.floats(0.5, 0.9999)),
        "eps": rates(1e-10, 1e-2),
        "weight_decay": st.floats(0, 0.5),
        "maximize": st.booleans(),
    },
)
KINDS = st.one_of(
    st.tuples(st.just("SGD"), sgd),
    st.tuples(st.just("SGD"), nesterov),
    st.tuples(st.just("Adam"), adam),
    st.tuples(st.just("AdamW"), adam),
)


def weights(seed, dtype):
    draw = np.random.default_rng(seed)
    return [draw.normal(size=shape).astype(dtype) for shape in SHAPES]


def ours(arrays, device="cpu"):
    return [nn.Parameter(minigrad.tensor(a, device=device)) for a in arrays]


def torchs(arrays):
    return [torch.nn.Parameter(torch.tensor(a)) for a in arrays]


def train(a, b, params, others, steps, seed, between=lambda: None):
    """Steps with the same gradients; now and then a parameter has none."""
    draw = np.random.default_rng(seed)
    for _ in range(steps):
        for p, q in zip(params, others, strict=True):
            g = draw.normal(size=tuple(q.shape)) + np.asarray(q.detach().numpy())
            g = g.astype(q.detach().numpy().dtype)
            there = draw.random() < 0.9
            p.grad = minigrad.tensor(g, device=p.device) if there else None
            q.grad = torch.tensor(g) if there else None
        a.step()
        b.step()
        between()


def agree(params, others, dtype):
    for p, q in zip(params, others, strict=True):
        near = 1e-10 if dtype == "float64" else 2e-4
        scale = max(1, abs(q.detach().numpy()).max(initial=0))
        ours, theirs = p.detach().cpu().numpy(), q.detach().numpy()
        np.testing.assert_allclose(ours, theirs, near, near * scale)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(KINDS, st.integers(0, 10**6), st.sampled_from(["float32", "float64"]))
def test_fifty_steps_on_the_cpu(kind, seed, dtype):
    name, options = kind
    params, others = ours(weights(seed, dtype)), torchs(weights(seed, dtype))
    a = getattr(optim, name)(params, **options)
    b = getattr(torch.optim, name)(others, **options)
    train(a, b, params, others, STEPS, seed)
    agree(params, others, dtype)


FIXED = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1, "dampening": 0.2}),
    ("SGD", {"lr": 0.1, "momentum": 0.8, "nesterov": True, "maximize": True}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1, "maximize": True}),
]


@on_devices
@pytest.mark.parametrize("fused", [None, False])
@pytest.mark.parametrize(("name", "options"), FIXED)
def test_on_devices_by_the_kernel_and_by_the_rule(name, options, fused, device):
    params, others = ours(weights(1, "float32"), device), torchs(weights(1, "float32"))
    a = getattr(optim, name)(params, **options, fused=fused)
    b = getattr(torch.optim, name)(others, **options)
    train(a, b, params, others, 4, 2)
    agree(params, others, "float32")


@on_devices
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_dtypes(name, dtype, device):
    array = np.linspace(0.2, 1, 300) * np.resize([1, -1], 300)
    p = nn.Parameter(minigrad.tensor(array).to(getattr(minigrad, dtype)).to(device))
    q = torch.nn.Parameter(torch.tensor(array).to(getattr(torch, dtype)))
    a = getattr(optim, name)([p], lr=0.1, weight_decay=0.1)
    b = getattr(torch.optim, name)([q], lr=0.1, weight_decay=0.1)
    for _ in range(3):
        p.grad, q.grad = p.detach() * 2, q.detach() * 2
        a.step()
        b.step()
    near = {"float16": 4e-3, "bfloat16": 3e-2, "float64": 1e-10}[dtype]
    expected = q.detach().double().numpy()
    np.testing.assert_allclose(p.detach().cpu().double().numpy(), expected, near, near)


def test_several_parameters_are_one_launch():
    params = ours([np.ones(n, "f4") for n in (3, 700, 2, 5, 1, 4, 6, 7, 8)], "sim")
    for p in params:
        p.grad = p.detach() * 1
    optimizer = optim.SGD(params, lr=0.5)
    with minigrad.trace() as trace:
        optimizer.step()
    assert [launch.operator for launch in trace] == ["sgd", "sgd"]
    assert all(p.tolist() == [0.5] * p.numel() for p in params)


def test_a_transposed_gradient_or_parameter_is_no_trouble():
    for turned in (False, True):
        x = minigrad.tensor([[1.0, 2, 3], [4, 5, 6]], device="sim")
        p = nn.Parameter(x.T if turned else x)
        g = minigrad.tensor([[1.0, 2], [3, 4], [5, 6]], device="sim")
        p.grad = g if turned else g.T
        expected = p.detach().cpu().numpy() - 0.5 * p.grad.cpu().numpy()
        optim.SGD([p], lr=0.5).step()
        np.testing.assert_array_equal(p.detach().cpu().numpy(), expected)


# ---------------------------------------------------------------- groups and state


def test_groups_have_options_of_their_own():
    def make(lib, params):
        return lib.SGD(
            [{"params": params[:2]}, {"params": params[2:3], "lr": 0.5}],
            lr=0.1,
            momentum=0.5,
        )

    params, others = ours(weights(3, "float64")), torchs(weights(3, "float64"))
    a, b = make(optim, params), make(torch.optim, others)
    for o, p in ((a, params), (b, others)):
        o.add_param_group({"params": p[3:], "weight_decay": 0.3})
    train(a, b, params, others, 5, 4)
    agree(params, others, "float64")


@pytest.mark.parametrize(("name", "options"), FIXED)
@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_state_goes_on_in_another_optimizer(name, options, device):
    arrays = weights(5, "float32")
    params, others = ours(arrays, device), torchs(arrays)
    make = getattr(optim, name)
    a, b = make(params, **options), getattr(torch.optim, name)(others, **options)
    train(a, b, params, others, 3, 6)
    saved = a.state_dict()
    assert set(saved) == set(b.state_dict())
    assert set(saved["state"]) == set(b.state_dict()["state"])
    for number, kept in saved["state"].items():
        assert set(kept) == {k for k, v in b.state_dict()["state"][number].items()}
    c = make(params, lr=7)
    c.load_state_dict(saved)
    train(c, b, params, others, 3, 7)
    agree(params, others, "float32")
    assert c.param_groups[0]["lr"] == options["lr"]


def test_loading_state_copies_it():
    (p,) = ours([np.ones(3, "f4")])
    a, b = (optim.SGD([p], lr=0.1, momentum=0.9) for _ in "ab")
    p.grad = minigrad.ones(3)
    a.step()
    b.load_state_dict(a.state_dict())
    assert b.state[p]["momentum_buffer"] is not a.state[p]["momentum_buffer"]
    with pytest.raises(ValueError, match="different number of parameter groups"):
        a.load_state_dict({"state": {}, "param_groups": []})
    with pytest.raises(ValueError, match="doesn't match the size"):
        a.load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})


def test_a_closure_is_run_and_its_loss_returned():
    (p,) = ours([np.ones(1, "f4")])

    def closure():
        p.grad = minigrad.ones(1)
        return 42

    assert optim.SGD([p], lr=0.5).step(closure) == 42
    assert p.tolist() == [0.5]


def test_zero_grad():
    (p,) = ours([np.ones(1, "f4")])
    optimizer = optim.SGD([p], lr=0.5)
    optimizer.zero_grad()
    p.grad = minigrad.ones(1)
    optimizer.zero_grad(set_to_none=False)
    assert p.grad.tolist() == [0]
    optimizer.zero_grad()
    assert p.grad is None


MISTAKES = [
    lambda o, p: o.SGD([], lr=0.1),
    lambda o, p: o.SGD(p[0], lr=0.1),
    lambda o, p: o.SGD([p[0], p[0].tolist()], lr=0.1),
    lambda o, p: o.SGD(p, lr=-0.1),
    lambda o, p: o.SGD(p, lr=0.1, momentum=-1),
    lambda o, p: o.SGD(p, lr=0.1, weight_decay=-1),
    lambda o, p: o.SGD(p, lr=0.1, nesterov=True),
    lambda o, p: o.Adam(p, betas=(0.9, 1.0)),
    lambda o, p: o.Adam(p, eps=-1),
    lambda o, p: o.AdamW(p, lr=-1),
    lambda o, p: o.SGD([{"params": p}, {"params": p[:1]}], lr=0.1),
    lambda o, p: o.SGD([{"params": {*p}}], lr=0.1),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes_are_refused_in_pytorchs_words(number):
    said = []
    for lib, params in (optim, ours), (torch.optim, torchs):
        with pytest.raises((ValueError, TypeError)) as error:
            MISTAKES[number](lib, params([np.ones(2, "f4")]))
        said.append((error.type, str(error.value).replace("torch.", "")[:60]))
    assert said[0][0] == said[1][0]
    if number not in (1, 2):  # of tensors the class has another name
        assert said[0][1].startswith(said[1][1])  # and perhaps what to do


def test_duplicates_are_refused():
    (p,) = ours([np.ones(2, "f4")])
    with pytest.raises(ValueError, match="duplicate parameters"):
        optim.SGD([p, p], lr=0.1)


def test_fused_on_the_cpu_is_refused():
    (p,) = ours([np.ones(2, "f4")])
    p.grad = minigrad.ones(2)
    with pytest.raises(RuntimeError, match="fused=True"):
        optim.SGD([p], lr=0.1, fused=True).step()


def test_a_gradient_of_another_place_says_what_to_do():
    (p,) = ours([np.ones(2, "f4")])
    p.grad = minigrad.ones(2)
    nn.parameter.put(p, p.detach().to("sim"))
    with pytest.raises(RuntimeError, match="compute it anew"):
        optim.SGD([p], lr=0.1).step()


FAULTS = """
import resource
import numpy as np
import minigrad

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        step = [np.ones(2**20, np.float32) for _ in range(8)]
        del step
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

before = faults(), faults()
minigrad.answers_from("solutions")
minigrad.optim.SGD([minigrad.zeros(1).requires_grad_()], lr=1)
print(before[1], (faults(), faults())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="not run: needs glibc")
def test_an_optimizer_keeps_freed_memory_and_an_import_does_not():
    """As page faults: memory that was given back comes in new pages."""
    command = [sys.executable, "-c", FAULTS]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    before, after = map(int, output.splitlines()[-1].split())
    assert before > 1000 > 100 > after
