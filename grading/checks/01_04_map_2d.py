"""Each row times its weight, a thread an element of a matrix."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import KernelCheck, Launch, blank, distinct
from grading.mistakes import mistakes, right
from minigrad.kernels.threads import map_2d
from minigrad.launch import cdiv


@checks(map_2d)
class Map2d(KernelCheck):
    """Leaves out NaN, inf and empty matrices: the contract has no rule for them."""

    def cases(self, random):
        for rows, cols in [(8, 64), (16, 96), (40, 32)]:
            yield "whole blocks", self.launch(random, rows, cols)
        for rows, cols in [(5, 7), (33, 65), (20, 100), (1, 33), (257, 3), (33_000, 2),
                           (2, 33_000)]:  # fmt: skip
            yield "ragged edges", self.launch(random, rows, cols)
        for block in [(16, 16), (1, 8), (33, 3)]:
            rows, cols = random.sample(range(20, 70), 2)
            yield "blocks of any shape", self.launch(random, rows, cols, block)
        yield "more blocks than needed", self.launch(random, 9, 40, more=2)

    def launch(self, random, rows, cols, block=(32, 8), more=0):
        grid = cdiv(cols, block[0]) + more, cdiv(rows, block[1]) + more
        x, w = distinct(random, rows, cols), distinct(random, rows)
        args = x, w, blank(rows, cols), np.int32(rows), np.int32(cols)
        return Launch(grid, block, args)

    def expected(self, launch, x, w, y, rows, cols):
        return torch.from_numpy(w)[:, None] * torch.from_numpy(x)


GUARD = "if (row >= rows || col >= cols) return;"
mistakes(
    map_2d,
    f"""
    transposed: the index is transposed: rows are stored one after the other, so element
        (row, col) is row * cols + col
    > row * cols + col -> col * rows + row
    swapped: x and y are swapped: the row comes from y, the column from x
    > int row = -> int _ =
    & int col = -> int row =
    & int _ -> int col
    wrong_pitch: a row is cols elements long: the index is row * cols + col
    > row * cols + col -> row * rows + col
    grid_pitch: a row of the matrix is cols elements long, not as long as the grid is
        wide
    > row * cols -> row * blockDim.x * gridDim.x
    other_block: the row is counted in blockDim.x: along y a block has blockDim.y
        threads
    > blockDim.y -> blockDim.x
    comma: in C, y[row, col] is y[col]: one index, row * cols + col
    > [i] -> [row, col]
    either: || lets a thread through if its row or its col is there: both must be, &&
    > || -> &&
    rows_only: col is not guarded: columns that are not there are elements of the next
        row
    > || col >= cols ->
    cols_only: row is not guarded: rows that are not there lie past the end of the
        matrix
    > row >= rows || ->
    off_by_one: one too many: the guards are row < rows and col < cols
    > >= -> >
    by_column: the weight belongs to the row: w[row]
    > w[row] -> w[col]
    local_only: only threadIdx is used: every block does the elements of the first
    > blockIdx.y * blockDim.y + ->
    & blockIdx.x * blockDim.x + ->
    flat_guard: the guard looks at the flat index, which is in the matrix also for
        columns that are not there: guard row and col
    > {GUARD} ->
    & + col; -> + col; if (i >= rows * cols) return;
    no_guard: there is no guard: the last blocks reach over the edges of the matrix
    > {GUARD} ->
    along_x: only x is used, so threads that differ in y do the same element: the row
        comes from y
    > int i = threadIdx.x + blockDim.x * blockIdx.x, row = i / cols; if (row < rows)
        y[i] = x[i] * w[row];
    whole_rows: each thread does a whole row: one thread, one element
    > int row = blockIdx.y * blockDim.y + threadIdx.y; if (row >= rows) return; for (int
        k = row * cols; k < (row + 1) * cols; k++) y[k] = w[row] * x[k];
    """,
)

right(
    map_2d,
    "by loops",
    """
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    for (; row < rows; row += gridDim.y * blockDim.y)
        for (int col = first; col < cols; col += gridDim.x * blockDim.x)
            y[row * cols + col] = w[row] * x[row * cols + col];
    """,
)
