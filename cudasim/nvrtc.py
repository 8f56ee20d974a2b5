"""NVRTC: does NVIDIA's own compiler take this text, and what does it need for it?"""

import ctypes
import functools
import importlib.util
import pathlib

from .front.headers import usual

QUICKLY = ("-Ofc=max",)  # an option: optimized little, in down to an eighth of the time


def macros(source):
    """The options that define what `source` uses of headers that NVRTC has not."""
    return [f"-D{name}={text}" for name, text in usual(source).items()]


def with_macros(source, options):
    """(text, options) with the -D macros as lines of the text, which keeps its numbers.

    As options they would stand before NVRTC's own headers too, and -DT=float would
    break every template <typename T> there.
    """
    given = [o for o in options if o.startswith("-D") and len(o) > 2]
    if not given:
        return source, options
    parts = [macro[2:].partition("=") for macro in given]
    lines = [f"#define {name} {value if sign else 1}" for name, sign, value in parts]
    rest = tuple(o for o in options if o not in given)
    return "\n".join([*lines, "#line 1", source]), rest


def folder():
    """Where the wheels put NVRTC and the headers; None where they are not."""
    try:
        spec = importlib.util.find_spec("nvidia.cu13")
    except ModuleNotFoundError:
        return None
    places = [pathlib.Path(p) for p in spec.submodule_search_locations] if spec else []
    return next((p for p in places if list(p.glob("lib/libnvrtc.so.*"))), None)


@functools.cache
def library():
    """(NVRTC, None), or (None, why it is missing)."""
    where = folder()
    if where is None:
        return None, "pip install 'cuda-toolkit[cccl,crt,cudart,nvrtc]==13.*'"
    try:
        return ctypes.CDLL(str(next(where.glob("lib/libnvrtc.so.*")))), None
    except OSError as error:
        return None, str(error)


def missing():
    """Why NVRTC cannot be asked here; None where it can."""
    return library()[1]


@functools.cache
def compiled(source, arch=75, names=(), options=()):
    """What NVRTC says against a text: its log, or "" where it compiles.

    names: name expressions that must be found, such as `add<float>`.
    """
    return said(source, arch, names, options)[0]


@functools.lru_cache(16)
def ptx(source, arch=75):
    """The machine code for a text, before registers are assigned."""
    failed, text = said(source, arch, (), ())
    if failed:
        raise ValueError(failed)
    return text


def said(source, arch, names, options):
    """(NVRTC's log, or "" where it compiles; PTX)"""
    nvrtc, program = library()[0], ctypes.c_void_p()
    text = source.encode("utf-8", "surrogatepass")
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), text, b"kernel.cu", 0, None, None
    )  # fmt: skip
    try:
        for name in names:
            nvrtc.nvrtcAddNameExpression(program, name.encode())
        include = folder() / "include"
        flags = [f"-arch=compute_{arch}", f"-I{include}", f"-I{include / 'cccl'}"]
        flags = [flag.encode() for flag in (*flags, "-std=c++17", *options)]
        given = (ctypes.c_char_p * len(flags))(*flags)
        if nvrtc.nvrtcCompileProgram(program, len(flags), given):
            return read(nvrtc, program, "ProgramLog") or "failed", ""
        return "", read(nvrtc, program, "PTX")
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def read(nvrtc, program, what):
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value.decode("utf-8", "replace")
