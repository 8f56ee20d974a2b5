"""A guard or an index that is wrong is reported at its line, and what the report says
to write mends it."""

import re

import cudasim
import numpy as np
import pytest
from snippets import kernels
from test_cudasim_kernels import LAUNCHES, launched

CONDITION = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
GUARD = re.compile(rf"if \({CONDITION}[<>]{CONDITION}\) ?(?:return;|continue;|break;)?")
INDEX = re.compile(
    r"(?<=\w)\[([^\[\]]*(?:thread|tid|row|col|\b[itxgl]\b)[^\[\]]*)(?=\])"
)
SAID = re.compile(r"guard it with if \((.*?)\)(?:, or leave|$)")
# Guards that these launches do not need, or that stand around more than a statement.
LEFT = {
    ("atomic_max_float", 6), ("scan_block", 11),
    ("constant_filter", 4), ("conv2d", 6), ("conv2d", 12), ("matmul_naive", 5),
    ("operation_switch", 4), ("layernorm", 7), ("reduce_shared", 8), ("softmax", 12),
    ("softmax", 22),
}  # fmt: skip
# Shifted indices that stay in order and inside.
UNSEEN = {("constant_filter", 8), ("scan_block", 7), ("stencil_1d", 10)}


def without_guards():
    for stem, text in kernels().items():
        for match in GUARD.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            if (stem, line) not in LEFT:
                without = text[: match.start()] + text[match.end() :]
                yield pytest.param(stem, line, without, id=f"{stem}-{line}")


def first_found(stem, text):
    """(launch, findings) of the first launch that shows something."""
    for launch in reversed(list(LAUNCHES[stem]())):
        if findings := launched(text, launch)[0].findings:
            return launch, findings
    return launch, []


def guarded(text, finding):
    """The text with the guard that a finding asks for."""
    lines, condition = text.split("\n"), SAID.search(finding.hint)[1]
    line = lines[finding.line - 1].lstrip()
    gap = lines[finding.line - 1][: -len(line)]
    declares = re.match(r"(const )?\w+\*? \w+ = ", line)
    guard = f"if (!({condition})) return; " if declares else f"if ({condition}) "
    lines[finding.line - 1] = gap + guard + line
    return "\n".join(lines)


@pytest.mark.parametrize("stem, line, text", list(without_guards()))
def test_a_guard_that_is_left_out(stem, line, text):
    launch, findings = first_found(stem, text)
    assert findings
    for _ in range(4):
        findings = launched(text, launch)[0].findings
        outside = [f for f in findings if f.kind == "out-of-bounds"]
        if not outside:
            break
        text = guarded(text, outside[0])
    report, args = launched(text, launch)
    assert not report.findings, str(report)
    for position, expected in launch.expected.items():
        np.testing.assert_allclose(
            args[position], expected, rtol=launch.rtol, atol=launch.rtol * 10
        )


def test_a_guard_of_a_step_in_shared_memory():
    text = kernels()["reduce_shared"].replace("if (tid < d) ", "")
    _, findings = first_found("reduce_shared", text)
    assert {f.kind for f in findings} == {"race", "out-of-bounds"}
    assert all("guard" in f.hint and f.line == 8 for f in findings)


@pytest.mark.slow
def test_an_index_that_is_shifted():
    """Each is reported where it is, or where what it has missed is read."""
    tried = mended = 0
    for stem, text in kernels().items():
        for match in INDEX.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            shifted = text[: match.end()] + " + 1" + text[match.end() :]
            _, findings = first_found(stem, shifted)
            places = {f.line for f in findings} | {
                (f.other or {}).get("line") for f in findings
            }
            named = {int(n) for f in findings for n in re.findall(r"\b\d+\b", f.hint)}
            if (stem, line) not in UNSEEN:
                assert line in places | named, (stem, line, match[0])
            tried += 1
            mended += any(
                "leave the + 1 out" in f.hint and f.line == line for f in findings
            )
    assert tried > 100 and mended > 0.85 * tried


@pytest.mark.parametrize(
    "body, hint",
    [
        ("x[i - 1] = 1;", "the first element has the index 0: is a guard, if "
         "(i >= 1), missing or too wide? Or leave the - 1 out"),
        ("x[(i / 7) * m + i] = 1;", "guard it with if (i / 7 < 2 && i < m)"),
        ("float* p = x + 2; p[i + 1] = 1;", "is a guard, if (i < n), missing or too "
         "wide? Or leave the + 1 out"),
        ("x += 1; x[i] = 1;", "is a guard, if (i < n), missing or too wide?"),
        ("float a[SIZE][2]; a[i][0] = 1;", "guard it with if (i < SIZE)"),
        ("float a[2][SIZE]; a[1][i + m] = 1;", "if (i + m < SIZE)"),
        ("atomicAdd(&x[i], 1);", "guard it with if (i < n)"),
    ],
)  # fmt: skip
def test_what_to_write(body, hint):
    head = "#define SIZE 5\n__global__ void k(float* x, int n, int m) {\n"
    kernel = cudasim.RawKernel(f"{head} int i = threadIdx.x; {body} }}", "k")
    args = np.ones(14, np.float32), 14, 7
    findings = cudasim.run(kernel, 1, 32, args).findings
    assert [f for f in findings if f.kind == "out-of-bounds"][0].hint.endswith(hint)


@pytest.mark.parametrize(
    "access, hint",
    [
        ("x[i] = 1", "its last index is 0: guard it with if (i < 1)"),
        ("*(float4*)&x[4 * i] = make_float4(1, 1, 1, 1)", "its last index is 0"),
    ],
)
def test_a_guard_names_no_macro_of_the_compiler_and_counts_as_the_text_does(
    access, hint
):
    text = f"__global__ void k(float* x) {{ int i = threadIdx.x; {access}; }}"
    args = (np.ones(1, np.float32),)
    (finding,) = cudasim.run(cudasim.RawKernel(text, "k"), 1, 32, args).findings
    assert finding.hint == hint


@pytest.mark.parametrize(
    "body, advised",
    [
        ("x[i] = 1;", True),
        ("float v = x[i]; y[i] = v;", True),  # by a return
        ("x[i] = 1; __syncthreads(); y[i] = 2;", True),
        ("for (float v = x[i]; v > 0; v--) y[i] = v;", True),
        ("x[i - 5] = 1;", False),  # others go beyond the other end
        ("x[i % 2 ? i : -i] = 1;", False),
    ],
)
def test_a_guard_is_advised_where_it_was_tried(body, advised):
    """Where it doesn't mend the launch, it's a question."""
    head = "__global__ void k(float* x, float* y, int n) { int i = threadIdx.x;"
    kernel = cudasim.RawKernel(f"{head} {body} }}", "k")
    args = np.ones(20, np.float32), np.ones(40, np.float32), 20
    report = cudasim.run(kernel, 1, 32, args, tools=[])
    outside = [f for f in report.findings if f.kind == "out-of-bounds"]
    assert ("guard it with if (" in outside[0].hint) == advised
    assert ("missing or too wide?" in outside[0].hint) != advised
    assert args[0].tolist() == np.ones(20).tolist()  # the launch itself was one


def test_where_a_block_announces_too_early():
    text = """__device__ int done;
__global__ void k(const float* x, float* part, float* out) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[i] = 2 * x[i];
    __threadfence();
    if (threadIdx.x == 0) last = atomicAdd(&done, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) for (int j = 0; j < gridDim.x; j++) out[i] += part[j * blockDim.x];
    if (last) out[i] += part[blockDim.x - 1];
}"""

    def found(text):
        args = [np.full(192, value, np.float32) for value in (1, 0, 0)]
        return cudasim.run(cudasim.RawKernel(text, "k"), 3, 64, args).findings

    [race] = found(text)
    assert (race.kind, race.line) == ("race", 10)
    assert "__syncthreads() between the __threadfence()" in race.hint
    mended = text.replace("__threadfence();", "__threadfence();\n    __syncthreads();")
    assert not found(mended)
    [bare] = found(mended.replace("    __threadfence();\n", ""))[:1]
    assert bare.hint == "use two kernel launches"
