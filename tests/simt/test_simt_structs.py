"""Structs with methods, constructors, operators and templates: the same bits as g++."""

import numpy as np
import pytest
from snippets import read

from grading.mutation import nvrtc
from minigrad import simt
from tests.simt import native

TEXTS = read("structs_files")
THREADS = 8


def result(text):
    y = np.zeros(THREADS, np.float32)
    simt.RawKernel(text, "k")(1, THREADS, (y,), shared_mem=256)
    return y


@pytest.mark.skipif(bool(native.missing()), reason=f"not run: g++ ({native.missing()})")
@pytest.mark.parametrize("text", TEXTS)
def test_as_compiled(text):
    y = np.zeros(THREADS, np.float32)
    native.run(text, "k", 1, THREADS, (y,), 256)
    assert result(text).tobytes() == y.tobytes()


@pytest.mark.parametrize("text", TEXTS)
def test_nvrtc_takes_it(text):
    if why := nvrtc.missing():
        pytest.skip(f"not run: structs in NVRTC ({why})")
    assert nvrtc.compiled(text) == ""


REFUSED = [
    ("struct P { int a; __device__ void f() { a = 1; } };\n"
     "__global__ void k() { const P p = {1}; p.f(); }",
     "drop const", 2),
    ("struct P { int a; };\n__global__ void k() { P p; p.f(); }",
     "'P' has no function 'f'", 2),
    ("struct P { __device__ P(int a) {} };\n__global__ void k() { P p; }",
     "too few arguments: 'P' takes 1, not 0", 2),
    ("template <typename T> struct P { T a; };\n__global__ void k() { P<int, 3> p; }",
     "'P' has fewer template parameters", 2),
    ("template <typename T> struct P;\n__global__ void k() { P<int> p; }",
     "'P<int>' is not defined yet", 2),
    ("struct P { int a; };\n__global__ void k() { P p, q; p + q; }",
     "no operator '+' for 'P' and 'P'", 2),
    ("struct P { int a; void f() {} };\n__global__ void k() { P p; p.f(); }",
     "'P' has no function 'f'", 2),
    ("__global__ void k() { this; }", "'this' stands in a method only", 1),
]  # fmt: skip


@pytest.mark.parametrize("text, message, line", REFUSED)
def test_refused(text, message, line):
    with pytest.raises(simt.CompileError) as caught:
        simt.compile(text)
    assert message in caught.value.message and caught.value.line == line
