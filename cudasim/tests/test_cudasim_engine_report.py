"""Reports as people read them."""

import html
import re

import cudasim
import numpy as np
import pytest
from table import table


def found(body, args=None, before="", params="float* o, int n", block=32, **how):
    """The text of the first finding in a kernel with this body."""
    source = f"{before}__global__ void k({params}) {{\nint i = threadIdx.x;\n{body}\n}}"
    args = args or (np.ones(20, np.float32), np.int32(20))
    kernel = cudasim.RawKernel(source, "k")
    limits = cudasim.Limits(steps=50)
    report = cudasim.run(kernel, 1, block, args, tools=[], limits=limits, **how)
    return report.findings[0]


ROWS = "struct Row { float x[4]; };\n"
MESSAGES = [
    ("o[i] = 1;", "", "o[20] is written, but o has 20 elements",
     "its last index is 19: guard it with if (i < n)"),
    ("o[-1 - i] += 1;", "", "o[-1] is read, but o has 20 elements",
     "the first element has the index 0: guard it with if (-1 - i >= 0)"),
    ("one[1] = i;", "__device__ int one[1];\n",
     "index 1 of one, whose only index is 0", ""),
    ("__shared__ int s[9][4]; s[i % 9][n] = 1;", "",
     "index 20 of s[...], whose indices are 0 to 3", "guard it with if (n < 4)"),
    ("__shared__ int s[40][4]; s[i][i] = 1;", "",
     "index 4 of s[i], whose indices are 0 to 3", "guard it with if (i < 4)"),
    ("Row r[3]; r[2].x[n] = 1; o[0] = r[2].x[0];", ROWS,
     "index 20 of r[2].x, whose indices are 0 to 3",
     "is a guard, if (i < n), missing or too wide?"),
    ("double d = *(double*)(o + 1); o[0] = d;", "",
     "an access of 8 bytes must lie at a multiple of 8 bytes; o is read at byte 4", ""),
    ("float* p = 0; p[i] = 1;", "", "a null pointer is written", ""),
    ("float* p = 0; *(p + i) = 1;", "", "a null pointer is written", ""),
    ("*(float*)12345 = 1;", "",
     "a pointer that does not point into an array is written", ""),
    ("size_t m = n - 20; o[m - 1] = i;", "", "o[-1] is written, but o has 20 elements",
     "the first element has the index 0: guard it with if (m >= 1), or leave the - 1 "
     "out"),
    ("o[1ll << 40] = i;", "", "o[1099511627776] is written, but o has 20 elements",
     "its last index is 19"),
    ("size_t m = n - 21; float* p = o + m; p[m] = i;", "",
     "o[-2] is written, but o has 20 elements",
     "the first element has the index 0: is a guard, if (i >= 0), missing or too "
     "wide?"),
    ("__shared__ int s[9][4]; s[n * 1ll << 50][i % 4] = 1;", "",
     "index 22517998136852480 of s, whose indices are 0 to 8",
     "guard it with if (n * 1ll << 50 < 9)"),
    ("o[0] = *(float*)99999999;", "",
     "a pointer that does not point into an array is read", ""),
    ("n /= n - 20;", "", "integer division by zero",
     "a GPU does not stop here: it continues with garbage"),
    ('int a = 1; assert(i < (2) && "few"); a++;', "",
     'the assertion does not hold: assert(i < (2) && "few")', ""),
    ("((float*)t)[0] = 1;", "__constant__ float t[2];\n",
     "t is a __constant__ variable: only the host can write it", ""),
    ("atomicAdd((float*)&t[1], 1.0f);", "__constant__ float t[2];\n",
     "t is a __constant__ variable: only the host can write it", ""),
    ("while (n) i++;", "", "the kernel did not end within 50 rounds of loops and calls",
     cudasim.simulated_launch.ENDLESS),
]  # fmt: skip


FAR = [
    "s[m + 9][i % 4] = 1;", "s[i % 9][m + 4] = 1;", "c[m * i + 9] = 1;",
    "float* p = &s[m + 9][0]; p[i] = 1;", "float4* p = &f[m + 3]; p->w = 1;",
    "r[m + i].x = 1;", "f[m + 3].w = 1;", "d[i % 5][m + 3][i % 2] = 1;",
    "d[m + 5][i % 3][i % 2] = 1;",
    "e[i % 5][m + 3][i % 2] = 1;", "double v = *(double*)&s[m + 9][2]; s[0][0] = v;",
]  # fmt: skip
ARRAYS = """__shared__ float s[9][4], d[5][3][2]; __shared__ float4 f[3];
float e[5][3][2] = {}, c[9] = {}; float4* r = (float4*)o + 20;
"""


@pytest.mark.parametrize("m", [0, 10**6, 10**12, 1 << 62, 2**63 - 99, -(10**12)])
@table("body", FAR)
def test_one_finding_of_each_access(body, m):
    params = "float4* o, long long m"
    source = f"__global__ void k({params}) {{ int i = threadIdx.x;\n{ARRAYS}{body} }}"
    args = np.ones((20, 4), np.float32), np.int64(m)
    report = cudasim.run(cudasim.RawKernel(source, "k"), 1, 32, args, tools=[])
    assert [f.kind for f in report.findings] == ["out-of-bounds"], str(report)


def test_a_kernel_name_that_is_no_string():
    with pytest.raises(TypeError, match="the kernel's name must be a string, not 3"):
        cudasim.RawKernel("__global__ void k() {}", 3)


@pytest.mark.parametrize(("body", "before", "message", "hint"), MESSAGES)
def test_messages(body, before, message, hint):
    finding = found(body, before=before)
    assert (finding.message, finding.hint) == (message, hint)
    assert finding.source_line == body
    assert finding.line == 3 + before.count("\n")


def test_a_finding_as_text():
    text = str(found("\tif (i > 18)\to[i + 1] = 1;"))
    assert text == (
        "kernel.cu:3:23: out-of-bounds in k\n"
        "    \tif (i > 18)\to[i + 1] = 1;\n"
        "    \t           \t         ^\n"
        "  o[20] is written, but o has 20 elements\n"
        "  seen at block 0 thread 19, and 12 more\n"
        "  its last index is 19: guard it with if (i + 1 < n), or leave the + 1 out"
    )
    assert "thread 20\n" in str(found("if (i == 20) o[i] = 1;"))
    two = found("if (threadIdx.x && threadIdx.y) o[n] = 1;", block=(3, 2))
    assert "seen at block 0 thread (1, 1), and 1 more" in str(two)


def test_long_lines_are_cut():
    finding = found("o[0] = 1; " * 300 + "o[n] = 2; " + "o[0] = 1; " * 300)
    lines = str(finding).split("\n")
    assert max(map(len, lines)) < 120
    shown, mark = lines[1:3]
    assert shown[mark.index("^") - 5 : mark.index("^") + 3] == "o[n] = 2"
    assert shown.strip().startswith("...") and shown.endswith("...")


def test_nothing_of_a_text_becomes_html():
    source = (
        "__global__ void k(int* o) {\n"
        "o[9] = o[0] < 1; // <script>alert('&')</script> \x1b[2J \u202e\n}"
    )
    report = cudasim.run(cudasim.RawKernel(source, "k"), 1, 1, (np.zeros(1, np.int32),))
    page = report._repr_html_()
    assert set(re.findall(r"</?(\w+)", page)) == {"div", "p", "pre"}
    assert "<script>alert('&')</script>" in html.unescape(page)
    assert "\x1b" not in str(report) and "\u202e" not in str(report)


def test_summary():
    source = """__global__ void k(float* o) {
    __shared__ float s[32 * 32];
    int i = threadIdx.x;
    s[i * 32] = o[i * 2];
    __syncthreads();
    o[i * 2] = s[i * 32];
}"""
    args = (np.zeros(64, np.float32),)
    report = cudasim.run(cudasim.RawKernel(source, "k"), 1, 32, args)
    assert report.summary().split("\n") == [
        "global memory: 2 requests of warps, 16 sectors, 8.0 a request",
        "shared memory: 2 requests of warps, 32.0 passes through the banks a request",
        "line 4:15: 32 passes through the banks a request, 1 would do",
        "line 4:18: 8 sectors a request, 4 would do (50 % of fetched bytes are used)",
        "line 6:14: 8 sectors a request, 4 would do (50 % of fetched bytes are used)",
        "line 6:17: 32 passes through the banks a request, 1 would do",
    ]
    nothing = cudasim.RawKernel("__global__ void k() {}", "k")
    assert cudasim.run(nothing, 1, 1, ()).summary() == ""


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize("template", [False, True])
def test_every_warning_is_in_the_report(template, schedule):
    before = "__device__ int twice(int v) {\n if (v > 3) return 2 * v;\n}\n"
    body = (
        "int s; x[0] += s + twice(5); if (x[1] = 1) x[2] = 2; x[0];"
        " int t[3]; t[0] = 1; x[3] = t[3]; return; x[1] = 2;"
    )
    head = "template <int n> __global__" if template else "__global__"
    source = f"{before}{head} void k(int* x) {{\n{body}\n}}"
    kernel = cudasim.RawKernel(source, "k<4>" if template else "k")
    report = cudasim.run(kernel, 1, 1, (np.zeros(4, np.int32),), schedule=schedule)
    kinds = {w.kind for w in report.warnings}
    assert kinds == {
        "uninitialized", "missing-return", "assignment", "no-effect", "out-of-bounds",
        "unreachable",
    }  # fmt: skip
    for text in str(report), html.unescape(report._repr_html_()):
        assert f"{len(report.warnings)} warnings" in text
        assert all(str(warning) in text for warning in report.warnings)


def test_an_access_out_of_bounds_comes_before_what_follows_from_it():
    source = """__global__ void k(float* o) { __shared__ float s[64];
    s[threadIdx.x] = 1; o[threadIdx.x] = s[63 - threadIdx.x];
    o[threadIdx.x] += s[threadIdx.x ^ 1];
    o[threadIdx.x + 10] = 2; }"""
    args = (np.ones(64, np.float32),)
    findings = cudasim.run(cudasim.RawKernel(source, "k"), 1, 64, args).findings
    assert [f.kind for f in findings][:2] == ["out-of-bounds", "race"]
    assert [f.line for f in findings[1:]] == sorted(f.line for f in findings[1:])
