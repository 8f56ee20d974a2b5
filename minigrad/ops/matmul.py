"""Matrix products of tensors of any rank; batches are broadcast, nothing is copied."""

import math

import numpy as np

from .. import launch, layout
from ..check import check
from ..dispatch import method, operator, tensor_for
from ..dtypes import NUMBERS, float32, float64
from ..kernels.matmul import matmul_batched, matmul_naive, matmul_register, matmul_tiled
from ..launch import NO_EPILOGUE, Variant, broadcast, cdiv, strides_of
from . import vjp
from .pointwise import add
from .reduce import sum as sum_of

# ------------------------------------------------- kernels


def is_one(f):
    """Is it one product of two matrices that lie row by row?"""
    return f.plain and f.batches == 1


def is_large(f):
    return is_one(f) and f.M >= 64 and f.N >= 64


def is_wide(f):
    fours = f.aligned and f.N % 4 == f.K % 4 == 0
    return f.dtype == float32 and fours and is_large(f)


def is_lab_06(f):
    """Are they such matrices as the exercises of lab 06 are given?"""
    few = max(f.M * f.N, f.M * f.K, f.N * f.K) < 2**31  # counted by an int
    return f.dtype == float32 and few and is_one(f)


def tiles(size):
    """A grid whose blocks make `size` rows and columns each."""
    return lambda f: (cdiv(f.N, size), cdiv(f.M, size))


def batched(f, high, wide):
    return cdiv(f.N, wide), cdiv(f.M, high), min(f.batches, 65535)


def views(f):
    return {"a_view": strides_of(f.a.shape, f.a.strides, f.device),
            "b_view": strides_of(f.b.shape, f.b.strides, f.device)}  # fmt: skip


def pipelined_types(f):
    """matmul_pipelined's template: do neighbors lie along K? In fours? Its tile."""
    a, b = f.a, f.b
    a_along, b_along = a.strides[-1] == 1 or a.strides[-2] != 1, b.strides[-2] == 1
    wide = f.N % 4 == 0 and is_in_fours(a, -1 if a_along else -2)
    wide = wide and is_in_fours(b, -2 if b_along else -1)
    return int(a_along), int(b_along), int(wide), *tiling(f)[0]


def is_in_fours(x, dim):
    """May a matrix be read in float4 along `dim`?"""
    others = [s for d, s in enumerate(x.strides) if d != x.ndim + dim]
    whole = not any(n % 4 for n in (x.shape[dim], x.offset, *others))
    return whole and x.strides[dim] == 1


PLAIN, SQUARE = "a b c M:int N:int K:int", (16, 16)
VIEWS = "a a_view b b_view c M:int N:int K:int batches:long"
VARIANTS = launch.variants(
    Variant("yours", "matmul_batched", matmul_batched, lambda f: f.dtype == float32,
            VIEWS, SQUARE, lambda f: batched(f, 16, 16), more=views),
    Variant("yours", "matmul_naive", matmul_naive, is_lab_06, PLAIN, SQUARE, tiles(16)),
    Variant("yours", "matmul_tiled", matmul_tiled, is_lab_06, PLAIN, SQUARE, tiles(16)),
    Variant("yours", "matmul_register", matmul_register,
            lambda f: is_lab_06(f) and is_wide(f), PLAIN, 256, tiles(128)),
    Variant("naive", "matmul_naive", "matmul.cu", is_one, PLAIN, SQUARE,
            lambda f: tiles(16)(f)[::-1]),
    Variant("coalesced", "matmul_coalesced", "matmul.cu", is_one, PLAIN, SQUARE,
            tiles(16)),
    Variant("tiled", "matmul_tiled", "matmul.cu", args=VIEWS, block=SQUARE,
            grid=lambda f: batched(f, 16, 16), more=views),
    Variant("column", "matmul_column", "matmul.cu", is_large, PLAIN, 512, tiles(64)),
    Variant("patch", "matmul_patch", "matmul.cu",
            lambda f: is_one(f) and f.M >= 128 and f.N >= 128, PLAIN, 256, tiles(128)),
    Variant("vectors", "matmul_vectors", "matmul.cu", is_wide, PLAIN, 256, tiles(128),
            lambda f: ()),
    Variant("pipelined", "matmul_pipelined", "matmul.cu",
            lambda f: f.dtype == float32 and f.M >= 64 and f.N >= 64, VIEWS, 128,
            lambda f: batched(f, *tiling(f)[0][:2]), pipelined_types, more=views),
)  # fmt: skip
TILES = (128, 128, 8), (64, 64, 16), (64, 32, 32)  # BM, BN, BK of matmul_pipelined
ENOUGH = 200  # blocks: three for two of a large GPU's processors
LONG, SHORT = 256, 64  # columns of a that are cut in parts, and a part's at least


def tiling(f):
    """The largest tile of matmul_pipelined with blocks enough, and K's parts."""
    for tile in TILES:
        high, wide, _ = tile
        parts = parts_of(f, high, wide)
        blocks = parts * math.prod(batched(f, high, wide))
        if blocks >= ENOUGH and high <= f.M and wide <= f.N:
            break
    return tile, parts


def parts_of(f, high, wide):
    """In how many parts of equal length K is cut, so that there are blocks enough."""
    if f.K < LONG or f.batches > 1 or f.dtype not in (float32, float64):
        return 1
    most = min(launch.BLOCKS // math.prod(batched(f, high, wide)), f.K // SHORT)
    return next((p for p in range(most, 1, -1) if f.K % (4 * p) == 0), 1)


def in_parts(x, parts, dim):
    """A matrix cut along `dim` as a batch of matrices: a view."""
    shape, strides = [*x.shape[-2:]], [*x.strides[-2:]]
    shape[dim] //= parts
    shape, strides = (parts, *shape), (shape[dim] * strides[dim], *strides)
    return x.as_strided(shape, strides)


def product(a, b, c, batches, M, N, K, epilogue=NO_EPILOGUE):
    """Launch c = a b; c, or a tensor like it."""
    plain = a.is_contiguous() and b.is_contiguous()
    f = launch.LaunchInfo(a=a, b=b, c=c, batches=batches, M=M, N=N, K=K, plain=plain,
                     aligned=not (a.offset | b.offset) % 4)  # fmt: skip
    variant = launch.select(VARIANTS, f)
    cut = {"tiled": lambda: parts_of(f, 16, 16), "pipelined": lambda: tiling(f)[1]}
    parts = cut[variant.name]() if variant.name in cut else 1
    if parts > 1:  # the products of the parts, and their sum
        some = c.new_empty((parts, M, N))
        a, b = in_parts(a, parts, 1), in_parts(b, parts, 0)
        some = product(a, b, some, parts, M, N, K // parts)
        return sum_of.on_device(some, (0,), False, epilogue).view(c.shape)
    f.epilogue = epilogue
    variant.launch("matmul", f)
    return c


def left_gradient(dy, b, shape):
    """Of a: vectors are taken for matrices of one row or column."""
    if b.ndim == 1:
        b, dy = b.unsqueeze(1), dy.unsqueeze(-1)
    return (dy.unsqueeze(-2) if len(shape) == 1 else dy) @ b.transpose(-2, -1)


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
        return vjp.matmul_right_backward(a, dy).T  # and so is db
    db = vjp.matmul_right_backward(dy, a)
    return db.squeeze(-1) if len(shape) == 1 else db


@operator("input other", dtypes=NUMBERS, vjps=[left_gradient, right_gradient])
def matmul(input, other):
    """input @ other: a row times a column, matrices, or batches of them."""
    a, b = input, other
    check(a.ndim and b.ndim, "both arguments to matmul need to be at least 1D, but "
          f"they are {a.ndim}D and {b.ndim}D")  # fmt: skip
    shapes = " and ".join("x".join(map(str, x.shape)) for x in (a, b))
    check(a.shape[-1] == b.shape[-2:][0], "mat1 and mat2 shapes cannot be multiplied "
          f"({shapes}): columns of mat1 must match rows of mat2")  # fmt: skip
    if a.ndim > 2 and b.ndim > 2:
        broadcast("matmul", (a.shape[:-2], b.shape[:-2]), (a.shape, b.shape))
    check(a.dtype == b.dtype, "matmul: expected a and b to have the same dtype, but "
          f"got: {a.dtype} and {b.dtype}: a.to(b.dtype) makes a copy")  # fmt: skip


matmul.cpu(np.matmul)


@matmul.device
def product_of(a, b, epilogue=NO_EPILOGUE):
    left = a.unsqueeze(0) if a.ndim == 1 else a
    right = b.unsqueeze(-1) if b.ndim == 1 else b
    batch = layout.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    M, K, N = *left.shape[-2:], right.shape[-1]
    ends = (M,) * (a.ndim > 1) + (N,) * (b.ndim > 1)
    y = a.new_empty((*batch, *ends))
    if not y.numel():
        return y
    if batch:
        left, right = left.expand(*batch, M, K), right.expand(*batch, K, N)
    c = y.view(*batch, M, N)
    c = product(left, right, c, math.prod(batch), M, N, K, epilogue)
    return y if c.storage is y.storage else c.view(y.shape)


# ------------------------------------------------- x Wᵀ + b, as one step of the graph


def rows(x):
    return x.reshape(-1, x.shape[-1])


@operator("input weight bias", vjps=[  # that of W comes out in W's own layout
    lambda dy, b: dy @ b, lambda dy, a: rows(dy).permute(1, 0) @ rows(a),
    lambda dy: rows(dy).sum(0)])  # fmt: skip
def linear(input, weight, bias=None):
    """input times the transpose of weight, plus bias: (*, in) to (*, out)."""
    sizes = input.shape[-1:], weight.shape[1:], weight.shape[:1]
    fits = weight.ndim == 2 and sizes[0] == sizes[1]
    own = bias is None or (bias.dtype == input.dtype and bias.shape == sizes[2])
    if not fits or not own or input.dtype != weight.dtype:

        def in_steps():  # says what is wrong
            y = input @ weight.permute(*reversed(range(weight.ndim)))
            return y if bias is None else y + bias

        return in_steps


@linear.cpu
def _(x, w, b):
    y = np.matmul(x, w.T)
    if b is not None:
        y += b
    return y


@linear.device
def _(x, w, b, epilogue=NO_EPILOGUE):
    y = product_of(x, w.permute(1, 0), epilogue)
    return y if b is None else add.into(y, y, b)


# ------------------------------------------------- products by their ranks


def ranked(name, ranks, *tensors):
    """RuntimeError unless the tensors have these numbers of dimensions."""
    for number, (x, rank) in enumerate(zip(tensors, ranks, strict=True), 1):
        check(tensor_for(name, f"operand {number}", x).ndim == rank,
              lambda: f"{name}: expected operand {number} to be {rank}D, but it has "
              f"shape {list(x.shape)}")  # fmt: skip


@method
def mm(input, mat2):
    """The product of two matrices."""
    ranked("mm", (2, 2), input, mat2)
    return matmul(input, mat2)


@method
def mv(input, vec):
    """The product of a matrix and a vector."""
    ranked("mv", (2, 1), input, vec)
    return matmul(input, vec)


@method
def dot(input, tensor):
    """The sum of the products of two vectors."""
    ranked("dot", (1, 1), input, tensor)
    return matmul(input, tensor)


@method
def bmm(input, mat2):
    """A batch of products: (B, N, M) with (B, M, P) to (B, N, P)."""
    ranked("bmm", (3, 3), input, mat2)
    check(input.shape[0] == mat2.shape[0], lambda: "bmm: expected batches of one size, "
          f"got shapes {list(input.shape)} and {list(mat2.shape)}")  # fmt: skip
    return matmul(input, mat2)


@method
def outer(input, vec2):
    """Every element of one vector times every element of another."""
    ranked("outer", (1, 1), input, vec2)
    return input.unsqueeze(1) * vec2


@method
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """beta * input + alpha * (mat1 @ mat2)."""
    ranked("addmm", (2, 2), mat1, mat2)
    product = matmul(mat1, mat2)
    product = product if alpha == 1 else product * alpha
    if beta == 0:
        return product
    return (input if beta == 1 else input * beta) + product
