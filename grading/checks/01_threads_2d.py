"""Chapter 01, two dimensions and more: PyTorch does the kernels' work."""

import numpy as np
import torch

from grading.checking import checks
from grading.kernels import KernelCheck, Launch, blank, distinct, mistake
from minigrad.kernels import threads

ROW = "int row = blockIdx.y * blockDim.y + threadIdx.y;"
COL = "int col = blockIdx.x * blockDim.x + threadIdx.x;"


def cover(n, size):
    """How many blocks of `size` n elements need."""
    return -(-n // size)


def mapped(
    text,
    index="row * cols + col",
    guard="row < rows && col < cols",
    weight="row",
    row=ROW,
    col=COL,
):
    """A mistake: which thread does which element."""
    body = f"{row} {col} int i = {index}; if ({guard}) y[i] = w[{weight}] * x[i];"
    return mistake(text, body)


@checks(threads.map_2d)
class Map2d(KernelCheck):
    def cases(self, random):
        for rows, cols in [(8, 64), (16, 96), (40, 32)]:
            yield "whole blocks", self.launch(random, rows, cols)
        for rows, cols in [(5, 7), (33, 65), (20, 100), (1, 33), (257, 3)]:
            yield "ragged edges", self.launch(random, rows, cols)
        for block in [(16, 16), (1, 8), (33, 3)]:
            rows, cols = random.sample(range(20, 70), 2)
            yield "blocks of any shape", self.launch(random, rows, cols, block)
        yield "more blocks than needed", self.launch(random, 9, 40, more=2)

    def launch(self, random, rows, cols, block=(32, 8), more=0):
        grid = cover(cols, block[0]) + more, cover(rows, block[1]) + more
        x, w = distinct(random, rows, cols), distinct(random, rows)
        args = x, w, blank(rows, cols), np.int32(rows), np.int32(cols)
        return Launch(grid, block, args)

    def expected(self, launch, x, w, y, rows, cols):
        return torch.from_numpy(w)[:, None] * torch.from_numpy(x)

    transposed = mapped(
        "the index is transposed: rows are stored one after the other, so element "
        "(row, col) is row * cols + col",
        index="col * rows + row",
    )
    swapped = mapped(
        "x and y are swapped: the row comes from y, the column from x",
        row=ROW.replace(".y", ".x"),
        col=COL.replace(".x", ".y"),
    )
    wrong_pitch = mapped(
        "a row is cols elements long: the index is row * cols + col",
        index="row * rows + col",
    )
    mixed_up = mapped(
        "row and col have changed places in the index: it is row * cols + col",
        index="col * cols + row",
    )
    grid_pitch = mapped(
        "a row of the matrix is cols elements long, not as long as the grid is wide",
        index="row * (gridDim.x * blockDim.x) + col",
    )
    other_block = mapped(
        "the row is counted in blockDim.x: along y a block has blockDim.y threads",
        row="int row = blockIdx.y * blockDim.x + threadIdx.y;",
    )
    comma = mapped(
        "in C, y[row, col] is y[col]: one index, row * cols + col",
        index="col",
    )
    along_x = mistake(
        "only x is used, so threads that differ in y do the same element: the row "
        "comes from y",
        """int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < rows * cols) y[i] = w[i / cols] * x[i];""",
    )
    whole_rows = mistake(
        "each thread does a whole row: one thread, one element",
        f"""{ROW} if (row < rows) for (int col = 0; col < cols; col++)
            y[row * cols + col] = w[row] * x[row * cols + col];""",
    )
    either = mapped(
        "|| lets a thread through if its row or its col is there: both must be, &&",
        guard="row < rows || col < cols",
    )
    rows_only = mapped(
        "col is not guarded: columns that are not there are elements of the next row",
        guard="row < rows",
    )
    cols_only = mapped(
        "row is not guarded: rows that are not there lie behind the matrix",
        guard="col < cols",
    )
    flat_guard = mapped(
        "the guard looks at the flat index, which is in the matrix also for columns "
        "that are not there: guard row and col",
        guard="i < rows * cols",
    )
    no_guard = mapped(
        "there is no guard: the last blocks reach over the edges of the matrix",
        guard="true",
    )
    off_by_one = mapped(
        "one too many: the guards are row < rows and col < cols",
        guard="row <= rows && col <= cols",
    )
    by_column = mapped("the weight belongs to the row: w[row]", weight="col")
    by_element = mapped(
        "w has one weight for each row, not for each element: w[row]", weight="i"
    )
    local_only = mapped(
        "only threadIdx is used: every block does the elements of the first",
        row="int row = threadIdx.y;",
        col="int col = threadIdx.x;",
    )


def product(
    text,
    x="k * n + i",
    y="k * m + j",
    z="(k * n + i) * m + j",
    i="blockIdx.y * blockDim.y + threadIdx.y",
    j="blockIdx.x * blockDim.x + threadIdx.x",
    guard="i < n && j < m",
    step="gridDim.z",
    start="blockIdx.z",
    batch="k < b",
):
    """A mistake: which thread multiplies what, and where it puts it."""
    return mistake(
        text,
        f"int i = {i}, j = {j}; if ({guard})"
        f"for (int k = {start}; {batch}; k += {step}) z[{z}] = x[{x}] * y[{y}];",
    )


@checks(threads.outer_product)
class OuterProduct(KernelCheck):
    def cases(self, random):
        for n, m in [(4, 6), (33, 65), (20, 7)]:
            yield "one pair of vectors", self.launch(random, 1, n, m, 1)
        for b, n, m in [(3, 5, 7), (2, 17, 33), (5, 40, 9)]:
            yield "a batch", self.launch(random, b, n, m, b)
        for b, n, m, blocks in [(7, 5, 6, 2), (10, 18, 35, 3), (257, 3, 4, 2)]:
            yield "more pairs than blocks", self.launch(random, b, n, m, blocks)
        yield "fewer pairs than blocks", self.launch(random, 2, 6, 5, 5)
        n, m = random.sample(range(33, 80), 2)
        yield "blocks of any shape", self.launch(random, 3, n, m, 2, (32, 4))

    def launch(self, random, b, n, m, blocks, block=(16, 16)):
        grid = cover(m, block[0]), cover(n, block[1]), blocks
        x, y, z = distinct(random, b, n), distinct(random, b, m), blank(b, n, m)
        return Launch(grid, block, (x, y, z, np.int32(b), np.int32(n), np.int32(m)))

    def expected(self, launch, x, y, z, b, n, m):
        return torch.einsum("bi,bj->bij", torch.from_numpy(x), torch.from_numpy(y))

    first_pair = product(
        "every pair is read from the first: x[k, i] is x[k * n + i], y[k, j] is "
        "y[k * m + j]",
        x="i",
        y="j",
    )
    first_x = product("x[k, i] is x[k * n + i]: the batch is left out", x="i")
    first_y = product("y[k, j] is y[k * m + j]: the batch is left out", y="j")
    first_matrix = product(
        "all products go to the first matrix: z[k, i, j] is z[(k * n + i) * m + j]",
        z="i * m + j",
    )
    no_batch = product(
        "only the first pair is done, by every block along z: k comes from blockIdx.z",
        x="i",
        y="j",
        z="i * m + j",
    )
    no_brackets = product(
        "before matrix k stand k * n rows of m: the index is (k * n + i) * m + j, with "
        "brackets",
        z="k * n + i * m + j",
    )
    wrong_matrix = product(
        "a matrix of z has n rows: the index is (k * n + i) * m + j",
        z="(k * m + i) * m + j",
    )
    by_b = product(
        "before vector k stand k vectors, of n elements in x and m in y: b is how many "
        "there are",
        x="k * b + i",
        y="k * b + j",
    )
    one_cell_on = product(
        "the next vector begins n cells on in x, and m in y, not one: x[k * n + i]",
        x="k + i",
        y="k + j",
    )
    one_pair_more = product(
        "one pair too many: pair b is the first that is not there. Go on while k < b",
        batch="k <= b",
    )
    swapped_guards = product(
        "the guards are swapped: i counts to n, j to m", guard="i < m && j < n"
    )
    no_stride = product(
        "only the first gridDim.z pairs are done: go on, in steps of gridDim.z",
        step="b",
    )
    step_of_one = product(
        "the blocks do each other's pairs again: the step is gridDim.z", step="1"
    )
    every_pair = product(
        "each block along z does all pairs: begin at blockIdx.z, and step by gridDim.z",
        step="1",
        start="0",
    )
    local_only = product(
        "only the first block of each matrix is done: i and j need blockIdx, too",
        i="threadIdx.y",
        j="threadIdx.x",
    )
    swapped = product(
        "i and j are swapped: j runs along x, i along y",
        i="blockIdx.x * blockDim.x + threadIdx.x",
        j="blockIdx.y * blockDim.y + threadIdx.y",
    )
    transposed = product(
        "the matrices are stored transposed: z has n rows of m, so the index ends in "
        "i * m + j",
        z="(k * m + j) * n + i",
    )
    x_as_long_as_y = product(
        "the vectors of x are n long, those of y are m: x[k * n + i]", x="k * m + i"
    )
    y_as_long_as_x = product(
        "the vectors of x are n long, those of y are m: y[k * m + j]", y="k * n + j"
    )
    wrong_pitch = product(
        "a row of z is m long: its index is (k * n + i) * m + j",
        z="(k * n + i) * n + j",
    )
    no_guard = product(
        "there is no guard: the last blocks reach over the edges of each matrix",
        guard="true",
    )
    guarded_i = product("j is not guarded: it takes j < m, too", guard="i < n")
    guarded_j = product("i is not guarded: it takes i < n, too", guard="j < m")
