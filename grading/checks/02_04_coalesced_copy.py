"""A copy: what its warps ask of the memory is counted, not only y."""

from dataclasses import replace

import numpy as np
import torch

from grading.exercise import Launch, blank, checks, distinct, mistakes
from minigrad.kernels.memory import coalesced_copy

from .blocks import SECTOR, SLACK, MovingCheck
from .launches import ODD, LineCheck, MovesNumbers, cover

MILLION = 1_000_003


@checks(coalesced_copy)
class CoalescedCopy(MovesNumbers, LineCheck, MovingCheck):
    """Leaves out blocks of broken warps and arrays off 32 bytes: no launch has them."""

    steps = 2_500  # rounds of a loop; a right one needs 82 for the million
    plain = """
    __global__ void coalesced_copy(const float* x, float* y, int n) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
             i += gridDim.x * blockDim.x) y[i] = x[i];
    }"""

    def fits(self, size):
        return size % 32 == 0

    def cases(self, random):
        few = "several elements a thread"
        for n, grid, block in [(8192, 4, 256), (2048, 1, 64), (5003, 4, 128),
                               (100_003, 160, 256)]:  # fmt: skip
            yield few, self.launch(distinct(random, n), n, grid, block)
        yield "a million", self.launch(distinct(random, MILLION), MILLION, 48, 256)
        yield from super().cases(random)
        yield ODD, self.launch(self.specials(random), 32, 1, 32)

    def launch(self, x, n, grid, block):
        limits = {"sectors": int(SLACK * 2 * cover(n, SECTOR)) + 4}
        return replace(super().launch(x, n, grid, block), limits=limits)

    def expected(self, launch, x, y, n):
        y[:n] = torch.from_numpy(x)[:n]
        return y

    def big(self):
        n = 24 * 2**20
        return Launch(2048, 256, (np.ones(n, np.float32), blank(n), np.int32(n)))


COPY = """for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        y[i] = x[i];"""
LOOP = f"{COPY} -> int tid = blockIdx.x * blockDim.x + threadIdx.x;\n    "
mistakes(coalesced_copy)(f"""
same_element: several threads write the same element: in the loop, i goes on by the
    number of all threads, gridDim.x * blockDim.x
> blockIdx.x * blockDim.x + threadIdx.x -> threadIdx.x % 32
& threads) -> 32)
> i += threads -> i += gridDim.x
block_step: the loop goes on by blockDim.x: then each block copies what the next ones
    copy, too. It goes on by gridDim.x * blockDim.x
> i += threads -> i += blockDim.x
strided: strided: the threads of a warp use addresses that lie apart, so they need more
    sectors than their 128 bytes fill. Neighbouring threads should copy neighbouring
    elements
! strided
> {LOOP}int each = (n + threads - 1) / threads; for (int i = tid * each; i < (tid + 1) *
    each; i++) if (i < n) y[i] = x[i];
> {LOOP}for (int k = 0; k < n; k += threads) {{ int i = tid % 32 * (threads / 32) + tid
    / 32 + k; if (i < n) y[i] = x[i]; }}
> {LOOP}for (int odd = 0; odd < 2; odd++) for (int i = 2 * tid + odd; i < n; i += 2 *
    threads) y[i] = x[i];
> {LOOP}for (int i = 4 * tid; i < n; i += 4 * threads) for (int k = 0; k < 4; k++) if (i
    + k < n) y[i + k] = x[i + k];
> blockIdx.x * blockDim.x + threadIdx.x -> threadIdx.x * gridDim.x + blockIdx.x
no_guard: a thread goes beyond the n elements: every access needs the guard i < n
! out-of-bounds
> {LOOP}for (int k = 0; k < n; k += threads) y[tid + k] = x[tid + k];
rounded_down: each thread copies n / threads elements, rounded down: what is left over
    is not copied
> {LOOP}for (int k = 0; k < n / threads; k++) y[tid + k * threads] = x[tid + k *
    threads];
right: float4 and a tail
> {LOOP}const float4* from = reinterpret_cast<const float4*>(x); float4* to =
    reinterpret_cast<float4*>(y); for (int i = tid; i < n / 4; i += threads) to[i] =
    from[i]; for (int i = n / 4 * 4 + tid; i < n; i += threads) y[i] = x[i];
right: a piece for each block, which begins anywhere
> {COPY} ->
    int each = (n + gridDim.x - 1) / gridDim.x;
    for (int k = threadIdx.x; k < each; k += blockDim.x) {{
        int i = blockIdx.x * each + k;
        if (i < n) y[i] = x[i];
    }}
right: a warp at a time, the last elements first
> {COPY} ->
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int last = (n + 31) / 32 - 1;
    for (int first = (last - warp) * 32; first >= 0; first -= threads) {{
        int i = first + threadIdx.x % 32;
        if (i < n) y[i] = x[i];
    }}
""")
