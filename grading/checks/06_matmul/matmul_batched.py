"""matmul_batched: batches in any layout. torch.matmul reads the same storages."""

import itertools
import math

import numpy as np
import torch

from grading.checking.pairwise import pairwise
from grading.exercise import Check, Launch, arrays, blank, distinct
from minigrad.kernels.matmul import matmul_batched
from minigrad.launch import cdiv

from .. import strided
from ..products import SLACK, TILE, three_sizes, whole
from ..reductions import U, coarse

A_BATCH, B_BATCH = (3, 1), (1, 2)  # the last ones of them, by rank
KINDS = "row by row", "transposed", "every second", "a column repeated"


def laid(shape, kind):
    """The strides of matrices of a shape, and of a batch of them."""
    *batch, rows, cols = shape
    steps = {
        "row by row": (cols, 1),
        "transposed": (1, rows),
        "every second": (3 * cols, 2),
        "a column repeated": (1, 0),
    }[kind]
    step, strides = strided.cells((rows, cols), steps), []
    for size in reversed(batch):
        strides.insert(0, step if size > 1 else 0)
        step *= size
    return (*strides, *steps)


def as_matmul_does(a, b):
    """(views of a and b as batches of matrices, the batch's shape)."""
    a = a.unsqueeze(0) if a.ndim == 1 else a
    b = b.unsqueeze(1) if b.ndim == 1 else b
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return (x.expand(*batch, *x.shape[-2:]) for x in (a, b)), batch


def of_rank(rank, batch, *matrix):
    """The shape of an operand with so many dimensions."""
    return (*batch[4 - rank :], *matrix) if rank > 1 else matrix


def launch(random, shapes, kinds, depth=65535):
    """The launch for operands of these shapes, laid out by kind."""
    storages, tensors = [], []
    for shape, kind in zip(shapes, kinds, strict=False):
        strides = laid(shape, kind) if len(shape) > 1 else (1 + (kind != KINDS[0]),)
        cells = strided.cells(shape, strides) if 0 not in shape else 1
        storages.append(distinct(random, cells) / np.float32(cells))
        tensors.append(torch.from_numpy(storages[-1]).as_strided(shape, strides))
    (a, b), batch = as_matmul_does(*tensors)
    (M, K), N = a.shape[-2:], b.shape[-1]  # noqa: N806
    most = (a.abs().double() @ b.abs().double()).max().item()
    storages[1] /= np.float32((K + 2) * most or 1)
    count = math.prod(batch)
    grid = cdiv(N, TILE), cdiv(M, TILE), min(count, depth)
    views = (strided.struct(x.shape, x.stride()) for x in (a, b))
    args = itertools.chain.from_iterable(zip(storages, views, strict=True))
    numbers = *np.int32([M, N, K]), np.int64(count)
    c, filled = blank(*batch, M, N), count * whole(grid[0] * grid[1], K)
    limits = {"writes": c.size, "reads": max(int(SLACK * 2 * c.size * K), filled)}
    limits = limits if max(M, N) < 9999 else {}
    return Launch(grid, (TILE, TILE), (*args, c, *numbers), limits=limits)


def cases(random):
    for kind in KINDS[1], KINDS[0]:
        both = launch(random, ((2, 5, 7), (2, 7, 6)), (kind,) * 2)
        yield "batches, transposed or not", both
    several = itertools.cycle(itertools.product(KINDS, KINDS))
    for kinds, (part, M, N, K) in zip(several, three_sizes(random), strict=False):
        yield part, launch(random, ((M, K), (K, N)), kinds)
    for shapes in [((3, 4, 5), (5, 6)), ((4, 5), (3, 5, 2)),
                   ((2, 1, 3, 4), (5, 4, 2)),
                   ((2, 3, 1, 4, 4), (2, 4, 3))]:  # fmt: skip
        yield "a broadcast batch", launch(random, shapes, KINDS)
    few = launch(random, ((7, 5, 6), (7, 6, 4)), KINDS, 2)
    yield "fewer blocks than matrices", few
    for row in pairwise(
        random,
        left=(1, 2, 3, 4),
        right=(1, 2, 3, 4),
        a=KINDS,
        b=KINDS,
        depth=(1, 4, 65535),
        size=((5, 6, 4), (17, 1, 2), (1, 17, 3)),
    ):
        left, right, (M, K, N) = row["left"], row["right"], row["size"]  # noqa: N806
        a = of_rank(left, A_BATCH, *(M, K)[-left:])
        b = of_rank(right, B_BATCH, *(K, N)[: 2 if right > 1 else 1])
        few, part = row["depth"] < 9, "every pair of ranks"
        part = "fewer blocks than matrices" if few else part
        yield part, launch(random, (a, b), (row["a"], row["b"]), row["depth"])
    yield "no copies", launch(random, ((3, 16, 32), (32, 48)), KINDS)
    odd = launch(random, ((18, 17), (17, 20)), KINDS)
    odd.args[0][[0, -1]], odd.args[2][[0, -1]] = (0, np.inf), (np.inf, 0)
    yield "zero and infinity", odd


def reference(a, a_view, b, b_view, c, M, N, K, batches):  # noqa: N803
    left, right = strided.read(a, a_view), strided.read(b, b_view)
    return torch.matmul(left.double(), right.double())


check = Check(
    matmul_batched,
    cases=cases,
    reference=reference,
    compare=arrays(atol=U),
    diagnose=coarse,
    not_tested="blocks but 16 x 16 and M, N or batches of 0: the contract has none",
)
