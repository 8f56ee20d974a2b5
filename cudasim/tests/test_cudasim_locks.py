"""Locks and flags, with fences: right as they stand, a race without a marked line.

A case is a kernel of (int* lock, int* data, int n) whose lines with //- are needed: its
twins lack one of them each, and something must be found. The values are what `data[0]`
is in the end.
"""

import cudasim
import numpy as np
import on_gpu
import pytest
from cudasim import nvrtc

TAKE = """    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();  //-
            data[0] = data[0] + 1;
            __threadfence();  //-
            atomicExch(lock, 0);
            done = true;
        }
    }"""
CASES = {
    "spin": (TAKE, 1, 64, 64),
    "spin_of_blocks": (TAKE, 2, 32, 64),
    "spin_by_one_thread": (f"    if (threadIdx.x) return;\n{TAKE}", 6, 64, 6),
    "within_a_block": (TAKE.replace("fence()", "fence_block()"), 1, 64, 64),
    "exchange": (
        TAKE.replace("atomicCAS(lock, 0, 1)", "atomicExch(lock, 1)"), 2, 32, 64),
    "release_by_cas": (
        TAKE.replace("atomicExch(lock, 0)", "atomicCAS(lock, 1, 0)"), 2, 32, 64),
    "or_and": (
        TAKE.replace("atomicCAS(lock, 0, 1)", "(atomicOr(lock, 1) & 1)").replace(
            "atomicExch(lock, 0)", "atomicAnd(lock, ~1)"), 1, 64, 64),
    "volatile_release": (
        TAKE.replace("atomicExch(lock, 0)", "*(volatile int*)lock = 0"), 2, 32, 64),
    "in_functions": (TAKE.replace("data[0] = data[0] + 1", "bump(data)"), 1, 64, 64),
    "ticket": ("""    int mine = atomicAdd(&lock[0], 1);
    bool done = false;
    while (!done) {
        if (atomicAdd(&lock[1], 0) == mine) {
            __threadfence();  //-
            data[0] += 1;
            __threadfence();  //-
            atomicAdd(&lock[1], 1);
            done = true;
        }
    }""", 2, 64, 128),
    "volatile_ticket": ("""    int mine = atomicAdd(&lock[0], 1);
    volatile int* serving = lock + 1;
    bool done = false;
    while (!done) {
        if (*serving == mine) {
            __threadfence();  //-
            data[0] += 1;
            __threadfence();  //-
            *serving = mine + 1;
            done = true;
        }
    }""", 2, 32, 64),
    "lock_per_bin": ("""    int bin = threadIdx.x % 3;
    for (bool done = false; !done;) {
        if (atomicCAS(&lock[bin], 0, 1) == 0) {
            __threadfence();  //-
            data[bin] = max(data[bin], (int)threadIdx.x);
            __threadfence();  //-
            atomicExch(&lock[bin], 0);
            done = true;
        }
    }""", 1, 64, 63),
    "shared_lock": ("""    __shared__ int own, sum;
    if (threadIdx.x == 0) own = sum = 0;
    __syncthreads();
    for (bool done = false; !done;) {
        if (atomicCAS(&own, 0, 1) == 0) {
            __threadfence_block();  //-
            sum += threadIdx.x;
            __threadfence_block();  //-
            atomicExch(&own, 0);
            done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) data[0] = sum;""", 1, 64, 2016),
    "flag_of_blocks": ("""    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        data[1] = 42;
        __threadfence();  //-
        atomicExch(lock, 1);
    } else {
        while (atomicAdd(lock, 0) == 0) {}
        __threadfence();  //-
        data[0] = data[1];
    }""", 2, 32, 42),
    "volatile_flag": ("""    volatile int* flag = lock;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        data[1] = 42;
        __threadfence();  //-
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();  //-
        data[0] = data[1];
    }""", 2, 32, 42),
    "volatile_flag_of_warps": ("""    __shared__ volatile int flag;
    __shared__ int value;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = 42;
        __threadfence_block();  //-
        flag = 1;
    } else if (threadIdx.x == 32) {
        while (flag == 0) {}
        __threadfence_block();  //-
        data[0] = value;
    }""", 1, 64, 42),
    "last_block": ("""    __shared__ bool last;
    if (threadIdx.x == 0) {
        data[blockIdx.x + 1] = blockIdx.x;
        __threadfence();  //-
        last = atomicAdd(lock, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (int i = 1; i <= gridDim.x; i++) data[0] += data[i];""", 5, 32, 10),
    "last_block_of_all": ("""    __shared__ bool last;
    data[1 + blockIdx.x * 64 + threadIdx.x] = 1;
    __threadfence();  //-
    __syncthreads();  //-
    if (threadIdx.x == 0) last = atomicInc((unsigned*)lock, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    if (threadIdx.x == 0) for (int i = 1; i <= 64 * gridDim.x; i++) data[0] += data[i];
""", 4, 64, 256),
}  # fmt: skip
BEFORE = "__device__ void bump(int* data) { data[0] = data[0] + 1; }\n"


def text_of(body):
    head = "__global__ void f(int* lock, int* data, int n) {\n"
    return f"{BEFORE}{head}{body}\n}}"


def run(body, grid, block, schedule="lockstep"):
    data = np.zeros(300, np.int32)
    args = np.zeros(4, np.int32), data, np.int32(300)
    kernel = cudasim.RawKernel(text_of(body), "f")
    limits = cudasim.Limits(steps=20_000)
    return cudasim.run(
        kernel, grid, block, args, schedule=schedule, limits=limits
    ), data


@pytest.mark.parametrize("name", CASES)
def test_a_lock_with_fences_is_no_race(name):
    body, grid, block, value = CASES[name]
    report, data = run(body, grid, block)
    assert report.findings == [] and data[0] == value
    if not nvrtc.missing():
        assert nvrtc.compiled(text_of(body)) == ""


PLAIN = {f"lock[0] = {n};": f"atomicExch(lock, {n});" for n in (0, 1)}


def without_a_line():
    for name, (body, grid, block, _) in CASES.items():
        lines = body.split("\n")
        for number, line in enumerate(lines):
            if "//-" in line:
                rest = "\n".join(lines[:number] + lines[number + 1 :])
                yield pytest.param(rest, grid, block, id=f"{name}-{number}")
        for plain, atomic in PLAIN.items():
            if atomic in body:
                rest = body.replace(atomic, plain)
                yield pytest.param(rest, grid, block, id=f"{name}-plain-{atomic}")


@pytest.mark.parametrize("body, grid, block", [*without_a_line()])
def test_without_one_of_its_lines_it_is(body, grid, block):
    report, _ = run(body, grid, block)
    assert {f.kind for f in report.findings} & {"race", "race-warp"}


@pytest.mark.gpu
@pytest.mark.parametrize("name", CASES)
def test_a_gpu_gives_the_same(name):
    body, grid, block, value = CASES[name]
    args = np.zeros(4, np.int32), np.zeros(300, np.int32), np.int32(300)
    _, data = on_gpu.launched(text_of(body), "f", grid, block, args)
    assert data[0] == value
