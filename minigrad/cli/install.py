"""Set up .venv for the course: `python3 -I minigrad/cli/install.py lab`.

Instead of `lab`, it may be `site` or `test`.

`make` runs this with whatever Python 3 it finds, before anything is installed: so it
uses the standard library alone, and no syntax that an older Python cannot read.
"""

import ctypes
import fcntl
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
VENV = HOME / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
UNFINISHED = HOME / ".venv.unfinished"  # lies there while .venv may be half made
OLDEST = (3, 11)
LAB = ["lab", "torch", "grade"]
SITE = [*LAB, "frameworks", "site"]
EXTRAS = {"lab": LAB, "site": SITE, "test": [*SITE, "cluster", "test"]}
# pip's settings that send packages elsewhere, and those that may hide them.
ELSEWHERE = {"user", "target", "prefix", "root", "dry_run", "python", "no_deps"}
LIMITING = {"no_index", "index_url", "proxy", "cert", "find_links", "constraint",
            "only_binary", "no_binary", "require_hashes"}  # fmt: skip
SMI_SECONDS = 30
TORCH_WHEELS = "https://download.pytorch.org/whl/"


def main(argv):
    dry_run = "--dry-run" in argv
    what = [word for word in argv if not word.startswith("-")]
    if len(what) != 1 or what[0] not in EXTRAS:
        sys.exit("usage: python3 -I minigrad/cli/install.py lab|site|test [--dry-run]")
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
    for newer in candidates():
        if runs(newer):
            os.execv(newer, [newer, "-I", *sys.argv])
    sys.exit(
        "minigrad needs Python 3.11 or newer; {} is {}.{}.\n"
        "Install one (Debian and Ubuntu: apt install python3.12 python3.12-venv; macOS:"
        " brew install python@3.12),\nthen name it: make lab PYTHON=python3.12".format(
            sys.executable, *sys.version_info[:2]
        )
    )


def candidates():
    """Every program on PATH that is called as a newer Python, the newest first."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for minor in (13, 12, 11):
        for folder in folders:
            path = os.path.join(folder or ".", f"python3.{minor}")
            if os.path.isfile(path) and os.access(path, os.X_OK):
                yield path


def runs(python):
    """Is it a Python that is new enough? pyenv's shims may be of none."""
    code = f"import sys; print(sys.version_info >= {OLDEST})"
    quiet = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        said = subprocess.check_output([python, "-Ic", code], timeout=30, **quiet)
    except (OSError, subprocess.SubprocessError):
        return False
    return said.strip() == b"True"


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
    free_pip()
    install_torch(cuda)
    status = subprocess.call(pip_command(what, cuda), cwd=HOME)
    if status < 0:
        sys.exit("pip was killed. Call make again: it starts the set-up afresh.")
    UNFINISHED.unlink()  # pip ended by itself: .venv is whole, if not complete
    if status:
        sys.exit(
            "pip could not install the packages: the reason stands above. Most often"
            " the network is missing, or the disk is full (4 GB are needed).\n"
            f"{limits_of_pip()}"
            "Mend that and call make again: it goes on where it stopped."
        )
    for stamp in {"lab", what}:
        (VENV / f".{stamp}").touch()


def free_pip():
    """Have pip install into .venv, whatever its settings say of other places."""
    for name in ELSEWHERE:
        os.environ.pop("PIP_" + name.upper(), None)
    os.environ["PIP_USER"] = "0"  # before what a file says
    wrong = [line for line in settings() if setting(line) in ELSEWHERE - {"user"}]
    if wrong:
        sys.exit(
            "pip's own settings send packages somewhere else than into .venv: {}.\n"
            "Take that out, and call make again: {}".format(
                ", ".join(wrong),
                "; ".join(
                    "python3 -m pip config unset " + line.partition("=")[0]
                    for line in wrong
                ),
            )
        )


def limits_of_pip():
    """A line on settings of pip that keep it from finding packages; "" without any."""
    limits = [line for line in settings() if setting(line) in LIMITING]
    said = "pip keeps to these settings, which may be the reason: {}\n"
    return said.format(", ".join(limits)) if limits else ""


def settings():
    """What pip's files and the environment set: ["global.target='/there'", ...]."""
    command = [str(VENV_PYTHON), "-m", "pip", "config", "list"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = done.stdout.decode(errors="replace").splitlines()
    return [line for line in lines if "=" in line]


def setting(line):
    """The name of a setting, without the part of the file that it is in."""
    return line.partition("=")[0].rpartition(".")[2].replace("-", "_")


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
    return [*pip_install(), "-c", "constraints.txt", "-e", "./cudasim", "-e", package]


def pip_install():
    return [str(VENV_PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]


def install_torch(cuda):
    """On Linux, take the PyTorch that fits the driver from PyTorch's own index.

    Where the index cannot be reached, the ordinary wheel comes with the rest: on the
    CPU it serves as well.
    """
    index = torch_index(cuda)
    if index is None:
        return
    if not reachable(index + "/torch/"):
        print(f"{index} cannot be reached: the ordinary wheel it is.", flush=True)
        return
    limits = ["-c", "constraints.txt", "--index-url", index, "--no-deps"]
    subprocess.call([*pip_install(), *limits, "torch"], cwd=HOME)


def torch_index(cuda):
    """Where the PyTorch for this driver is; None: the ordinary wheel is the right one.

    That one is for CUDA 13 and brings gigabytes of it.
    """
    build = "cpu" if cuda is None else "cu126" if cuda[0] == 12 else None
    linux = sys.platform.startswith("linux")
    return f"{TORCH_WHEELS}{build}" if linux and build else None


def reachable(address):
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except (OSError, ValueError):
        return False


def driver_cuda():
    """(12, 8), the newest CUDA that this machine's NVIDIA driver runs; None without.

    A driver that is too old for the course counts as none: see driver_problem.
    """
    version = driver_version()
    if version is None or version < (12, 0):
        return None
    return min(version, (13, 99))  # a CUDA 14 driver runs what was built for CUDA 13


def driver_version():
    return from_nvidia_smi() or from_libcuda()


def driver_problem():
    """What is wrong with a driver that is there, and what to do; None if nothing is."""
    version, said = driver_version(), nvidia_smi()
    if version and version < (12, 0):
        return (
            "CUDA {}.{}: too old, the course needs CUDA 12 or newer. Update NVIDIA's "
            "driver to 525 or newer".format(*version)
        )
    if said is None or from_nvidia_smi():
        return None
    words = " ".join(said.split())[:300] or "nothing"
    if "mismatch" in said:
        words += ". The driver was updated while it ran: restart this machine"
    return f"nvidia-smi says: {words}"


def from_nvidia_smi():
    """Its banner: `CUDA Version: 12.8`; since driver 610, `CUDA UMD Version: 13.3`."""
    version = re.search(r"CUDA (?:UMD )?Version:\s*(\d+)\.(\d+)", nvidia_smi() or "")
    return (int(version[1]), int(version[2])) if version else None


def nvidia_smi():
    """What nvidia-smi prints, errors and all; None where there is none."""
    program = shutil.which("nvidia-smi")
    return program and said_by(program)


@functools.lru_cache(maxsize=None)  # noqa: UP033  for an older Python
def said_by(program):
    with tempfile.TemporaryFile() as output:  # who hangs may leave a pipe open
        try:
            subprocess.call(
                [program],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=SMI_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return f"no answer within {SMI_SECONDS} s"
        except OSError as error:
            return str(error)
        output.seek(0)
        return output.read(2**16).decode(errors="replace")


def from_libcuda():
    """What the driver itself says, where nvidia-smi is not on PATH."""
    version = ctypes.c_int(0)
    try:
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
    except (OSError, AttributeError):
        return None
    return divmod(version.value // 10, 100) if version.value else None


def gpu_line(cuda):
    problem = driver_problem()
    if cuda is None:
        why = f"The NVIDIA driver cannot be used: {problem}" if problem else ""
        why = why or "No NVIDIA driver for CUDA 12 or 13"
        return f"{why}: nothing of CUDA is installed."
    said = "The NVIDIA driver runs CUDA {}.{}: CuPy comes too.".format(*cuda)
    return f"{said} But {problem}." if problem else said


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. Call make again: it starts the set-up afresh.")
