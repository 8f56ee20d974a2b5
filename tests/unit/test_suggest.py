"""A misspelt attribute suggests the right one, in the message itself."""

import functools
import traceback

import pytest
from answers import filled  # noqa: F401
from table import table

import minigrad
from minigrad import nn, suggest


@functools.cache
def fc():
    return nn.Linear(2, 1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.width = nn.BatchNorm1d(3), 7


# what is written | minigrad's message
MISSPELT = """
fc().wieght                   | 'Linear' object has no attribute 'wieght'. Did you mean: 'weight'?
fc().in_featrues              | 'Linear' object has no attribute 'in_featrues'. Did you mean: 'in_features'?
fc().foward                   | 'Linear' object has no attribute 'foward'. Did you mean: 'forward'?
fc().state_dictt              | 'Linear' object has no attribute 'state_dictt'. Did you mean: 'state_dict'?
Net().encodr                | 'Net' object has no attribute 'encodr'. Did you mean: 'encoder'?
Net().encoder.running_means | 'BatchNorm1d' object has no attribute 'running_means'. Did you mean: 'running_mean'?
Net().widht                 | 'Net' object has no attribute 'widht'. Did you mean: 'width'?
fc().quite_different          | 'Linear' object has no attribute 'quite_different'
fc()._weight                  | 'Linear' object has no attribute '_weight'
minigrad.optim.SGD([fc().bias]).stepp  | 'SGD' object has no attribute 'stepp'. Did you mean: 'step'?
loader().shuffel            | 'DataLoader' object has no attribute 'shuffel'. Did you mean: 'shuffle'?
nn.Lineer                   | module 'minigrad.nn' has no attribute 'Lineer'. Did you mean: 'Linear'?
nn.relu                     | module 'minigrad.nn' has no attribute 'relu'. Did you mean: 'ReLU'?
nn.functional.Softmax       | module 'minigrad.nn.functional' has no attribute 'Softmax'. Did you mean: 'softmax'?
nn.init.kaimin_uniform_     | module 'minigrad.nn.init' has no attribute 'kaimin_uniform_'. Did you mean: 'kaiming_uniform_'?
minigrad.optim.ADAM                  | module 'minigrad.optim' has no attribute 'ADAM'. Did you mean: 'Adam'?
minigrad.optim.lr_scheduler.StepLr   | module 'minigrad.optim.lr_scheduler' has no attribute 'StepLr'. Did you mean: 'StepLR'?
minigrad.ones(2).shap       | 'Tensor' object has no attribute 'shap'. Did you mean: 'shape'?
minigrad.ones(2).reshpe(1)  | 'Tensor' object has no attribute 'reshpe'. Did you mean: 'reshape'?
minigrad.ones(2).requires_grd | 'Tensor' object has no attribute 'requires_grd'. Did you mean: 'requires_grad'?
minigrad.ones(2).astpe      | 'Tensor' object has no attribute 'astpe'
minigrad.ones(2).is_cuda    | 'Tensor' object has no attribute 'is_cuda': PyTorch has it, but minigrad does not. Instead: x.device == "cuda"
minigrad.ones(2).type       | 'Tensor' object has no attribute 'type': PyTorch has it, but minigrad does not. Instead: x.dtype is the type, and x.to(dtype) converts
minigrad.ones(2).prelu      | 'Tensor' object has no attribute 'prelu': PyTorch has it, but minigrad does not
minigrad.cross              | module 'minigrad' has no attribute 'cross': PyTorch has it, but minigrad does not
minigrad.tensr              | module 'minigrad' has no attribute 'tensr'. Did you mean: 'tensor'?
"""  # noqa: E501


def loader():
    return minigrad.data.DataLoader(range(3))


@table("line", MISSPELT.strip().split("\n"))
def test_a_misspelt_name_suggests_the_right_one(line):
    text, message = map(str.strip, line.split(" | "))
    with pytest.raises(AttributeError) as caught:
        eval(text)
    assert str(caught.value) == message
    shown = "".join(traceback.format_exception_only(caught.value))
    assert shown.count("Did you mean") <= 1  # Python adds its own where ours has none


def test_no_name_of_pytorch_is_taken_for_a_misspelling():
    import torch

    x, y = minigrad.ones(2), torch.ones(2)
    f, init = nn.functional, nn.init
    pairs = [
        (minigrad, torch), (x, y), (f, torch.nn.functional), (nn, torch.nn),
        (minigrad.optim, torch.optim), (fc(), torch.nn.Linear(2, 1)),
        (init, torch.nn.init), (minigrad.cuda, torch.cuda),
        (minigrad.optim.lr_scheduler, torch.optim.lr_scheduler),
    ]  # fmt: skip
    python = {"os", "functools", "threading", "ctypes", "types"}
    for own, other in pairs:
        for name in {n for n in dir(other) if n[0] != "_"} - python:
            try:
                getattr(own, name)
            except AttributeError as error:
                hint = str(error).partition("Did you mean: ")[2].strip("'?")
                base = name.strip("_").replace("arc", "a")
                assert not hint or hint.strip("_") in (base, name.strip("_")) or (
                    name in ("divide_", "true_divide_", "absolute")
                ), (name, hint)  # fmt: skip


def test_the_name_of_the_recorder_is_pytorchs_sum_of_a_diagonal():
    with pytest.raises(TypeError, match=r"x\.diagonal\(\)\.sum\(\)"):
        minigrad.trace(minigrad.eye(3))
    assert minigrad.eye(3).diagonal().sum().item() == 3


def test_names_that_are_only_probed_cost_nothing(monkeypatch):
    monkeypatch.setattr(suggest, "nearest", None)
    assert not hasattr(fc(), "__array__") and not hasattr(fc(), "_repr_html_")
    nn.Linear(3, 4)  # registering a name looks whether it is taken


def test_names_that_do_not_exist_may_be_imported_in_vain():
    with pytest.raises(ImportError):
        exec("from minigrad.nn import Lineer", {})
