"""transpose_tiled: sectors and passes over banks are counted, not only y."""

import numpy as np

from grading.checking.pairwise import drawn
from grading.exercise import Check, Launch, arrays, blank, distinct
from minigrad.kernels.memory import transpose_tiled

from ..launches import ODD, RAGGED, SUBNORMAL, WHOLE, cover, specials
from .bandwidth import SECTOR, SLACK, bandwidth

SIDES = 0, 1, 2, 31, 32, 33, 64, 70
PLAIN = """
__global__ void transpose_tiled(const float* x, float* y, int rows, int cols) {
    int tid = threadIdx.y * 32 + threadIdx.x, threads = blockDim.x * blockDim.y;
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    for (int k = tid; k < 1024; k += threads) {
        int i = block * 1024 + k;
        if (i < rows * cols) y[i] = x[i];
    }
}"""


def cases(random):
    sizes = (64, 96, 8), (33, 65, 8), (33_000, 1, 8), (1, 33_000, 8)
    some = drawn(random, rows=SIDES, cols=SIDES, high=(1, 2, 3, 8, 16, 31, 32))
    for rows, cols, high in [*sizes, *some]:
        part = RAGGED if rows % 32 or cols % 32 else WHOLE
        yield part, launch(distinct(random, rows, cols), high)
    yield ODD, launch(specials(random, more=SUBNORMAL).reshape(8, 4), 8)


def launch(x, high):
    rows, cols = x.shape
    down, right = cover(rows, 32), cover(cols, 32)
    most = sectors(rows, cols) + sectors(cols, rows)
    whole = rows == 32 * down and cols == 32 * right  # others may read edges twice
    limits = {
        "sectors": int((SLACK if whole else 2) * most),
        "bank_passes": int(SLACK * 64 * down * right),
    }
    args = x, blank(cols, rows), np.int32(rows), np.int32(cols)
    limits = limits if min(x.shape) > 2 and x.size < 2**14 else {}
    return Launch((right, down), (32, high), args, 4224, limits)


def sectors(rows, cols):
    """How many sectors the rows of all tiles of a matrix lie in, each by itself."""
    first = np.arange(rows)[:, None] * cols + np.arange(0, cols, 32)
    last = first + np.minimum(cols - np.arange(0, cols, 32), 32) - 1
    return int((last // SECTOR - first // SECTOR + 1).sum())


def big():
    return launch(np.ones((4800, 4992), np.float32), 8)


def reference(x, y, rows, cols):
    return x.T


check = Check(
    transpose_tiled,
    cases=cases,
    reference=reference,
    compare=arrays(signs=True),
    on_gpu=bandwidth(PLAIN, big),
    not_tested="blocks that are not 32 wide: the contract has none",
)
