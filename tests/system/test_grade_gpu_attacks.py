"""On a GPU: hostile kernels cost their own answer, leave nothing there, and end.

They are right in the simulator, else none of them would come to a GPU.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from kernel_class import EXERCISES, TWICE, I  # noqa: E402
from left_over import running  # noqa: E402

from grading.checking.check import judge  # noqa: E402
from grading.exercise import Launch  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.isolation.replies import About, Problem  # noqa: E402
from grading.kernels import gpu  # noqa: E402
from minigrad.cli import install  # noqa: E402

pytestmark = pytest.mark.gpu
EXERCISE = EXERCISES["01_threads"]["tail_guard"]
SECRET, MB = 0x4711BEEF, 2**20

NEVER = "for (volatile int k = 0; k < 2; k = 0) y[0] = k;"
HOSTILE = {
    "one thread without end": f"if ({I[8:-1]} == 0) {NEVER}",
    "no thread ends": NEVER,
    "a lock that nobody opens": "while (atomicCAS((int*)y, 7, 8) != 7);",
    "sleep": "while (true) __nanosleep(1000000);",
    "far beyond the end": "y[n + 100000000] = 1;",
    "far before the beginning": "y[-100000000] = 1;",
    "a little beyond the end": f"{TWICE} y[n + threadIdx.x % 8] = 1;",
    "a little before the beginning": f"{TWICE} y[-1 - (int)threadIdx.x % 8] = 1;",
    "its input": f"{TWICE} ((float*)x)[i < n ? i : 0] = 1;",
    "a pointer out of nothing": "*(volatile int*)0x7fff0000 = 1;",
    "a trap": "__trap();",
    "shared memory that it has not": "__shared__ int s[4]; s[n + (1 << 20)] = y[0] = 1;",
    "a stack without end": "y[0] = deeper(y, n);",
    "16 GB of the heap": "char* p; while ((p = (char*)malloc(1 << 16))) p[9] = 1; "
    "y[0] = 1;",
    "64 GB that stand there": "big[(1ll << 36) - 1 - threadIdx.x] = 1; y[0] = big[n];",
    "local memory": "volatile float z[60000]; for (int k = 0; k < 60000; k++) z[k] = k;"
    " y[0] = z[n];",
}
BEFORE = {
    "a stack without end": "__device__ __noinline__ float deeper(float* y, int n) "
    "{ volatile float z[99]; z[n % 99] = n; return deeper(y, n + 1) + z[n % 9]; }",
    "64 GB that stand there": "__device__ char big[1ll << 36];",
}
FILL = f"""
__shared__ int s[12000];
volatile int z[2000];
for (int k = threadIdx.x; k < 12000; k += blockDim.x) s[k] = {SECRET};
for (int k = 0; k < 2000; k++) z[k] = {SECRET};
{I} volatile int* p = i < 1000 ? (int*)malloc(4096) : 0;
for (int k = 0; p && k < 1024; k++) p[k] = {SECRET};
if (i < n) y[i] = x[i] + (z[n % 2000] + s[n % 12000] == 1);
"""
PEEK = f"""
__shared__ volatile int s[12000];
volatile int z[2000];
int found[4] = {{0, 0, 0, 0}};
const int* page = (const int*)((unsigned long long)x & ~{2 * MB - 1}ull);
for (int k = threadIdx.x; k < {MB // 2}; k += blockDim.x)
    found[0] += page[k] == {SECRET};
for (int k = threadIdx.x; k < 12000; k += blockDim.x)
    found[1] += s[k] == {SECRET};
for (int k = 0; k < 2000; k++) found[2] += z[k] == {SECRET};
{I} volatile int* p = i < 1000 ? (int*)malloc(4096) : 0;
for (int k = 0; p && k < 1024; k++) found[3] += p[k] == {SECRET};
for (int k = 0; k < 4; k++) if (found[k]) atomicAdd(y + k, (float)found[k]);
"""


@pytest.fixture(autouse=True)
def cupy(monkeypatch):
    """A GPU; answers in a box where there is one; 20 s for what does not end."""
    if install.driver_cuda() is None:
        pytest.skip("not run: GPU tests (no NVIDIA driver)")
    monkeypatch.setattr(sandbox, "boxing", not sandbox.why_not())
    monkeypatch.setattr(gpu, "START_SECONDS", 20)
    return pytest.importorskip("cupy", reason="not run: GPU tests (no CuPy)")


class Says:
    """A subject whose answer is this text."""

    simulator = None

    def __init__(self, text):
        self.said = text

    def about(self, name):
        return About("answered")

    def text(self, name):
        return self.said


def text(body, before=""):
    return f"{before}\n{EXERCISE.form()} {{ {body} }}"


def two_faced(name):
    """Right in the simulator, whose __CUDA_ARCH__ is 750, and hostile on the GPU."""
    hostile = text(HOSTILE[name], BEFORE.get(name, ""))
    return f"#if __CUDA_ARCH__ > 750\n{hostile}\n#else\n{text(TWICE)}\n#endif\n"


def free(cupy):
    return cupy.cuda.runtime.memGetInfo()[0]


@pytest.mark.parametrize("name", HOSTILE)
def test_it_earns_nothing_ends_and_frees_the_gpu(name, monkeypatch):
    answer = Says(two_faced(name))
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(gpu, "available", lambda: False)
        assert judge(EXERCISE, answer, 1).state == "right"
    verdict = judge(EXERCISE, answer, 1)
    assert verdict.points == 0, verdict
    late = time.monotonic() + 60
    while running(gpu.CODE):  # when it ends, the driver frees what it has
        assert time.monotonic() < late
        time.sleep(0.1)
    assert judge(EXERCISE, Says(text(TWICE)), 1).state == "right"


def launched(body, x, size, blocks):
    launch = Launch(blocks, 256, (x, np.zeros(size, np.float32), np.int32(size)))
    (done,) = gpu.run(EXERCISE, text(body), [launch])
    assert not isinstance(done, Problem), done
    return done.arrays["y"]


def test_what_another_has_left_is_not_read():
    """In global, shared and local memory and on the heap: all words of it are counted."""
    secret = np.full(2**22, SECRET, np.uint32).view(np.float32)
    for _ in range(3):
        launched(FILL, secret, len(secret), 2**14)
        result = launched(PEEK, np.ones(4, np.float32), 4, 2**10)
        assert dict(zip(("global", "shared", "local", "heap"), result, strict=True)) == {
            "global": 0, "shared": 0, "local": 0, "heap": 0
        }  # fmt: skip


def test_who_takes_all_memory_costs_another_no_points(cupy):
    big = f"__device__ char big[{free(cupy) - 1024 * MB}];"
    hog = text(f"big[0] = 1; {NEVER} y[1] = big[n];", big)
    launch = Launch(
        1, 32, (np.ones(9, np.float32), np.ones(9, np.float32), np.int32(9))
    )
    with ThreadPoolExecutor() as pool:
        end = time.monotonic() + 15
        before, taking = free(cupy), pool.submit(gpu.run, EXERCISE, hog, [launch])
        while free(cupy) > before / 2 and time.monotonic() < end:
            time.sleep(0.05)
        assert free(cupy) < before / 2, taking.result()
        assert judge(EXERCISE, Says(text(TWICE)), 1).state == "right"
        assert taking.result()[0].kind == "time"
