"""C compiled to a function, once for each text and compiler, and kept in the cache."""

import ctypes
import functools
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

FLAGS = [
    "-std=gnu11", "-O2", "-shared", "-fPIC", "-w", "-ffp-contract=off",
    "-fno-math-errno", "-fwrapv", "-fno-strict-aliasing", "-mno-red-zone",
    "-U_FORTIFY_SOURCE", "-fcf-protection=none",
]  # fmt: skip
SECONDS = 30  # for one text


@functools.cache
def compiler():
    """(path of a C compiler, folder for what it makes), or None."""
    path = shutil.which("gcc") or shutil.which("cc")
    if path is None or platform.machine() not in ("x86_64", "AMD64"):
        return None
    try:
        folder = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(folder) / "cudasim"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return path, folder
    except (OSError, RuntimeError):
        return None


def library(text):
    """The function `enter` of a C text; None where it cannot be made."""
    if compiler() is None:
        return None
    path, folder = compiler()
    digest = hashlib.sha256(repr((path, FLAGS, text)).encode()).hexdigest()
    shared = folder / f"{digest}.so"
    try:
        if not shared.exists():
            build(path, text, folder, shared)
        return ctypes.PyDLL(str(shared)).enter
    except (OSError, subprocess.SubprocessError):
        return None


def build(path, text, folder, library):
    """Compile; another process may do the same, and the last one wins."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        source, part = Path(own) / "kernel.c", Path(own) / "kernel.so"
        source.write_text(text, encoding="utf-8")
        command = [path, *FLAGS, str(source), "-o", str(part), "-lm"]
        subprocess.run(
            command, check=True, capture_output=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        os.replace(part, library)
