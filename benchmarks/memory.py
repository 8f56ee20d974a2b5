"""What memory costs: copies, strides, tiles, banks, atomics, and how it is timed.

    python benchmarks/memory.py [--write]

The kernels are those of chapter 02's lessons and lab, and four of its own. Times are
medians. The L2 cache is overwritten before each launch, except for the copies of one
float per thread, which are timed as in the lesson.
"""

import functools
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import common
from minigrad import Kernel, device_empty, gpu_available, to_device, to_host
from minigrad.devices import synchronize
from minigrad.launch import cdiv
from minigrad.testing import bench

PAGE = common.HOME / "docs" / "benchmarks" / "memory.md"
CHAPTER = (
    "lessons/02_memory.py",
    "lessons/02_memory_tiles.py",
    "solutions/02_memory.py",
)
N = 2**28  # floats, where nothing else is said; a table takes its share of them
THREADS, GRID = 256, 2112  # of loops: 16 blocks for each of 132 multiprocessors
COPY = r"""
__global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}
"""
OWN = r"""
__global__ void shifted(const float* x, float* y, int n, int shift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i + shift];
}

__global__ void banks(float* y, int stride, int rounds) {
    __shared__ volatile float tile[32 * 33];
    int at = threadIdx.x % 32 * stride;
    for (int i = threadIdx.x; i < 32 * 33; i += blockDim.x) tile[i] = 1;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < rounds; k++)
        #pragma unroll
        for (int j = 0; j < 32; j++) sum += tile[at + j];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void count_in_blocks(const int* x, int* counts, int n) {
    __shared__ int own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&own[x[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
"""


def kernel(name, *changes, which=-1):
    """The chapter's kernel of this name, the last of them; changes: (old, new)."""
    texts = [(common.HOME / path).read_text(encoding="utf-8") for path in CHAPTER]
    kernels = re.findall(
        rf'r"""(\n__global__ void {name}\(.*?)"""', "".join(texts), re.S
    )
    text = kernels[which]
    for old, new in changes:
        assert old in text, f"{name} has no {old!r}"
        text = text.replace(old, new)
    return Kernel(text, name)


def seconds(call, flush=True):
    """Of one call: the median. In the simulator no cache is overwritten."""
    flush = flush and gpu_available()
    return bench(call, warmup=2, repeat=15, flush=flush).median


def waiting(call):
    """Seconds of the host's clock until the call is done."""
    return bench(lambda: (call(), synchronize()), device="cpu", repeat=15).median


def us(value):
    return f"{1e6 * value:,.3g}" if value < 1e-3 else f"{1e6 * value:,.0f}"


def rate(nbytes, value):
    return f"{nbytes / value / 1e9:,.0f}"


def floats(n):
    return to_device(np.random.default_rng(0).random(n, np.float32))


def blocks(n):
    return cdiv(n, THREADS)


# ---------------------------------------------------------------- the tables


def copies(n):
    yield "copies from host to device, in µs"
    yield "bytes", "plain", "pinned", "within the device"
    for size in (4, n // 2**16 or 1, n // 2**8, n // 2**4, n):
        there, other = device_empty(size), floats(size)
        plain = np.ones(size, np.float32)
        fixed = pinned(plain)
        send = there.set if gpu_available() else functools.partial(np.copyto, there)
        times = [waiting(functools.partial(send, x)) for x in (plain, fixed)]
        within = waiting(lambda t=there, o=other: t.__setitem__(..., o))
        yield f"{4 * size:,}", *map(us, (*times, within))


def pinned(x):
    """A copy in host memory that stays where it is."""
    if not gpu_available():
        return x.copy()
    import cupyx

    fixed = cupyx.empty_pinned(x.shape, x.dtype)
    fixed[...] = x
    return fixed


def strides(n):
    copied, one = n // 2**5, kernel("copy_strided")
    yield f"copy with a stride, {copied:,} floats"
    yield "stride", "useful GB/s"
    x, y = floats(n), device_empty(n)
    for stride in (1, 2, 4, 8, 16, 32):
        args = x, y, copied * stride, stride
        taken = seconds(lambda a=args: one(blocks(copied), THREADS, a))
        yield stride, rate(8 * copied, taken)
        copy, wanted = (to_host(a)[: copied * stride : stride] for a in (y, x))
        assert np.array_equal(copy, wanted), stride


def sizes(n):
    one = Kernel(COPY, "copy")
    yield "copy of one float a thread"
    yield "floats", "µs"
    for size in (n >> k or 1 for k in (18, 14, 10, 8, 6, 4, 2, 0)):
        args = floats(size), device_empty(size), size
        taken = seconds(lambda a=args: one(blocks(a[2]), THREADS, a), flush=False)
        yield f"{size:,}", us(taken)


def banks(n):
    one, many = Kernel(OWN, "banks"), max(n // 2**18, 1)
    y = device_empty(many * THREADS)
    yield "shared memory read with a stride"
    yield "stride", "µs"
    for stride in (0, 1, 2, 3, 4, 8, 16, 32, 33):
        taken = seconds(lambda s=stride: one(many, THREADS, (y, s, max(n // 2**22, 1))))
        yield stride, us(taken)


def transposes(n):
    side = int(n**0.5)
    x, y = floats((side, side)), device_empty((side, side))
    tiles = cdiv(side, 32)
    naive, copy = kernel("transpose"), Kernel(COPY, "copy")
    narrow = kernel("transpose_tiled", ("[32][33]", "[32][32]"))
    wide = kernel("transpose_tiled")
    yield f"transposes of {side:,} x {side:,} floats, blocks of 32 x 8 threads"
    yield "kernel", "GB/s"
    for name, one, grid in (
        ("element by element", naive, (tiles, 4 * tiles)),
        ("tile [32][32]", narrow, (tiles, tiles)),
        ("tile [32][33]", wide, (tiles, tiles)),
    ):
        taken = seconds(lambda o=one, g=grid: o(g, (32, 8), (x, y, side, side)))
        assert np.array_equal(to_host(y), to_host(x).T), name
        yield name, rate(8 * side * side, taken)
    taken = seconds(lambda: copy(blocks(side * side), THREADS, (x, y, side * side)))
    yield "a plain copy", rate(8 * side * side, taken)


def counts(n):
    n = n // 4
    many = np.random.default_rng(0).integers(0, 256, n, np.int32)
    change = "counts[x[i]] += 1", "atomicAdd(&counts[x[i]], 1)"
    ways = {
        "atomicAdd in global memory": (kernel("count", change), blocks(n)),
        "in shared memory first": (
            Kernel(OWN, "count_in_blocks"),
            blocks(n) // 64 or 1,
        ),
    }
    yield f"counts of {n:,} numbers"
    yield "kernel", "256 values", "one value"
    for name, (one, grid) in ways.items():
        times = []
        for x in many, np.zeros_like(many):
            args = to_device(x), to_device(np.zeros(256, np.int32)), n
            one(grid, THREADS, args)
            assert np.array_equal(to_host(args[1]), np.bincount(x, minlength=256)), name
            times.append(seconds(lambda o=one, g=grid, a=args: o(g, THREADS, a)))
        yield name, *(f"{1e3 * taken:.2g} ms" for taken in times)


def wrong(n):
    n, racy = n // 2**8, kernel("rotate", ("__syncthreads();", ""))
    x = np.arange(n, dtype=np.float32)
    right = np.roll(x.reshape(-1, THREADS), -1, 1).ravel()
    there = to_device(x)
    yield f"wrong elements of {n:,}, without the barrier"
    yield "run", "wrong"
    for run in 1, 2, 3:
        y = device_empty(n)
        racy(n // THREADS, THREADS, (there, y, n))
        yield run, f"{(to_host(y) != right).sum():,}"


def single(n):
    yield "single numbers"
    yield "what", "measured"
    x, y = floats(n + 1), device_empty(n)
    shifted, copy = Kernel(OWN, "shifted"), Kernel(COPY, "copy")
    times = [
        seconds(lambda s=s: shifted(blocks(n), THREADS, (x, y, n, s))) for s in (0, 1)
    ]
    yield "slower with a shift of 1", f"{100 * (times[1] / times[0] - 1):.0f} %"
    launch = functools.partial(copy, blocks(n), THREADS, (x[:n], y, n))
    taken = waiting(launch)
    yield "a copy, with a wait before the clock is stopped", f"{us(taken)} µs"
    yield "a copy, without", f"{us(asked(launch)[1])} µs"
    new = Kernel(f"// {time.time_ns()}\n{OWN}", "shifted")  # compiled nowhere yet
    few = functools.partial(new, 1, 32, (x, y, 32, 0))
    first, *_ = asked(lambda: (few(), synchronize()))
    yield "the first call of a small kernel", f"{1e3 * first:.0f} ms"
    yield "a later call", f"{us(waiting(few))} µs"
    grid = min(GRID, blocks(n))
    for what, which in ("a piece a thread", 0), ("a grid-stride loop", -1):
        one = kernel("coalesced_copy", which=which)
        taken = seconds(lambda o=one: o(grid, THREADS, (x, y, n)))
        assert np.array_equal(to_host(y), to_host(x)[:n]), what
        yield f"copy with {what}, GB/s", rate(8 * n, taken)
    taken = seconds(lambda: y.__setitem__(..., x[:n]))
    yield "the driver's own copy, GB/s", rate(8 * n, taken)


def asked(call):
    """Seconds of the host's clock of the first and of the second call."""
    taken = []
    for _ in range(2):
        synchronize()
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    synchronize()
    return taken


TABLES = copies, strides, sizes, banks, transposes, counts, wrong, single


def bus():
    """What lies between host and device."""
    if not gpu_available():
        return ""
    asked = "pcie.link.gen.max,pcie.link.width.max"
    command = ["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader", "-i", "0"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return ", PCIe {}, {} lanes".format(*said.strip().split(", "))


def report(n=N):
    """Yield the head and each table."""
    yield f"{common.machine()}{bus()}."
    for table in TABLES:
        title, *rows = table(n)
        yield f"### {title}\n\n{common.markdown(rows)}"


def main(arguments=None):
    options = common.parser(__doc__, PAGE).parse_args(arguments)
    if not gpu_available():
        print("not run: what memory costs (needs an NVIDIA GPU and CuPy)")
        return 2
    shown = []
    for text in report():
        print(text, end="\n\n", flush=True)
        shown.append(text)
    if options.write:
        common.write(PAGE, "\n\n".join(shown), "memory")
    return 0


if __name__ == "__main__":
    sys.exit(main())
