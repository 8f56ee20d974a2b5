"""What the benchmarks share: the course's launches, and what cudasim's share."""

import concurrent.futures
import dataclasses
import multiprocessing
from pathlib import Path

from cudasim.benchmarks import common
from cudasim.benchmarks.common import (  # noqa: F401  for the benchmarks
    KERNELS,
    cores,
    counts,
    fresh,
    markdown,
    parser,
    source,
    write,
)
from minigrad.devices import gpu_available
from minigrad.exercises.sandbox import TimeUp, time_limit
from minigrad.testing import bench_table

HOME = Path(__file__).resolve().parent.parent


def of_tests(name, folder="cudasim/tests"):
    """A module of the tests."""
    return common.of_tests(name, HOME / folder)


@dataclasses.dataclass
class Launch(common.Launch):
    """One launch of a kernel of the course.

    prelude: stands before the source. file: what reports call the source. unset: the
    positions of arrays that the kernel writes before anybody reads them.
    """

    prelude: str = ""
    file: str = ""
    unset: tuple = ()


def fastest(runs, device, **how):
    """The seconds of the fastest sample of each {name: function}; they take turns.

    how: as for `bench_table`.
    """
    clock = "cuda" if device == "cuda" else "sim"
    times = bench_table(runs, [0], lambda _: (), device=clock, **how)
    return [timing.best for timing in times.timings[0].values()]


def processes(jobs=None):
    """A pool; its processes know nothing of this one's GPU."""
    context = multiprocessing.get_context("spawn")
    return concurrent.futures.ProcessPoolExecutor(jobs or cores(), context)


def stop(pool):
    """End the processes of a pool, whatever they are at."""
    pool.shutdown(wait=False, cancel_futures=True)
    for process in multiprocessing.active_children():
        process.kill()


def within(seconds, function, *args):
    """The function's result; TimeoutError if it takes longer."""
    try:
        with time_limit(seconds):
            return function(*args)
    except TimeUp:
        raise TimeoutError(f"took over {seconds:g} s") from None


def machine():
    """The computer and the versions, for the head of a table."""
    parts = [common.machine()]
    if gpu_available():
        import cupy

        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        nvrtc = ".".join(map(str, cupy.cuda.nvrtc.getVersion()))
        parts += [name, f"CuPy {cupy.__version__}", f"NVRTC {nvrtc}"]
    return ", ".join(parts)
