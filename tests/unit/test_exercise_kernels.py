"""Exercises for CUDA C."""

import pytest
from empty_exercises import ex, nothing_answered, refusal  # noqa: F401

from minigrad import course, layout, solves
from minigrad.exercises.order import ORDER
from minigrad.exercises.registry import NotAnswered, kernel_exercise

offset_of, index_of = layout.offset_of, layout.index_of


DECLARATION = """\
// y[i] = a * x[i]
__global__ void scale(const float* x, float* y, float a, int n);
"""
KERNEL = """__global__ void scale(const float* x, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}"""


@pytest.fixture
def scale(monkeypatch):
    monkeypatch.setitem(ORDER, course.chapter("16").name, ["scale"])
    return kernel_exercise(DECLARATION, points=2)


# ------------------------------------------------------------ kernels


def test_kernel(scale):
    assert scale.parameters == ["const float* x", "float* y", "float a", "int n"]
    with pytest.raises(NotAnswered, match="^scale has no answer yet"):
        print(scale.text)
    assert solves(scale)(KERNEL) is scale
    assert scale.text == KERNEL
    assert repr(scale) == "<exercise 16.1 scale: answered>"
    with pytest.raises(TypeError, match="scale is a kernel: launch it"):
        scale(1, 2)


@pytest.mark.parametrize(
    "head",
    [
        "__global__ void scale(const float *x, float *y, float a, int n)",
        "__global__ void scale(float const* x, float* y, float a, int n)",
        "__global__ void\nscale(\n  const float* x,  // in\n  float* y,\n"
        "  float a, int n)",
        "/* (float* z) */ __global__ void scale(const float* /* x, */ x, float* y,"
        " float a, int n)",
        'extern "C" __global__ void scale(const float* x, float* y, float a, int n)',
        "__global__ void __launch_bounds__(256, 2) scale(const float* x, float* y,"
        " float a, int n)",
        "__launch_bounds__(256) __global__ void scale(const float* __restrict__ x,"
        " float* __restrict y, float a, int n)",
        "__device__ float twice(float x) { return 2 * x; }\n"
        "__global__ void other(int n) {}\n"
        "__global__ void scale(const float* x, float* y, float a, int n)",
    ],
)
def test_right_declarations(scale, head):
    solves(scale)(head + " { }")
    assert scale.answer


@pytest.mark.parametrize(
    ("text", "got"),
    [
        (
            KERNEL.replace("const ", ""),
            "void scale(float* x, float* y, float a, int n)",
        ),
        (KERNEL.replace("int n", "long n"), "float a, long n)"),
        (
            KERNEL.replace(", float a", ""),
            "void scale(const float* x, float* y, int n)",
        ),
        (KERNEL.replace("scale(", "scael("), "no kernel `__global__ void scale(...)`"),
        ("// " + KERNEL.split("\n")[0], "no kernel `__global__ void scale(...)`"),
        ("__device__ void scale() { }", "no kernel `__global__ void scale(...)`"),
        ("__global__ void scale() { }", "got       __global__ void scale()"),
    ],
)
def test_wrong_declarations(scale, text, got):
    message = refusal(scale, text)
    assert got in message
    assert "  expected  __global__ void scale(const float* x, float* y" in message


def test_kernel_stub_is_no_answer(scale):
    solves(scale)(KERNEL)
    solves(scale)(KERNEL.split("{")[0] + "{\n    // YOUR CODE HERE\n}")
    assert scale.answer is None


def test_kernel_is_not_answered_by_a_function(scale):
    assert "its answer is CUDA C in a string" in refusal(scale, lambda x: x)
