"""Native code: compiled once, kept in the user's cache, explained where it fails.

The folder of a build has a hash of all that goes into it in its name: the sources, the
headers beside them, flags and versions. So a stale build is never served, and what is
there is not compiled again, by whatever process.
"""

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from ..course import home
from ..data.files import cache

NEEDS = "needs a C++ compiler"
SECONDS = 900
ERROR = re.compile(  # of g++ and clang; of nvcc
    r"(?P<file>[^\s:()][^:()\n]*)(?::(?P<line>\d+):(?:\d+:)?|\((?P<at>\d+)\):) "
    r"(?:fatal )?error(?: #[\w-]+)?: (?P<said>.*)"
)
LINKER = re.compile(r".*(?:undefined reference|undefined symbol|cannot find -l).*")


class NoCompiler(RuntimeError):
    """There is nothing to compile with."""


class BuildFailed(RuntimeError):
    """The compiler refused a source."""


def compiler():
    """The C++ compiler's path. NoCompiler: there is none."""
    names = os.environ.get("CXX"), "c++", "g++", "clang++"
    program = next(filter(None, map(shutil.which, filter(None, names))), None)
    if program is None:
        raise NoCompiler(
            f"not run: {NEEDS}, and ninja. Get them: apt install g++ (Linux), "
            "xcode-select --install (macOS), then pip install ninja"
        )
    return program


def has_compiler():
    try:
        return bool(compiler())
    except NoCompiler:
        return False


def load(name, *sources, cuda=False, flags=()):
    """The module that torch.utils.cpp_extension makes of C++ and CUDA sources."""

    def build(full, folder):
        from torch.utils import cpp_extension

        cpp_extension.load(
            full,
            [str(s) for s in sources],
            extra_cflags=["-O3", *flags],
            extra_cuda_cflags=["-O3", *flags],
            build_directory=folder,
            with_cuda=cuda,
        )

    sources = [Path(s).resolve() for s in sources]
    with one_architecture(cuda) as target:
        how = flags, target, cuda and version("nvcc")
        return built(name, sources, how, build)


HEADERS = """\
#include <torch/types.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
"""  # torch/extension.h has all of PyTorch, and takes half as long again


def load_inline(name, text, functions):
    """The module that it makes of a text of C++, with these functions of it."""

    def build(full, folder):
        from torch.utils import cpp_extension

        cpp_extension.load_inline(
            full,
            HEADERS + text,
            functions=functions,
            build_directory=folder,
            no_implicit_headers=True,
        )

    return built(name, [], (HEADERS, text, functions), build)


def built(name, sources, how, build):
    """The module that build(its full name, a folder) makes; it is asked once."""
    import torch

    versions = torch.__version__, sys.version, version(compiler())
    with folder_of(name, sources, how, versions) as (folder, full):
        if not (folder / "done").exists():
            print(f"compiling {name}: a minute or less, and once only", flush=True)
            with explained():
                build(full, str(folder))
            (folder / "done").touch()
        return imported(full, folder / f"{full}.so")


def shared_library(
    name, *sources, command=None, flags=(), versions=(), ending="so", note=""
):
    """The path of a shared library. command: the compiler and what it always gets.

    note: what to print where it takes long.
    """
    command = [compiler(), *SHARED] if command is None else command
    sources = [Path(s).resolve() for s in sources]
    versions = command, version(command[0]), *versions
    with folder_of(name, sources, flags, versions) as (folder, full):
        library = folder / f"{full}.{ending}"
        if not library.exists():
            print(note, end="", flush=True)
            part = folder / "part"
            with explained():
                run([*command, *map(str, sources), "-o", str(part), *flags])
            part.replace(library)
        return library


SHARED = "-shared", "-fPIC", "-O2"


def tensorflow_library(name, *sources):
    """The path of a library of operators for tf.load_op_library."""
    import tensorflow as tf

    include, link = tf.sysconfig.get_compile_flags(), tf.sysconfig.get_link_flags()
    command = [compiler(), *SHARED, *include]  # among them the C++ standard
    return shared_library(
        name, *sources, command=command, flags=link, versions=[tf.__version__],
        note=f"compiling {name}: half a minute, and once only\n",
    )  # fmt: skip


# ------------------------------------------------- the parts


@contextlib.contextmanager
def folder_of(name, sources, flags, versions):
    """(a build's folder, the build's full name); no other process works in it."""
    import fcntl

    headers = {h for s in sources for h in s.parent.glob("*.*h")}
    digest = hashlib.sha256(repr((name, flags, versions)).encode())
    for path in [*sources, *sorted(headers)]:
        digest.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    full = f"{name}_{digest.hexdigest()[:16]}"
    folder = cache() / "extensions" / full
    folder.mkdir(parents=True, exist_ok=True)
    # Beside the folder, which a box may show to those who could lock what is in it.
    with folder.with_name(f"{full}.lock").open("a") as file:
        with contextlib.suppress(PermissionError):  # a box shares its cache with nobody
            fcntl.flock(file, fcntl.LOCK_EX)  # it ends with the process
        yield folder, full


def run(command, seconds=SECONDS):
    """What a command prints; CalledProcessError with all of it where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    said = done.stdout + done.stderr
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, said)
    return said


def version(program):
    return run([program, "--version"], 60)


def imported(name, path):
    if name in sys.modules:
        return sys.modules[name]
    inside = [str(path.parent)] if path.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(
        name, path, submodule_search_locations=inside
    )
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def one_architecture(cuda):
    """Compile for the GPU that is here, and for no other: its compute capability."""
    before = os.environ.get("TORCH_CUDA_ARCH_LIST")
    if cuda and before is None:
        import torch

        major, minor = torch.cuda.get_device_capability()
        os.environ["TORCH_CUDA_ARCH_LIST"] = f"{major}.{minor}"
    try:
        yield cuda and os.environ["TORCH_CUDA_ARCH_LIST"]
    finally:
        if cuda and before is None:
            del os.environ["TORCH_CUDA_ARCH_LIST"]


@contextlib.contextmanager
def explained():
    """BuildFailed in the place of what a compiler or ninja prints."""
    try:
        yield
    except subprocess.CalledProcessError as error:
        raise BuildFailed(errors_in(error.output)) from None
    except (RuntimeError, OSError) as error:
        raise BuildFailed(errors_in(str(error))) from None


def errors_in(said, most=3):
    """The compiler's first errors, each with its line of the source."""
    lines = []
    for error in list(ERROR.finditer(said))[:most]:
        path, number = Path(error["file"].strip()), int(error["line"] or error["at"])
        lines.append(f"{path.name}, line {number}: {error['said']:.120}")
        with contextlib.suppress(OSError, IndexError, UnicodeDecodeError):
            line = path.read_text().splitlines()[number - 1].strip()
            lines.append(f"    {line:.72}")
    lines = lines or [m[0].strip() for m in LINKER.finditer(said)][:most]
    return "\n".join(lines or said.strip().splitlines()[-5:])


# ------------------------------------------------- the course's own extension


def minigrad_ops():
    """The package of examples/extension, as if it were installed; CUDA where it can."""
    import torch

    folder = home() / "examples" / "extension"
    cuda = torch.cuda.is_available() and shutil.which("nvcc") is not None
    sources = ["bindings.cpp", "cpu.cpp", *["cuda.cu"] * cuda]
    native = load(
        "minigrad_ops",
        *[folder / "csrc" / name for name in sources],
        cuda=cuda,
        flags=["-DWITH_CUDA"] * cuda,
    )
    sys.modules["minigrad_ops._C"] = native
    return imported("minigrad_ops", folder / "minigrad_ops" / "__init__.py")
