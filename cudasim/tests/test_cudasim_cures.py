"""What a finding says to write takes it away: the advice is followed, text by text."""

import itertools

import cudasim
import numpy as np
import pytest
from table import table

HEAD = """__device__ int bump(int v) { return v + 1; }
__device__ void add(int* p, int v) { *p += v; }
__device__ int& at(int* a) { return a[1]; }
__device__ void more(int& x, int v) { x = x + v; }
"""
KERNEL = """__global__ void f(T* bins, const int* key, T* out, int n) {
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, k = key[i];
"""
# An update, its atomic form, and the type of the elements.
UPDATES = [
    ("bins[k]++;", "atomicAdd(&bins[k], 1);", "int"),
    ("++bins[k];", "atomicAdd(&bins[k], 1);", "unsigned"),
    ("bins[k] += 2;", "atomicAdd(&bins[k], 2);", "float"),
    ("bins[k] = bins[k] + t;", "atomicAdd(&bins[k], t);", "int"),
    ("bins[0] = t + bins[0];", "atomicAdd(&bins[0], t);", "double"),
    ("*bins = *bins + t + 1;", "atomicAdd(bins, t + 1);", "int"),
    ("bins[k] -= 3;", "atomicSub(&bins[k], 3);", "int"),
    ("bins[k]--;", "atomicSub(&bins[k], 1);", "unsigned"),
    ("bins[k] -= t;", "atomicAdd(&bins[k], -(float)t);", "float"),
    ("bins[k] |= 1 << t;", "atomicOr(&bins[k], 1 << t);", "int"),
    ("bins[k] = bins[k] & ~t;", "atomicAnd(&bins[k], ~t);", "int"),
    ("bins[k] ^= t;", "atomicXor(&bins[k], t);", "unsigned"),
    ("bins[k] = max(bins[k], t);", "atomicMax(&bins[k], t);", "int"),
    ("bins[k] = t < bins[k] ? t : bins[k];", "atomicMin(&bins[k], t);", "int"),
    ("bins[k] = bins[k] > t ? bins[k] : t;", "atomicMax(&bins[k], t);", "int"),
    ("if (t > bins[k]) bins[k] = t;", "atomicMax(&bins[k], t);", "int"),
    ("if (bins[k] > t) { bins[k] = t; }", "atomicMin(&bins[k], t);", "int"),
    ("if (bins[k] == 50) bins[k] = t;", "atomicCAS(&bins[k], 50, t);", "int"),
    ("int v = bins[k]; v = v + 1; bins[k] = v;", "atomicAdd(&bins[k], 1);", "int"),
    ("int v = bins[k]; v += t; bins[k] = v;", "atomicAdd(&bins[k], t);", "int"),
    ("int v = bins[k]; int w = v | t; bins[k] = w;", "atomicOr(&bins[k], t);", "int"),
    ("bins[k] = bump(bins[k]);", "atomicAdd(&bins[k], 1);", "int"),
    ("add(&bins[k], t);", "atomicAdd(&bins[k], t);", "int"),
    ("more(bins[k], t);", "atomicAdd(&bins[k], t);", "int"),
    ("for (int j = 0; j < 3; j++) bins[k] += j;",
     "for (int j = 0; j < 3; j++) atomicAdd(&bins[k], j);", "int"),
    ("switch (k & 1) { case 0: bins[k] += 1; break; default: bins[0] += 2; }",
     "switch (k & 1) { case 0: atomicAdd(&bins[k], 1); break; "
     "default: atomicAdd(&bins[0], 2); }", "int"),
    ("bins[k] += 1;", "atomicAdd((unsigned long long*)&bins[k], 1ull);", "long long"),
    ("bins[k] *= 2;", "for (int o = bins[k], got; "
     "(got = atomicCAS(&bins[k], o, 2 * o)) != o; o = got) {}", "int"),
]  # fmt: skip
DTYPES = {
    "int": "i4", "unsigned": "u4", "long long": "i8", "float": "f4", "double": "f8"
}  # fmt: skip
SHAPES = [(1, 8), (1, 96), (4, 8), (3, 64)]


def findings(text, type, grid, block):
    dtype = np.dtype(DTYPES[type])
    key = np.arange(512, dtype=np.int32) * 7 % 10
    args = np.full(512, 50, dtype), key, np.zeros(512, dtype), 512
    kernel = cudasim.RawKernel(
        HEAD + KERNEL.replace("T*", f"{type}*") + text + "\n}", "f"
    )
    return cudasim.run(kernel, grid, block, args).findings


@table("update, shape, shared", itertools.product(UPDATES, SHAPES, [False, True]))
def test_an_update_names_its_atomic_operation(update, shape, shared):
    (plain, atomic, type), (grid, block) = update, shape
    if shared:
        before = f"__shared__ {type} s[16];\nif (t < 8) s[t] = s[t + 8] = 50;\n"
        before += "__syncthreads();\n"
        after = "\n__syncthreads(); out[i] = s[t % 16];"
        plain, atomic = (
            before + x.replace("bins", "s") + after for x in (plain, atomic)
        )
        if "more" in plain or "add(" in plain:
            return
    results = findings(plain, type, grid, block)
    name = atomic[atomic.index("atomic") : atomic.index("(", atomic.index("atomic"))]
    if not results:  # its threads have an element each here
        assert block == 8
        return
    assert {f.kind for f in results} <= {"race", "race-warp"}
    hints = [f.hint for f in results]
    assert all(f"use {name}" in hint or f"with {name}" in hint for hint in hints)
    assert not findings(atomic, type, grid, block)


# What is wrong, what is said, and the text that does so.
BARRIERS = [
    ("__shared__ int s[96]; s[t] = t;\nout[i] = s[95 - t];", (2, 96),
     "a __syncthreads() must come between", "__syncthreads();"),
    ("__shared__ int s[32]; s[t] = t;\nout[i] = s[31 - t];", (2, 32),
     "a __syncwarp() must come between", "__syncwarp();"),
    ("if (i < 40) bins[i] = t;\nout[i] = bins[63 - i];", (1, 64),
     "a __syncthreads() must come between", "__syncthreads();"),
    ("__shared__ int s[64]; s[t] = t; __syncthreads();\n"
     "for (int d = 1; d < 64; d *= 2) {"
     "int v = t < d ? 0 : s[t - d]; __syncthreads();\ns[t] += v;@}",
     (1, 64), "write __syncthreads() at the end of the loop's body",
     "__syncthreads();"),
    ("__shared__ int s[64]; s[t] = t; __syncthreads();\n"
     "if (t < 40) { s[t] = k; @ out[t] = s[39 - t]; }", (1, 64),
     "outside of what line 8 begins", "} __syncthreads(); if (t < 40) {"),
]  # fmt: skip


@pytest.mark.parametrize("text, shape, says, line", BARRIERS)
def test_a_barrier_goes_where_the_finding_says(text, shape, says, line):
    results = findings(text.replace("@", ""), "int", *shape)
    assert results and says in results[0].hint
    gap = "@" if "@" in text else "\n"
    assert not findings(text.replace(gap, f"\n{line}\n"), "int", *shape)


BLOCKS = [
    ("bins[i] = t;", "out[i] = bins[n / 2 - 1 - i];"),
    ("if (i == 0) bins[0] = 7;", "out[i] = bins[0];"),
    ("atomicAdd(&bins[0], t);", "if (i == 0) out[0] = bins[0];"),
    ("if (i == 0) bins[0] = 7;", "atomicAdd(&bins[0], t);"),
]


@pytest.mark.parametrize("first, second", BLOCKS)
def test_between_blocks_two_launches_help(first, second):
    results = findings(f"{first}\n{second}", "int", 4, 64)
    assert results and {f.hint for f in results} == {"use two kernel launches"}
    assert not findings(first, "int", 4, 64) and not findings(second, "int", 4, 64)


def test_neighbors_of_another_block_are_read_into_another_array():
    results = findings("if (i + 1 < n) bins[i] = bins[i + 1] + k;", "int", 4, 64)
    between = [f for f in results if "nothing orders two blocks" in f.message]
    assert {f.hint for f in between} == {"write the results to another array"}
    assert not findings("if (i + 1 < n) out[i] = bins[i + 1] + k;", "int", 4, 64)


def test_blocks_that_write_one_element():
    results = findings("if (t == 0) bins[0] = blockIdx.x;", "int", 4, 64)
    assert len(results) == 1 and "let one thread do it" in results[0].hint
    assert not findings("if (i == 0) bins[0] = blockIdx.x;", "int", 4, 64)


def test_places_that_a_function_returns_are_read_for_updates():
    results = findings("at(bins)++;", "int", 1, 64)
    assert results and all("use atomicAdd" in f.hint for f in results)
