"""Places that are computed once: the value of an assignment, and choices of a place.

Each body gives every thread a number that C++ gives it too: what an assignment or a
prefix ++ is worth is the place it wrote, whose index is not computed again.
"""

import cudasim
import numpy as np
import pytest

THREADS = 4
CASES = [
    ("int x = 1, y = 2; (t & 1 ? x : y) = 9; r = x * 100 + y;",
     [109, 902, 109, 902]),
    ("int x = 1, y = 2; (0 ? x : y) = 9; r = x * 100 + y;", [109] * 4),
    ("int2 u = make_int2(1, 2); (t & 1 ? u.x : u.y) = 9; r = u.x * 100 + u.y;",
     [109, 902, 109, 902]),
    ("(t & 1 ? o[t] : o[t]) = 9; r = o[t];", [9] * 4),
    ("int i = 0; r = ++a[i++] * 1000; r += i * 100 + a[0] * 10 + a[1];", [2122] * 4),
    ("int i = 0; ++a[i++]; r = i * 100 + a[0] * 10 + a[1];", [122] * 4),
    ("int i = 0; r = (a[i++] += 5) * 1000; r += i * 100 + a[0] * 10 + a[1];",
     [6162] * 4),
    ("int i = 0; r = (a[i++] = 5) * 1000; r += i * 100 + a[0] * 10 + a[1];",
     [5152] * 4),
    ("a[0] = 0; r = (a[a[0]] = 1) * 1000; r += a[0] * 10 + a[1];", [1012] * 4),
    ("int i = t; r = (o[i++] = 5) * 1000; r += i;", [5001, 5002, 5003, 5004]),
    ("int i = 0; r = plus1(a[i++]) * 1000; r += i * 100 + a[0] * 10 + a[1];",
     [2122] * 4),
    ("Two s = {{0, 7}}; r = ++s.a[s.a[0] & 1] * 1000; r += s.a[0] * 10 + s.a[1];",
     [1017] * 4),
    ("int i = 0; int& x = a[i++]; x += 3; x += 4; r = x * 1000 + i * 100 + a[0] * 10;",
     [8180] * 4),
    ("unsigned char b; int c; c = b = 300 + t; r = c * 1000 + b;",
     [44044, 45045, 46046, 47047]),
]  # fmt: skip
TEXT = """
struct Two {{ int a[2]; }};
__device__ int plus1(int& x) {{ return ++x; }}
__global__ void k(int* o) {{
    int t = threadIdx.x, r = 0, a[4] = {{1, 2, 3, 4}};
    {}
    o[t] = r;
}}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize(("body", "expected"), CASES)
def test_places_are_computed_once(body, expected, schedule):
    out = np.zeros(THREADS, np.int32)
    kernel = cudasim.RawKernel(TEXT.format(body), "k")
    report = cudasim.run(kernel, 1, THREADS, (out,), schedule=schedule)
    assert report.findings == []
    assert out.tolist() == expected


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
def test_tools_are_content_where_no_thread_takes_a_side(schedule):
    text = """
    __global__ void k(int* o, const int4* w) {
        int i = blockIdx.x * 4 + threadIdx.x;
        int4 u = w[i];
        if (threadIdx.x) o[i] = (-u.x ? 0 : o[i]++) + 5;
    }"""
    out, w = np.zeros(12, np.int32), np.ones(48, np.int32)
    report = cudasim.run(
        cudasim.RawKernel(text, "k"), 3, 4, (out, w), schedule=schedule
    )
    assert report.findings == []
    assert out.tolist() == [0, 5, 5, 5] * 3


def test_long_sums_and_chains_of_choices():
    choices = "".join(f"n == {i} ? {i * 2} : " for i in range(60))
    text = f"__global__ void k(int* o, int n) {{ o[0] = {choices}-1;"
    text += f"o[1] = {' + '.join(['o[2]'] * 240)}; }}"
    out = np.array([0, 0, 3], np.int32)
    cudasim.RawKernel(text, "k")(1, 1, (out, np.int32(59)))
    assert out.tolist() == [118, 720, 3]
