"""The square of each element, in a loop over all threads of the grid."""

from dataclasses import replace

import numpy as np
import torch

from grading.exercise import checks, distinct, mistakes
from minigrad.kernels.threads import grid_stride

from .launches import ODD, LineCheck, specials

MILLION = 1_000_003


@checks(grid_stride)
class GridStride(LineCheck):
    """Leaves out one array as x and y: the contract has no rule for it; and of the
    battery what is large: threads that each do every element take long there.
    """

    steps = 5_000
    rtol = 2.0**-21  # powf is not as exact as a product

    def fits(self, size):
        return size <= 64

    def cases(self, random):
        part = "several elements a thread"
        for n, grid, block in [(300, 2, 32), (1100, 4, 64), (250, 3, 33), (100, 1, 32),
                               (52_000, 200, 256), (MILLION, 4, 256)]:  # fmt: skip
            yield part, self.launch(self.drawn(random, n, block), n, grid, block)
        for n, grid, block in [(96, 3, 32), (97, 3, 32), (64, 2, 16), (33, 1, 32)]:
            x = self.drawn(random, n, block)
            yield "no thread does more than its share", self.launch(x, n, grid, block)
        yield from super().cases(random)
        yield ODD, self.launch(specials(random), 30, 1, 8)

    def drawn(self, random, cells, block):
        return np.fmod(distinct(random, cells), np.float32(1009))

    def launch(self, x, n, grid, block):
        whole, rest = divmod(n, grid * block)
        limits = {"writes": n, "writes_per_thread": whole + rest}
        limits = limits if n < 9999 else {}  # long ones are not watched
        return replace(super().launch(x, n, grid, block), limits=limits)

    def expected(self, launch, x, y, n):
        y[:n] = torch.from_numpy(x).square()[:n]
        return y


LOOP = "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)"
ROUNDS = f"{LOOP} -> int i = blockIdx.x * blockDim.x + threadIdx.x;\n    "
mistakes(grid_stride)(f"""
first_pass: each thread does one element only: go on, in steps of all threads of the
    grid
> i += step -> i += n
block_step: the step is one block: the next blocks do the same elements again. It is
    gridDim.x * blockDim.x, the number of all threads
> i += step -> i += blockDim.x
fixed_step: the step is written as a number, which is right for one launch only: it is
    gridDim.x * blockDim.x
> gridDim.x * blockDim.x -> 4 * 256
everyone: each thread does every element: begin at the global index, and step by the
    number of all threads
> i = blockIdx.x * blockDim.x + threadIdx.x -> i = 0
& i += step -> i++
one_round_less: each thread leaves out its last element: go on while i itself is below n
> i < n -> i < n - step
step_of_one: every thread does all elements from its own on: the step is gridDim.x *
    blockDim.x, the number of all threads
> i += step -> i++
off_by_one: one too many: element n is the first that is not there. Go on while i < n
> i < n -> i <= n
local_start: every block begins at its own thread 0: begin at the global index
> blockIdx.x * blockDim.x + ->
block_step_local: each block does every element: begin at the global index, and step by
    the number of all threads
> blockIdx.x * blockDim.x + ->
& i += step -> i += blockDim.x
share: some threads do more than their share: of T threads none does more than n / T +
    n % T elements
! writes_per_thread
> {ROUNDS}if (blockIdx.x == 0) for (; i < n; i += blockDim.x)
> {LOOP} -> int each = n / step + 1; int i = (blockIdx.x * blockDim.x + threadIdx.x) *
    each; for (int end = min(n, i + each); i < end; i++)
twice: elements are written more than once: each has one thread, which writes it once
! writes
> y[i] = -> y[i] = 0; y[i] =
two_passes: two elements a thread are not enough for any n: it takes a loop
> i < n; -> i < n && i < 2 * step;
no_guard: the elements are not guarded: in the last round some threads have none
> {ROUNDS}for (int r = 0; r < (n + step - 1) / step; r++, i += step)
whole_rounds: the last round, which is not whole, is left out: go on while i < n
> {ROUNDS}for (int r = 0; r < n / step; r++, i += step)
sign_kept: the square of a number below 0 is above 0: x[i] * x[i]
> x[i] * x[i] -> x[i] * fabsf(x[i])
endless:
> i += step ->
> i += step -> i + step
right: powf
> x[i] * x[i] -> powf(x[i], 2.0f)
right: by pieces
>
    int step = gridDim.x * blockDim.x, each = (n + step - 1) / step;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = i * each; k < min(n, (i + 1) * each); k++) y[k] = x[k] * x[k];
right: by pieces, and one thread does the rest
>
    int threads = gridDim.x * blockDim.x, each = n / threads;
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = tid * each; k < (tid + 1) * each; k++) y[k] = x[k] * x[k];
    if (tid == 0)
        for (int k = threads * each; k < n; k++) y[k] = x[k] * x[k];
right: from the end
>
    int i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x);
    while (i >= 0) {{
        float value = x[i];
        y[i] = value * value;
        i -= gridDim.x * blockDim.x;
    }}
""")
