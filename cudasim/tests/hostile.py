"""Kernels that take all they can get, run in a process of their own.

`python hostile.py SCHEDULE SECONDS` runs them all under all tools, and writes what came
of each as a line of JSON: name, kinds of findings or the error, seconds, megabytes.
"""

import json
import pathlib
import resource
import sys
import time

KERNELS = {}
GRID, BLOCK = (16,), (1024,)


def kernel(name, body, before="", grid=GRID, block=BLOCK, type="float"):
    head = f"__global__ void k({type}* o, int n) {{\n"
    start = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    KERNELS[name] = f"{before}\n{head}{start}{body}\n}}", grid, block


HALF = "#include <cuda_fp16.h>"
MANY = range(3000)
kernel("while", "while (1);")
kernel("for", "for (;;) {}")
kernel("do", "do {} while (true);")
kernel("one lane", "if (i == 5) while (1);")
kernel("continue", "for (;;) { if (i) continue; o[0] = 1; }")
kernel("in a function", "f();", "__device__ void f() { while (1); }")
kernel(
    "calls of calls",
    "f30();",
    "__device__ void f0() {}\n"
    + "".join(
        f"__device__ void f{j}() {{ f{j - 1}(); f{j - 1}(); }}\n" for j in range(1, 31)
    ),
)
kernel("long loop", "while (1) {" + "o[i % 99] = expf(o[i * 7 % 99]);" * 99 + "}")
kernel("long text", "o[i % 99] = tgammaf(erfinvf(o[i * 7 % 99]));\n" * 1000)
kernel("empty grid", "", grid=(2**31 - 1,), block=(1,))
kernel("three grids", "", grid=(2**31 - 1, 65535, 65535))
kernel(
    "shared memory",
    "__shared__ float s[12000]; s[0] = i; o[0] = s[0];",
    grid=(65536,),
    block=(1,),
)
kernel("local memory", "float s[100000000]; s[threadIdx.x] = 1; o[0] = s[1];")
kernel("local arrays", "for (;;) { float s[512]; s[n + i % 99] = i; o[0] = s[n]; }")
kernel("file", "big[i] = 1;", "__device__ float big[1 << 28];")
kernel("printf", r'for (;;) printf("%d\n", i);')
kernel("wide printf", 'for (;;) printf("%999999999d%.*f", i, 999999999, 1.0);')
kernel("races", "for (;;) o[i++ % 99] += 1;")
kernel("shared races", "__shared__ float s[999]; for (;;) s[i++ % 999] += 1;")
kernel("compare and swap", "for (;;) atomicCAS(o, i, n);", type="int")
kernel("one queue", "for (;;) o[1] = atomicInc(o, 9);", type="unsigned")
kernel("half queue", "for (;;) atomicAdd(o, (__half)1.0f);", HALF, type="__half")
kernel("variables", "".join(f"float v{j} = o[i % 99];\n" for j in MANY))
kernel(
    "structs",
    "struct S { float a[999]; };" + "".join(f"S v{j} = *(S*)o;\n" for j in range(300)),
)
kernel(
    "switch",
    "switch (i) {"
    + "".join(f"case {j}: o[{j % 99}] = 1; break;\n" for j in MANY)
    + "}",
)
kernel("barriers", "for (;;) __syncthreads();")
kernel("half of the barriers", "while (i == 5) __syncthreads();")
kernel("pointers", "float a, b; float* t[2] = {&a, &b}; for (;;) *t[i++ % 2] = 1;")
kernel("votes", "for (;;) o[i % 99] += __match_any_sync(~0u, i);")
kernel("divisions", "for (;;) o[i % 99] += i / (i % 3);")
kernel(
    "a thousand million",
    "int s = 0; for (int j = 0; j < 1000000000; j++) s += j; o[0] = s;",
)
kernel(
    "swaps of one place",
    "for (;;) { int a = o[0]; while (atomicCAS(o, a, a + 1) != a) a = o[0]; }",
    type="int",
)
kernel("math", "for (double s = 0;; s += sin(s)) o[i % 99] = tgamma(s);")
kernel(
    "grid of blocks", "o[i % 99] = 1;", grid=(2**31 - 1, 65535, 65535), block=(1024,)
)
kernel(
    "tree of calls",
    "f59(n);",
    "__device__ int f0(int n) { return n; }\n"
    + "".join(
        f"__device__ int f{j}(int n) {{ return f{j - 1}(n) + f{j - 1}(n + 1); }}\n"
        for j in range(1, 60)
    ),
)


def peak():
    """The most memory this process has had, in megabytes.

    Linux counts that of the parent into getrusage, but not into VmHWM.
    """
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        text = status.read_text()
        return int(text.split("VmHWM:")[1].split()[0]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def run(name, schedule, seconds):
    """What came of one kernel."""
    import cudasim
    import numpy as np

    text, grid, block = KERNELS[name]
    found = {"name": name}
    try:
        made = cudasim.RawKernel(text, "k")
        made.module.module(made.function, schedule)
        start = time.process_time()
        array = np.ones(999, made.parameters[0].type.to.dtype)
        limits = cudasim.Limits(seconds=seconds)
        report = cudasim.run(made, grid, block, (array, np.int32(0)), schedule=schedule,
                             limits=limits)  # fmt: skip
        found["kinds"] = sorted({f.kind for f in report.findings})
        found["printed"] = len(report.output)
        found["seconds"] = time.process_time() - start
    except cudasim.CompileError as error:
        found["error"] = f"{type(error).__name__}: {error}"
    found["megabytes"] = peak()
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
    for each in KERNELS:
        print(json.dumps(run(each, sys.argv[1], float(sys.argv[2]))), flush=True)
