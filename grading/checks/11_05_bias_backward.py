"""The gradient of a bias: the sums of columns, a thread each."""

import numpy as np
import torch

from grading.exercise import blank, checks, mistakes
from minigrad.kernels.bias_gelu import bias_backward

from .bias_kernels import BiasCheck, numbers


@checks(bias_backward)
class BiasBackward(BiasCheck):
    """Leaves out bfloat16: the contract names no type, and half is like it."""

    steps = 4_000  # a loop of too many rounds ends soon
    small = 400.0  # of numbers of size 3, added up: partial sums are larger
    sizes = {
        "columns": [(4, 3), (5, 33), (1, 257), (60, 1), (64, 64), (3, 1000)],
        "many columns": [(1, 40_000)],
        "many rows": [(1_100, 1)],
        "no rows": [(0, 5)],
        "no columns": [(4, 0)],
    }
    few = [(90, 7), (33, 40)]

    def cases(self, random):
        yield from self.launches(random, self.make)
        dx = np.ones((60, 5), np.float32)
        dx[0], dx[-1] = 2.0**26, -(2.0**26)  # a float keeps no 1 beside these
        args = dx.reshape(-1), blank(5), np.int32(60), np.int32(5)
        yield "float in double", self.launch(args, 5, 64, "float", "double")
        dx = numbers(random, 3, 5)
        dx[1, :4], dx[2, 2] = [np.nan, np.inf, np.inf, 0], -np.inf
        args = dx.reshape(-1), blank(5), np.int32(3), np.int32(5)
        yield "NaN and infinity", self.launch(args, 5, 64, "float", "float")
        args, threads = self.make(random, np.float32, (32, 128))
        limits = {"sectors": 33 * 128 // 8, "atomics": 0}
        launch = self.launch(args, threads, 64, "float", "float", limits=limits)
        yield "coalesced reads", launch

    def make(self, random, dtype, size):
        M, N = size
        dx = numbers(random, M * N, dtype=dtype)
        dx = np.rint(dx) if M > 1000 else dx  # added up without an error
        return (dx, blank(N, dtype=dtype), np.int32(M), np.int32(N)), N

    def expected(self, launch, dx, dbias, M, N):
        return torch.from_numpy(dx).double().view(M, N).sum(0)

    def built(self, dtype):
        dx = np.random.default_rng(0).standard_normal((200, 33)).astype(dtype)
        expected = dx.astype(np.float64).sum(0)
        return [dx.reshape(-1), np.zeros(33, dtype)], [200, 33], 33, expected


mistakes(bias_backward)("""
out-of-bounds:
> i < M -> i < N
& j >= N -> j >= M
& dx[i * N + j] -> dx[j * N + i]
rows: the rows are added up, not the columns: element (i, j) is dx[i * N + j], and j is
    the thread's
> dx[i * N + j] -> dx[j * N + i]
nan_lost: NaN is left out: the sum of a column that has one is NaN
> sum += (acc_t)dx[i * N + j]; -> if (dx[i * N + j] == dx[i * N + j]) sum += (acc_t)dx[i
    * N + j];
first: only the first row is read
> i < M; i++ -> i < (M > 0 ? 1 : 0); i++
no_guard: a thread without a column goes on: there may be more threads than columns
> if (j >= N) return; ->
added: the sum is added to what stands in dbias, which nobody has set to 0
> dbias[j] = -> dbias[j] +=
not_in_acc: the sum is not kept in acc_t, and loses digits
> acc_t sum -> float sum
> acc_t sum -> scalar_t sum
atomics: atomics are not needed: the thread of a column adds it up alone
! atomics
> acc_t sum = 0; -> dbias[j] = 0;
& sum += (acc_t)dx[i * N + j] -> atomicAdd(&dbias[j], dx[i * N + j])
& dbias[j] = (scalar_t)sum; ->
scattered: more sectors are read than it takes: a warp reads cells that lie far apart,
    or a cell is read again
! sectors
> int j = blockIdx.x * blockDim.x + threadIdx.x; -> int t = blockIdx.x * blockDim.x +
    threadIdx.x, j = t % 8 * ((N + 7) / 8) + t / 8;
& if (j >= N) return; -> if (t >= (N + 7) / 8 * 8 || j >= N) return;
right: from the last row
> int i = 0; i < M; i++ -> int i = M - 1; i >= 0; i--
right: over cells
> for (int i = 0; i < M; i++) sum += (acc_t)dx[i * N + j]; -> for (long long k = j; k <
    (long long)M * N; k += N) sum = sum + (acc_t)dx[k];
right: a loop over the columns
> if (j >= N) return; -> for (; j < N; j += gridDim.x * blockDim.x) {
& dbias[j] = (scalar_t)sum; -> dbias[j] = (scalar_t)sum; }
""")
