"""Twice each element, and a guard for threads that have none."""

import torch

from grading.exercise import checks, mistakes
from minigrad.kernels.threads import tail_guard

from .launches import ODD, RAGGED, LineCheck, specials


@checks(tail_guard)
class TailGuard(LineCheck):
    """Leaves out one array as x and y: the contract has no rule for it."""

    first = RAGGED

    def cases(self, random):
        yield from super().cases(random)
        yield ODD, self.launch(specials(random), 30, 1, 32)

    def expected(self, launch, x, y, n):
        y[:n] = (2 * torch.from_numpy(x))[:n]
        return y


DO = "if (i < n) y[i] = 2 * x[i];"
mistakes(tail_guard)(f"""
off_by_one: one too many: element n is the first that is not there. The guard is i < n
> i < n -> i <= n
> if (i < n) -> if (i > n) return;
one_too_few: one too few: element n - 1 is the last, and is there. The guard is i < n
> i < n -> i < n - 1
local_guard: the guard looks at threadIdx.x, which starts again in every block: look at
    i
> i < n -> threadIdx.x < n
whole_blocks: the guard stops the whole last block: some of its elements are there
> if (i < n) -> if (blockIdx.x * blockDim.x + blockDim.x > n) return;
fixed_n: the guard holds a number: every launch has its own n
> < n -> < 257
fixed_256: the length of a block is written as a number: blockDim.x always says it
> blockDim.x -> 256
unwritten_only: the guard is the wrong way round: the elements are those with i < n
> if (i < n) -> if (i < n) return;
clamped: threads without an element do the last one again: they should do nothing
> if (i < n) -> i = min(i, n - 1);
size_of_pointer: sizeof(x) is the size of an address, 8 bytes: how many elements there
    are says n
> i < n -> i < sizeof(y)
added: the value is added to what stood in y, which is anything: write = for +=
> y[i] = -> y[i] = y[i] +
copied: the value is copied: y[i] is twice x[i]
> 2 * x[i] -> x[i]
local_only: the index is threadIdx.x alone: every block does the elements of the first
> blockIdx.x * blockDim.x + ->
no_guard: there is no guard, or a semicolon right after if (...) ends it: the last block
    has more threads than there are elements
> if (i < n) ->
> {DO} -> float v = x[i]; y[i] = v + v;
> if (i < n) -> if (i < n);
outside_guard: x[i] or y[i] is used outside of the guard: what stands before it, or in
    an else, is done by threads that have no element, too
> {DO} -> float v = x[i]; if (i < n) y[i] = 2 * v;
> {DO} -> {DO} else y[i] = 0;
everyone: each thread does every element: a thread has one i, and the launch is the loop
> int k = 0; while (k < n) {{ y[k] = x[k] + x[k]; k += 1; }}
in_int: the number goes through int, and loses its fraction: double the float itself
> 2 * x[i] -> 2 * (int)x[i]
last_block: more than one block may lie past the end: the guard belongs in all
> i < n -> i < n || blockIdx.x < gridDim.x - 1
right: in words
> i < n -> i < n and i >= 0
right: returns early
> {DO} -> if (i >= n) return; y[i] = x[i] + x[i];
right: by a loop
> if (i < n) -> for (; i < n; i += n)
""")
