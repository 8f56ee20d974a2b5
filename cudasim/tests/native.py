"""Running CUDA C kernels as C++: the text itself, compiled by g++.

An oracle for the simulator that shares no line with it. The threads of a block run one
after another; where the text has barriers or warp operations, as fibers that meet.
Floats are C's own; `__half` and cooperative groups are not there. What C++ leaves
undefined and CUDA does not is spelled TO(type, number), SHL(a, b) and SHR(a, b) in
texts that need it: those texts define them for CUDA, `#ifndef SIMT_NATIVE`.
"""

import ctypes
import functools
import pathlib
import re
import shutil
import subprocess
import tempfile

import numpy as np

FLAGS = [
    "-std=c++17",
    "-O1",
    "-shared",
    "-fPIC",
    "-ffp-contract=off",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fsigned-char",
    "-U_FORTIFY_SOURCE",
]
# The texts divide, shift and compare as they like: these are no mistakes of theirs.
QUIET = [
    "-Wno-sign-compare",
    "-Wno-parentheses",
    "-Wno-unused",
    "-Wno-bool-compare",
    "-Wno-narrowing",
    "-Wno-bool-operation",
    "-Wno-int-in-bool-context",
    "-Wno-overflow",
    "-Wno-logical-not-parentheses",
    "-Wno-unknown-pragmas",
    "-Wno-misleading-indentation",
    "-Wno-ignored-attributes",
    "-Wno-type-limits",
    "-Wno-format",
    "-Wno-tautological-compare",
    "-Wno-comment",
    "-Wno-dangling-else",
    "-Wno-float-conversion",
    "-Wno-enum-compare",
    "-Wno-switch",
]
STRICT = ["-Wall", "-Werror"]
MEETS = re.compile(r"__sync|_sync\s*\(|__activemask")
MOST_THREADS, MOST_SHARED = 1024, 1 << 18
FAILED = {
    1: "threads wait at a barrier or a warp operation that others never reach",
    2: f"a block has {MOST_THREADS} threads and {MOST_SHARED} bytes at most",
}

HEADER = pathlib.Path(__file__).with_name("native.h").read_text(encoding="utf-8")


def missing():
    """Why nothing can be run here; "" where g++ is."""
    return "" if shutil.which("g++") else "no g++"


def run(source, name, grid, block, args, shared_mem=0):
    """Run one kernel once; NumPy arrays are device memory, changed in place."""
    (kernel,) = _built(source, name)
    kernel(grid, block, args, shared_mem)


@functools.lru_cache(maxsize=64)
def _built(source, name):
    return build([(source, name)])


def build(texts, flags=()):
    """The kernels of many (source, name) in one translation unit, as callables.

    A name is that of a kernel, or of an instance: `add<float>`.
    """
    unit = HEADER + "".join(_unit(i, *text) for i, text in enumerate(texts))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "kernels.cpp").write_text(unit, encoding="utf-8")
        command = ["g++", *FLAGS, *flags, *QUIET, "kernels.cpp", "-o", "kernels.so"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"g++ does not take this text:\n{done.stderr[:4000]}")
        library = ctypes.CDLL(str(path / "kernels.so"))
    return [
        Native(library[f"enter_{i}"], bool(MEETS.search(source)), name)
        for i, (source, name) in enumerate(texts)
    ]


def _unit(number, source, name):
    """A text in a namespace of its own, and the way into its kernel."""
    macros = re.findall(r"^\s*#\s*define\s+(\w+)", source, re.MULTILINE)
    source = re.sub(r"^\s*#\s*include.*$", "", source, flags=re.MULTILINE)
    source = re.sub(r'extern\s+"C"\s*\{', "inline namespace c {", source)
    source = re.sub(r'extern\s+"C"', "", source)
    source = re.sub(
        r"extern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*)?([^;\[]*?)(\w+)\s*"
        r"\[\s*\]\s*;",
        r"\1* const \2 = (\1*)dynamic_;",
        source,
    )
    ends = "".join(f"#undef {m}\n" for m in macros if m not in ("TO", "SHL", "SHR"))
    return f"""
namespace text_{number} {{
#line 1 "text_{number}.cu"
{source}
}}
{ends}extern "C" int enter_{number}(const unsigned* size, void** arguments,
    size_t shared, int mode, size_t* sizes) {{
    return enter_(&text_{number}::{name}, size, arguments, shared, mode, sizes);
}}
"""


class Native:
    """A compiled kernel: kernel(grid, block, args, shared_mem=0)."""

    def __init__(self, enter, fibers, name):
        enter.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_size_t, ctypes.c_int]
        enter.argtypes += [ctypes.c_void_p]
        sizes = (ctypes.c_size_t * 256)()
        enter(None, None, 0, -1, sizes)
        self.sizes = list(sizes[1 : sizes[0] + 1])
        self.enter, self.fibers, self.name = enter, fibers, name

    def __call__(self, grid, block, args, shared_mem=0):
        places = [_place(a) for a in args]
        sizes = [len(value) for value, _ in places]
        if sizes != self.sizes:
            raise TypeError(f"{self.name} takes {self.sizes} bytes, not {sizes}")
        buffers = [ctypes.create_string_buffer(v, len(v) + 16) for v, _ in places]
        array = (ctypes.c_void_p * len(args))(*map(ctypes.addressof, buffers))
        size = (ctypes.c_uint * 6)(*_three(grid), *_three(block))
        failed = self.enter(size, array, shared_mem, self.fibers, None)
        if failed:
            raise RuntimeError(f"{self.name}: {FAILED[failed]}")


def _place(argument):
    """(bytes of an argument as the kernel takes it, what keeps them alive)."""
    if isinstance(argument, np.ndarray):
        address = ctypes.c_void_p(argument.ctypes.data)
        return bytes(address), argument
    if isinstance(argument, bool):
        argument = np.bool_(argument)
    elif isinstance(argument, (int, float)):
        argument = np.array(argument)[()]
    return argument.tobytes(), argument


def _three(size):
    size = (size,) if isinstance(size, int) else tuple(size)
    return size + (1,) * (3 - len(size))
