"""`minigrad doctor`: what this machine offers the course, and how to mend the rest."""

import importlib.util
import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from ..devices import gpu_available
from ..testing import frameworks
from .install import HOME, driver_cuda


class Finding(NamedTuple):
    what: str
    value: str
    mend: str | None = None  # a command, where something is to be done


def pip():
    """The pip of this very environment, as one would type it in the course's folder."""
    python = Path(sys.executable)
    inside = python.is_relative_to(HOME)
    return f"{python.relative_to(HOME) if inside else python} -m pip"


def install(extra):
    package = f"'.[{extra}]'" if extra else "."
    return f"{pip()} install -e {package} -c constraints.txt"


def doctor():
    """Print the findings; return 0 where nothing needs mending, else 1."""
    findings = []
    for finding in found():
        print(f"{finding.what:<12} {finding.value}", flush=True)
        findings.append(finding)
    broken = [finding for finding in findings if finding.mend]
    for finding in broken:
        print(f"\n{finding.what}: to mend it, in the course's folder\n  {finding.mend}")
    return 1 if broken else 0


def found():
    """Every finding, those that take long last."""
    quick = [python(), package("numpy", ""), *jupyter(), *isolation()]
    quick += [*gpu(), toolkit(), kernels()]
    yield from quick
    yield from libraries({finding.what for finding in quick})


def python():
    return Finding("Python", f"{platform.python_version()} ({sys.executable})")


def package(name, extra):
    """The version of a package that can be imported, or the command that brings it."""
    try:
        module = importlib.import_module(name)
        return Finding(name, module.__version__)
    except ModuleNotFoundError:
        return Finding(name, "is not installed", install(extra))
    except ImportError as error:
        again = f"{pip()} install --force-reinstall -c constraints.txt {name}"
        return Finding(name, f"cannot be imported: {error}", again)


def jupyter():
    return [package("jupyterlab", "lab"), package("nbgrader", "grade")]


def isolation():
    """Whether submissions can be graded here: students' code is shut into a box."""
    if importlib.util.find_spec("nbgrader") is None:
        return []
    code = """if True:
        from grading import machines, sandbox
        why = sandbox.why_not()
        print(why and f"{why}\\n{machines.advice(why)}")"""
    tried = subprocess.run(
        [sys.executable, "-c", code], cwd=HOME, capture_output=True, text=True
    )
    why = tried.stdout.strip() if tried.returncode == 0 else tried.stderr[-200:]
    said = f"none, so no submission is graded: {why}" if why else "bubblewrap works"
    return [Finding("isolation", said)]


def gpu():
    """The driver, CuPy and every GPU, as far as they are there."""
    driver, wheels = driver_cuda(), cupy_wheels()
    if len(wheels) > 1:
        return [both(wheels, driver)]
    if driver is None and not wheels:
        return [Finding("GPU", "none: no NVIDIA driver here")]
    said = "none" if driver is None else "CUDA {}.{}".format(*driver)
    return [Finding("driver", said), *cupy(wheels, driver)]


def toolkit():
    """NVIDIA's compiler. Only what is built on this machine needs it."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return Finding("toolkit", "none: no nvcc here; only chapter 11 can use it")
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
    release = re.search(r"release ([\d.]+)", said)
    return Finding("toolkit", f"CUDA {release[1] if release else '?'} ({nvcc})")


def libraries(known=()):
    """A finding for each library that drives GPUs, but for those that are known."""
    titles = {name: entry.title for name, entry in frameworks.LIBRARIES.items()}
    asked = [name for name, title in titles.items() if title not in known]
    said = {}
    for name, text in frameworks.probed(asked, before=waiting):
        said[name] = text
    for name in asked:
        mend = install("torch") if name == "torch" and not_there(said[name]) else None
        yield Finding(titles[name], said[name], mend)


def not_there(said):
    return said.startswith(frameworks.NOT_INSTALLED)


def waiting(names):
    """On a terminal, say for whom one waits, in a line that goes away again."""
    if sys.stderr.isatty():
        titles = ", ".join(frameworks.LIBRARIES[name].title for name in names)
        text = f"asking {titles} ..." if titles else ""
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def kernels():
    """Where a kernel runs: what all of the above comes to."""
    if not gpu_available():
        return Finding("kernels", "run in the simulator")
    text = 'extern "C" __global__ void nothing() {}'
    try:
        sys.modules["cupy"].RawKernel(text, "nothing").compile()
    except Exception as error:  # whatever is missing: NVRTC, its headers
        mend = install(f"cuda{(driver_cuda() or (13,))[0]}")
        why = str(error).strip().splitlines() or [type(error).__name__]
        return Finding("kernels", f"CuPy cannot compile any: {why[0]}", mend)
    return Finding("kernels", "CuPy arrays: on the GPU; NumPy arrays: in the simulator")


def cupy(wheels, driver):
    extra = f"cuda{driver[0] if driver else 13}"
    if not wheels:
        return [Finding("CuPy", "is not installed", install(extra))]
    found = package("cupy", extra)._replace(what="CuPy")
    if found.mend:
        return [found]
    value = f"{metadata.version(wheels[0])} ({wheels[0]})"
    if driver and not fits(wheels[0], driver):
        swap = f"{pip()} uninstall -y {wheels[0]}; {install(extra)}"
        return [Finding("CuPy", f"{value} is newer than the driver", swap)]
    cp = sys.modules["cupy"]
    if not cp.cuda.is_available():  # imports well without any GPU
        return [Finding("CuPy", f"{value}, but it finds no GPU")]
    return [Finding("CuPy", value), *devices(cp)]


def devices(cp):
    for i in range(cp.cuda.runtime.getDeviceCount()):
        about = cp.cuda.runtime.getDeviceProperties(i)
        capability = f"compute capability {about['major']}.{about['minor']}"
        memory = f"{about['totalGlobalMem'] / 2**30:.0f} GiB"
        yield Finding(f"GPU {i}", f"{about['name'].decode()}, {capability}, {memory}")


def both(wheels, driver):
    """Two wheels own the folder `cupy`: neither works while both are there."""
    extra = f"cuda{driver[0] if driver else 13}"
    mend = f"{pip()} uninstall -y {' '.join(wheels)}; {install(extra)}"
    return Finding("CuPy", f"{' and '.join(wheels)} are both installed", mend)


def cupy_wheels():
    names = {dist.metadata["Name"] for dist in metadata.distributions()}
    return sorted(name for name in names if name and name.startswith("cupy"))


def fits(wheel, driver):
    """Does the driver run the CUDA that this wheel is built for? (cupy-cuda12x: 12)"""
    built = "".join(c for c in wheel if c.isdigit())
    return not built or int(built[:2]) <= driver[0]
