"""Lanes that come to one shuffle, vote or __syncwarp() from different branches."""

import cudasim
import numpy as np
import on_gpu
import pytest
from cudasim import nvrtc
from snippets import together

LANE = np.arange(32)
FULL = "0xffffffff"
# What the lanes of a warp do with `v`, their number; and what `v` is then.
RIGHT = {
    "if_else": (
        "if (l < 16) v = __shfl_xor_sync(F, v, 16);"
        "else v = __shfl_xor_sync(F, v, 16);",
        LANE ^ 16,
    ),
    "other_distance": (
        "if (l % 2) v = __shfl_sync(F, v, 3); else v = __shfl_sync(F, v, 4);",
        np.where(LANE % 2, 3, 4),
    ),
    "ballot": (
        "if (l < 8) v = __ballot_sync(F, l & 1);"
        "else v = __ballot_sync(F, l & 2) >> 8;",
        np.where(LANE < 8, 0xCCCCCCAA, 0xCCCCCC).astype(np.uint32).view(np.int32),
    ),
    "any_all": (
        "if (l < 8) v = __any_sync(F, l == 20); else v = __any_sync(F, 0);"
        "if (l < 9) v += 2 * __all_sync(F, 1); else v += 2 * __all_sync(F, l > 8);",
        np.full(32, 2),
    ),
    "reduce": (
        "if (l < 5) v = __reduce_add_sync(F, v); else v = __reduce_add_sync(F, 1);",
        np.full(32, 10 + 27),
    ),
    "match": (
        "if (l < 5) v = __popc(__match_any_sync(F, l % 2));"
        "else v = __popc(__match_any_sync(F, l % 2));",
        np.full(32, 16),
    ),
    "ternary": (
        "v = l < 16 ? __shfl_sync(F, v, 31) : __shfl_sync(F, v, 0) + 100;",
        np.where(LANE < 16, 31, 100),
    ),
    "and_then": ("v = (l < 4 && __any_sync(F, 1)) || __any_sync(F, 1);", LANE * 0 + 1),
    "switch": (
        "switch (l % 3) { case 0: v = __shfl_sync(F, v, l + 1); break;"
        " case 1: v = __shfl_sync(F, v, l + 1); break;"
        " default: v = __shfl_sync(F, v, l + 1); }",
        (LANE + 1) % 32,
    ),
    "nested": (
        "if (l < 16) { if (l < 8) v = __shfl_sync(F, v, l ^ 8);"
        " else v = __shfl_sync(F, v, l ^ 8); } else v = __shfl_sync(F, v, l ^ 8);",
        LANE ^ 8,
    ),
    "chain": (
        "if (l & 1) for (int d = 16; d; d /= 2) v += __shfl_xor_sync(F, v, d);"
        "else for (int d = 16; d; d /= 2) v += __shfl_xor_sync(F, v, d);",
        np.full(32, 496),
    ),
    "leaves_a_loop": (
        "for (int k = 0; k < 8; k++) { if (l == k) { v = __shfl_sync(F, 7, 0); break; }"
        " v = __shfl_sync(F, k, 31); }"
        "for (int k = l; k < 7; k++) __shfl_sync(F, 0, 0);",
        np.where(LANE == 0, 7, np.where(LANE < 8, 0, 7)),
    ),
    "functions": (
        "if (l < 16) v = turned(v, 1); else v = turned(v, 1);", (LANE + 1) % 32
    ),
    "returns": (
        "if (l < 8) { x[t] = __shfl_sync(F, v, 9); return; } v = __shfl_sync(F, v, 3);",
        np.where(LANE < 8, 9, 3),
    ),
    "masks": (
        "unsigned m = l < 16 ? 0xffffu : 0xffff0000u;"
        "if (l % 4 == 0) v = __shfl_xor_sync(m, v, 1);"
        "else v = __shfl_xor_sync(m, v, 1);",
        LANE ^ 1,
    ),
    "syncwarp": (
        "__shared__ int s[64]; s[t] = v;"
        "if (l < 16) { __syncwarp(); v = s[t ^ 16]; }"
        "else { __syncwarp(); v = s[t ^ 16]; }",
        LANE ^ 16,
    ),
    "barrier": (
        "if (l < 16) v = __shfl_xor_sync(F, v, 16); else v = __shfl_xor_sync(F, v, 16);"
        "__shared__ int s[64]; s[t] = v; __syncthreads(); v = s[t ^ 1];",
        LANE ^ 17,
    ),
    "pair": (
        "if (l < 16) v = __shfl_down_sync(F, (long long)v, 16);"
        "else v = __shfl_down_sync(F, (long long)v, 16);",
        np.where(LANE < 16, LANE + 16, LANE),
    ),
}  # fmt: skip
# Here lanes wait in vain; the kind is found at these lines only.
WRONG = {
    "nobody": ("if (l < 16)\nv = __shfl_xor_sync(F, v, 1);", {5}),
    "other_intrinsic": (
        "if (l < 16)\nv = __shfl_xor_sync(F, v, 16);\nelse\nv = __ballot_sync(F, v);",
        {5, 7},
    ),
    "other_shuffle": (
        "if (l < 16)\nv = __shfl_down_sync(F, v, 1);\n"
        "else\nv = __shfl_up_sync(F, v, 1);",
        {5, 7},
    ),
    "other_type": (
        "if (l < 16)\nv = __shfl_sync(F, v, 1);\nelse\nv = __shfl_sync(F, 1.5f, 1);",
        {5, 7},
    ),
    "other_mask": (
        "if (l < 16)\nv = __shfl_xor_sync(F, v, 1);\n"
        "else\nv = __shfl_xor_sync(0xffff0000, v, 1);",
        {5},
    ),
    "some_never": (
        "if (l < 16)\nv = __shfl_sync(F, v, 1);\n"
        "else if (l < 24)\nv = __shfl_sync(F, v, 1);",
        {5, 7},
    ),
    "one_more": (
        "if (l < 16) {\nv = __shfl_sync(F, v, 1);\nv = __shfl_sync(F, v, 2);\n}"
        "else\nv = __shfl_sync(F, v, 1);",
        {6},
    ),
    "not_in_mask": ("if (l < 16)\nv = __shfl_sync(0xff, v, 1);", {5}),
    "barrier_instead": (
        "if (l < 16)\nv = __shfl_sync(F, v, 1);\nelse\n__syncwarp();", {5, 7}
    ),
}  # fmt: skip
TEXT = """__device__ int turned(int v, int by) {{ int l = threadIdx.x % 32;
    return l & 1 ? __shfl_sync({F}, v, l + by) : __shfl_sync({F}, v, l + by); }}
__global__ void f(int* x) {{ int t = threadIdx.x, l = t % 32, v = l;
{body}
x[blockIdx.x * blockDim.x + t] = v; }}"""


def text_of(body):
    body = body.replace("(F", f"({FULL}").replace("x[t]", "x[blockIdx.x * 64 + t]")
    return TEXT.format(F=FULL, body=body)


def run(body, **how):
    kernel = cudasim.RawKernel(text_of(body), "f", ("--gpu-architecture=sm_80",))
    x = np.full(3 * 64, -1, np.int32)
    return kernel, x, cudasim.run(kernel, 3, 64, (x,), **how)


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize("name", RIGHT)
def test_lanes_meet_from_different_branches(name, schedule):
    body, expected = RIGHT[name]
    kernel, x, report = run(body, schedule=schedule)
    assert report.findings == [] and report.schedule == schedule
    assert (x == np.tile(expected.astype(np.int32), 6)).all()
    if schedule == "lockstep":
        again = np.full_like(x, -1)
        kernel(3, 64, (again,))
        assert (again == x).all()


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize("name", WRONG)
def test_lanes_that_wait_in_vain_are_found(name, schedule):
    body, lines = WRONG[name]
    findings = run(body, schedule=schedule)[2].findings
    assert {f.kind for f in findings} <= {"divergent-shuffle", "missing-lane"}
    kind = {f.line for f in findings if f.kind == "divergent-shuffle"}
    assert kind == lines


def test_a_false_alarm_beside_a_true_one():
    body = (
        "if (l < 16)\nv = __shfl_xor_sync(F, v, 16);\n"
        "else\nv = __shfl_xor_sync(F, v, 16);"
        "\nif (l < 3)\nv = __shfl_sync(F, v, 1);"
    )
    findings = run(body)[2].findings
    assert {f.line for f in findings} == {9}


def test_what_was_never_written_is_still_found():
    body = "if (l < 16) v = __shfl_sync(F, x[9], 1); else v = __shfl_sync(F, v, 1);"
    kernel = cudasim.RawKernel(text_of(body), "f")
    report = cudasim.run(kernel, 1, 64, (cudasim.empty(64, np.int32),))
    assert "uninitialized" in {f.kind for f in report.findings}


def test_counts_are_those_of_warps():
    body, _ = RIGHT["if_else"]
    assert run(body)[2].counts["requests"] == 6


def test_nvrtc_takes_these():
    if reason := nvrtc.missing():
        pytest.skip(f"not run: NVRTC ({reason})")
    texts = [text_of(body) for body, _ in RIGHT.values()]
    assert nvrtc.compiled(together(texts), 80) == ""


@pytest.mark.gpu
@pytest.mark.parametrize("name", RIGHT)
def test_a_gpu_gives_the_same(name):
    body, expected = RIGHT[name]
    given = np.full(3 * 64, -1, np.int32)
    (x,) = on_gpu.launched(text_of(body), "f", 3, 64, (given,))
    assert (x == np.tile(expected.astype(np.int32), 6)).all()
