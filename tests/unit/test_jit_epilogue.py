"""jit fuses prologues and epilogues with the library's kernels: which, bits, text."""

from types import SimpleNamespace

import both
import numpy as np
import pytest

import minigrad
from cudasim import nvrtc
from minigrad import launch
from minigrad.kernels.matmul import matmul_batched
from minigrad.nn import functional as F

t = SimpleNamespace()  # tensors


@pytest.fixture(autouse=True)
def _answers():
    minigrad.answers_from("solutions")
    t.w, t.b, t.small = new(8, 3, 3, 3), new(8), new(2, 3, 3, 3)
    t.left, t.right, t.bias = new(70, 12), new(12, 68), new(68)


def new(*shape):
    return minigrad.randn(*shape, device="sim")


CASES = {  # name: (function, shape of x, kernels launched)
    "conv bias relu": (lambda x: F.conv2d(x, t.w, t.b).relu(), (2, 3, 8, 8), 1),
    "conv residual": (lambda x: F.conv2d(x, t.small, padding=1) * 0.5 + x[:, :2],
                      (2, 3, 7, 9), 3),
    "conv in groups": (lambda x: F.conv2d(x, t.w[:, :1], groups=2) - x[0, 0, 0, 0],
                       (1, 2, 5, 3), 2),
    "linear": (lambda x: F.linear(x, t.left), (5, 12), 1),
    "linear bias": (lambda x: F.linear(x, t.right.T, t.bias), (70, 12), 1),
    "linear bias gelu": (lambda x: F.gelu(F.linear(x, t.right.T, t.bias)), (5, 12), 1),
    "long rows": (lambda x: F.linear(x, x * 1, x[:, 0] * 2).relu(), (5, 700), 4),
    "linear, relu": (lambda x: F.linear(x, t.left).relu(), (5, 12), 1),
    "product, relu": (lambda x: (x @ t.right).relu(), (5, 12), 1),
    "half": (lambda x: (x.half() @ t.right.half() + t.bias.half()).relu(), (5, 12), 4),
    "batches": (lambda x: (x @ t.right + x[:, :, :1]).exp(), (3, 5, 12), 1),
    "pipelined": (lambda x: (x @ t.right - t.bias).relu(), (66, 12), 1),
    "pipelined, odd": (lambda x: (x @ t.right[:, 1:] - 1).relu(), (65, 12), 1),
    "square, mean": (lambda x: ((x - t.b) ** 2).mean(), (5, 8), 1),
    "exp, sum, log": (lambda x: x.exp().sum(-1).log(), (50, 9), 1),
    "columns": (lambda x: (x.exp() * t.b).sum(0) * 0.5 + t.b, (60, 8), 1),
    "strided": (lambda x: (x * 2).sum(1) - 1, (4, 5, 6), 1),
    "long, largest": (lambda x: (x * 2 + 1).amax(1), (2, 3000), 1),
    "several blocks": (lambda x: (x * x).sum() / 7, (2, 40000), 1),
    "ints": (lambda x: ((x * 9).long() * 3).sum(0), (4, 5), 1),
    "two products": (lambda x: (x @ t.right) * (x @ t.right + 1), (5, 12), 1),
    "of two": (lambda x: x @ t.right - x[:, :3] @ t.right[:3], (5, 12), 2),
}  # fmt: skip


def bits(*tensors):
    return [t.detach().cpu().numpy().tobytes() for t in tensors]


@both.NO_GPU
@pytest.mark.parametrize("name", CASES)
def test_the_values_on_cuda(name, monkeypatch):
    function, shape, _ = CASES[name]
    for key, tensor in vars(t).items():
        monkeypatch.setattr(t, key, tensor.to("cuda"))
    f, near = minigrad.jit(function), 1e-2 if name == "half" else 1e-5
    for _ in range(3):
        x = new(*shape).to("cuda")
        with minigrad.trace() as plain:
            expected = function(x).cpu().numpy()
        with minigrad.trace() as launches:
            got = f(x).cpu().numpy()
        np.testing.assert_allclose(got, expected, near, near)
    assert len(launches) <= len(plain), launches


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_bits_and_the_launches(name):
    function, shape, count = CASES[name]
    f = minigrad.jit(function)
    for _ in range(3):
        x = new(*shape)
        assert bits(f(x)) == bits(function(x))
    with minigrad.trace() as launches:
        f(x)
    assert len(launches) == count, launches


@pytest.mark.slow
@pytest.mark.skipif(nvrtc.missing() is not None, reason=f"not run: {nvrtc.missing()}")
@pytest.mark.parametrize("name", CASES)
def test_nvrtc_takes_the_text(name, monkeypatch, targets):
    function, shape, _ = CASES[name]
    f, texts, compiled = minigrad.jit(function), [], launch.compiled
    f(new(*shape))

    def recorded(text, kernel, device, options=()):
        texts.append((text, kernel, options))
        return compiled(text, kernel, device, options)

    monkeypatch.setattr(launch, "compiled", recorded)
    with minigrad.trace():
        f(new(*shape))
    around = [one for one in texts if "EPILOGUE(i, " in one[0].split("#ifndef")[0]
              or "PROLOGUE(x, " in one[0].split("#ifndef")[0]]  # fmt: skip
    for text, kernel, options in around:
        for arch in targets:
            options = *nvrtc.QUICKLY, *options
            assert nvrtc.compiled(text, arch, (kernel,), options) == ""


def test_what_is_printed_and_drawn():
    f = minigrad.jit(CASES["conv bias relu"][0])
    f(new(2, 3, 8, 8))
    assert "%4 = fused_conv2d_relu %0 %1 %2\n    %3 = conv2d %0 %1 %2" in str(f.graph)
    assert "float v4 = do_relu(v3, float);" in f.code
    assert "4 boxes, 1 of them fused kernels" in repr(minigrad.viz.program(f))


def targets_of(f):
    return [n.target for n in f.graph.nodes if n.op == "call_function"]


def test_what_somebody_else_reads_stays():
    for function in (lambda x: (h := x @ t.right, h.relu()),
                     lambda x: ((h := x @ t.right).relu(), h.sum(0)),
                     lambda x: ((h := x.exp()).sum(0), h)):  # fmt: skip
        f = minigrad.jit(function)
        x = new(5, 12)
        f(x)
        assert bits(*f(x)) == bits(*function(x))
        assert not any(name.startswith("fused") for name in targets_of(f))


def test_a_write_in_between_stays_in_between():
    def function(x):
        y = x * 1
        h = y @ t.right
        y.fill_(0)
        return h.relu() + y.sum()

    f, x = minigrad.jit(function), new(5, 12)
    for _ in range(2):
        assert bits(f(x)) == bits(function(x))
    assert "fused_matmul_relu" not in f.code + str(f.graph)


def test_backward_has_what_it_needs():
    k = new(8, 3, 3, 3).requires_grad_()
    v = new(8).requires_grad_()

    def function(x):
        return F.max_pool2d(F.conv2d(x, k, v).relu(), 2).sum()

    f = minigrad.jit(function)
    with minigrad.kernel_variant("fastest"):
        for _ in range(2):
            results, x = [], new(2, 3, 6, 6)
            for g in (function, f):
                k.grad = v.grad = None
                g(x).backward()
                results.append(bits(k.grad, v.grad))
            assert results[0] == results[1]
        assert "fused_conv2d_relu" in targets_of(f)


def test_a_kernel_of_the_learners_has_no_tail(monkeypatch):
    own = property(lambda exercise: exercise is matmul_batched)
    monkeypatch.setattr(type(matmul_batched), "is_own", own)
    for function in (CASES["linear, relu"][0], CASES["product, relu"][0]):
        f, x = minigrad.jit(function), new(5, 12)
        for _ in range(2):
            assert bits(f(x)) == bits(function(x))
        assert targets_of(f)[-1] == "relu"
        said = minigrad.jit.explain(f)
        assert "stays a kernel of its own: a kernel of yours makes its operand" in said
    with minigrad.kernel_variant("naive"):
        f(x)
        said = minigrad.jit.explain(f)
    assert "no kernel with a place for it makes its operand" in said


def test_a_kernel_without_a_place_refuses():
    epilogue = launch.Epilogue("#define EPILOGUE(i, value) 0\n")
    f = launch.LaunchInfo(x=new(3), epilogue=epilogue)
    with pytest.raises(RuntimeError, match="unary takes no epilogue"):
        launch.Variant("contiguous", "unary", "elementwise.cu").launch("exp", f)
