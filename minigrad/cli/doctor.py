"""`minigrad doctor`: what this machine offers the course, and how to mend the rest."""

import importlib.util
import os
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
from .install import HOME, driver_cuda, driver_problem, driver_version, torch_index


class Finding(NamedTuple):
    what: str
    value: str
    mend: str | None = None  # a command, where something is to be done


def pip():
    """The pip of this very environment, as one would type it in the course's folder."""
    python = Path(sys.executable)
    inside = python.is_relative_to(HOME)
    user = "PIP_USER=0 " if sys.prefix != sys.base_prefix and in_the_way() else ""
    return f"{user}{python.relative_to(HOME) if inside else python} -m pip"


def in_the_way():
    """Would pip be told to install for the user, which it refuses in a .venv?"""
    return os.environ.get("PIP_USER", "0").lower() not in (
        "",
        "0",
        "no",
        "false",
        "off",
    )


def install(extra):
    package = f"'.[{extra}]'" if extra else "."
    return f"{pip()} install -e ./cudasim -e {package} -c constraints.txt"


def doctor():
    """Print the findings; return 0 where nothing needs mending, else 1."""
    findings = []
    for finding in found():
        print(f"{finding.what:<12} {finding.value}", flush=True)
        findings.append(finding)
    broken = [finding for finding in findings if finding.mend]
    for finding in broken:
        print(f"\n{finding.what}: to fix it, in the course's folder\n  {finding.mend}")
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
    except ModuleNotFoundError as error:
        if error.name == name:
            return Finding(name, "is not installed", install(extra))
        return Finding(name, f"cannot be imported: {error}", install(extra))
    except Exception as error:  # of whatever it does when it's imported
        again = f"{pip()} install --force-reinstall -c constraints.txt {name}"
        return Finding(name, f"cannot be imported: {error}", again)


def jupyter():
    return [package("jupyterlab", "lab"), package("nbgrader", "grade")]


def isolation():
    """Whether submissions can be graded here: students' code is shut into a box."""
    if importlib.util.find_spec("nbgrader") is None:
        return []
    code = """if True:
        from grading.isolation import missing_box, sandbox
        why = sandbox.why_not()
        print(why and f"{why}\\n{missing_box.advice(why)}")"""
    tried = subprocess.run(
        [sys.executable, "-c", code], cwd=HOME, capture_output=True, text=True,
        errors="replace",
    )  # fmt: skip
    why = tried.stdout.strip() if tried.returncode == 0 else tried.stderr[-200:]
    said = f"none, so no submission is graded: {why}" if why else "bubblewrap works"
    return [Finding("isolation", said)]


def gpu():
    """The driver, CuPy and every GPU, as far as they are there."""
    driver, wheels, problem = driver_cuda(), cupy_wheels(), driver_problem()
    if driver is None and not wheels and not problem:
        return [Finding("GPU", "none: no NVIDIA driver here")]
    said = "none" if driver is None else "CUDA {}.{}".format(*driver)
    if problem:
        said = problem if driver is None else f"{said}, but {problem}"
    findings = both(wheels, driver) if len(wheels) > 1 else cupy(wheels, driver)
    return [Finding("driver", said), *findings]


def toolkit():
    """NVIDIA's compiler. Only what is built on this machine needs it."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        return Finding("toolkit", "none: no nvcc here; only chapter 11 can use it")
    try:
        tried = subprocess.run([nvcc, "--version"], capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        return Finding("toolkit", f"nvcc cannot be run: {error}")
    release = re.search(r"release ([\d.]+)", tried.stdout.decode(errors="replace"))
    return Finding("toolkit", f"CUDA {release[1] if release else '?'} ({nvcc})")


def libraries(known=()):
    """A finding for each library that drives GPUs, but for those that are known."""
    titles = {name: entry.title for name, entry in frameworks.LIBRARIES.items()}
    asked = [name for name, title in titles.items() if title not in known]
    said = {}
    for name, text in frameworks.probed(asked, before=waiting):
        said[name] = text
    for name in asked:
        mend = torch() if name == "torch" and not_there(said[name]) else None
        yield Finding(titles[name], said[name], mend)


def torch():
    """The command that brings the PyTorch that the set-up would."""
    index = torch_index(driver_cuda())
    if index is None:
        return install("torch")
    first = f"{pip()} install -c constraints.txt --index-url {index} --no-deps torch"
    return f"{first}; {install('torch')}"


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
        mend = again(cupy_wheels(), driver_cuda())
        why = str(error).strip().splitlines() or [type(error).__name__]
        return Finding("kernels", f"CuPy cannot compile any: {why[0]}", mend)
    return Finding("kernels", "CuPy arrays: on the GPU; NumPy arrays: in the simulator")


def cupy(wheels, driver):
    """What is found of CuPy. A wheel that's newer than the driver is named first."""
    if not wheels:
        mend = install(extra_for(wheels, driver)) if driver else None
        return [Finding("CuPy", "is not installed", mend)]
    (wheel,) = wheels
    value, version = f"{metadata.version(wheel)} ({wheel})", driver or driver_version()
    if version and not fits(wheel, version):
        mend = again(wheels, driver) if driver else None
        return [Finding("CuPy", f"{value} is newer than the driver", mend)]
    finding = package("cupy", "")
    if finding.mend:
        why = finding.value.replace("is not installed", "cannot be imported")
        return [Finding("CuPy", f"{value} {why}", again(wheels, driver))]
    cp = sys.modules["cupy"]
    try:
        if not cp.cuda.is_available():  # imports well without any GPU
            return [Finding("CuPy", f"{value}, but it finds no GPU")]
        return [Finding("CuPy", value), *devices(cp)]
    except Exception as error:  # the driver's words
        return [Finding("CuPy", f"{value}, but it can use no GPU: {error}")]


def again(wheels, driver):
    """The command that leaves one CuPy, the one that fits the driver."""
    return f"{pip()} uninstall -y {' '.join(wheels)}; " + install(
        extra_for(wheels, driver)
    )


def extra_for(wheels, driver):
    """The extra with the CuPy for the driver; without one, as what is there."""
    newest = max((built_for(wheel) for wheel in wheels), default=0)
    major = driver[0] if driver else newest if newest in (12, 13) else 13
    return f"cuda{major}"


def devices(cp):
    for i in range(cp.cuda.runtime.getDeviceCount()):
        about = cp.cuda.runtime.getDeviceProperties(i)
        capability = f"compute capability {about['major']}.{about['minor']}"
        memory = f"{about['totalGlobalMem'] / 2**30:.0f} GiB"
        yield Finding(f"GPU {i}", f"{about['name'].decode()}, {capability}, {memory}")


def both(wheels, driver):
    """Two wheels own the folder `cupy`: neither works while both are there."""
    said = f"{' and '.join(wheels)} are both installed"
    return [Finding("CuPy", said, again(wheels, driver))]


def cupy_wheels():
    """The installed packages that own the folder `cupy`."""
    names = {dist.metadata["Name"] for dist in metadata.distributions()}
    wheel = re.compile(r"cupy([-_](cuda|rocm)[\w-]*)?")
    return sorted(name for name in names if name and wheel.fullmatch(name))


def fits(wheel, driver):
    """Does the driver run the CUDA that this wheel is built for? (cupy-cuda12x: 12)"""
    return built_for(wheel) <= driver[0]


def built_for(wheel):
    """The CUDA of a wheel's name; 0 where it was built on this machine."""
    digits = re.search(r"cuda(\d\d)", wheel)
    return int(digits[1]) if digits else 0
