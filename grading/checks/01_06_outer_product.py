"""Outer products of a batch of vectors, in a grid of three dimensions."""

import numpy as np
import torch

from grading.exercise import KernelCheck, Launch, blank, checks, distinct, mistakes
from minigrad.kernels.threads import outer_product

from .launches import ODD, areas, cover, specials

MORE = "more pairs than blocks"


@checks(outer_product)
class OuterProduct(KernelCheck):
    """Leaves out blocks with a depth: the contract has two dimensions."""

    steps = 1_500  # rounds of loops; 100 are needed, with loops over i and j 500

    def cases(self, random):
        for part, n, m, *where in areas(random):
            yield part, self.launch(*self.drawn(random, 1, n, m), 1, *where)
        for part, b, n, m, blocks in [
            ("a batch", 3, 5, 7, 3), ("a batch", 2, 17, 33, 2),
            *((MORE, 7, 5, 6, 2), (MORE, 10, 18, 35, 3), (MORE, 257, 3, 4, 2)),
            (MORE, 33_000, 1, 1, 330), ("fewer pairs than blocks", 2, 6, 5, 5),
        ]:  # fmt: skip
            size = 16 if b < 999 else 2
            grid = cover(m, size), cover(n, size)
            x, y = self.drawn(random, b, n, m)
            yield part, self.launch(x, y, blocks, grid, (size, size))
        x = specials(random)[None]
        yield ODD, self.launch(x, x[:, 5:], 1, (2, 2), (16, 16))

    def drawn(self, random, b, n, m):
        return distinct(random, b, n), distinct(random, b, m)

    def launch(self, x, y, blocks, grid, block):
        (b, n), m = x.shape, y.shape[1]
        return Launch(
            (*grid, blocks), block, (x, y, blank(b, n, m), *np.int32([b, n, m]))
        )

    def expected(self, launch, x, y, z, b, n, m):
        return torch.einsum("bi,bj->bij", torch.from_numpy(x), torch.from_numpy(y))


LOOP = "for (int k = blockIdx.z; k < b; k += gridDim.z)"
mistakes(outer_product)(f"""
first_pair: every pair is read from the first: x[k, i] is x[k * n + i], y[k, j] is y[k *
    m + j]
> x[k * n + -> x[
& y[k * m + -> y[
first_x: x[k, i] is x[k * n + i]: the batch is left out
> x[k * n + -> x[
first_y: y[k, j] is y[k * m + j]: the batch is left out
> y[k * m + -> y[
first_matrix: all products go to the first matrix: z[k, i, j] is z[(k * n + i) * m + j]
> (k * n + i) -> i
no_brackets: before matrix k stand k * n rows of m: the index is (k * n + i) * m + j,
    with brackets
> (k * n + i) -> k * n + i
one_pair_more: one pair too many: pair b is the first that is not there. Go on while k <
    b
> k < b -> k < b + 1
swapped_guards: the guards are swapped: i counts to n, j to m
> i >= n || j >= m -> i >= m || j >= n
step_of_one: the blocks do each other's pairs again: the step is gridDim.z
> k += gridDim.z -> k++
every_pair: each block along z does all pairs: begin at blockIdx.z, and step by
    gridDim.z
> k = blockIdx.z -> k = 0
& k += gridDim.z -> ++k
local_only: only the first block of each matrix is done: i and j need blockIdx, too
> blockIdx.y * blockDim.y + ->
& blockIdx.x * blockDim.x + ->
swapped: i and j are swapped: j runs along x, i along y
> int i -> int _
& int j -> int i
& int _ -> int j
transposed: the matrices are stored transposed: z has n rows of m, so the index ends in
    i * m + j
> (k * n + i) * m + j -> (k * m + j) * n + i
x_as_long_as_y: the vectors of x are n long, those of y are m: x[k * n + i]
> x[k * n -> x[k * m
y_as_long_as_x: the vectors of x are n long, those of y are m: y[k * m + j]
> y[k * m -> y[k * n
wrong_pitch: a row of z is m long: its index is (k * n + i) * m + j
> (k * n + i) * m -> (k * n + i) * n
no_guard: there is no guard: the last blocks reach over the edges of each matrix
> if (i >= n || j >= m) return; ->
last_block: more than one block along x or y may be past the edge: guard in all of them
> i >= n || j >= m -> (blockIdx.y == gridDim.y - 1 && i >= n) || (blockIdx.x ==
    gridDim.x - 1 && j >= m)
guarded_j: i is not guarded: it takes i < n, too
> i >= n || ->
no_batch: only the first pair is done, by every block along z: k comes from blockIdx.z
> {LOOP} -> int k = 0;
no_stride: only the first gridDim.z pairs are done: go on, in steps of gridDim.z
> {LOOP} -> int k = blockIdx.z; if (k < b)
guarded_i: j is not guarded: it takes j < m, too
>  || j >= m ->
right: z counted in threads
> k = blockIdx.z -> k = blockIdx.z * blockDim.z + threadIdx.z
& k += gridDim.z -> k += gridDim.z * blockDim.z
right: loops over all three, by pointers
>
    for (int k = blockIdx.z; k < b; k += gridDim.z) {{
        const float *p = x + k * n, *q = y + k * m;
        float* r = z + k * n * m;
        for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < n;
             i += gridDim.y * blockDim.y)
            for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < m;
                 j += gridDim.x * blockDim.x)
                r[i * m + j] = p[i] * q[j];
    }}
""")
