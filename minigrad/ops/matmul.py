"""Matrix products of tensors of any rank; batches are broadcast, nothing is copied."""

import numpy as np

from .. import layout
from ..dispatch import register
from ..kernels.matmul import (
    matmul_batched,
    matmul_naive,
    matmul_register,
    matmul_tiled,
)
from ..promotion import FLOATS, INTEGERS
from ..storage import float32, float64
from ..trace import nbytes
from . import ladder
from . import vjp as hole
from .arrays import as_array, quietly
from .ladder import Rung, computed_in, memory, strides_of
from .plans import Planned, PlannedOperator
from .reduce import sum as sum_of

NUMBERS = (*INTEGERS, *FLOATS)


def is_one(plain, batches, **facts):
    """Is it one product of two matrices that lie row by row?"""
    return plain and batches == 1


def is_large(M, N, **facts):
    return is_one(**facts) and M >= 64 and N >= 64


def is_larger(M, N, **facts):
    return is_one(**facts) and M >= 128 and N >= 128


def is_wide(dtype, N, K, aligned, **facts):
    whole = dtype == float32 and aligned and N % 4 == K % 4 == 0
    return whole and is_large(N=N, **facts)


def is_large_float(dtype, M, N, **facts):
    return dtype == float32 and M >= 64 and N >= 64


def is_lab_06(dtype, M, N, K, plain, batches, **facts):
    """Are they such matrices as the exercises of lab 06 are given?"""
    few = max(M * N, M * K, N * K) < 2**31  # counted by an int
    return dtype == float32 and few and is_one(plain, batches)


def is_float(dtype, **facts):
    return dtype == float32


def is_wide_in_lab_06(**facts):
    return is_lab_06(**facts) and is_wide(**facts)


HOLES = [
    Rung("yours", "matmul_batched", matmul_batched, is_float, "tiled"),
    Rung("yours", "matmul_naive", matmul_naive, is_lab_06, "coalesced"),
    Rung("yours", "matmul_tiled", matmul_tiled, is_lab_06, "coalesced"),
    Rung("yours", "matmul_register", matmul_register, is_wide_in_lab_06, "vectors"),
]
LADDER = [
    *HOLES,
    Rung("naive", "matmul_naive", "matmul.cu", is_one),
    Rung("coalesced", "matmul_coalesced", "matmul.cu", is_one),
    Rung("tiled", "matmul_tiled", "matmul.cu"),
    Rung("column", "matmul_column", "matmul.cu", is_large),
    Rung("patch", "matmul_patch", "matmul.cu", is_larger),
    Rung("vectors", "matmul_vectors", "matmul.cu", is_wide),
    Rung("pipelined", "matmul_pipelined", "matmul.cu", is_large_float),
]
# name of a rung: threads of a block, and how many rows and columns a block makes
BLOCKS = {
    "naive": ((16, 16), 16), "coalesced": ((16, 16), 16), "tiled": ((16, 16), 16),
    "column": ((512, 1), 64), "patch": ((256, 1), 128), "vectors": ((256, 1), 128),
    "pipelined": ((128, 1), 128),
}  # fmt: skip


def pipelined_types(a, b, M, N, K):
    """matmul_pipelined's template: do neighbours lie along K? In fours?"""
    a_along, b_along = a.strides[-1] == 1 or a.strides[-2] != 1, b.strides[-2] == 1
    wide = N % 4 == 0 and is_in_fours(a, -1 if a_along else -2)
    wide = wide and is_in_fours(b, -2 if b_along else -1)
    return [int(a_along), int(b_along), int(wide)]


def is_in_fours(x, dim):
    """May a matrix be read in float4 along `dim`?"""
    others = [s for d, s in enumerate(x.strides) if d != x.ndim + dim]
    whole = not any(n % 4 for n in (x.shape[dim], x.offset, *others))
    return whole and x.strides[dim] == 1


SHARED = 2 * 132  # blocks that a product is shared among, where it has few tiles
LONG, SHORT = 256, 32  # columns of a that are cut in parts, and a part's at least


def parts_of(M, N, K, size):
    """In how many parts of equal length K is cut, so that there are blocks enough.

    size: the rows and columns of c that a block makes.
    """
    if K < LONG:
        return 1
    most = min(SHARED // (-(-M // size) * -(-N // size)), K // SHORT)
    return next((p for p in range(most, 1, -1) if K % (4 * p) == 0), 1)


def in_parts(x, parts, dim):
    """A matrix cut along `dim` as a batch of matrices: a view."""
    shape, strides = [*x.shape], [*x.strides]
    shape[dim] //= parts
    shape, strides = (parts, *shape), (shape[dim] * strides[dim], *strides)
    return x.as_strided(shape, strides)


def left_gradient(dy, b, shape):
    """Of a: vectors are taken for matrices of one row or column."""
    if b.ndim == 1:
        b, dy = b.unsqueeze(1), dy.unsqueeze(-1)
    return hole.matmul_left_backward(dy.unsqueeze(-2) if len(shape) == 1 else dy, b)


def right_gradient(dy, a, layout_b):
    """Of b, as b lies: a batch of rows times one matrix is one product of matrices."""
    shape, strides, _ = layout_b
    if len(shape) == 1:
        dy = dy.unsqueeze(-1)
    if a.ndim == 1:
        a, dy = a.unsqueeze(0), dy.unsqueeze(-2)
    if len(shape) < 3 < a.ndim + 1 and a.numel() and dy.numel():
        a, dy = a.reshape(-1, a.shape[-1]), dy.reshape(-1, dy.shape[-1])
    if len(shape) == a.ndim == 2 and strides[0] == 1 != strides[1]:  # b is some W.T
        return hole.matmul_left_backward(dy.T, a.T).T  # and so is db
    db = hole.matmul_right_backward(dy, a)
    return db.squeeze(-1) if len(shape) == 1 else db


class MatMul(PlannedOperator):
    """a @ b: a row times a column, matrices, or batches of them, as torch.matmul."""

    options = frozenset()

    def __init__(self):
        both, self.takes = (left_gradient, right_gradient), ("other",)
        super().__init__("matmul", self.common_dtype, MatMul.__doc__, both)
        register("matmul", ["cpu"], NUMBERS, quietly(self.on_cpu, "matmul"))
        register("matmul", ["sim", "cuda"], NUMBERS, Planned(self.on_device))

    def find(self, operands):
        """The kernel; TypeError or RuntimeError for operands that do not fit."""
        if len(operands) != 2:
            raise TypeError(f"matmul() takes two tensors, but got {len(operands)}")
        a, b = operands
        for x in operands:
            if not hasattr(x, "storage"):
                raise TypeError(f"matmul takes two tensors, not {type(x).__name__}")
            if not x.ndim:
                raise RuntimeError(
                    "both arguments to matmul need to be at least 1D, but they are "
                    f"{a.ndim}D and {b.ndim}D"
                )
        if a.shape[-1] != b.shape[-2:][0]:
            raise RuntimeError(
                f"matmul: the columns of the first are to be as many as the rows of "
                f"the second, but the shapes are {list(a.shape)} and {list(b.shape)}"
            )
        if a.ndim > 2 and b.ndim > 2:
            ladder.broadcast("matmul", (a.shape[:-2], b.shape[:-2]), (a.shape, b.shape))
        return super().find(operands)

    @staticmethod
    def common_dtype(a, b):
        if a.dtype != b.dtype:
            raise RuntimeError(
                f"matmul: expected a and b to have the same dtype, but got: {a.dtype} "
                f"and {b.dtype}: a.to(b.dtype) makes a copy"
            )
        return a.dtype

    def on_cpu(self, a, b):
        wide = computed_in(a.dtype)
        values = np.matmul(as_array(a, wide), as_array(b, wide))
        return a.new_of(values, a.dtype)

    def on_device(self, a, b):
        left = a.unsqueeze(0) if a.ndim == 1 else a
        right = b.unsqueeze(-1) if b.ndim == 1 else b
        batch = layout.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        M, K, N = *left.shape[-2:], right.shape[-1]
        c = a.new_empty((*batch, M, N))
        if c.numel():
            if batch:
                left, right = left.expand(*batch, M, K), right.expand(*batch, K, N)
            c = self.run(left, right, c, layout.numel(batch), M, N, K)
        shape = list(c.shape)
        if b.ndim == 1:
            shape.pop()
        if a.ndim == 1:
            shape.pop(-1 if b.ndim == 1 else -2)
        return c.view(shape) if len(shape) < c.ndim else c

    def run(self, a, b, c, batches, M, N, K):
        """Launch the rung that is made for these matrices; c, or a tensor like it."""
        plain, dtype = a.is_contiguous() and b.is_contiguous(), a.dtype
        aligned = a.offset % 4 == b.offset % 4 == 0
        facts = {"M": M, "N": N, "K": K, "batches": batches, "plain": plain}
        rung = ladder.choose(LADDER, dtype=dtype, aligned=aligned, **facts)
        block, size = BLOCKS[rung.way]
        if rung.name in ("tiled", "pipelined") and dtype in (float32, float64):
            parts = parts_of(M, N, K, size) if c.ndim == 2 else 1
            if parts > 1:  # the products of the parts, and their sum
                some = c.new_empty((parts, M, N))
                a, b = in_parts(a, parts, 1), in_parts(b, parts, 0)
                return sum_of(self.run(a, b, some, parts, M, N, K // parts), 0)
        grid, types = (-(-N // size), -(-M // size), 1), [dtype, computed_in(dtype)]
        sizes = [*map(np.int32, (M, N, K))]
        args = [*map(memory, (a, b, c)), *sizes]
        if rung.way == "naive":
            grid = grid[1], grid[0], 1
        elif rung.way == "vectors":
            types = []
        elif rung.way in ("tiled", "pipelined"):
            grid = *grid[:2], min(batches, 65535)
            args[1:1] = [strides_of(a.shape, a.strides, a.device)]
            args[3:3] = [strides_of(b.shape, b.strides, b.device)]
            args.append(np.int64(batches))
        if rung.way == "pipelined":
            types = pipelined_types(a, b, M, N, K)
        kernel, moved = rung.function(a.device, types), sum(map(nbytes, (a, b, c)))
        ladder.launch(
            "matmul", rung.name, kernel, a.device, grid, (*block, 1), args, moved
        )
        return c


matmul = MatMul()
