"""Reductions: many elements to one, over any dimensions.

Each has its NumPy formula, and on devices the ladder of kernels/reduce.cu.
"""

import numpy as np

from .. import layout
from ..dispatch import register
from ..kernels.reductions import sum_all, sum_dim
from ..promotion import FLOATS, INTEGERS
from ..storage import DTYPES, bool_, float32, float64, int32, int64, uint8
from ..trace import nbytes
from . import formulas, ladder
from . import gradients as hole
from .arrays import quiet, reader
from .dims import as_flag, dims_of, kept_shape, rows_of
from .elementwise import eq, ne, where
from .ladder import Rung, computed_in, joined, memory, strides_of
from .plans import Planned, PlannedOperator
from .tickets import tickets

NUMBERS = (*INTEGERS, *FLOATS)


class Reduction(PlannedOperator):
    """formula(array, axis=, keepdims=) in NumPy. code: OP in reduce.cu."""

    def __init__(self, name, formula, code, dtypes, rule, empty=None, gradient=None):
        doc = f"{name} over all dimensions, or those of `dim`."
        super().__init__(name, rule, doc, gradient and [gradient])
        self.formula, self.code, self.empty = formula, code, empty
        for dtype in dtypes:
            register(name, ["cpu"], [dtype], NumpyReduction(self, dtype))
            work = Planned(DeviceReduction(self, dtype))
            register(name, ["sim", "cuda"], [dtype], work)

    def __call__(self, x, dim=None, keepdim=False, *, dtype=None):
        if keepdim is not False and keepdim is not True:
            keepdim = as_flag(self.name, "keepdim", keepdim)
        if dtype is not None:  # whole numbers are added up in int64, and then cut
            if self.code not in ("SUM", "PROD", "MEAN"):
                raise TypeError(f"{self.name}() got an unexpected argument 'dtype'")
            return self(x.to(dtype), dim, keepdim).to(dtype)
        if isinstance(self.empty, bool) and dim in ((), []):
            return self(x.unsqueeze(-1), -1)  # any(()) and all(()): of each by itself
        dims = dims_of(dim, len(x.shape))
        if self.empty is None and 0 in x.shape:
            self.check_sizes(x, dims)
        return super().__call__(x, dims=dims, keepdim=keepdim)

    def check_sizes(self, x, dims):
        """Raise where an element is to be chosen of none."""
        for d in dims:
            if not x.shape[d]:
                raise IndexError(
                    f"{self.name}(): there is no element to choose: the tensor has "
                    f"shape {list(x.shape)}, and dimension {d} is empty"
                )


def result_of(operator, dtype):
    """any and all give bool, or uint8 for uint8."""
    truth = isinstance(operator.empty, bool) and dtype != uint8
    return bool_ if truth else dtype


class NumpyReduction:
    """A formula as the kernel for "cpu"."""

    def __init__(self, operator, dtype):
        self.formula, self.dtype = operator.formula, result_of(operator, dtype)
        self.wide, self.name = computed_in(dtype), operator.name

    def prepare(self, operands):
        """The function that does it for a tensor of this layout."""
        read, formula, dtype = reader(*operands, self.wide), self.formula, self.dtype

        def values_of(x, dims, keepdim):
            values = formula(read(x), axis=dims, keepdims=keepdim)
            return x.new_of(values, dtype)

        def run(x, dims, keepdim):
            return quiet(values_of, x, dims, keepdim)

        run.__name__ = self.name
        return run


# ------------------------------------------------- on devices

THREADS = 256
SHORT, LONG = 1024, 2**15  # elements of a row for a warp, and for one block


def are_rows(contiguous, **facts):
    return contiguous


def is_lab_05(code, types, m, n, **facts):
    """Can the kernels of lab 05 do it? They add floats, and count in int."""
    return code == "SUM" and types == {float32} and max(m, n, m * n) < 2**31


def is_one_row(contiguous, m, **facts):
    return contiguous and m == 1 and is_lab_05(m=m, **facts)


LADDER = [
    Rung("yours", "sum_dim", sum_dim, is_lab_05),
    Rung("yours", "sum_all", sum_all, is_one_row, "all"),
    Rung("strided", "reduce_strided", "reduce.cu"),
    Rung("columns", "reduce_columns", "reduce.cu", lambda n, **facts: n > 32),
    Rung("warps", "reduce_warps", "reduce.cu", are_rows),
    Rung("blocks", "reduce_blocks", "reduce.cu",
         lambda contiguous, n, **facts: contiguous and n > SHORT),
]  # fmt: skip


class DeviceReduction:
    """The kernels of reduce.cu for one operator and dtype."""

    def __init__(self, operator, dtype):
        self.name, self.code, self.empty = operator.name, operator.code, operator.empty
        self.result = result_of(operator, dtype)

    def __call__(self, x, dims, keepdim):
        shape = kept_shape(x.shape, dims, keepdim)
        y = x.new_empty(shape, dtype=self.result)
        if isinstance(self.empty, bool) and x.dtype != bool_:
            x = ne(x, 0)
        rows, kept = rows_of(x, dims)
        m, n = layout.numel(rows.shape[:kept]), layout.numel(rows.shape[kept:])
        if not m:
            return y
        if not n:
            return y.fill_(self.empty)
        facts = {"m": m, "n": n, "contiguous": rows.is_contiguous(),
                 "code": self.code, "types": {x.dtype, y.dtype}}  # fmt: skip
        rung = ladder.choose(LADDER, **facts)
        getattr(self, rung.way)(rung, rows, kept, y, m, n)
        return y

    def run(self, rung, x, y, grid, block, args):
        """Launch one kernel."""
        wide = accumulator(x.dtype, self.code)
        types = [CODES[self.code], x.dtype, y.dtype, wide]
        function = rung.function(x.device, types)
        size = nbytes(x) + nbytes(y)
        ladder.launch(self.name, rung.name, function, x.device, grid, block, args, size)

    def yours(self, rung, x, kept, y, m, n):
        """sum_dim of lab 05: a thread an element of the result."""
        numbers = [x.new_number(t or (0,), int32) for t in (x.shape, x.strides)]
        args = [memory(x), *map(memory, numbers), memory(y)]
        args += map(np.int32, (x.ndim, kept, m, n))
        self.run(rung, x, y, (-(-m // THREADS), 1, 1), (THREADS, 1, 1), args)

    def all(self, rung, x, kept, y, m, n):
        """sum_all of lab 05: its two stages."""
        blocks = min(-(-n // THREADS), THREADS)
        some = x.new_empty((blocks,))
        for source, target, count in (x, some, n), (some, y, blocks):
            grid = target.numel(), 1, 1
            args = memory(source), memory(target), np.int32(count)
            self.run(rung, source, target, grid, (THREADS, 1, 1), args)

    def strided(self, rung, x, kept, y, m, n):
        grid, block = (-(-m // THREADS), 1, 1), (THREADS, 1, 1)
        self.run(rung, x, y, grid, block, self.any_layout(x, kept, y, m, n))

    def columns(self, rung, x, kept, y, m, n):
        """Blocks of 32 columns; few long ones are split."""
        grid, block = -(-m // 32), (32, min(32, -(-n // 8)), 1)
        parts = min(-(-n // 2048), 256) if grid < 128 else 1
        args = *self.any_layout(x, kept, y, m, n), *self.shared(x, m, parts, grid)
        self.run(rung, x, y, (grid, parts, 1), block, args)

    def any_layout(self, x, kept, y, m, n):
        views = [
            strides_of(*joined(x.shape[part], x.strides[part]), x.device)
            for part in (slice(kept), slice(kept, None))
        ]
        return memory(x), *views, memory(y), np.int32(m), np.int32(n), np.int64(n)

    def warps(self, rung, x, kept, y, m, n):
        args = memory(x), memory(y), np.int64(m), np.int64(n), np.int64(n)
        self.run(rung, x, y, (-(-m // 8), 1, 1), (32, 8, 1), args)

    def blocks(self, rung, x, kept, y, m, n):
        """A block a row; of few long rows several blocks."""
        parts = parts_of(m, n)
        args = memory(x), memory(y), np.int64(n), np.int64(n)
        args += self.shared(x, m, parts, m)
        self.run(rung, x, y, (m, parts, 1), (THREADS, 1, 1), args)

    def shared(self, x, m, parts, count):
        """What several blocks of a row or column need: parts, and `count` tickets."""
        if parts == 1:
            return None, None
        some = x.new_empty((m * parts,), dtype=accumulator(x.dtype, self.code))
        return memory(some), tickets(count, x.device)


def parts_of(rows, n):
    """How many blocks share a row: several, where rows are few and long."""
    return min(-(-n // LONG), 1024) if rows < 128 else 1


def accumulator(dtype, code="MAX"):
    """What is computed in: shuffles take int, long long, float and double."""
    if dtype in FLOATS:
        return float64 if dtype == float64 else float32
    return int64 if code in ("SUM", "PROD") or dtype == int64 else int32


CODES = {"SUM": 0, "MAX": 1, "MIN": 2, "PROD": 3, "MEAN": 4}

# ------------------------------------------------- the operators


def added_up(x):
    """Whole numbers and bool are added up in int64."""
    return x.dtype if x.dtype in FLOATS else int64


def own(x):
    return x.dtype


def prod_backward(dy, a, y, dims, keepdim):
    """The product of all others: y / a, but where a 0 is among them."""
    zero = eq(a, 0)
    zeros, kept = sum(zero, dims, True), where(zero, 1, a)
    others = prod(kept, dims, True)
    alone = where(eq(zeros, 0), others / kept, where(zero & eq(zeros, 1), others, 0))
    return alone * hole.sum_backward(dy, a.shape, dims, keepdim)


def extreme_backward(dy, a, y, dims, keepdim):
    """Of max() and min(): NaN is the largest, and the smallest, where there is one."""
    chosen = eq(a, y) | ne(a, a)
    return dy / sum(chosen) * chosen


FEW = {"dtypes": DTYPES, "rule": own, "gradient": hole.amax_backward}
sum = Reduction("sum", np.add.reduce, "SUM", NUMBERS, added_up, 0,  # noqa: A001
                hole.sum_backward)  # fmt: skip
prod = Reduction(
    "prod", np.multiply.reduce, "PROD", NUMBERS, added_up, 1, prod_backward
)
mean = Reduction("mean", formulas.mean, "MEAN", FLOATS, own, float("nan"),
                 hole.mean_backward)  # fmt: skip
amax = Reduction("amax", np.maximum.reduce, "MAX", **FEW)
amin = Reduction("amin", np.minimum.reduce, "MIN", **FEW)
FEW["gradient"] = extreme_backward
max_of_all = Reduction("max", np.maximum.reduce, "MAX", **FEW)
min_of_all = Reduction("min", np.minimum.reduce, "MIN", **FEW)
FEW["gradient"] = None
any = Reduction("any", np.logical_or.reduce, "MAX", **FEW, empty=False)  # noqa: A001
all = Reduction("all", np.logical_and.reduce, "MIN", **FEW, empty=True)  # noqa: A001
