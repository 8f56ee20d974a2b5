"""Each row times its weight, a thread an element of a matrix."""

import numpy as np
import torch

from grading.exercise import KernelCheck, Launch, blank, checks, distinct, mistakes
from minigrad.kernels.threads import map_2d

from .launches import ODD, areas, specials


@checks(map_2d)
class Map2d(KernelCheck):
    """Leaves out one array as x and y: the contract has no rule for it."""

    def cases(self, random):
        for part, rows, cols, *where in areas(random):
            x, w = distinct(random, rows, cols), distinct(random, rows)
            yield part, self.launch(x, w, *where)
        x, w = np.tile(specials(random), (30, 1)), specials(random)  # all with all
        yield ODD, self.launch(x, w, (1, 4), (32, 8))

    def launch(self, x, w, grid, block):
        sizes = map(np.int32, x.shape)
        return Launch(grid, block, (x, w, blank(*x.shape), *sizes))

    def expected(self, launch, x, w, y, rows, cols):
        return torch.from_numpy(w)[:, None] * torch.from_numpy(x)


GUARD = "if (row >= rows || col >= cols) return;"
mistakes(map_2d)(f"""
transposed: the index is transposed: rows are stored one after the other, so element
    (row, col) is row * cols + col
> row * cols + col -> col * rows + row
swapped: x and y are swapped: the row comes from y, the column from x
> int row = -> int _ =
& int col = -> int row =
& int _ -> int col
wrong_pitch: a row is cols elements long: the index is row * cols + col
> row * cols + col -> row * rows + col
grid_pitch: a row of the matrix is cols elements long, not as long as the grid is wide
> row * cols -> row * blockDim.x * gridDim.x
other_block: the row is counted in blockDim.x: along y a block has blockDim.y threads
> blockDim.y -> blockDim.x
comma: in C, y[row, col] is y[col]: one index, row * cols + col
> [i] -> [row, col]
either: || lets a thread through if its row or its col is there: both must be, &&
> || -> &&
rows_only: col is not guarded: columns that are not there are elements of the next row
> || col >= cols ->
cols_only: row is not guarded: rows that are not there lie past the end of the matrix
> row >= rows || ->
off_by_one: one too many: the guards are row < rows and col < cols
> >= -> >
by_column: the weight belongs to the row: w[row]
> w[row] -> w[col]
local_only: only threadIdx is used: every block does the elements of the first
> blockIdx.y * blockDim.y + ->
& blockIdx.x * blockDim.x + ->
flat_guard: the guard looks at the flat index, which is in the matrix also for columns
    that are not there: guard row and col
> {GUARD} ->
& + col; -> + col; if (i >= rows * cols) return;
no_guard: there is no guard: the last blocks reach over the edges of the matrix
> {GUARD} ->
along_x: only x is used, so threads that differ in y do the same element: the row comes
    from y
> int i = threadIdx.x + blockDim.x * blockIdx.x, row = i / cols; if (row < rows) y[i] =
    x[i] * w[row];
whole_rows: each thread does a whole row: one thread, one element
> int row = blockIdx.y * blockDim.y + threadIdx.y; if (row >= rows) return; for (int k =
    row * cols; k < (row + 1) * cols; k++) y[k] = w[row] * x[k];
right: by loops
>
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    for (; row < rows; row += gridDim.y * blockDim.y)
        for (int col = first; col < cols; col += gridDim.x * blockDim.x)
            y[row * cols + col] = w[row] * x[row * cols + col];
right: elements counted through all threads
>
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    int i = (block * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i < rows * cols) y[i] = x[i] * w[i / cols];
""")
