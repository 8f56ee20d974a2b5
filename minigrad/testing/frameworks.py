"""The libraries that drive a GPU from Python: which are here, and what do they see?

A library is probed in a process of its own, all of them at once: one that crashes or
takes long harms nothing.
"""

import contextlib
import ctypes
import importlib
import importlib.util
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple


class Library(NamedTuple):
    title: str
    get: str  # how to install it
    probe: (
        str  # Python that prints: version|what it is built with|how many GPUs it sees
    )


LIBRARIES = {
    "torch": Library(
        "PyTorch",
        "pip install torch",
        """
import torch
built = torch.version.cuda or torch.version.hip
kind = "CUDA" if torch.version.cuda else "ROCm"
cudnn = torch.backends.cudnn.version() if built and kind == "CUDA" else None
parts = [f"for {kind} {built}" if built else "without CUDA"]
parts += [f"cuDNN {cudnn}"] if cudnn else []
print(torch.__version__, ", ".join(parts), torch.cuda.device_count(), sep="|")
""",
    ),
    "tensorflow": Library(
        "TensorFlow",
        "pip install tensorflow-cpu, or with an NVIDIA GPU: tensorflow[and-cuda]",
        """
import tensorflow as tf
built = tf.sysconfig.get_build_info()
said = "without CUDA"
if built["is_cuda_build"]:
    said = f"for CUDA {built['cuda_version']}, cuDNN {built['cudnn_version']}"
print(tf.__version__, said, len(tf.config.list_physical_devices("GPU")), sep="|")
""",
    ),
    "numba": Library(
        "Numba",
        "pip install numba numba-cuda; with an NVIDIA GPU: numba-cuda[cu13], or cu12",
        """
import numba
from importlib import metadata
from numba import cuda
try:
    said = f"with numba-cuda {metadata.version('numba-cuda')}"
except metadata.PackageNotFoundError:
    said = "without numba-cuda"
count = len(cuda.gpus) if cuda.is_available() else 0
print(numba.__version__, said, count, sep="|")
""",
    ),
    "cupy": Library(
        "CuPy",
        "pip install cupy-cuda13x, or cupy-cuda12x if the driver is for CUDA 12",
        """
import cupy
built = cupy.cuda.runtime.runtimeGetVersion()
count = cupy.cuda.runtime.getDeviceCount() if cupy.cuda.is_available() else 0
said = f"for CUDA {built // 1000}.{built % 1000 // 10}"
print(cupy.__version__, said, count, sep="|")
""",
    ),
    "pycuda": Library(
        "PyCUDA",
        "pip install pycuda, which needs g++ and a CUDA toolkit",
        """
import pycuda
import pycuda.driver as driver
driver.init()
built = ".".join(map(str, driver.get_version()))
print(pycuda.VERSION_TEXT, f"for CUDA {built}", driver.Device.count(), sep="|")
""",
    ),
}


NOT_INSTALLED = "is not installed"


def is_installed(name):
    return importlib.util.find_spec(name) is not None


def missing(name):
    """What to say where a library is not installed."""
    library = LIBRARIES[name]
    return f"not run: {library.title} is not installed. Get it: {library.get}"


def probed(names=tuple(LIBRARIES), seconds=30, before=lambda names: None):
    """Yield (name, what is said of it) as the answers come.

    before: called with the names of those that have not answered, before each wait.
    """
    left = list(names)
    with ThreadPoolExecutor(len(left)) as pool:
        asked = {pool.submit(probe, name, seconds): name for name in names}
        before(left)
        for answer in as_completed(asked):
            left.remove(asked[answer])
            before(left)
            yield asked[answer], answer.result()


def probe(name, seconds=30):
    """What is to be said of a library: version, build, how many GPUs it sees."""
    if not is_installed(name):
        return f"{NOT_INSTALLED}: {LIBRARIES[name].get}"
    command = [sys.executable, "-c", LIBRARIES[name].probe]
    quiet = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        run = subprocess.run(
            command, env=quiet, timeout=seconds, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        return f"not run: no answer within {seconds:g} s"
    if run.returncode < 0:
        return f"not run: its process was ended by signal {-run.returncode}"
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["it failed"])[-1]
        return f"not run: {last[:200]}"
    version, built, count = run.stdout.strip().splitlines()[-1].split("|")
    seen = {"0": "no GPU", "1": "1 GPU"}.get(count, f"{count} GPUs")
    return f"{version}, {built}; sees {seen}"


def gpu_count():
    """How many GPUs NVIDIA's driver knows; 0 where no driver is."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
        return 0
    return count.value


@contextlib.contextmanager
def quiet():
    """Meanwhile nothing that a library's C++ writes on stderr is seen."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    stderr = os.dup(2)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


@contextlib.contextmanager
def needs(name):
    """Run the block if the library is installed; if not, say how to get it."""
    with quiet(), contextlib.suppress(ImportError):
        importlib.import_module(name)  # here, where its log messages are not seen
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != name:
            raise
        print(textwrap.fill(missing(name), 96))
