"""NVIDIA's compiler, where it is: CUDA C to PTX, to machine code, to a program."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from .frameworks import gpu_count

MISSING = "not run: nvcc is not here. It comes with NVIDIA's CUDA toolkit"


class NoCompiler(RuntimeError):
    """Neither nvcc nor NVRTC is here; the message begins with "not run: "."""


def nvcc(text, *options):
    """What nvcc writes, on both channels, when it compiles a text of CUDA C."""
    with tempfile.TemporaryDirectory() as folder:
        return _nvcc(text, folder, options)


def program(text):
    """Compile a whole program of CUDA C, run it, and print what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "program")
        arch = "native" if gpu_count() else "sm_75"
        try:
            said = _nvcc(text, folder, [f"-arch={arch}", "-o", str(target)])
        except NoCompiler as why:
            print(why)
            return
        if not target.exists():
            print(said)
            return
        run = subprocess.run([target], capture_output=True, text=True, timeout=60)
        print(run.stdout + run.stderr, end="")


def ptx(text, arch=75):
    """The PTX of a text: by nvcc, else by the NVRTC that CuPy brings."""
    if shutil.which("nvcc"):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, "kernel.ptx")
            options = ["-ptx", f"-arch=compute_{arch}", "-o", str(target)]
            said = _nvcc(text, folder, options)
            if not target.exists():
                raise ValueError(said)
            return target.read_text()
    try:
        from cupy.cuda import nvrtc

        program = nvrtc.createProgram(text, "kernel.cu", [], [])
        nvrtc.compileProgram(program, [f"-arch=compute_{arch}"])
        return nvrtc.getPTX(program).decode()
    except (ImportError, RuntimeError, OSError) as error:
        raise NoCompiler(f"{MISSING}; NVRTC neither ({error})") from None


def _nvcc(text, folder, options):
    compiler = shutil.which("nvcc")
    if compiler is None:
        raise NoCompiler(MISSING)
    source = Path(folder, "kernel.cu")
    source.write_text(text)
    command = [compiler, *options, str(source)]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return (run.stdout + run.stderr).replace(str(source), "kernel.cu")
