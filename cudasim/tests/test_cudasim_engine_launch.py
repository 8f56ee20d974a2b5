"""Launches: variables of the file, shared memory, odd sizes, what printf writes."""

import sys
import threading

import cudasim
import numpy as np
import pytest

SCHEDULES = ["lockstep", "warps"]
IDS = (
    "__global__ void k(int* o) {\n"
    "  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
    "  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
    "  o[b * blockDim.x * blockDim.y * blockDim.z + t] += b * 2000 + t;\n}"
)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(("grid", "block"), [
    (1, 1), (3, 33), (2, 1024), ((2, 3, 2), (5, 3, 2)), ((1, 1, 7), (1, 32, 3)),
    (100_000, 1), (70_000, (2, 1, 1)),
])  # fmt: skip
def test_shapes(grid, block, schedule):
    blocks, threads = int(np.prod(grid)), int(np.prod(block))
    out = np.zeros(blocks * threads, np.int32)
    kernel = cudasim.RawKernel(IDS, "k")
    report = cudasim.run(kernel, grid, block, (out,), schedule=schedule)
    assert report.findings == []
    wanted = np.arange(blocks)[:, None] * 2000 + np.arange(threads)
    np.testing.assert_array_equal(out, wanted.reshape(-1))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_nothing_to_do(schedule):
    source = (
        "__global__ void k(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i];\n}"
    )
    nothing = np.zeros(0, np.float32)
    args = nothing, nothing.copy(), np.int32(0)
    kernel = cudasim.RawKernel(source, "k")
    assert cudasim.run(kernel, 2, 33, args, schedule=schedule).findings == []
    one = cudasim.run(kernel, 1, 1, (*args[:2], np.int32(1)), schedule=schedule)
    assert {f.kind for f in one.findings} == {"out-of-bounds"}


FILE = """
struct Pair { int a; float b; };
__device__ int counter = 5;
__device__ float row[4];
__device__ int grid[2][3] = {{1, 2, 3}, {4}};
__constant__ float table[3] = {1.5f, 2.5f};
__device__ Pair pair = {7, 0.5f};
__global__ void count(int* o) { o[threadIdx.x] = atomicAdd(&counter, 1); }
__global__ void look(float* o) {
    o[0] = table[0]; o[1] = table[2]; o[2] = pair.a + pair.b; o[3] = grid[1][0];
    o[4] = row[3];
}
"""


def test_variables_of_the_file():
    module = cudasim.RawModule(FILE)
    count, look = module.get_function("count"), module.get_function("look")
    seen, out = np.zeros(3, np.int32), np.zeros(5, np.float32)
    count(1, 3, (seen,))
    count(1, 3, (seen,))
    np.testing.assert_array_equal(seen, [8, 9, 10])
    assert module.get_global("counter")[0] == 11
    look(1, 1, (out,))
    np.testing.assert_array_equal(out, [1.5, 0, 7.5, 4, 0])
    module.get_global("table")[:] = 9
    module.get_global("row")[3] = 4
    look(1, 1, (out,))
    np.testing.assert_array_equal(out, [9, 9, 7.5, 4, 4])
    assert module.get_global("grid").reshape(2, 3)[0, 2] == 3
    with pytest.raises(KeyError, match="no variable 'nothing'"):
        module.get_global("nothing")
    fresh = cudasim.RawModule(FILE)
    assert fresh.get_global("counter")[0] == 5


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_static_and_dynamic_shared_memory(schedule):
    source = """
    extern __shared__ float both[];
    __global__ void k(float* o) {
        extern __shared__ float again[];
        __shared__ int fixed[33];
        __shared__ double one;
        int i = threadIdx.x;
        both[i] = i; fixed[i] = 100;
        if (i == 0) one = 0.5;
        __syncthreads();
        o[blockIdx.x * 33 + i] = again[32 - i] + fixed[32 - i] + (float)one;
    }"""
    out = np.zeros(99, np.float32)
    kernel = cudasim.RawKernel(source, "k")
    report = cudasim.run(kernel, 3, 33, (out,), shared_mem=33 * 4, schedule=schedule)
    assert report.findings == []
    np.testing.assert_array_equal(out, np.tile(132.5 - np.arange(33), 3))
    small = cudasim.run(kernel, 1, 33, (out,), shared_mem=32 * 4, schedule=schedule)
    assert small.findings[0].kind == "out-of-bounds"


def test_name_expressions():
    source = """
    template <typename T, int N> __global__ void scale(T* x) {
        x[threadIdx.x] *= (T)N;
    }
    __global__ void plain(int* x) { x[0] = 1; }"""
    module = cudasim.RawModule(source, name_expressions=["scale<float, 3>"])
    for name, dtype, factor in (
        ("scale<float, 3>", np.float32, 3), ("scale<double,2>", np.float64, 2),
        ("scale<unsigned char, 5>", np.uint8, 5),
    ):  # fmt: skip
        x = np.arange(4).astype(dtype)
        module.get_function(name)(1, 4, (x,))
        np.testing.assert_array_equal(x, np.arange(4) * factor)


PRINTED = [
    ("%d %i %u", "-1, 2, 3000000000u", "-1 2 3000000000"),
    ("%u %x %X %o", "-1, -1, 255, 8", "4294967295 ffffffff FF 10"),
    ("%lld %llu %llx", "-1ll, ~0ull, 255ull", "-1 18446744073709551615 ff"),
    ("%hhd %hu", "300, 65537", "44 1"),
    ("[%5d|%-5d|%05d|%+d|% d]", "42, 42, 42, 42, 42", "[   42|42   |00042|+42| 42]"),
    ("[%*d|%-*d|%.*f]", "4, 7, 4, 7, 2, 1.239", "[   7|7   |1.24]"),
    ("%f %.2f %e %g", "1.5f, 2.345, 12345.678, 1e-5",
     "1.500000 2.35 1.234568e+04 1e-05"),
    ("%f %f %F", "1.0f / 0.0f, -1.0 / 0.0, 1.0 / 0.0", "inf -inf INF"),
    ("[%05f|%5.1f]", "1.0 / 0.0, 2.25", "[  inf|  2.2]"),
    ("%c%c%c", "72, 'i', 33", "Hi!"),
    ("%s, %s", r'"a\"b", "c{}%%"', 'a"b, c{}%%'),
    ("[%6s|%-6s|%.2s]", '"abc", "abc", "abc"', "[   abc|abc   |ab]"),
    ("100%% %5%", "", "100% %"),
    ("%#x %#o %#x", "255, 8, 0", "0xff 010 0"),
    ("%a", "1.0", "0x1p+0"),
    ("%d", "true", "1"),
    ("%d %c", "(short)-3, (char)65", "-3 A"),
    ("%p", "(void*)0", "0x0"),
    ("%d %d", "1", "1 %d"),
    ("%n%q", "", "%n%q"),
    ("%z", "", "%z"),
]  # fmt: skip


@pytest.mark.parametrize(("template", "given", "wanted"), PRINTED)
def test_printf(template, given, wanted):
    arguments_ = f", {given}" if given else ""
    source = f'__global__ void k() {{ printf("{template}\\n"{arguments_}); }}'
    report = cudasim.run(cudasim.RawKernel(source, "k"), 1, 1, ())
    assert report.output == wanted + "\n"


def test_printf_of_lanes():
    source = """__global__ void k(const float* x) {
        int i = threadIdx.x;
        char word[3] = {(char)('a' + i), 'z', 0};
        if (i % 2) printf("%d %s %s %.1f\\n", i, i == 1 ? "one" : "more", word, x[i]);
    }"""
    x = np.arange(5, dtype=np.float32)
    for schedule in SCHEDULES:
        report = cudasim.run(
            cudasim.RawKernel(source, "k"), 1, 5, (x,), schedule=schedule
        )
        assert report.output == "1 one bz 1.0\n3 more dz 3.0\n"


def test_the_end_of_a_flood():
    source = '__global__ void k() { for (int j = 0; j < 30; j++) printf("%d\\n", j); }'
    report = cudasim.run(cudasim.RawKernel(source, "k"), 4, 256, ())
    assert report.output.endswith("\n... and 20,720 more calls of printf\n")


FILL = """template <typename T> __device__ T times(T x, int n) { return x * (T)n; }
template <typename T> __device__ T plus(T x, int n) { return times(x, n) + (T)n; }
template <typename T> __global__ void fill(T* x) {
    for (int i = 0; i < 2; i++) x[threadIdx.x] = plus(x[threadIdx.x], (int)sizeof(T));
}"""
TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "short": np.int16}


def test_threads_make_kernels_of_one_text():
    before, failures = sys.getswitchinterval(), []

    def run(module, name):
        for dtype in [name, *TYPES]:
            x = np.ones(8, TYPES[dtype])
            module.get_function(f"fill<{dtype}>")(1, 8, (x,))
            size = x.itemsize
            if (x != (size + size) * size + size).any():
                failures.append((dtype, x))

    sys.setswitchinterval(1e-5)
    try:
        for _ in range(10):
            module = cudasim.RawModule(FILL)
            some = [threading.Thread(target=run, args=(module, t)) for t in TYPES]
            for thread in some:
                thread.start()
            for thread in some:
                thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not failures
