"""Structs with methods, templates, namespaces, callables: the same bits as g++."""

import cudasim
import numpy as np
import pytest
from cudasim import nvrtc
from snippets import read

import native

TEXTS = read("cpp_files")
THREADS = 8


def result(text):
    y = np.zeros(THREADS, np.float32)
    cudasim.RawKernel(text, "k")(1, THREADS, (y,), shared_mem=256)
    return y


@pytest.mark.slow
@pytest.mark.skipif(bool(native.missing()), reason=f"not run: g++ ({native.missing()})")
@pytest.mark.parametrize("text", TEXTS)
def test_as_compiled(text):
    y = np.zeros(THREADS, np.float32)
    native.run(text, "k", 1, THREADS, (y,), 256)
    assert result(text).tobytes() == y.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_nvrtc_takes_it(text):
    if why := nvrtc.missing():
        pytest.skip(f"not run: C++ in NVRTC ({why})")
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
    ('extern "C"__global__ void k() {}', 'a blank is missing after "C"', 1),
    ("__constant__ float c;\n__global__ void k() { c = 1; }",
     "only the host can write it", 2),
    ("__global__ void k(int* y) {\nint n = 1; auto f = [] { return n; }; *y = f(); }",
     "'n' is undefined", 2),
    ("__global__ void k(int* y) {\nint n = 1; auto f = [n] { n = 2; }; f(); }",
     "this is const", 2),
    ("__device__ auto f(int x);\n__global__ void k() { f(1); }",
     "a function that returns auto is outside", 1),
    ("__global__ void k() { this; }", "'this' stands in a method only", 1),
]  # fmt: skip


@pytest.mark.parametrize("text, message, line", REFUSED)
def test_refused(text, message, line):
    with pytest.raises(cudasim.CompileError) as caught:
        cudasim.compile(text)
    assert message in caught.value.message and caught.value.line == line


def test_names_that_headers_would_bring():
    """NVRTC has no headers for them; `nvrtc.macros` has them for a GPU."""
    text = """
__global__ void k(float* y) {
    uint8_t a = 255;
    y[threadIdx.x] = threadIdx.x ? (float)(FLT_MAX < INFINITY) + a : M_PI;
}"""
    assert result(text)[:2].tolist() == [np.float32(np.pi), 256]
    own = "#define FLT_MAX 2\ntypedef int uint8_t;\n" + text.replace("255", "-1")
    assert result(own)[1] == 0
    assert "#define M_PI" in nvrtc.with_macros(text, nvrtc.macros(text))[0]


def test_a_name_expression_knows_the_macros_of_the_file():
    text = "#define N 3\ntemplate <int n> __global__ void k(float* y) { y[0] = n; }"
    y = np.zeros(1, np.float32)
    cudasim.RawKernel(text, "k<N + 1>")(1, 1, (y,))
    assert y[0] == 4


def test_a_template_with_defaults_is_found_by_its_name():
    text = "template <typename T = float> __global__ void k(T* y) { y[0] = 1; }"
    assert result(text)[0] == 1
    assert cudasim.RawKernel(text, "k").name == "k<>"


@pytest.mark.parametrize(
    "name, where, message",
    [
        ("k<float>", "kernel.cu:2:32: ", "'foo' is undefined"),
        ("k<int, 3>", "name expression:1:1: ", "fewer template parameters"),
        ("k<foo>", "name expression:1:1: ", "template parameter T is a type"),
    ],
)
def test_errors_of_an_instance_stand_in_the_file(name, where, message):
    text = "template <typename T>\n__global__ void k(T* y) { *y = foo(1); }"
    with pytest.raises(cudasim.CompileError) as caught:
        cudasim.RawKernel(text, name)
    assert where in str(caught.value) and message in str(caught.value)


def test_a_call_by_a_null_pointer_ends_the_launch():
    text = """__device__ float f(float x) { return x; }
__global__ void k(float* y) {
    float (*g)(float) = threadIdx.x < 3 ? f : nullptr;
    y[threadIdx.x] = g(1);
}"""
    report = cudasim.run(cudasim.RawKernel(text, "k"), 1, 8, (np.zeros(8, np.float32),))
    findings = [(f.kind, f.line, f.thread[0], f.count) for f in report.findings]
    assert findings == [("trap", 4, 3, 5)]
