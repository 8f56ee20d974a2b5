"""nvcc, where it is; elsewhere it is said what would be needed."""

import shutil
import sys

import pytest

from minigrad.testing import toolkit

KERNEL = 'extern "C" __global__ void one(float* x) { x[threadIdx.x] = 1; }\n'
HELLO = '#include <cstdio>\nint main() { printf("hello\\n"); }\n'


@pytest.fixture
def nvcc():
    if shutil.which("nvcc") is None:
        pytest.skip("not run: tests of nvcc (no CUDA toolkit)")


@pytest.mark.slow
def test_a_text_becomes_ptx(nvcc):
    ptx = toolkit.ptx(KERNEL, 90)
    assert "st.global" in ptx
    assert ".target sm_90" in ptx


@pytest.mark.slow
def test_what_the_compiler_says_names_no_folder(nvcc):
    said = toolkit.nvcc(KERNEL.replace("=", "=="), "-cubin", "-arch=sm_75")
    assert said.startswith("kernel.cu(1)")
    with pytest.raises(ValueError, match="kernel.cu"):
        toolkit.ptx("nonsense")


@pytest.mark.slow
def test_a_program_is_compiled_and_runs(nvcc, capsys):
    toolkit.program(HELLO)
    assert capsys.readouterr().out == "hello\n"
    toolkit.program(HELLO.replace(";", ""))
    assert "kernel.cu" in capsys.readouterr().out


def test_without_a_toolkit_it_is_said_what_would_be_needed(monkeypatch, capsys):
    monkeypatch.setattr(toolkit.shutil, "which", lambda name: None)
    toolkit.program(HELLO)
    assert capsys.readouterr().out == f"{toolkit.MISSING}\n"
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(toolkit.NoCompiler, match="not run: nvcc is not here"):
        toolkit.ptx(KERNEL)
