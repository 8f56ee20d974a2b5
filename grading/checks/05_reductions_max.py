"""Chapter 05, max_argmax: a value and its place."""

import numpy as np
import torch

from grading.checking import cause, checks
from grading.kernels import Fault, Launch, blank, distinct, mistake
from minigrad.kernels import reductions

from .reductions import FLOAT, ReductionCheck

TREE = """
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        int other = tid + half;
        if (tid < half && (%s)) {
            best[tid] = best[other];
            where[tid] = where[other];
        }
    }
    if (tid == 0) { values[blockIdx.x] = best[0]; indices[blockIdx.x] = where[0]; }
"""
OWN = """
    __shared__ float best[256];
    __shared__ int where[256];
    int tid = threadIdx.x, i = 0;
    const float* row = x + blockIdx.x * n;
    float a = %s;
    for (int j = tid; j < n; j += blockDim.x)
        if (%s) { a = row[j]; i = j; }
    best[tid] = a;
    where[tid] = i;
"""
RIGHT = """__device__ bool goes_before(float a, int i, float b, int j) {
    if (a != a || b != b) return a != a && (b == b || i < j);
    return a == b ? i < j : a > b;
}
__global__ void max_argmax(const float* x, float* values, int* indices, int n) {
    %s
}"""
ASKED = "goes_before(row[j], j, a, i)"
ASKED_TREE = "goes_before(best[other], where[other], best[tid], where[tid])"


@checks(reductions.max_argmax)
class MaxArgmax(ReductionCheck):
    def cases(self, random):
        some = random.randint(300, 900)
        for rows, n, size in [(3, 256, 256), (2, 1000, 128), (4, some, 64)]:
            yield "the largest and its column", self.of(distinct(random, rows, n), size)
        for n, size in [(1, 256), (31, 64), (33, 32), (255, 256), (257, 256), (7, 1)]:
            yield "rows of any length", self.of(distinct(random, 3, n), size)
        for n, size in [(600, 256), (5, 32)]:
            x = -abs(distinct(random, 3, n)) - 1
            yield "negative elements alone", self.of(x, size)
        yield "negative elements alone", self.of(np.full((2, 40), -np.inf), 64)
        for size in (256, 32):
            yield "ties", self.of(self.ties(random), size)
        for size in (256, 32):
            yield "NaN and infinity", self.of(self.nans(random), size)

    def ties(self, random):
        """The largest element in several places, also in lower threads later on."""
        x = np.array([[random.randint(0, 9) for _ in range(700)] for _ in range(5)])
        x[0], x[1, [7, 256, 512]], x[2, [300, 513]] = 3, 20, 20
        x[3, [random.randint(3, 30), 64 * random.randint(4, 8)]] = 20
        return x

    def nans(self, random):
        x = distinct(random, 6, 600)
        x[0, [9, 256]] = np.nan
        x[1, [0, 5]] = np.nan
        x[2] = np.nan
        x[3, random.randint(1, 599)], x[3, 400] = np.nan, np.inf
        x[4, [8, 300]], x[5, 7] = np.inf, -np.inf
        return x

    def of(self, x, size):
        rows, n = x.shape
        x = x.astype(np.float32)
        args = x, blank(rows), blank(rows, dtype=np.int32), np.int32(n)
        return Launch(rows, size, args, 2 * size * FLOAT)

    def expected(self, launch, x, values, indices, n):
        x = torch.from_numpy(x)
        return {"values": x.amax(1), "indices": x.argmax(1)}

    def _is_coarse(self, case):
        return False  # nothing is rounded

    initial_zero = mistake(
        "one begins with 0: in a row of negative elements nothing is larger. Begin "
        "with an element of the row",
        RIGHT % (OWN % ("0.0f", ASKED) + TREE % ASKED_TREE),
    )
    last_of_ties = mistake(
        "of equal elements the last one is taken: the first one counts",
        RIGHT.replace("i < j", "i > j") % (OWN % ("row[0]", ASKED) + TREE % ASKED_TREE),
    )
    tie_in_tree = mistake(
        "of equal elements, the one with the lower thread is taken: thread 0 may have "
        "column 256, thread 5 column 5. In the tree the columns must be compared, too",
        RIGHT
        % (
            OWN % ("row[0]", "row[j] != row[j] ? a == a : row[j] > a")
            + TREE
            % "best[other] != best[other] ? best[tid] == best[tid]"
            " : best[other] > best[tid]"
        ),
    )
    nan_lost = mistake(
        "a NaN is not found: every comparison with NaN is false, so ask a != a",
        RIGHT.replace("if (a != a || b != b) return a != a && (b == b || i < j);", "")
        % (OWN % ("row[0]", ASKED) + TREE % ASKED_TREE),
    )
    any_nan = mistake(
        "a NaN is found, but of several not the first one",
        RIGHT.replace("a != a && (b == b || i < j)", "a != a")
        % (OWN % ("row[0]", ASKED) + TREE % ASKED_TREE),
    )
    first_pass = mistake(
        "only the first blockDim.x elements are looked at: a row may be longer",
        RIGHT
        % (
            (OWN % ("row[0]", ASKED)).replace(
                "for (int j = tid; j < n; j += blockDim.x)", "int j = tid; if (j < n)"
            )
            + TREE % ASKED_TREE
        ),
    )
    index_of_thread = mistake(
        "the number of the thread is given, not the column of its element: the two "
        "travel together, through the loop and the tree",
        RIGHT
        % (OWN % ("row[0]", ASKED) + TREE % ASKED_TREE).replace(
            "= where[0]", "= where[0] % blockDim.x"
        ),
    )

    @cause(
        "the places are counted in the whole of x: indices holds the column in a row"
    )
    def of_matrix(self, launch, x, values, indices, n):
        right = self.expected(launch, x, values, indices, n)
        rows = torch.arange(len(x))
        return {**right, "indices": right["indices"] + n * rows}

    @cause(
        "a thread reads a cell of shared memory that another may not have written yet: "
        "each step of the tree needs a __syncthreads() before it"
    )
    def no_barrier(self, launch, x, values, indices, n):
        return Fault("race")

    @cause(
        "the barrier stands inside an if, or some threads have returned before it: all "
        "threads of the block must come to it"
    )
    def barrier_in_if(self, launch, x, values, indices, n):
        return Fault("divergent-barrier")

    @cause(
        "a cell is used that nobody has filled: threads without elements need a pair, "
        "too, such as the row's first element and column 0"
    )
    def not_filled(self, launch, x, values, indices, n):
        return Fault("uninitialised")

    @cause("a thread goes outside the arrays: row r has n elements, from r * n on")
    def outside(self, launch, x, values, indices, n):
        return Fault("out-of-bounds")
