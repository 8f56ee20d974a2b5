"""Launching kernels: the variants of an operator's kernel, and how each is launched.

An operator lists its variants from the plainest to the fastest. Each says which calls
it supports, by their tensors and sizes; `with minigrad.kernel_variant(...)` asks for
one by name.
"""

import contextlib
import functools
import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from . import faults, plan_cache, trace
from .check import check
from .devices import for_cupy
from .dtypes import C_NAMES, HEADERS, computed_in
from .kernels.copy import MOST_DIMS, Strides
from .layout import broadcast_shapes
from .storage import zeros
from .trace import nbytes_of

STANDS_IN = "// The course's solution"  # so a solution's text begins when exported
THREADS = 256  # of a block, unless there is a reason for another number
BLOCKS = 264  # that keep a large GPU busy: two for each multiprocessor
MANY = 2**31 - THREADS  # elements that an int cannot count

requested = "answered"
NAMES = {"answered", "fastest"}  # kernel_variant() takes these, and variants' names


@contextlib.contextmanager
def kernel_variant(which):
    """While this is open, run other variants of the kernels.

    which: "answered", as always: the fastest kernel that the learner has written, where
    an operator has one, else the library's; "fastest", the library's everywhere; or a
    variant's name, where an operator has one of that name that supports the operands.
    "yours" is the learner's kernel, or the solution that stands in.
    ValueError where no operator has a variant of that name.
    """
    global requested
    check(which in NAMES, lambda: f"there is no variant {which!r}; there are "
          f"{', '.join(sorted(NAMES))}", ValueError)  # fmt: skip
    before, requested = requested, which
    plan_cache.clear()  # the kernels that were chosen before
    try:
        yield
    finally:
        requested = before
        plan_cache.clear()


class Epilogue(NamedTuple):
    """Elementwise operators that jit puts into another operator's kernel: epilogue.cuh.

    text: in front of the kernel's. tensors: what its parameters MORE are given. reads:
    does it make the elements that the kernel reads? options: of the compiler.
    """

    text: str = ""
    tensors: tuple = ()
    reads: bool = False
    options: tuple = ()


NO_EPILOGUE = Epilogue()


class LaunchInfo(SimpleNamespace):
    """What a variant may ask about a call: its tensors by name, and its sizes.

    dtype, device: the first tensor's. wide: the dtype to compute in.
    """

    epilogue = NO_EPILOGUE

    def __init__(self, **facts):
        first = next(x for x in facts.values() if hasattr(x, "storage"))
        own = {"dtype": first.dtype, "device": first.device}
        super().__init__(**own | {"wide": computed_in(first.dtype)} | facts)


class Variant(NamedTuple):
    """One kernel of an operator, and its launch. The functions get the LaunchInfo.

    supports: is it made for this call? args: what the kernel takes, in order, by the
    names of the LaunchInfo: "x y n:int" are two tensors and a number as int. grid: a
    thread for each of n, mostly. types: the types and numbers of its template, mostly
    the elements' and the one to compute in. before: what stands in front of the text.
    more: what this variant adds to the LaunchInfo, such as memory for parts. run: what
    it does instead where one launch is not enough.
    """

    name: str  # its idea
    kernel: str  # its name in the text
    source: object  # a file in kernels/, or an exercise whose answer is the text
    supports: Callable = lambda f: True
    args: str = ""
    block: object = THREADS
    grid: Callable = lambda f: cdiv(f.n, THREADS)
    types: Callable = lambda f: (f.dtype, f.wide)
    before: Callable = lambda f: ""
    more: Callable = lambda f: {}
    run: Callable = None

    @property
    def is_exercise(self):
        return not isinstance(self.source, str) or not self.source.endswith(".cu")

    @property
    def is_own(self):
        """Is it a kernel that the learner has written?"""
        if isinstance(self.source, str):  # a file, or a text of an exported package
            return self.is_exercise and not self.source.startswith(STANDS_IN)
        return self.source.is_own

    def text(self):
        """The CUDA C; an exercise that nobody has filled raises what it is."""
        if self.is_exercise:
            return getattr(self.source, "text", self.source)
        return file_text(self.source)

    @plan_cache.cached
    def function(self, device, types=(), before="", options=()):
        """The compiled kernel, for a device; before: text in front of its own."""
        name = self.kernel if self.is_exercise else template(self.kernel, *types)
        text = with_headers(before + self.text(), types)
        return compiled(text, name, device, options)

    def launch(self, operator, f):
        """Launch the kernel for this call."""
        epilogue = f.epilogue
        fuses = not self.is_exercise and self.kernel in with_epilogue()
        check(fuses or not epilogue.text,
              f"{operator}: the kernel {self.kernel} takes no epilogue")  # fmt: skip
        if self.run is not None:
            return self.run(self, operator, f)
        vars(f).update(self.more(f))
        before = epilogue.text + self.before(f)
        types = tuple(self.types(f))
        function = self.function(f.device, types, before, epilogue.options)
        args = [*(argument(f, text) for text in self.args.split()), *epilogue.tensors]
        block = self.block(f) if callable(self.block) else self.block
        how = self.grid(f), block, args, getattr(f, "nbytes", None)
        launch(operator, self.name, function, f.device, *how)


CASTS = {"int": np.int32, "long": np.int64}


def argument(f, text):
    """ "n:int" -> the LaunchInfo's n as an int: what a kernel's parameter is given."""
    name, _, kind = text.partition(":")
    value = getattr(f, name)
    if not kind:
        return value
    return (f.wide.type if kind == "wide" else CASTS[kind])(value)


def a_row(f):
    """A grid with a block for each row."""
    return f.rows


def variants(*variants):
    """A list of an operator's variants; kernel_variant() takes their names then."""
    NAMES.update(variant.name for variant in variants)
    return [*variants]


def one(*variant, **how):
    """A list of one variant."""
    return variants(Variant(*variant, **how))


def select(variants, f):
    """The variant to launch for this call."""
    there = [variant for variant in variants if variant.supports(f)]
    named = [variant for variant in there if variant.name == requested]
    own = [variant for variant in there if variant.is_own and requested == "answered"]
    library = [variant for variant in there if not variant.is_exercise]
    for variant in reversed(named or own or library or there):
        with contextlib.suppress(
            NotImplementedError
        ):  # an exercise that nobody has filled
            if not variant.is_exercise or variant.text():
                return variant
    there[0].text()  # raises: which exercise it is


def run(variants, operator, **info):
    """Launch the variant that is made for such a call."""
    f = LaunchInfo(**info)
    select(variants, f).launch(operator, f)


@functools.cache
def file_text(name):
    """A file of minigrad/kernels, with the files of ours that it includes."""
    folder = Path(__file__).parent / "kernels"
    text = (folder / name).read_text(encoding="utf-8")
    own = r'(?m)^#include "(.*)"\n'
    return re.sub(own, lambda included: file_text(included[1]), text)


@functools.cache
def with_epilogue():
    """The kernels that jit may fuse an epilogue with, or a prologue: with MORE."""
    files = map(file_text, ("matmul.cu", "conv.cu", "conv_gemm.cu", "reduce.cu"))
    return {*re.findall(r"__global__ void (\w+)\([^{]*? MORE\)", "".join(files))}


class Ready(NamedTuple):
    """A compiled kernel."""

    run: Callable  # (grid, block, args)
    name: str  # `unary<float, bool>`


@functools.lru_cache(4096)
def compiled(text, name, device, options=()):
    """A kernel of a text, ready to be launched on a device.

    options: of NVRTC; the simulator rounds each operation by itself anyway.
    """
    from .kernel import Kernel, simulated

    if device == "cuda":
        return Ready(Kernel(text, name, options)._compiled, name)
    return Ready(simulated(text).get_function(name), name)


def with_headers(text, dtypes):
    """The text with the headers that half and bfloat16 need."""
    lines = sorted(f"#include <{HEADERS[d]}>\n" for d in set(dtypes) if d in HEADERS)
    return "".join(lines) + text


def template(kernel, *arguments):
    """`unary<float, bool>`: a kernel's name with dtypes and numbers."""
    listed = ", ".join(C_NAMES.get(a) or str(a) for a in arguments)
    return f"{kernel}<{listed}>" if arguments else kernel


# ------------------------------------------------- sizes and arguments


def cdiv(n, d):
    """n / d, rounded up."""
    return -(-n // d)


def whole_warps(n, most=THREADS):
    """A block's threads for n elements."""
    return min(most, max(32, cdiv(n, 32) * 32))


def view_of(x):
    """A kernel's argument `Strides` that reads a tensor row by row."""
    return strides_of(*coalesce_dims(x.shape, x.strides), x.device)


@functools.lru_cache(4096)
def strides_of(shape, strides, device):
    """A kernel's argument `Strides`."""
    check(len(shape) <= MOST_DIMS,
          f"a kernel reads up to {MOST_DIMS} dimensions that cannot be joined, not "
          f"{len(shape)}: make a copy with reshape first")  # fmt: skip
    return struct(Strides(shape or (1,), strides or (0,)), device)


def struct(value, device):
    """An array without dimensions as a kernel's argument: a struct of its type."""
    return for_cupy(value) if device == "cuda" else value[()]


@functools.lru_cache(4096)
def coalesce_dims(shape, *strides):
    """The same loops with as few dimensions as will do: a shape, and tuples of strides.

    Two neighbors are one dimension if in every tensor the outer one's stride is the
    inner one's times its size.
    """
    dims = [d for d in zip(shape, *strides, strict=True) if d[0] != 1]
    kept = []
    for size, *steps in dims:
        outer = kept[-1] if kept else None
        if outer and all(o == s * size for o, s in zip(outer[1:], steps, strict=True)):
            kept[-1] = [outer[0] * size, *steps]
        else:
            kept.append([size, *steps])
    if not kept:
        return (), *(() for _ in strides)
    return tuple(zip(*kept, strict=True))


def broadcast(operator, shapes, shown=()):
    """The shape that all have together; an error names the operator and the shapes.

    shown: the shapes to name, where these are parts of others.
    """
    try:
        return broadcast_shapes(*shapes)
    except NotImplementedError:  # an exercise that nobody has filled
        raise
    except RuntimeError as error:
        listed = " and ".join(str(list(shape)) for shape in shown or shapes)
        raise RuntimeError(
            f"{operator}: tensors of the shapes {listed} do not fit together: {error}"
        ) from None


COUNTERS = 512  # the most that an operator needs


def counters(count, device):
    """`count` zeros of unsigned int, by which the last of several blocks finds out that
    it is the last (`is_last`), as in CUDA's threadFenceReduction.

    Each launch leaves them at 0. So a GPU has one set of them, since its launches, all
    in one stream, run one after the other.
    """
    if device != "cuda":
        return zeros(count, np.dtype(np.uint32), device)
    storage = counters_of(aside)
    plan_cache.constant(storage)
    return storage


aside = False  # are launches made for a second stream, beside the first?


@functools.cache
def counters_of(aside):
    """The zeros of the first stream's launches, or of the second's."""
    with plan_cache.disabled():
        return zeros(COUNTERS, np.dtype(np.uint32), "cuda")


def shared(x, parts, shape, dtype, count):
    """What several blocks need to share a row: memory for their parts, and counters."""
    if parts == 1:
        return {"parts": 1, "some": None, "done": None}
    done = counters(count, x.device)
    return {"parts": parts, "some": x.new_empty(shape, dtype), "done": done}


class Launch(NamedTuple):
    """One launch of a compiled kernel, but for its arguments."""

    operator: str
    variant: str
    kernel: Ready
    device: str
    grid: tuple
    block: tuple
    nbytes: int  # of the tensors among its arguments

    def address(self, argument):
        """A tensor or a storage as where its elements begin; all else as it is."""
        storage = getattr(argument, "storage", None)
        if storage is not None:
            return storage.address(argument.offset * storage.itemsize)
        if type(argument) is plan_cache.Number:
            return argument.value
        return np.uint64(0) if argument is None and self.device == "cuda" else argument

    def run(self, args):
        """Launch with arguments as the device takes them, and note it in the trace."""
        if trace.Trace.active is None:
            self.kernel.run(self.grid, self.block, args)
        else:
            shown = self._replace(kernel=self.kernel.name)
            trace.Trace.active.append(trace.Launch(*shown, clock=_timed(self, args)))
        if self.device == "sim":  # each launch there ends before the next begins
            faults.check(self.device)


def launch(operator, variant, kernel, device, grid, block, args, nbytes=None):
    """Launch a kernel. args: tensors, storages, numbers of NumPy, structs, None.

    nbytes: the bytes it moves, where not each tensor is read or written in whole.
    """
    grid, block = three(grid), three(block)
    if not math.prod(grid):
        return
    if nbytes is None:
        nbytes = sum(nbytes_of(a) for a in args if hasattr(a, "spec"))
    one = Launch(operator, variant, kernel, device, grid, block, nbytes)
    if plan_cache.state.recording is not None:
        plan_cache.state.recording.launched(one, args)
    one.run([one.address(a) for a in args])


def three(sizes):
    """(2,) -> (2, 1, 1)."""
    sizes = sizes if isinstance(sizes, tuple) else (sizes,)
    return (*sizes, *(1,) * (3 - len(sizes)))


def _timed(launch, args):
    """Launch, between two events on a GPU; the clock that reads them."""
    if launch.device != "cuda":
        launch.kernel.run(launch.grid, launch.block, args)
        return lambda: None
    import cupy

    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    launch.kernel.run(launch.grid, launch.block, args)
    stop.record()

    def seconds():
        stop.synchronize()
        return cupy.cuda.get_elapsed_time(start, stop) / 1000

    return seconds
