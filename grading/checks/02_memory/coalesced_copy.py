"""coalesced_copy: what its warps ask of the memory is counted, not only y."""

import numpy as np

from grading.exercise import Check, Launch, Limits, arrays, blank, distinct
from minigrad.kernels.memory import coalesced_copy

from ..launches import ODD, SUBNORMAL, cover, line, lines, specials
from .bandwidth import SECTOR, SLACK, bandwidth

MILLION = 1_000_003
PLAIN = """
__global__ void coalesced_copy(const float* x, float* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) y[i] = x[i];
}"""


def cases(random):
    for n, grid, size in [(8192, 4, 256), (2048, 1, 64), (5003, 4, 128),
                          (100_003, 160, 256)]:  # fmt: skip
        yield "several elements a thread", launch(distinct(random, n), n, grid, size)
    yield "a million", launch(distinct(random, MILLION), MILLION, 48, 256)
    for part, n, grid, size in lines(random, sizes=(32, 64, 96, 256, 1024)):
        yield part, launch(distinct(random, n), n, grid, size)
    yield ODD, launch(specials(random, more=SUBNORMAL), 32, 1, 32)


def launch(x, n, grid, size):
    limits = {"sectors": int(SLACK * 2 * cover(n, SECTOR)) + 4}
    return line(x, n, grid, size, limits=limits)


def big():
    n = 24 * 2**20
    return Launch(2048, 256, (np.ones(n, np.float32), blank(n), np.int32(n)))


def reference(x, y, n):
    y[:n] = x[:n]


check = Check(
    coalesced_copy,
    cases=cases,
    reference=reference,
    compare=arrays(signs=True),
    limits=Limits(steps=2_500),  # a right one needs 82 for the million
    on_gpu=bandwidth(PLAIN, big),
    not_tested="blocks of broken warps and arrays off 32 bytes: no launch has them",
)
