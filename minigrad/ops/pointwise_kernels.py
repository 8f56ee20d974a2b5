"""What an elementwise operator is, and its kernels: loops around an expression."""

import functools
import re

import numpy as np

from .. import launch, plan_cache
from ..arrays import NumpyKernel, writable, write
from ..autograd.record import below
from ..dispatch import KERNELS, DeviceKernel, Operator
from ..dtypes import NUMBERS, as_number, computed_in, result_type
from ..kernels import learner_variants
from ..launch import THREADS, Variant, broadcast, cdiv, coalesce_dims, strides_of
from ..layout import Uncacheable, is_contiguous
from ..numpy_names import in_pytorch
from ..plan_cache import is_on_device
from ..trace import Trace


class Pointwise(Operator):
    """formula: in NumPy, of arrays. expression: in CUDA C, of a, b and c. vjps: the
    gradients of these.

    dtypes: those that it computes in. result: the result's dtype, if that is another.
    """

    def __init__(self, name, formula, expression, *vjps, dtypes=NUMBERS,
                 rule=result_type, result=None):  # fmt: skip
        self.arity = " abc".index(max(re.findall(r"\b[abc]\b", expression)))
        takes = (lambda input: None, lambda input, other: None,
                 lambda input, other, third: None)  # fmt: skip
        check = takes[self.arity - 1]
        check.__name__ = check.__qualname__ = name
        check.__doc__ = f"{name} of each element: {expression}"
        if self.arity < 3:  # kernels take one number as an argument, whatever it is
            self.argument_key = type
        super().__init__(check, None, dtypes, None, vjps, rule)
        self.formula, self.expression, self.result = formula, expression, result
        for dtype in dtypes:
            KERNELS[name, "cpu", dtype] = NumpyPointwise(formula, dtype, result)
            kernel = DevicePointwise(self, dtype)
            KERNELS[name, "sim", dtype] = KERNELS[name, "cuda", dtype] = kernel

    def bind(self, args, named):
        if named:
            named = in_pytorch(self.name, named, self.parameters)
        operands = *args, *named.values()
        if len(operands) != self.arity:
            if operands:
                self.rule(*operands)  # may say more
            raise TypeError(
                f"{self.name}() takes {self.arity} operands, the tensor itself among "
                f"them, but {len(operands)} were given"
            )
        return operands, {}, None if named else [*range(self.arity)]

    def find(self, operands):
        """The kernel; where `is_number`, a tensor's device does not count."""
        there = [x for x in operands if not is_number(x, operands)]
        kernel = super().find(operands, there)
        broadcast(self.name, [x.shape for x in operands if hasattr(x, "storage")])
        return kernel

    def into(self, out, *operands):
        """The same, written into `out`, which has the result's shape; returns it."""
        if self.again(out, operands):
            return out
        kernel = self.find(operands)
        if Trace.active is not None:
            below(Trace.active.run, self.name, kernel, operands, {"out": out})
        elif plan_cache.state.disabled:
            below(kernel, *operands, out=out)
        else:
            run = below(kernel.plan_into, out, operands)
            key = self.key_into(out, operands)
            if None not in (run, key):
                plan_cache.put(self.plans, key, run)
        return out

    def again(self, out, operands):
        """Write into `out` by the plan of an earlier call. Was there one?"""
        run = self.plans.get(self.key_into(out, operands))
        if run is None or plan_cache.state.disabled or Trace.active is not None:
            return False
        run(*operands, out)
        return True

    def key_into(self, out, operands):
        """The key of the plan that writes into `out`; None if there can be none."""
        try:
            parts = [getattr(x, "spec", 0) or self.argument_key(x) for x in operands]
        except Uncacheable:
            return None
        return "into", out.spec, *parts


def is_number(x, operands):
    """Is it a tensor of "cpu" without dimensions beside tensors of a device?

    An elementwise operator then passes its number to the kernel.
    """
    there = {t.device for t in operands if hasattr(t, "storage")}
    here = hasattr(x, "storage") and x.device == "cpu" and not x.shape
    return here and there != {"cpu"}


pointwise = Pointwise  # add = pointwise("add", np.add, "a + b", ...)


# ------------------------------------------------- on "cpu"


class NumpyPointwise(NumpyKernel):
    """A formula of arrays as the kernel for "cpu", computing in one dtype."""

    pointwise = True

    def __call__(self, *operands, out=None):
        if out is None:
            return super().__call__(*operands)
        self.plan_into(out, operands)
        return out

    def plan_into(self, out, operands):
        """Do it, and return a function of the operands and `out` that does it again."""
        work = self.work(operands, {})
        straight = self.function is copy or isinstance(self.function, np.ufunc)
        if straight and out.dtype == self.wide == self.results[0]:
            run = lambda *given: work(*given[:-1], out=writable(given[-1]))  # noqa: E731
        else:
            run = lambda *given: write(work(*given[:-1]), given[-1])  # noqa: E731
        run(*operands, out)
        return run


def copy(x, out=None):
    """An array with memory of its own, as reading in another dtype gives one."""
    if out is not None:
        return np.copyto(out, x)
    return x if x.flags.owndata else np.array(x)


# ------------------------------------------------- on devices

LARGE = 2**16  # elements from which on a thread may treat several


def is_wide(f):
    return f.contiguous and f.aligned and f.n >= LARGE


def is_rows(f):
    """May rows be read in packs, or one number for all of a row?"""
    pack = 16 // f.largest
    packs = (s[-1] == 0 or s[-1] == 1 and not any(t % pack for t in s[:-1])
             for s in f.steps)  # fmt: skip
    large = f.aligned and f.n >= LARGE and not f.contiguous
    return large and f.shape[-1] % pack == 0 and all(packs)


def row_block(f):
    """Threads along a row, and rows."""
    packs, few = f.shape[-1] * f.largest // 16, f.n // f.shape[-1] < 8
    lanes = THREADS if few else min(32, 2 ** (packs - 1).bit_length())
    return lanes, THREADS // lanes


def row_grid(f):
    """A thread treats up to 8 packs, as soon as there are blocks enough."""
    (lanes, high), pack = row_block(f), 16 // f.largest
    each = min(8, max(1, f.n // pack // (launch.BLOCKS * THREADS)))
    across = cdiv(f.shape[-1] // pack, lanes * each)
    return cdiv(f.n // f.shape[-1], high), min(across, 65535)


def is_turned(f):
    return f.operator == "copy" and f.keeps and f.n >= LARGE and f.matrices


def is_turned_wide(f):
    wide = is_turned(f) and f.aligned and f.largest <= 8
    return wide and not any(n % (16 // f.largest) for n in f.matrices[1:])


def turned(shape, strides):
    """(batches, rows, columns) of dense matrices whose transposes a view shows.

    None where it shows something else.
    """
    if len(shape) not in (2, 3):
        return None
    *batch, cols, rows = shape
    if strides != (*[rows * cols] * len(batch), 1, cols):
        return None
    batches = batch[0] if batch else 1
    fits = max(rows, batches) <= 65535 and cols < 2**31
    return (batches, rows, cols) if fits else None


def patches(f):
    batches, rows, cols = f.matrices
    pack = 16 // f.largest
    return cdiv(cols, 8 * pack), cdiv(rows, 32 * pack), batches


def tiles(f):
    batches, rows, cols = f.matrices
    return cdiv(cols, 32), cdiv(rows, 32), batches


def variants(names, kernel, more=(), *exercises):
    """The variants for such tensors: names "a", "a b" or "a b c"."""
    numbers = " s t" if names == "a" else ""
    views = " ".join(f"{name} {name}_view" for name in names.split())
    how = {"types": lambda f: f.elements, "before": lambda f: f.text}
    plain = f"{names} y n:long{numbers}"
    return launch.variants(
        *exercises,
        Variant("strided", f"{kernel}_strided", "elementwise.cu",
                args=f"{views} y count{numbers}", **how),
        Variant("contiguous", kernel, "elementwise.cu",
                lambda f: f.contiguous, plain, **how),
        *(Variant(name, f"{kernel}_{name}", "elementwise.cu", fits,
                  plain if name == "vectors" else f"{views} y count", **how, **shape)
          for name, fits, shape in more),
    )  # fmt: skip


TURNED = {"args": "a y rows:int cols:int", "types": lambda f: [f.elements[0]],
          "more": lambda f: {"rows": f.matrices[1], "cols": f.matrices[2]}}  # fmt: skip
VECTORS = "vectors", is_wide, {"grid": lambda f: cdiv(f.n, THREADS * 16 // f.largest)}
ROWS = "rows", is_rows, {"block": row_block, "grid": row_grid}
VARIANTS = {
    1: variants("a", "unary", [VECTORS], *learner_variants.UNARY) + launch.variants(
        Variant("transposed", "transpose_padded", "copy.cu", is_turned, block=(32, 8),
                grid=tiles, **TURNED),
        Variant("patches", "transpose_vectors", "copy.cu", is_turned_wide,
                block=(8, 32), grid=patches, **TURNED),
    ),
    2: variants("a b", "binary", [VECTORS, ROWS], *learner_variants.BINARY),
    3: variants("a b c", "ternary"),
}  # fmt: skip
MATH = launch.file_text("math.cuh")
MACROS = {1: "UNARY", 2: "BINARY", 3: "TERNARY"}


class DevicePointwise(DeviceKernel):
    """An expression as the kernel for "sim" and "cuda", computing in one dtype."""

    pointwise = True

    def __init__(self, operator, dtype):
        self.name, self.expression = operator.name, operator.expression
        self.dtype, self.wide = dtype, computed_in(dtype)
        self.result, self.__name__ = operator.result or dtype, operator.name

    def plan_into(self, out, operands):
        """Do it, and return a function of the operands and `out` that does it again."""

        def work(*given):
            self(*given[:-1], out=given[-1], number=self.number)

        return plan_cache.recorded(work, (*operands, out))[1]

    def plan(self, operands, options):
        work = functools.partial(self, number=self.number)
        return plan_cache.recorded(work, operands)

    def __call__(self, *operands, out=None, number=None):
        """number: what makes an argument of a number that changes from call to call."""
        number = number or (lambda place, x: as_number(x, self.wide))
        like = next(filter(is_on_device, operands))
        if len(operands) == 3 and sum(map(is_on_device, operands)) == 2:
            operands = [  # the number becomes a tensor, too
                x if is_on_device(x) else
                like.new_number(as_number(x, self.wide), self.wide) for x in operands
            ]  # fmt: skip
        names = dict(zip("abc", operands, strict=False))
        tensors = {name: x for name, x in names.items() if is_on_device(x)}
        shape = broadcast(self.name, [x.shape for x in tensors.values()])
        views = [x if x.shape == shape else x.expand(shape) for x in tensors.values()]
        y = like.new_empty(shape, self.result) if out is None else out
        numbers = {name: number(i, x) for i, (name, x) in enumerate(names.items())
                   if name not in tensors}  # fmt: skip
        facts = self.facts(views, y, numbers, list(tensors))
        f = launch.LaunchInfo(**dict(zip("abc", views, strict=False)), y=y, **facts)
        launch.select(VARIANTS[len(views)], f).launch(self.name, f)
        return y

    def number(self, place, x):
        """A number among the operands, which may be another one in each call."""
        convert = functools.partial(as_number, dtype=self.wide)
        return plan_cache.Number(convert(x), place, convert)

    def facts(self, views, y, numbers, named):
        """What the variants ask, and what their kernels take."""
        n, zero = y.numel(), self.wide.type(0)
        shape, *steps = coalesce_dims(y.shape, *(x.strides for x in views))
        types = [*(x.dtype for x in views), self.result, self.wide]
        sizes = [x.dtype.itemsize for x in (*views, y)]
        s, t = [*numbers.values(), zero, zero][:2]
        names = [*named, *numbers]
        if len(named) == 1:  # the macro of one tensor takes two numbers, always
            names += ["s", "t"][: 3 - len(names)]
        head = f"{MACROS[len(named)]}({', '.join(names)})"
        index = "#define INDEX long long\n" if n >= launch.MANY else ""
        return {
            "operator": self.name, "n": n, "shape": shape, "steps": steps,
            "types": {*types}, "elements": types, "largest": max(sizes),
            "numbers": len(numbers), "s": s, "t": t,
            "count": np.int32(n) if n < launch.MANY else np.int64(n),
            "contiguous": all(is_contiguous(x.shape, x.strides) for x in views),
            "aligned": not any(x.offset * x.dtype.itemsize % 16 for x in views),
            "matrices": turned(shape, tuple(steps[0])),
            "keeps": self.result == views[0].dtype,
            "text": f"{index}{MATH}\n#define {head} {self.expression}\n",
            **{f"{name}_view": strides_of(shape, s, y.device)
               for name, s in zip("abc", steps, strict=False)},
        }  # fmt: skip
