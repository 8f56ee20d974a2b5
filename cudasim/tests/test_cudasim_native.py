"""Kernels in C: the bits of NumPy, its messages, and NumPy where C cannot be had."""

import signal
import subprocess
import sys
import threading
import time

import cudasim
import fuzz
import numpy as np
import pytest
import random_kernels
from arguments import arguments, fresh
from cudasim import native
from cudasim.native import build
from cudasim.simulated_launch import Launch
from snippets import entries, kernels
from test_cudasim_kernels import LAUNCHES

needs_compiler = pytest.mark.skipif(
    build.compiler() is None, reason="not run: no C compiler, or no folder for its work"
)
UNREAD = {"half_axpy", "bfloat_sum", "atomic_max_float", "debug_print"}
SEEDS = [*range(8), *(pytest.param(s, marks=pytest.mark.slow) for s in range(8, 150))]


def compiled(text, name, options=()):
    """A kernel that NumPy has had its turn with."""
    kernel = cudasim.RawKernel(text, name, options)
    kernel.native.seconds = native.PATIENCE
    return kernel


def both(text, name, grid, block, args, shared_mem=0, options=()):
    """(did it run in C; arguments after a launch with NumPy, those after one in C)"""
    plain, fast = fresh(args), fresh(args)
    kernel = compiled(text, name, options)
    before = Launch(kernel, grid, block, plain, shared_mem)
    assert not before.run().findings
    one = Launch(compiled(text, name, options), grid, block, fast, shared_mem)
    ran = one.kernel.native.made(one) and native.in_c(
        one, one.kernel.native, time.thread_time() + 60
    )
    return ran, plain, fast


def same(a, b):
    return all(
        fuzz.same(x, y) for x, y in zip(a, b, strict=True) if isinstance(x, np.ndarray)
    )


@needs_compiler
def test_a_report_says_what_ran():
    text = "__global__ void f(int* x) { for (int i = 0; i < 9; i++) x[i] += i; }"
    x = np.zeros(9, np.int32)
    for kernel, engine in ((cudasim.RawKernel(text, "f"), "NumPy"),
                           (compiled(text, "f"), "C")):  # fmt: skip
        assert native.run(Launch(kernel, 1, 1, (x,))).engine == engine
    assert cudasim.run(kernel, 1, 1, (x,)).engine == "NumPy"


@needs_compiler
@pytest.mark.parametrize("stem", LAUNCHES)
def test_teaching_kernels(stem):
    for one in LAUNCHES[stem]():
        how = one.grid, one.block, one.args, one.shared_mem, one.options
        compiled, plain, fast = both(kernels()[stem], one.name, *how)
        assert compiled == (stem not in UNREAD)
        assert not compiled or same(plain, fast)


@needs_compiler
@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels(seed):
    program = random_kernels.make(seed)
    kernel = compiled(program.source, program.name, fuzz.OPTIONS)
    plain, fast = program.arguments(), program.arguments()
    how = program.grid, program.block
    Launch(kernel, *how, plain, program.shared_mem).run()
    kernel(*how, fast, shared_mem=program.shared_mem)
    assert fuzz.differences(program, plain, fast) == []


RACY = {"race", "race-warp", "race-equal", "uninitialized"}


@needs_compiler
@pytest.mark.slow
def test_accepted_texts():
    """Every tenth text: the bits of NumPy where it finds nothing, else its findings."""
    read = 0
    for text in entries("accepted")[::10]:
        for name in cudasim.compile(text).kernels:
            kernel = compiled(text, name)
            args, how = arguments(kernel, 4096), {"limits": cudasim.Limits(steps=3000)}
            plain, fast, tried = (fresh(args) for _ in range(3))
            report = cudasim.run(kernel, 2, 32, plain, 1024, tools=(), **how)
            one = Launch(compiled(text, name), 2, 32, fast, 1024, **how)
            if not one.kernel.native.made(one):
                continue
            ended = native.in_c(one, one.kernel.native, time.thread_time() + 60)
            read += ended
            assert not (ended and report.findings), text
            if ended and not same(plain, fast):
                twin = cudasim.RawKernel(text, name)
                report = cudasim.run(twin, 2, 32, tried, 1024, **how)
                assert RACY & {f.kind for f in report.findings + report.notes}, text
    assert read > 50


FAULTS = {
    "index": "x[n + 40 * i] = 1;",
    "negative": "x[-i] = 1;",
    "local": "int a[4]; for (int k = 0; k < n; k++) a[k] = k; x[0] = a[0];",
    "shared": "__shared__ float s[8]; s[i + n] = 1; x[i] = s[i + n];",
    "wide": "x[(long long)i << 60] = 1;",
    "vector": "*(float4*)(x + n) = make_float4(1, 2, 3, 4);",
    "null": "float* p = n ? nullptr : x; *p = 1;",
    "division": "x[i] = n / i;",
    "barrier": "if (i < n) __syncthreads(); x[i] = 1;",
    "rounds": "for (int k = 0; k < 2; k++) if (k < 1 || i < n) __syncthreads();",
    "warp": "if (i < n) x[i] = __shfl_down_sync(~0u, x[i], 1);",
    "assert": "x[i] = 1; assert(n > 100);",
    "trap": "x[i] = 1; if (i == n) __trap();",
    "endless": "while (n) x[i] += 1;",
    "constant": "float* p = c; p[n] = x[i];",
}


@needs_compiler
@pytest.mark.parametrize("body", FAULTS)
def test_findings_are_those_of_numpy(body):
    text = "__constant__ float c[64];\n__global__ void f(float* x, int n) {\n"
    text += f"    int i = threadIdx.x;\n    {FAULTS[body]}\n}}"
    plain, fast = np.ones(32, np.float32), np.ones(32, np.float32)
    limits = cudasim.Limits(steps=2000)
    kernel = compiled(text, "f")
    kernel.limits = limits
    how = {"tools": (), "limits": limits, "advise": False}
    report = cudasim.run(kernel, 1, 32, (plain, 7), **how)
    with pytest.raises(cudasim.KernelError) as error:
        kernel(1, 32, (fast, 7))
    assert kernel.native.enter
    assert str(error.value) == str(cudasim.KernelError(report))
    np.testing.assert_array_equal(plain, fast)


LONG = """
__global__ void sum(const float* x, float* y, int n) {
    float total = y[threadIdx.x];
    for (int k = 0; k < n; k++) total += x[k % 64];
    y[threadIdx.x] = total;
}"""


@needs_compiler
def test_a_long_loop_is_handed_over(monkeypatch):
    """NumPy stops in its midst, and what it wrote is put back."""
    monkeypatch.setattr(native, "PATIENCE", 0.01)
    x, plain = np.ones(64, np.float32), np.ones(32, np.float32)
    fast = plain.copy()
    kernel = cudasim.RawKernel(LONG, "sum")
    cudasim.run(kernel, 1, 32, (x, plain, 5000), tools=())
    assert not kernel.native.tried
    kernel(1, 32, (x, fast, 5000))
    assert kernel.native.enter
    np.testing.assert_array_equal(plain, fast)
    assert fast[0] == 5001


def test_many_threads_stay_with_numpy(monkeypatch):
    monkeypatch.setattr(native, "PATIENCE", 0)
    monkeypatch.setattr(native, "FEW", 31)
    kernel, args = (
        cudasim.RawKernel(LONG, "sum"),
        (np.ones(64, "f4"), np.ones(32, "f4")),
    )
    kernel(1, 32, (*args, 10))
    assert not kernel.native.tried


@pytest.mark.parametrize("lack", ["compiler", "folder", "leave"])
def test_without_a_compiler(lack, monkeypatch, tmp_path):
    """NumPy does it; nothing is said, and nothing tried again."""
    monkeypatch.setattr(native, "PATIENCE", 0)
    (tmp_path / "file").touch()
    if lack == "compiler":
        monkeypatch.setattr(build.shutil, "which", lambda name: None)
    elif lack == "folder":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.setattr(build.subprocess, "run", refuse)
    build.compiler.cache_clear()
    try:
        kernel, y = cudasim.RawKernel(LONG, "sum"), np.ones(32, np.float32)
        for _ in range(2):
            kernel(1, 32, (np.ones(64, np.float32), y, 10))
    finally:
        monkeypatch.undo()
        build.compiler.cache_clear()
    assert y[0] == 21 and kernel.native.tried and not kernel.native.enter


def refuse(*command, **how):
    raise PermissionError(1, "Operation not permitted")


@needs_compiler
def test_two_threads_at_once():
    kernel, ends = compiled(LONG, "sum"), []

    def launch():
        y = np.ones(32, np.float32)
        for _ in range(20):
            kernel(1, 32, (np.ones(64, np.float32), y, 100_000))
        ends.append(y[0])

    threads = [threading.Thread(target=launch) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == [2_000_001] * 2 and kernel.native.enter


@needs_compiler
def test_two_processes_at_once(tmp_path, monkeypatch):
    """Both compile the text; neither loads the half of it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    text = (
        "from cudasim.native import build\n"
        "enter = build.library('int enter(void) { return 7; }')\n"
        "assert enter() == 7"
    )
    running = [subprocess.Popen([sys.executable, "-c", text]) for _ in range(2)]
    assert [one.wait() for one in running] == [0, 0]
    assert len(list((tmp_path / "cudasim").iterdir())) == 1


@needs_compiler
@pytest.mark.parametrize("meet", ["", "__syncthreads();"])
def test_a_signal_interrupts(meet):
    """Its handler raises while C runs, between two looks at the time."""
    text = LONG.replace("for", f"{meet} for").replace("int n", "long n")
    text = text.replace("int k", "long k")
    kernel = compiled(text, "sum")
    kernel.limits = cudasim.Limits(steps=10**12)
    args = np.ones(64, np.float32), np.ones(32, np.float32), 10**11

    def handler(*_):
        raise TimeoutError("now")

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        with pytest.raises(TimeoutError, match="now"):
            kernel(1, 32, args)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert kernel.native.enter
