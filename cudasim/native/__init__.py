"""Kernels in C, for launches of few threads, where each step of NumPy costs too much.

A kernel begins with NumPy. Once that has taken as long as a compiler takes, it is
written as C, if it is one that C gives the same bits for. Whatever is to be reported
ends the run in C: memory is put back, and the launch made with NumPy, whose report
counts.
"""

import ctypes
import dataclasses
import time

import numpy as np

from ..engine.memory import Addresses, Pointer, leaves_of
from .build import library
from .c_builtins import Unread
from .source import LOOPS, Source, walk

FEW = 2**14  # threads of a launch: with more, a step of NumPy's is cheap for each
PATIENCE = 0.25  # seconds of NumPy's before a kernel is compiled
SHARE = 2  # C may take this part of a launch's time
STACK = 2**16 + 320  # no power of 2: else all lie in few lines of the cache;
# bytes of a thread that waits, beside four times its variables
VOID = ctypes.c_void_p
PYTHON = "PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_CheckSignals"


class Slow(Exception):
    """NumPy has had its turn, and there is C."""


class CPointer(ctypes.Structure):
    """`P` of runtime.h."""

    _fields_ = [
        ("base", VOID), ("at", ctypes.c_int64), ("size", ctypes.c_int64),
    ]  # fmt: skip


class CLaunch(ctypes.Structure):
    """`Launch` of runtime.h."""

    _fields_ = [
        ("grid", ctypes.c_uint32 * 3), ("block", ctypes.c_uint32 * 3),
        *((n, ctypes.c_int64) for n in ("shared", "dynamic", "steps", "stack")),
        ("deadline", ctypes.c_double), ("globals", VOID), ("args", VOID),
        *((name, VOID) for name in PYTHON),
    ]  # fmt: skip


class Native:
    """A kernel in C.

    seconds: what NumPy has taken so far. enter: the function that runs it, if there is
    one; tried: whether there can be one is known.
    """

    def __init__(self, function):
        self.seconds, self.tried, self.enter = 0.0, False, None
        self.local, self.casts = 0, False  # see Source
        bodies = [f.body for f in function.reached if f.body is not None]
        self.loops = any(type(n) in LOOPS for body in bodies for n in walk(body))

    def made(self, launch):
        """Is there C for this kernel? It is made now, if it can be."""
        module = launch.kernel.module
        with module.lock:
            if not self.tried:
                self.tried = True
                function, layout = launch.kernel.function, launch.shared_layout
                try:
                    source = Source(module.program, function, layout)
                except (Unread, RecursionError):
                    return False
                self.local, self.casts = source.local, source.casts
                self.enter = library(source.text)
        return self.enter is not None


def run(launch):
    """The Report of a launch without tools, made with NumPy or in C."""
    one = launch.kernel.native
    if launch.threads > FEW or (one.tried and not one.enter):
        return launch.run()
    before = launch.written() if one.loops or one.enter else None
    begin = time.thread_time()
    if not one.enter and one.seconds < PATIENCE:
        launch.patience = PATIENCE - one.seconds if one.loops else None
        try:
            return launch.run()
        except Slow:
            launch.put(before)
            launch = launch.twin()
        finally:
            one.seconds += time.thread_time() - begin
    if one.made(launch):
        before = launch.written() if before is None else before
        if in_c(launch, one, begin + launch.seconds / SHARE):
            return dataclasses.replace(launch.report_of(), engine="C")
        launch.put(before)
        launch = launch.twin()
    return launch.run(begin)


def in_c(launch, one, deadline):
    """Run every block in C; False if there is something to report."""
    types = [p.type.plain for p in launch.kernel.parameters]
    values = [argument(*pair) for pair in zip(types, launch.values, strict=True)]
    if None in values:
        return False
    constants = [root for root in launch.roots if root.space == "constant"]
    if one.casts and not all(r.writable for r in launch.roots if r not in constants):
        return False
    before = [root.data.copy() for root in constants]
    python = [ctypes.cast(getattr(ctypes.pythonapi, name), VOID) for name in PYTHON]
    files = (VOID * len(launch.globals))(*(begin_of(p.region) for p in launch.globals))
    args = (VOID * len(values))(*map(ctypes.addressof, values))
    given = CLaunch(
        launch.grid, launch.block, launch.shared_bytes, launch.dynamic_bytes,
        launch.limits.steps, STACK + one.local // 16 * 64, deadline,
        ctypes.addressof(files), ctypes.addressof(args), *python,
    )  # fmt: skip
    failed = one.enter(ctypes.byref(given))
    for root, data in zip(constants, before, strict=True):
        failed = failed or not np.array_equal(root.data, data)
        root.data[:] = data
    return not failed


def begin_of(region):
    """The address of the first byte."""
    return region.root.data.ctypes.data + region.begin


def argument(type, value):
    """A value as C takes it; None if it does not lie where C wants it."""
    if isinstance(value, Addresses):
        return CPointer()
    if isinstance(value, Pointer):
        region = value.region
        fits = begin_of(region) % type.to.align == 0
        return CPointer(begin_of(region), 0, region.nbytes) if fits else None
    if isinstance(value, tuple):
        whole = np.zeros(type.size, np.uint8)
        for (leaf, at, _), part in zip(leaves_of(type), value, strict=True):
            whole[at : at + leaf.size] = np.frombuffer(part.tobytes(), np.uint8)
        value = whole
    data = value.tobytes()
    return ctypes.create_string_buffer(data, len(data))
