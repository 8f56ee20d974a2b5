"""Methods as functions of the module, and PyTorch's names that stand elsewhere."""

import inspect
import math
import re
import subprocess
import sys

import pytest
from answers import filled  # noqa: F401
from both import assert_like_torch, slow_on_sim
from table import table

import minigrad
from minigrad.functions import FUNCTIONS

torch = pytest.importorskip(
    "torch", reason="not run: tests against PyTorch (torch is not installed)"
)

ALIKE = """
m.abs(x) | m.add(x, y) | m.add(x, y, alpha=2) | m.add(2, x) | m.add(2, other=x)
m.sub(2, x) | m.mul(2.5, x) | m.div(1, x) | m.pow(2, y) | m.pow(x, 2) | m.exp(input=x)
m.all(x > 1) | m.any(x > 1, 0) | m.amax(x, 1) | m.amin(x, (0, 1)) | m.argmax(x, dim=1)
m.argmin(x) | m.as_strided(x, (2, 2), (1, 2)) | m.bitwise_and(z, 6) | m.bitwise_not(z)
m.bitwise_or(z, z) | m.bitwise_xor(z, 5) | m.clamp(x, 0, 1) | m.clamp(x, max=0.5)
m.clone(x) | m.cos(x) | m.detach(x) | m.eq(x, y) | m.erf(x) | m.flatten(x) | m.ge(x, 1)
m.floor_divide(x, 2) | m.gather(x, 1, z) | m.gt(x, y) | m.index_select(x, 0, z[0] % 2)
m.le(x, y) | m.log(x) | m.log_softmax(x, 1) | m.logical_and(x, y) | m.logical_not(x)
m.logical_or(x, y) | m.lt(x, y) | m.masked_fill(x, x > 1, 3) | m.max(x) | m.max(x, y)
m.max(x, 1)[0] | m.maximum(x, y) | m.mean(x, 0, True) | m.min(x, 1)[1] | m.minimum(x, y)
m.ne(x, y) | m.neg(x) | m.permute(x, (1, 0)) | m.positive(x) | m.prod(x, 1)
m.relu(x) | m.remainder(x, 2) | m.reshape(x, (3, 2)) | m.rsqrt(y) | m.sigmoid(x)
m.sin(x) | m.softmax(x, dim=0) | m.sqrt(y) | m.squeeze(x[:1], 0) | m.std(x) | m.sum(x)
m.sum(x, dim=1, keepdim=True) | m.sum(x, axis=0) | m.tanh(x) | m.transpose(x, 0, 1)
m.tril(x) | m.triu(x, 1) | m.unsqueeze(x, 0) | m.var(x, 1) | m.isnan(x) | m.isinf(x)
m.isfinite(x) | m.isfinite(z) | m.isinf(z) | x.isfinite() | x.isinf() | m.isinf(x > 1)
m.isclose(x, y) | m.isclose(x, x) | m.isclose(x, x, equal_nan=True) | x.isclose(y, 0.5)
x.isclose(y, atol=1.5) | m.isclose(z, z + 1, 0.3) | m.isclose(z > 1, z > 2)
m.isclose(x, x[0]) | x.isclose(x * (1 + 1e-6)) | x.isclose(y, -1) | x.isclose(z)
m.exp() | m.isclose(x, y, atol=-1) | m.maximum(2, x) | m.softmax([1.0], 0)
m.t(x) | x[0].t() | x[0, 0].t() | x[None].t()
x.to(m.float64) | (x > 1).to(m.float) | m.functional.dropout(input=x, p=0.0)
m.ceil(x) | m.floor(x) | m.trunc(x) | m.round(x) | m.frac(x) | m.sign(x)
m.clip(x, 0, 1) | m.addmm(y, x, x.T @ x) | m.bmm(x[None], x.T[None]) | m.mm(x, y.T)
m.mv(x, y[0])
m.dot(y[0], y[1]) | m.outer(y[0], y[1]) | m.mm(x, y[0]) | m.dot(x, y) | m.bmm(x, y)
m.cumsum(y, 1) | m.cumsum(z, 0) | m.cumprod(y, dim=0) | m.cumprod(z, -1) | m.cumsum(x)
m.logcumsumexp(x, 1) | m.logsumexp(x, 1) | m.logsumexp(x, (0, 1), True) | m.norm(x[1])
m.norm(x, dim=1) | m.norm(z) | m.var_mean(x, 1) | m.std_mean(y[1], correction=0)
m.einsum("ij,kj->ik", x, y) | m.einsum("ij,kl", x)
m.lerp(x, y, 0.5) | m.tan(x) | m.asin(x) | m.acos(x) | m.atan(x) | m.atan2(x, y)
m.sinh(x) | m.cosh(x) | m.asinh(x) | m.acosh(y) | m.atanh(x) | m.exp2(x) | m.expm1(x)
m.flip(x, (0,)) | m.tile(x, (2, 1)) | m.split(x, 2) | m.roll(x, 1)
m.movedim(x, 0, 1) | m.chunk(x, 2, 1) | m.topk(y, 1) | m.argsort(x, 0) | m.sort(y, 1)
m.diag(x[0]) | m.diagonal(x) | m.unique(y) | m.unbind(x, 1)
m.scatter(x, 0, x.long() * 0, 2) | m.scatter_add(x, 0, x.long() * 0, y)
m.log1p(y) | m.log2(y) | m.log10(y) | x.floor_() | x.tan_() | m.nonzero(z)
m.masked_select(x, x > 1)
m.functional.relu(x, inplace=True) | m.exp(x, out=x.long()) | m.matmul(x) | x.exp(2)
"""


def split(table):
    return re.split(r"\s*[|\n]\s*", table.strip())


@slow_on_sim
@table("text", split(ALIKE))
@pytest.mark.filterwarnings("ignore")
def test_like_torch(text, device):
    assert_like_torch(
        lambda m, x, y, z: eval(text, {"m": m, "x": x, "y": y, "z": z}),
        device,
        lambda m: [
            m.tensor([[1.5, -math.inf, math.nan], [0.25, 2.0, -0.5]]),
            m.tensor([[1.0, 4.0, math.nan], [0.25, 3.0, 2.0]]),
            m.tensor([[0, 1, 2], [1, 0, 0]]),
        ],
        terms=6,
        magnitude=4.0,
    )


TRUE = """
m.allclose(x, x + 1e-9) | m.allclose(x, x + 0.1) | m.allclose(x, x + 0.1, atol=0.2)
m.allclose(x, x.double()) | m.allclose(x, 1.0) | m.allclose(n, n)
m.allclose(n, n, equal_nan=True) | m.allclose(m.zeros(0), m.zeros(0)) | m.equal(x, x)
m.equal(x, x[0]) | m.equal(n, n) | m.equal(x, x.long()) | x.equal(x + 1) | x.equal(2)
m.equal(m.zeros(0), m.zeros(0)) | m.numel(x) | x.allclose(x[0])
"""


@table("text", split(TRUE))
def test_answers_are_pythons(text):
    results = []
    for m in (minigrad, torch):
        names = {"x": m.arange(6.0).view(2, 3), "n": m.tensor([1, math.nan])}
        try:
            results.append(eval(text, {"m": m, **names}))
        except (RuntimeError, TypeError) as error:
            results.append(type(error))
    assert type(results[0]) is type(results[1])
    assert results[0] == results[1]


def test_each_is_a_function_of_pytorch_and_is_tried():
    for name in FUNCTIONS:
        assert callable(getattr(torch, name))
        assert any(f"m.{name}(" in text for text in split(ALIKE) + split(TRUE)), name


def test_an_argument_that_is_no_tensor_is_named():
    for call in (
        minigrad.exp,
        minigrad.softmax,
        minigrad.sum,
        minigrad.functional.softmax,
    ):
        with pytest.raises(
            TypeError, match="'input' must be Tensor, not list: minigrad"
        ):
            call([1.0, 2.0], 0)
    with pytest.raises(TypeError, match=r"exp\(\) missing 1 required .* 'input'"):
        minigrad.exp()
    with pytest.raises(TypeError, match="'other' must be Tensor, not float"):
        minigrad.allclose(minigrad.ones(2), 1.0)
    with pytest.raises(RuntimeError, match="float32 did not match int64"):
        minigrad.ones(2).isclose(minigrad.arange(2))


def test_a_dimension_that_is_a_tensor_is_read_at_each_call():
    x, dim = minigrad.arange(6).reshape(2, 3), minigrad.tensor(0)
    for expected in (3,), (2,):
        for result in (x.sum(dim), x.amax((dim,)), x.float().std(dim), x.argmax(dim)):
            assert result.shape == expected
        dim.fill_(1)


def test_functions_keep_their_gradients():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    minigrad.sum(minigrad.pow(x, 3)).backward()
    assert x.grad.tolist() == [3, 12]


def test_names_of_pytorch_that_stand_elsewhere():
    import minigrad.nn.functional as F  # noqa: N812

    assert F is minigrad.functional
    assert minigrad.long is minigrad.int64 and minigrad.float is minigrad.float32
    assert minigrad.zeros(2, dtype=minigrad.int).dtype == minigrad.int32
    for name, instead in {
        "save": "save_file", "device": '"sim"',
        "utils": "DataLoader", "load": "load_file",
    }.items():  # fmt: skip
        with pytest.raises(AttributeError, match=f"no attribute '{name}'.*{instead}"):
            getattr(minigrad, name)
    assert not hasattr(minigrad, "foo")
    assert minigrad.cuda.is_available() == minigrad.gpu_available()


def test_a_star_import_leaves_pythons_own_names_alone():
    names = {}
    exec("from minigrad import *", names)
    assert "exp" in names
    assert not {"sum", "max", "abs", "float", "int", "bool"} & set(names)


MISTAKES = """
m.functional.tanh()          | tanh() takes 1 operands .. but 0 were given
m.functional.tanh(x, foo=1)  | tanh() got an unexpected keyword argument 'foo'
m.matmul(x, x, out=x)        | matmul() got an unexpected keyword argument 'out'
m.matmul(x)                  | matmul() missing 1 .. 'other'
x.matmul()                   | matmul() missing 1 .. 'other'
m.add(x, x, out=x)           | add() got an unexpected keyword argument 'out'
x.sub()                      | sub() missing 1 required positional argument: 'other'
x.where(x > 1, x, foo=1)     | where() got an unexpected keyword argument 'foo'
m.functional.relu([1], True) | relu(): argument 'input' must be Tensor, not list
"""


@table("line", MISTAKES.strip().split("\n"))
@pytest.mark.parametrize("known", [False, True])
def test_arguments_that_no_operator_takes_are_reported_by_its_name(line, known):
    text, words = line.split(" | ")
    x = minigrad.ones(2, 2)
    if known:  # what runs for such operands is kept
        minigrad.functional.tanh(x), minigrad.matmul(x, x), minigrad.add(x, x)
    with pytest.raises(TypeError) as caught:
        eval(text, {"m": minigrad, "x": x})
    for piece in words.strip().split(" .. "):
        assert piece in str(caught.value)


DATA = """
x.data.fill_(2)
x.data = x.data - 1
x.data -= 0.5
x.data.mul_(y)
x.data = y[0]
x.data = y.T
"""


@table("statement", DATA.strip().split("\n"))
def test_data_is_the_memory_without_a_history(statement):
    results = []
    for m in (minigrad, torch):
        x = m.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        exec(statement, {"x": x, "y": m.tensor([[5.0, 6.0], [7.0, 8.0]])})
        (x * x).sum().backward()
        assert x.is_leaf and x.requires_grad and not x.data.requires_grad
        results.append([tuple(x.shape), x.tolist(), x.grad.tolist()])
    assert results[0] == results[1]


def test_data_of_another_kind_is_refused():
    x = minigrad.ones(2)
    for new in (minigrad.arange(2), minigrad.ones(2, device="sim"), [1.0, 2.0]):
        with pytest.raises(RuntimeError, match="x.data = y takes a tensor of x's own"):
            x.data = new


def test_help_shows_what_a_method_does():
    """Its own name and a docstring, not those of the machinery that calls kernels."""
    for name in FUNCTIONS:
        method = getattr(minigrad.Tensor, name)
        assert method.__doc__, name
        assert getattr(minigrad, name).__doc__ == method.__doc__
    for name in ("exp", "mul", "sum", "softmax", "floor", "var", "gather"):
        assert getattr(minigrad.Tensor, name).__name__ == name
    assert str(inspect.signature(minigrad.Tensor.exp)) == "(input)"
    assert "keepdim" in inspect.signature(minigrad.Tensor.sum).parameters


IMPORTED = """
import sys
import numpy
before = {*sys.modules}
import minigrad
print(*{*sys.modules} - before)
"""
LARGE = {"cudasim", "http", "minigrad.data", "minigrad.jit.compiled", "urllib.request"}


def test_the_import_loads_little():
    """Half of the modules that it had, none of the simulator, and NumPy alone."""
    command = [sys.executable, "-c", IMPORTED]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    modules = {*output.split()}
    assert len([m for m in modules if m.startswith(("minigrad", "cudasim"))]) <= 120
    assert len(modules) <= 150
    assert not modules & LARGE


AT_ONCE = """
import os, minigrad
for name in {}:
    assert name in dir(minigrad) and name in minigrad.__all__, name
    if not os.fork():  # where no other name was used before
        os._exit(not getattr(minigrad, name))
    assert os.wait()[1] == 0, name
"""


def test_what_is_loaded_at_first_use_is_there_from_the_start():
    names = [*minigrad._AT_FIRST_USE, "jit", "trace", "random"]
    subprocess.run([sys.executable, "-c", AT_ONCE.format(names)], check=True)


def test_a_file_that_is_imported_does_not_hide_the_function_of_its_name():
    code = """
import minigrad.graph, minigrad.jit.compiled, minigrad.trace
minigrad.jit(abs)
with minigrad.trace() as launches:
    assert not launches
"""
    subprocess.run([sys.executable, "-c", code], check=True)
