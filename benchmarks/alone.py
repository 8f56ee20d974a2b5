"""Launches in a process of their own, for NVIDIA's tools to watch.

    python benchmarks/alone.py FILE

makes the launches that stand in the file, on a GPU, without PyTorch. Each array has its
own allocation: in a pool's memory no tool would see where one ends.
"""

import contextlib
import functools
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from benchmarks import common
from minigrad.kernel import Kernel

_running = set()


class Watched(NamedTuple):
    """What a tool said. code: None if it took too long. done: label -> its problem, or
    "", for the launches that were made."""

    output: str
    code: int | None
    done: dict


def watch(tool, launches, seconds):
    """Make the launches under a tool (a command); Watched."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "launches"
        path.write_bytes(pickle.dumps(launches))
        done = done_file(path)
        done.touch()
        output, code = ran([*tool, sys.executable, __file__, str(path)], seconds)
        return Watched(output, code, dict(map(json.loads, done.open())))


def ran(command, seconds):
    """(what it printed, its exit code; None if it was ended after so many seconds)."""
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(
        command, cwd=common.HOME, start_new_session=True, errors="replace", **how
    )
    _running.add(process)
    try:
        return process.communicate(timeout=seconds)[0], process.returncode
    except subprocess.TimeoutExpired:
        end(process)
        return process.communicate()[0], None
    finally:
        if process.poll() is None:
            end(process)
        _running.discard(process)


def end(process):
    """End a tool and what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def end_all():
    for process in list(_running):
        end(process)


def done_file(path):
    return Path(f"{path}.done")


# ---------------------------------------------------------------- in the process


def main(path):
    import cupy

    cupy.cuda.set_allocator(None)
    launches = pickle.loads(Path(path).read_bytes())
    with open(done_file(path), "w") as done:
        for label, group in itertools.groupby(launches, lambda one: one.label):
            print(json.dumps([label, problem_of(group)]), file=done, flush=True)


def problem_of(launches):
    """Make them; why that did not go, or ""."""
    try:
        for one in launches:
            launch(one)
    except Exception as error:  # the next ones shall be made all the same
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


def launch(one):
    import cupy

    places = enumerate(one.args)
    args = tuple(on_gpu(a, i in one.unset) for i, a in places)
    kernel = compiled(one.prelude, one.source, one.name, one.options, one.file)
    kernel(one.grid, one.block, args, shared_mem=one.shared_mem)
    cupy.cuda.Device().synchronize()


def on_gpu(value, unset):
    import cupy

    if not isinstance(value, np.ndarray):
        return value
    if unset:
        return cupy.empty(value.shape, value.dtype)
    return cupy.array(value, order="C")


@functools.cache
def compiled(prelude, source, name, options, file):
    kernel = Kernel(prelude + source, name, options)
    if file:  # NVRTC, other than the simulator, knows #line
        kernel.source = f'{prelude}\n#line 1 "{file}"\n{source}'
    return kernel


if __name__ == "__main__":
    main(sys.argv[1])
