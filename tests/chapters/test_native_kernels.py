"""Kernels of lab 11 as extensions of PyTorch, with the simulator in nvcc's place."""

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

import importlib  # noqa: E402

import numpy as np  # noqa: E402

from grading.checking.check import find_check  # noqa: E402
from grading.checking.kernel_judgment import NotRun  # noqa: E402
from grading.kernels.simulation import Simulator, Text  # noqa: E402
from minigrad.exercises.answers import load_references  # noqa: E402
from minigrad.exercises.registry import find  # noqa: E402
from minigrad.testing import native  # noqa: E402
from tools.audit.specimens import specimens_of  # noqa: E402

LAB = "11_extending_pytorch"
NAMES = "bias_gelu_backward", "bias_backward"
TYPES = {"f": ("float", "float"), "d": ("double", "double"), "e": ("__half", "float")}
kernels = importlib.import_module(f"grading.checks.{LAB}.bias_kernels")


def simulated(name, text, cases):
    """What cpp.launched gives."""
    outputs = []
    for arrays, sizes, threads in cases:
        types = TYPES[arrays[0].dtype.char]
        one = kernels.launch((*arrays, *np.int32(sizes)), threads, 256, *types)
        ran = Text(text, Simulator()).launched(find(name), one)
        assert not hasattr(ran, "kind"), ran
        outputs += ran.arrays.values()
    return outputs


def measured(name, text):
    check = find_check(find(name))
    ((part, judge),) = check.on_gpu.items()
    assert part == "as an extension of PyTorch"
    return [*judge(check.exercise, text)]


@pytest.fixture(autouse=True)
def built(monkeypatch):
    load_references(LAB)
    monkeypatch.setattr(native, "has_nvcc", lambda: True)
    monkeypatch.setattr(kernels, "launched", simulated)


@pytest.mark.parametrize("name", NAMES)
def test_a_right_kernel_is_right_in_three_dtypes(name):
    assert measured(name, find(name).reference) == [(True, "")] * 3


@pytest.mark.parametrize(
    ("name", "mistake", "dtype"),
    [
        ("bias_gelu_backward", "no_bias", "float32"),
        ("bias_gelu_backward", "tanh", "float64"),
        ("bias_gelu_backward", "share_alone", "float16"),
        ("bias_backward", "rows", "float32"),
    ],
)
def test_a_wrong_kernel_is_wrong(name, mistake, dtype):
    (one,) = [s for s in specimens_of(find(name)) if s.title == mistake]
    assert (False, f"in {dtype} the values are not right") in measured(name, one.answer)


def test_what_is_not_built_is_wrong_and_says_why(monkeypatch):
    monkeypatch.setattr(kernels, "launched", lambda *_: "nvcc refuses it")
    assert measured("bias_gelu_backward", "") == [(False, "nvcc refuses it")]


def test_without_nvcc_it_is_not_run(monkeypatch):
    monkeypatch.setattr(native, "has_nvcc", lambda: False)
    with pytest.raises(NotRun, match="it needs nvcc and PyTorch with CUDA"):
        measured("bias_gelu_backward", "")
