"""Set up .venv for the course: `python3 -I minigrad/cli/install.py lab` (or `test`).

`make` runs this with whatever Python 3 it finds, before anything is installed: so it
uses the standard library alone, and no syntax that an older Python cannot read.
"""

import ctypes
import fcntl
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
VENV = HOME / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
UNFINISHED = HOME / ".venv.unfinished"  # lies there while .venv may be half made
OLDEST = (3, 11)
LAB = ["lab", "torch", "grade"]
EXTRAS = {"lab": LAB, "test": [*LAB, "frameworks", "cluster", "test"]}
TORCH_WHEELS = "https://download.pytorch.org/whl/"


def main(argv):
    dry_run = "--dry-run" in argv
    what = [word for word in argv if not word.startswith("-")]
    if len(what) != 1 or what[0] not in EXTRAS:
        sys.exit("usage: python3 -I minigrad/cli/install.py lab|test [--dry-run]")
    use_new_enough_python()
    cuda = driver_cuda()
    if dry_run:
        print(" ".join(pip_command(what[0], cuda)))
        return
    print(
        f"Setting up .venv for `{what[0]}`, once: some minutes. {gpu_line(cuda)}",
        flush=True,
    )
    wait_for_others()
    set_up(what[0], cuda)
    print("Set-up is complete.")


def use_new_enough_python():
    """Go on under Python 3.11 or newer, or say what to do."""
    if sys.version_info >= OLDEST:
        return
    for minor in (13, 12, 11):
        newer = shutil.which(f"python3.{minor}")
        if newer:
            os.execv(newer, [newer, "-I", *sys.argv])
    sys.exit(
        "minigrad needs Python 3.11 or newer; {} is {}.{}.\n"
        "Install one (Debian and Ubuntu: apt install python3.12 python3.12-venv; macOS:"
        " brew install python@3.12),\nthen name it: make lab PYTHON=python3.12".format(
            sys.executable, *sys.version_info[:2]
        )
    )


def wait_for_others():
    """One set-up at a time: hold the course's folder locked until this process ends."""
    folder = os.open(HOME, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another set-up is at work here: this one waits for it.", flush=True)
        fcntl.flock(folder, fcntl.LOCK_EX)


def set_up(what, cuda):
    """Make .venv complete, and put down its stamp last of all."""
    if UNFINISHED.exists() or (VENV.exists() and not has_pip()):
        print("The last set-up was interrupted: it starts afresh.", flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
    UNFINISHED.touch()
    if not VENV.exists():
        make_venv()
    install_torch(cuda)
    status = subprocess.call(pip_command(what, cuda), cwd=HOME)
    if status < 0:
        sys.exit("pip was killed. Call make again: it starts the set-up afresh.")
    UNFINISHED.unlink()  # pip ended by itself: .venv is whole, if not complete
    if status:
        sys.exit(
            "pip could not install the packages: the reason stands above. Most often"
            " the network is missing, or the disk is full (4 GB are needed).\n"
            "Mend that and call make again: it goes on where it stopped."
        )
    for stamp in {"lab", what}:
        (VENV / f".{stamp}").touch()


def make_venv():
    """An empty .venv with pip in it."""
    try:
        import ensurepip  # noqa: F401  Debian ships it apart
        import venv
    except ImportError:
        version = "{}.{}".format(*sys.version_info[:2])
        sys.exit(
            f"This Python ({sys.executable}) cannot make virtual environments.\n"
            f"On Debian and Ubuntu: apt install python3-venv (or python{version}-venv),"
            " then call make again."
        )
    venv.create(VENV, with_pip=True, symlinks=True)


def has_pip():
    """Does the Python in .venv run, and is it new enough, and has it pip?"""
    test = f"import pip, sys; sys.exit(sys.version_info < {OLDEST})"
    try:
        quiet = subprocess.DEVNULL
        return subprocess.call([VENV_PYTHON, "-c", test], stderr=quiet) == 0
    except OSError:
        return False


def pip_command(what, cuda):
    """The one call of pip that brings everything."""
    extras = EXTRAS[what] + ([f"cuda{cuda[0]}"] if cuda else [])
    package = f".[{','.join(extras)}]"
    return [*pip_install(), "-c", "constraints.txt", "-e", package]


def pip_install():
    return [str(VENV_PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]


def install_torch(cuda):
    """On Linux, take the PyTorch that fits the driver from PyTorch's own index.

    The ordinary wheel is for CUDA 13 and brings gigabytes of it. Where the index cannot
    be reached, the ordinary wheel comes with the rest: on the CPU it serves as well.
    """
    build = "cpu" if cuda is None else "cu126" if cuda[0] == 12 else None
    if not sys.platform.startswith("linux") or build is None:
        return
    index = f"{TORCH_WHEELS}{build}"
    if not reachable(index + "/torch/"):
        print(f"{index} cannot be reached: the ordinary wheel it is.", flush=True)
        return
    limits = ["-c", "constraints.txt", "--index-url", index, "--no-deps"]
    subprocess.call([*pip_install(), *limits, "torch"], cwd=HOME)


def reachable(address):
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except (OSError, ValueError):
        return False


def driver_cuda():
    """(12, 8), the newest CUDA that this machine's NVIDIA driver runs; None without."""
    version = from_nvidia_smi() or from_libcuda()
    if version is None or version[0] < 12:
        return None
    return min(version, (13, 99))  # a CUDA 14 driver runs what was built for CUDA 13


def from_nvidia_smi():
    """Its banner: `CUDA Version: 12.8`; since driver 610, `CUDA UMD Version: 13.3`."""
    try:
        text = subprocess.run(
            ["nvidia-smi"], capture_output=True, timeout=30, text=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"CUDA (?:UMD )?Version:\s*(\d+)\.(\d+)", text)
    return found and (int(found[1]), int(found[2]))


def from_libcuda():
    """What the driver itself says, where nvidia-smi is not on PATH."""
    version = ctypes.c_int(0)
    try:
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    except (OSError, AttributeError):
        return None
    return divmod(version.value // 10, 100) if version.value else None


def gpu_line(cuda):
    if cuda is None:
        return "No NVIDIA driver for CUDA 12 or 13: nothing of CUDA is installed."
    return "The NVIDIA driver runs CUDA {}.{}: CuPy comes too.".format(*cuda)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. Call make again: it starts the set-up afresh.")
