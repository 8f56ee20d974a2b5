"""Whole rows of threads: what is read and written at once is what threads would."""

import cudasim
import numpy as np
import pytest
from cudasim.engine import rows
from cudasim.generate import emit_places

TEXT = """
struct Pair {{ float a, b; }};
__device__ int shifted(int by) {{ return threadIdx.x + by; }}
extern "C" __global__ void k(const float* x, float* y, int* z, Pair* p, int n, int w) {{
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int row = threadIdx.y + blockIdx.y * blockDim.y;
    {body}
}}"""
BODIES = {
    "guarded": "if (tid < n) y[tid] = x[tid];",
    "rows": "if (tid < w && row < n / w) y[row * w + tid] = x[row * w + tid] + 1.f;",
    "another order": "if (tid < w && row < n / w) y[tid + w * row] = x[w * row + tid];",
    "neighbors": """if (row < n / w) for (int d = -1; d <= 1; d++) {
        int at = tid + d;
        if (at < 0 || at >= w) continue;
        y[row * w + at] += x[row * w + at - d * 0];
    }""",
    "loop": """for (int i = threadIdx.x; i < w; i += blockDim.x)
        if (blockIdx.x == 0 && row < n / w) y[row * w + i] = x[row * w + i];""",
    "grid-stride": """long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
        for (; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] * 2.f;""",
    "uneven rounds": """for (int i = threadIdx.x, k = 0; k < tid % 5; k++, i++)
        if (i < n && row == 0) z[i] = i;""",
    "branches": """int i = tid; if (row % 2) i = tid + w; else i += 3;
        if (i < n) y[i] = x[i];""",
    "branches by thread": """int i = tid; if (tid % 3) i = tid + w; else i -= 1;
        if (i >= 0 && i < n && row == 0) y[i] = x[i];""",
    "steps back": "int i = tid; i--; --i; i++; if (i >= 0 && i < n) z[i] = i;",
    "widened": """size_t i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = x[i];""",
    "widened after a wrap": """size_t i = threadIdx.x - 5u;
        if (row == 0 && i < n) y[i] = x[i];
        unsigned j = threadIdx.x - 5u; long long k = j;
        if (row == 0 && k < n) z[k] = threadIdx.x;""",
    "a wrap around zero": """unsigned i = tid - 9u + 10u; int j = tid + 2147483647;
        j -= 2147483647; if (i < n) z[i] = j;""",
    "turned": "int i = w - threadIdx.x; if (row == 0) z[i] = tid;",
    "twice": "int i = threadIdx.x + threadIdx.x; if (row == 0 && i < n) z[i] = tid;",
    "out of bounds": "y[tid + row * w] = x[tid + row * w + 3];",
    "below": "if (row == 0) y[tid] = x[tid - 2];",
    "everybody's": "z[threadIdx.x] = tid; y[tid + row] = row;",
    "overlapping": "if (row * 3 + tid < n) z[row * 3 + tid] = row;",
    "used as an index": """int i = tid; if (i < n) { z[i] = i; y[z[i]] = x[i++]; }
        if (i < n) z[i] = -i;""",
    "changed in between": """int i = tid; if (i < n - 9) { float old = x[i]; i += 4;
        y[i] = old; z[i += 2] = i; }""",
    "compound": "if (tid < n) { y[tid] += x[tid]; y[tid] *= 2.f; z[tid]++; }",
    "by address": """if (tid < n) {
        float* q = &y[tid]; *q = x[tid]; atomicAdd(&z[tid], 2); }""",
    "records": "if (tid < n / 2) { p[tid].b = x[tid]; Pair q = p[tid]; y[tid] = q.b; }",
    "moved pointer": """const float* r = x + row * w;
        if (row < n / w && tid < w) y[tid] = r[tid];""",
    "moved by a thread": """const float* r = x + tid;
        if (tid < n - w) y[tid] = r[row % w];""",
    "several arrays": """const float* r = tid % 2 ? x : y;
        if (tid < n) z[tid] = r[tid] > 0.f;""",
    "a function": "int i = shifted(row); if (i < n) z[i] = 1;",
    "cases": """switch (row % 3) { case 0: int i; i = tid; if (i < n) z[i] = 1; break;
        case 1: i = tid + 1; if (i < n) z[i] = 2; break; default: break; }""",
    "shared": """__shared__ float s[2048];
        int t = threadIdx.x + threadIdx.y * blockDim.x;
        s[t] = tid < n ? x[tid] : 0.f; __syncthreads();
        if (tid < n) y[tid] = s[blockDim.x * blockDim.y - 1 - t];""",
    "small types": """const unsigned char* c = (const unsigned char*)x;
        char* d = (char*)y;
        if (tid < n) d[tid] = c[tid + 1];""",
    "an uneven divisor": "int i = tid + row / w * 8; if (i < n) z[i] = row;",
}  # fmt: skip
LAUNCHES = {
    "square blocks": ((5, 9), (16, 16)), "long blocks": ((4, 6), (256,)),
    "narrow blocks": ((40, 3), (4, 32)), "odd blocks": ((7, 5), (37, 3)),
    "one block": ((1,), (1024,)), "few threads": ((2, 2), (8, 2)),
}  # fmt: skip


def outcome(body, launch, tools, n=1111, w=101):
    """What is in memory afterwards, and what was found."""
    kernel = cudasim.RawKernel(TEXT.format(body=body), "k")
    x = np.random.default_rng(0).standard_normal(n).astype(np.float32)
    pairs = np.zeros(n // 2, [("a", "f4"), ("b", "f4")])
    arrays = x, np.full(n, 7, np.float32), np.full(n, 7, np.int32), pairs
    grid, block = launch
    args = (*arrays, np.int32(n), np.int32(w))
    report = cudasim.run(kernel, grid, block, args, tools=tools)
    return [a.tobytes() for a in arrays], [str(f) for f in report.findings]


@pytest.mark.slow
@pytest.mark.parametrize("launch", LAUNCHES)
@pytest.mark.parametrize("body", BODIES)
def test_rows_do_what_threads_do(body, launch, monkeypatch):
    by_rows = outcome(BODIES[body], LAUNCHES[launch], ())
    monkeypatch.setattr(emit_places, "row_of", lambda *_: None)
    assert by_rows == outcome(BODIES[body], LAUNCHES[launch], ())
    if by_rows[1] and "race" not in by_rows[1][0]:
        return
    assert by_rows[0] == outcome(BODIES[body], LAUNCHES[launch], ["coalescing"])[0]


BY_ROWS = (
    "guarded", "rows", "another order", "neighbors", "loop", "grid-stride", "branches",
    "widened", "compound", "moved pointer",
)  # fmt: skip


@pytest.mark.parametrize("body", BY_ROWS)
def test_rows_are_used(body, monkeypatch):
    begun, begins = [], rows.begins

    def noted(*args):
        begun.append(begins(*args))
        return begun[-1]

    monkeypatch.setattr(rows, "begins", noted)
    outcome(BODIES[body], ((1, 64), (256, 4)), (), 65536, 256)
    assert any(at is not None for at in begun)


def test_tools_see_each_thread():
    kernel = cudasim.RawKernel(TEXT.format(body=BODIES["rows"]), "k")
    watched = kernel.module.module(kernel.function, "watched").source
    assert "R.row(" not in watched
    assert "R.row(" in kernel.module.module(kernel.function, "lockstep").source
