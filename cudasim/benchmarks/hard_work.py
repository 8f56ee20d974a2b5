"""What is hard for the simulator: long loops of few threads, registers, sorting.

    python cudasim/benchmarks/hard_work.py [--write] [--rounds N] [WORKLOAD ...]

Seconds of the processor, the least of some rounds, beside the same text built by
g++ -O2 and run on one thread. "launch" is a launch that is not the first: few threads
run in C then. "run" is without tools, with NumPy, "check" with all of them.
"""

import functools
import sys
import time
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from cudasim import RawKernel, run
from cudasim.benchmarks import common, speed, workloads
from cudasim.native import PATIENCE

PAGE = speed.PAGE
ATTENTION = """
__global__ void attention(const float* q, const float* k, const float* v, float* y,
                          int n) {
    const int D = 32, B = 32;  // a block: 32 queries, a thread each; keys in tiles
    __shared__ float keys[B][D], values[B][D];
    int t = threadIdx.x, row = blockIdx.x * B + t;
    float sum[D] = {0}, most = -1e30f, total = 0, scores[B];
    for (int tile = 0; tile < n; tile += B) {
        for (int d = 0; d < D; d++) {
            keys[t][d] = k[(tile + t) * D + d];
            values[t][d] = v[(tile + t) * D + d];
        }
        __syncthreads();
        float here = most;
        for (int j = 0; j < B; j++) {
            float dot = 0;
            for (int d = 0; d < D; d++) dot += q[row * D + d] * keys[j][d];
            scores[j] = dot;
            here = fmaxf(here, dot);
        }
        float scale = expf(most - here);
        total *= scale;
        for (int d = 0; d < D; d++) sum[d] *= scale;
        for (int j = 0; j < B; j++) {
            float weight = expf(scores[j] - here);
            total += weight;
            for (int d = 0; d < D; d++) sum[d] += weight * values[j][d];
        }
        most = here;
        __syncthreads();
    }
    for (int d = 0; d < D; d++) y[row * D + d] = sum[d] / total;
}"""
SORT = """
__global__ void sort(float* x) {
    __shared__ float s[1024];
    int t = threadIdx.x;
    float* mine = x + blockIdx.x * 1024;
    s[t] = mine[t];
    s[t + 512] = mine[t + 512];
    __syncthreads();
    for (int size = 2; size <= 1024; size *= 2)
        for (int by = size / 2; by > 0; by /= 2) {
            int i = 2 * t - (t & (by - 1)), j = i + by;
            bool up = (i & size) == 0;
            float a = s[i], b = s[j];
            if (a > b == up) {
                s[i] = b;
                s[j] = a;
            }
            __syncthreads();
        }
    mine[t] = s[t];
    mine[t + 512] = s[t + 512];
}"""


def attention():
    n, f32 = 256, workloads.f32
    args = f32(n, 32), f32(n, 32), f32(n, 32), f32(n, 32), n
    label = "attention, 8 blocks of 32 threads"
    return workloads.Workload(label, ATTENTION, "attention", (8,), (32,), args)


def registers(n=512):
    A, B, C = (workloads.f32(n, n) for _ in range(3))
    return workloads.Workload(
        f"product of {n} x {n}, 4 x 4 in registers", common.source("matmul_registers"),
        "matmul_registers", (n // 64, n // 64), (16, 16), (A, B, C, n, n, n),
    )  # fmt: skip


def sort():
    label = "bitonic sort, 64 blocks of 1,024 numbers"
    return workloads.Workload(
        label, SORT, "sort", (64,), (512,), (workloads.f32(64 * 1024),)
    )


WORKLOADS = {
    "attention": attention,
    "registers": registers,
    "sort": sort,
    "histogram": workloads.histogram,
    "conv2d": workloads.conv2d,
    "transpose": workloads.transpose,
}


def seconds(function, rounds):
    """Of the processor, the least of some rounds."""
    best = np.inf
    for _ in range(rounds):
        begin = time.process_time()
        function()
        best = min(best, time.process_time() - begin)
    return best


def times(ratio):
    return f"{float(f'{ratio:.2g}'):g} x"


def warm_up(kernel, how):
    """Launch until a kernel that is to run in C does."""
    begin = time.process_time()
    while time.process_time() - begin < 2 * PATIENCE:
        kernel(*how)


def rows(names, rounds):
    yield "workload", "launch", "launch / g++", "run", "check", "check / run"
    for name in common.slowly(names, "workloads"):
        work = WORKLOADS[name]()
        kernel, native = RawKernel(work.source, work.name), speed.built(work)
        how = work.grid, work.block, work.args
        warm_up(kernel, how)
        launch = seconds(functools.partial(kernel, *how), rounds)
        plain = seconds(functools.partial(run, kernel, *how, tools=()), rounds)
        check = seconds(functools.partial(run, kernel, *how), rounds)
        ratio = "–"
        if native:
            native()
            ratio = times(launch / seconds(native, 5 * rounds))
        yield (
            work.label, f"{launch:.3g} s", ratio, f"{plain:.3g} s", f"{check:.3g} s",
            times(check / plain),
        )  # fmt: skip


def main():
    parser = common.parser(__doc__, PAGE)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    options = parser.parse_args()
    if unknown := set(options.workloads) - set(WORKLOADS):
        parser.error(f"no workload {', '.join(unknown)}: {', '.join(WORKLOADS)}")
    table = list(rows(options.workloads or list(WORKLOADS), options.rounds))
    shown = f"{common.machine()}.\n\n{common.markdown(table)}"
    print(shown)
    if options.write:
        common.write(PAGE, shown, "hard work")


if __name__ == "__main__":
    main()
