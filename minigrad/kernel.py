"""Kernel: one text and one launch call, on a GPU or in the simulator.

CuPy arrays are launched on the GPU through CuPy, NumPy arrays in cudasim, which is
loaded with this file: when a kernel is first compiled.
"""

import functools
import re

import numpy as np

import cudasim
from cudasim import CompileError, admit, fresh_of, nvrtc

from .devices import for_cupy, gpu_available, on_gpu, to_host

NVRTC_ERROR = re.compile(r"(.*)\((\d+)\): (?:catastrophic )?error(?: #\S+)?: (.*)")
NAME_MAP = "__nv_name_map"  # where NVRTC looks name expressions up
MISTAKES = (CompileError, cudasim.KernelError, TypeError, ValueError, OverflowError)


def plainly(method):
    """Mistakes of the caller show the caller's line, not the rooms they came from."""

    @functools.wraps(method)
    def run(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        except MISTAKES as error:
            raise error.with_traceback(None) from None

    return run


class Kernel:
    """A kernel of a CUDA C text.

    source: the text. name: the kernel's name in it; of a template, "map<float>".
    options: as NVRTC takes them ("-DTILE=16", "--fmad=false").
    Raises CompileError where the text is wrong: what minigrad's own front end refuses,
    and where there is a GPU, what NVRTC refuses.
    """

    @plainly
    def __init__(self, source, name, options=()):
        if isinstance(options, str):
            raise TypeError(f"options is a tuple of texts: ({options!r},)")
        self.source, self.name, self.options = source, name, tuple(options)
        # More has to be requested.
        self.max_dynamic_shared_size_bytes = SHARED
        self.function = self._simulated = self._refused = None
        try:
            self._simulated = cudasim.RawKernel(source, name, self.options)
            self.function, self.name = self._simulated.function, self._simulated.name
        except CompileError as error:
            if not gpu_available():
                raise
            self._refused = error  # NVRTC knows more of CUDA, and has the last word
            _ = self._compiled

    def __repr__(self):
        types = ", ".join(map(str, self.function.types)) if self.function else "..."
        return f"Kernel({self.name}({types}))"

    @plainly
    def __call__(self, grid, block, args, shared_mem=0):
        """Launch `grid` blocks of `block` threads each, as `cupy.RawKernel` does.

        grid, block: ints, or tuples (x, y, z). args: a tuple of arrays and numbers, one
        for each parameter. shared_mem: bytes of dynamic shared memory of each block.
        The arrays decide where it runs; without any, on a GPU if there is one. There
        the call returns before the kernel has ended, and an access out of bounds may
        show at the next `minigrad.synchronize()` or never: see `check`.
        """
        place, *launch = self._checked(grid, block, args, shared_mem)
        run = self._launch if place == "cuda" else self._simulate
        run(*launch, shared_mem)

    @plainly
    def check(self, grid, block, args, shared_mem=0, **how):
        """The Report of the simulator's tools on this launch; args stay as they are.

        how: tools="all", schedule="lockstep" or "warps", seed=0, as in `cudasim.run`.
        Arrays on a GPU are copied to the host for it.
        """
        _, grid, block, args = self._checked(grid, block, args, shared_mem)
        if self._refused:
            raise self._refused
        # A kernel of its own, so that __device__ variables stay as they are, too.
        twin = cudasim.RawKernel(self.source, self.name, self.options)
        twin.max_dynamic_shared_size_bytes = self.max_dynamic_shared_size_bytes
        return cudasim.run(twin, grid, block, host_copies(args), shared_mem, **how)

    def _checked(self, grid, block, args, shared_mem):
        """("cuda" or "sim", grid, block, args), or an error that says what is wrong."""
        args = arguments(self.name, self.function, args)
        bounds = self.function.launch_bounds if self.function else ()
        grid, block = admit.sizes(self.name, grid, block, bounds)
        admit.shared_bytes(self.name, shared_mem, self.max_dynamic_shared_size_bytes)
        return place(self.name, self.function, args), grid, block, args

    def _simulate(self, grid, block, args, shared_mem):
        if self._refused:
            raise self._refused
        most = self.max_dynamic_shared_size_bytes
        self._simulated.max_dynamic_shared_size_bytes = most
        self._simulated(grid, block, args, shared_mem=shared_mem)

    @functools.cached_property
    def _compiled(self):
        """CuPy's RawKernel; it compiles once for each device."""
        import cupy

        given = (*nvrtc.macros(self.source), *self.options)
        code, options = nvrtc.with_macros(self.source, given)
        text = {"code": code, "options": options}
        text["enable_cooperative_groups"] = "this_grid" in code  # grid.sync()
        try:  # as a name expression any kernel is found, with extern "C" or without
            module = cupy.RawModule(**text, name_expressions=(self.name,))
            return module.get_function(self.name)
        except cupy.cuda.compiler.CompileException as error:
            refused = nvrtc_error(str(error), error.name, self.source)
            if NAME_MAP not in str(error):
                raise refused from None
        try:  # a name that CUDA's headers have, too, is plain in extern "C" alone
            return cupy.RawModule(**text).get_function(self.name)
        except cupy.cuda.driver.CUDADriverError:
            raise refused from None

    def _launch(self, grid, block, args, shared_mem):
        import cupy

        args = (for_cupy(a) if isinstance(a, np.void) else a for a in args)
        if shared_mem > SHARED:
            most = self.max_dynamic_shared_size_bytes
            self._compiled.max_dynamic_shared_size_bytes = most
        try:
            self._compiled(grid, block, tuple(args), shared_mem=shared_mem)
        except cupy.cuda.driver.CUDADriverError as error:
            raise RuntimeError(
                f"{self.name}: the GPU refused the launch (grid {grid}, block {block}, "
                f"shared_mem {shared_mem}): {error}"
            ) from None


@functools.lru_cache(512)
@plainly
def simulated(text):
    """A text for the simulator, parsed once for all its kernels and their types."""
    return cudasim.RawModule(text)


def nvrtc_error(log, file, source):
    """The first error of NVRTC's log as a CompileError, with the learner's own line.

    file: the name under which NVRTC read the source.
    """
    lines = log.replace("\0", "").strip().splitlines()
    errors = [(i, m) for i, m in enumerate(map(NVRTC_ERROR.fullmatch, lines)) if m]
    if not errors:  # the assembler's, say: "Entry function uses too much shared data"
        return CompileError(re.sub(r"^ptxas error *: ", "", "\n".join(lines)))
    first, match = errors[0]
    path, line, message = match.groups()
    rest = lines[first + 3 :]
    notes = [text.strip() for text in rest if "detected during" in text][:1]
    if len(errors) > 1:
        notes.append(f"NVRTC names {len(errors)} errors; this is the first")
    if path == NAME_MAP:
        return CompileError(f"there is no such kernel: {message}")
    if path != file:  # in a header
        return CompileError(f"{path}({line}): {message}", note="; ".join(notes))
    caret = lines[first + 2].find("^") if len(lines) > first + 2 else -1
    place = int(line), max(caret - 1, 1)  # NVRTC indents the line by two
    error = CompileError(message, place, "; ".join(notes))
    return error.located("kernel.cu", source.replace("\r\n", "\n").split("\n"))


def host_copies(args):
    """The arguments, arrays as NumPy copies; one that is given twice stays one."""
    copies = {}
    for array in filter(is_array, args):
        if place_of(array) not in copies:
            fresh = not on_gpu(array) and fresh_of(array) is not None
            copied = (cudasim.empty if fresh else np.empty)(array.shape, array.dtype)
            copied[...] = to_host(array)
            copies[place_of(array)] = copied
    return tuple(copies[place_of(a)] if is_array(a) else a for a in args)


def place_of(array):
    address = array.data.ptr if on_gpu(array) else array.ctypes.data
    return address, array.shape, array.dtype


# ------------------------------------------------- arguments

SHARED = 48 * 1024  # bytes of shared memory that a block may have by default


def place(name, function, args):
    """ "cuda" or "sim": where the arrays are; without any, a GPU if there is one."""
    arrays = {i: on_gpu(a) for i, a in enumerate(args) if is_array(a)}
    if len(set(arrays.values())) < 2:
        gpu = any(arrays.values()) if arrays else gpu_available()
        return "cuda" if gpu else "sim"
    names = [f"argument {i + 1}" for i in range(len(args))]
    if function:
        names = [p.name or n for p, n in zip(function.parameters, names, strict=True)]
    there = ", ".join(names[i] for i, gpu in arrays.items() if gpu)
    here = ", ".join(names[i] for i, gpu in arrays.items() if not gpu)
    raise TypeError(
        f"{name}: on the GPU (CuPy arrays): {there}; on the host (NumPy arrays): "
        f"{here}. Bring them to the GPU with minigrad.to_device(x)"
    )


def arguments(name, function, args):
    """The arguments as exactly what the parameters are; tensors as their arrays.

    function: the kernel as the front end read it, or None where only NVRTC could.
    """
    admit.in_a_tuple(name, args)
    args = [a.memory() if hasattr(a, "spec") else a for a in args]
    if function is not None:
        return admit.arguments(name, function, args, is_array)
    pairs = enumerate(args, 1)
    return tuple(of_unknown_type(a, f"{name}: argument {i}") for i, a in pairs)


def is_array(value):
    return admit.is_numpy(value) or on_gpu(value)


def of_unknown_type(value, where):
    """An argument of a kernel of which only NVRTC knows the types."""
    if is_array(value):
        return admit.in_order(value, where)
    if type(value) is float:
        raise TypeError(f"{where}: pass np.float32({value}) or np.float64({value})")
    return value
