"""Mistakes with layers, losses and functionals: PyTorch refuses them as well."""

import warnings

import numpy as np
import pytest
from answers import filled  # noqa: F401
from both import torch
from table import table

import minigrad
from minigrad import nn

# what is written | error | words of minigrad's message
MISTAKES = """
nn.Linear(3, 2)(a(1, 3))              | TypeError | linear.*'input' must be Tensor, not ndarray
nn.Linear(3, 2)([[1.0, 2.0, 3.0]])    | TypeError | linear.*'input' .* not list: minigrad.tensor
nn.Linear(3, 2)(None)                 | TypeError | linear.*'input' .* not NoneType
nn.Linear(3, 2)(m.ones(1, 4))         | RuntimeError | last size must be in_features = 3
nn.Linear(3, 2)(m.ones(3).long())     | RuntimeError | int64 and float32
nn.Linear("3", 2)                     | TypeError | '3'
nn.Linear(-1, 2)                      | RuntimeError | -1
without_weight(nn.Linear(1, 1))(m.ones(1)) | TypeError | 'weight' .* not NoneType
f.linear(m.ones(1, 3), a(2, 3))       | TypeError | 'weight' must be Tensor, not ndarray
f.linear(m.ones(1, 3), m.ones(2, 3), [0.0, 0.0]) | TypeError | 'bias' .* not list
nn.Conv2d(1, 2, 3)(a(1, 1, 5, 5))     | TypeError | conv2d.*'input' must be Tensor, not ndarray
nn.Conv2d(1, 2, 3)([[1.0]])           | TypeError | conv2d.*'input' .* not list
nn.Conv2d(1, 2, "3")                  | TypeError | '3'
nn.Conv2d(1, 2, 3, padding="sane")    | ValueError | Invalid padding string 'sane'
nn.Conv2d(1, 2, 3, padding="same", stride=2) | ValueError | 'same' is not supported for str
nn.Conv2d(3, 2, 3, groups=2)          | ValueError | in_channels must be divisible by groups
nn.Conv2d(2, 3, 3, groups=2)          | ValueError | out_channels must be divisible by gr
nn.Conv2d(1, 2, 3, stride=1.5)(m.ones(1, 1, 5, 5)) | TypeError | stride is an int, .* not .1.5, 1.5.
nn.Conv2d(1, 2, 3, padding=None)(m.ones(1, 1, 5, 5)) | TypeError | padding is an int, or
f.conv2d(m.ones(1, 1, 5, 5), a(1, 1, 3, 3))         | TypeError | 'weight' .* not ndarray
f.conv2d(m.ones(1, 1, 5, 5), m.ones(1, 1, 3, 3), [1.0]) | TypeError | 'bias' must .* not list
f.conv2d(m.ones(1, 1, 5, 5), m.ones(1, 1, 3, 3), groups="a") | TypeError | 'a'
nn.MaxPool2d(2)([1.0])                | TypeError | max_pool2d.*'input' .* not list
nn.AvgPool2d(2)(a(1, 1, 4, 4))        | TypeError | avg_pool2d.*'input' .* not ndarray
f.avg_pool2d(m.ones(1, 1, 4, 4), 2, divisor_override="a") | TypeError | 'a'
nn.Embedding(3, 2)([0, 1])            | TypeError | embedding.*'input' must be Tensor, not list
nn.Embedding(3, 2)(m.ones(1))         | RuntimeError | scalar type Long, but got float32
nn.Embedding(3, 2)(m.tensor([3]))     | IndexError | out of
f.embedding(m.tensor([0]), a(3, 2))   | TypeError | 'weight' must be Tensor, not ndarray
f.embedding(m.tensor([0]), m.ones(3)) | RuntimeError | 'weight' must be 2-D
f.embedding(m.tensor([0]), m.ones(3, 2), padding_idx=7) | AssertionError | within num_embed
nn.BatchNorm1d(3)(a(2, 3))            | TypeError | batch_norm.*'input' .* not ndarray
nn.BatchNorm2d(3)([[1.0]])            | TypeError | batch_norm.*'input' .* not list
nn.BatchNorm1d(3)(m.ones(2, 3).double()) | RuntimeError | mixed dtype: the input is float64
f.batch_norm(m.ones(2, 3), [0.0] * 3, [1.0] * 3) | TypeError | 'running_mean' .* not list
nn.LayerNorm(3)(a(2, 3))              | TypeError | layer_norm.*'input' .* not ndarray
f.layer_norm(m.ones(2, 3), (3,), [1.0] * 3) | TypeError | 'weight' must be Tensor, not list
nn.LayerNorm(3.0)                     | TypeError | 3.0
nn.Dropout("0.5")                     | TypeError | dropout.*'p' must be Number, not str
nn.Dropout(2)                         | ValueError | between 0 and 1, but got 2
nn.Dropout()([1.0])                   | TypeError | dropout.*'input' must be Tensor, not list
nn.Dropout().eval()(a(3))             | TypeError | dropout.*'input' .* not ndarray
nn.Dropout()(m.ones(3).long())        | RuntimeError | float
nn.Flatten()(a(2, 3))                 | TypeError | flatten.*'input' .* not ndarray
nn.Flatten()([1])                     | TypeError | flatten.*'input' .* not list
nn.CrossEntropyLoss(label_smoothing="0")(m.ones(2, 2), m.tensor([0, 1])) | TypeError | must be
nn.MSELoss()(m.ones(3), [1.0] * 3)    | TypeError | mse_loss.*'target' must be Tensor, not list
nn.MSELoss()(a(3), m.ones(3))         | TypeError | mse_loss.*'input' .* not ndarray
nn.MSELoss()(m.ones(3).long(), m.ones(3).long()) | DispatchError | no kernel for int64
nn.BCEWithLogitsLoss()(m.ones(3), [1.0] * 3) | TypeError | 'target' must be Tensor, not list
nn.BCEWithLogitsLoss()(m.ones(3), m.ones(3).long()) | RuntimeError | not int64: target.float
f.binary_cross_entropy_with_logits(m.ones(3), m.ones(3), pos_weight=2.0) | TypeError | 'pos_weight'
nn.CrossEntropyLoss()(a(2, 3), m.tensor([0, 1])) | TypeError | 'input' .* not ndarray
nn.CrossEntropyLoss()(m.ones(2, 3), [0, 1])      | TypeError | 'target' .* not list
nn.CrossEntropyLoss()(m.ones(2, 3), a(2))        | TypeError | 'target' .* not ndarray
nn.CrossEntropyLoss()(m.ones(2, 3), m.ones(2))   | RuntimeError | to be int64, .* target.long
nn.CrossEntropyLoss()(m.ones(2, 3), m.tensor([0, 3])) | IndexError | Target 3 is out of bou
nn.CrossEntropyLoss(weight=m.ones(3).double())(m.ones(2, 3), m.tensor([0, 1])) | RuntimeError | weight of the input's dtype float32, but found float64
nn.CrossEntropyLoss(weight=m.ones(2))(m.ones(2, 3), m.ones(2, 3)) | RuntimeError | for all 3 classes
nn.CrossEntropyLoss(ignore_index="a")(m.ones(2, 3), m.tensor([0, 1])) | TypeError | 'ignore_index' must be int, not 'a'
nn.NLLLoss()(m.ones(2, 3), [0, 1])               | TypeError | nll_loss.*'target' .* not list
f.cross_entropy(m.ones(2, 3), m.tensor([0, 1]), [1.0] * 3) | TypeError | 'weight' .* not list
nn.init.uniform_([1.0])               | TypeError | uniform_.*'tensor' must be Tensor, not list
nn.init.zeros_(nn.Linear(1, 1))       | TypeError | must be Tensor, not Linear
nn.init.uniform_(m.ones(2), 1, 0)     | RuntimeError | range, but found a=1 > b=0
nn.init.normal_(m.ones(2), 0, -1)     | RuntimeError | std >= 0.0, but found std -1
nn.Sequential([nn.ReLU(), nn.ReLU()]) | TypeError | list is not a Module subclass: Sequential..l
nn.Sequential(f.relu)                 | TypeError | is not a Module .* or is a layer as nn.ReLU
nn.Sequential(nn.ReLU)                | TypeError | ReLU is a class, no module yet: ReLU
nn.Sequential(nn.ReLU()).insert(5, nn.Tanh())  | IndexError | Index out of range: 5
nn.Sequential(nn.ReLU()).insert(0, f.relu)     | TypeError | is not a Module subclass
nn.Sequential(nn.ReLU()) + nn.Tanh()           | TypeError | a list of modules, or append
nn.Sequential(nn.ReLU())["0"]                  | TypeError | 'str' object
nn.ModuleList(nn.ReLU())                       | TypeError | should be called with an iterable
nn.ModuleList([nn.ReLU()]).pop(3)              | IndexError | index 3 is out of range
nn.Linear(1, 1).to("gpu")             | RuntimeError | no device 'gpu': a tensor is on one of
Forgetful()(m.ones(1))                | AttributeError | Forgetful.__init__.. not begin with sup
Early()                               | AttributeError | cannot assign .* super.* the first line
hooked(lambda *_: (m.ones(1, 1), m.ones(1, 1)), True) | RuntimeError | got 2, but expected 1
hooked(lambda *_: (m.ones(1, 1),), False)             | RuntimeError | no input requires grad
"""  # noqa: E501


def names(m):
    """What an expression of the table may use, of minigrad or of PyTorch."""
    lib, functional = m.nn, m.functional if m is minigrad else m.nn.functional

    class Forgetful(lib.Module):
        def __init__(self):
            self.size = 3

    class Early(lib.Module):
        def __init__(self):
            self.fc = lib.Linear(1, 1)
            super().__init__()

    def hooked(hook, requires_grad):
        layer = lib.Linear(1, 1)
        layer.register_full_backward_hook(hook)
        layer(m.ones(1, 1, requires_grad=requires_grad)).sum().backward()

    def without_weight(layer):
        layer.weight = None
        return layer

    def a(*size):
        return np.ones(size, np.float32)

    here = {"Forgetful": Forgetful, "Early": Early, "hooked": hooked, "a": a}
    return {
        **here,
        "m": m,
        "nn": lib,
        "f": functional,
        "without_weight": without_weight,
    }


@table("line", MISTAKES.strip().split("\n"))
@pytest.mark.filterwarnings("ignore")
def test_a_mistake_is_reported(line):
    text, error, words = map(str.strip, line.split(" | "))
    with pytest.raises(Exception):  # noqa: B017  PyTorch's own may be any
        eval(text, names(torch))
    with pytest.raises(Exception, match=words) as caught:
        eval(text, names(minigrad))
    assert caught.type.__name__ == error
    with minigrad.kernel_variant("fastest"), pytest.raises(Exception, match=words):
        eval(text, names(minigrad))


BOTH = """
nn.Linear(0, 3)(m.ones(2, 0)) * 0
nn.Linear(3, 0)(m.ones(2, 3))
nn.Conv2d(0, 2, 3).weight
nn.init.kaiming_normal_(m.ones(3, 0))
nn.init.orthogonal_(m.ones(0, 3))
nn.CrossEntropyLoss()(m.ones(2, 3), m.tensor([0, 2]).to(m.uint8))
nn.CrossEntropyLoss()(m.ones(2, 3), m.tensor([-100, -100]))
nn.CrossEntropyLoss(reduction="sum")(m.ones(2, 3), m.tensor([-100, -100]))
nn.CrossEntropyLoss()(m.ones(0, 3), m.zeros(0).long())
nn.CrossEntropyLoss(label_smoothing=0.1)(m.arange(6.0).view(2, 3), m.tensor([-100, 2]))
f.cross_entropy(m.ones(2, 3), m.ones(2, 3), m.arange(3.0), label_smoothing=0.1)
nn.MSELoss()(m.ones(0), m.ones(0))
nn.MSELoss()(m.ones(3), m.ones(3).long())
nn.LayerNorm(np.int64(3))(m.arange(6.0).view(2, 3))
nn.BatchNorm1d(3)(m.arange(6.0).view(2, 3).half())
nn.Dropout(1.0)(m.ones(3))
nn.Dropout().eval()(m.ones(3).long())
"""


@table("text", BOTH.strip().split("\n"))
def test_what_is_odd_but_no_mistake(text):
    results, warned = [], []
    for m in minigrad, torch:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            y = eval(text, {**names(m), "np": np}).detach()
        dtype = str(y.dtype).removeprefix("torch.")
        results.append(((dtype, *y.shape), y.flatten().tolist()))
        warned.append({str(w.message) for w in caught if w.category is UserWarning})
    assert results[0][0] == results[1][0]
    assert results[0][1] == pytest.approx(results[1][1], rel=1e-5, nan_ok=True)
    assert warned[0] == warned[1]


# ------------------------------------------------- lists of modules

LISTS = """
x += [tanh]                 | x + [tanh]                | x.append(tanh)
x.extend(t for t in [tanh]) | x.insert(0, tanh)         | x.insert(9, tanh)
x.pop(0)                    | x.pop(-1)                 | x[0:1]
x[-1]                       | x[0] = tanh               | x[1:] + x
del x[0]                    | del x[:1]                 | lib.ModuleList(None)
tanh in x                   | len(x)                    | [*reversed(x)]
"""
ROWS = """
x += lib.Sequential(tanh)   | x + lib.Sequential(tanh)  | x.append(tanh)
x.extend([tanh])            | x.insert(0, tanh)         | x.insert(-1, tanh)
x.pop(0)                    | x.pop(-1)                 | x[0:1]
del x[0]                    | x[0] = tanh               | x[1:]
"""


def after(lib, kind, text):
    """What an expression or a statement gives, and the modules that x has then."""
    modules = [lib.ReLU(), lib.Dropout()]
    x = lib.ModuleList(modules) if kind == "list" else lib.Sequential(*modules)
    given = {"x": x, "lib": lib, "tanh": lib.Tanh()}
    try:
        result = eval(text, given)
    except SyntaxError:
        result = exec(text, given)
    return repr(result), [repr(module) for module in given["x"]]


@pytest.mark.parametrize("kind, table", [("list", LISTS), ("row", ROWS)])
def test_modules_are_held_as_by_pytorch(kind, table):
    for text in table.strip().replace("\n", " | ").split(" | "):
        ours, theirs = (after(lib, kind, text.strip()) for lib in (nn, torch.nn))
        assert ours[1] == theirs[1], text
        if "insert(9" not in text:  # PyTorch's name of that is "9"
            assert ours == theirs, text
