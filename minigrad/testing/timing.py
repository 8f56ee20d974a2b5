"""bench: how long a call takes, on a GPU or on the host, honestly."""

import dataclasses
from time import perf_counter

import numpy as np

from ..devices import on_gpu, which
from .progress import slowly

SAMPLE = 2e-3  # seconds; far longer than what a clock, or an event, can tell
UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


@dataclasses.dataclass(frozen=True)
class Timing:
    """Seconds of one call: `samples`, each the mean of `runs` calls in a row."""

    samples: tuple
    runs: int = 1

    @property
    def median(self):
        """Half of the samples are faster. One interruption would move a mean."""
        return float(np.median(self.samples))

    @property
    def best(self):
        """The fastest sample: the code where nothing disturbed it."""
        return min(self.samples)

    @property
    def spread(self):
        """Half of the distance between the quartiles: about half of the samples lie
        within median ± spread. A difference smaller than this is none."""
        return float(np.subtract(*np.quantile(self.samples, (0.75, 0.25)))) / 2

    def bandwidth(self, nbytes):
        """GB/s, where one call reads and writes `nbytes` together."""
        return nbytes / self.median / 1e9

    def flops(self, operations):
        """GFLOP/s, where one call makes `operations` (a multiply-add counts as two)."""
        return operations / self.median / 1e9

    def __str__(self):
        size, unit = next((u for u in UNITS if self.median >= u[0]), UNITS[-1])
        median, spread = self.median / size, self.spread / size
        spread = float(f"{spread:.2g}")  # two digits, but 130 and not 1.3e+02
        return f"{median:.3g} {unit} ± {spread:g} (median of {len(self.samples)})"


def duration(seconds):
    """0.0021 as "2.1 ms"."""
    size, unit = next((u for u in UNITS if seconds >= 0.9999 * u[0]), UNITS[-1])
    return f"{seconds / size:.3g} {unit}"


def bench(function, *args, setup=None, warmup=3, repeat=30, device="auto", flush=False):
    """The Timing of function(*args).

    setup: called before every timed call, outside the clock: for functions that change
    what they are given. warmup: calls before the first sample. repeat: samples.
    device: "cuda" times by the GPU's own events, "cpu" by the host's clock; "auto" is
    "cuda" where an argument is on a GPU, or there are no arguments and there is a GPU.
    flush: overwrite the GPU's L2 cache before every timed call, so that the data come
    from memory, as they do in a long program. It also keeps the GPU busy while the
    host launches; without it, a kernel that is shorter than its launch (some 10 us) is
    timed as its launch. So compare short kernels with each other only, flushed.
    """
    sample = gpu_sample if on_a_gpu(args, device) else host_sample
    before = ([setup] if setup else []) + ([flusher(sample)] if flush else [])

    def prepared(runs):
        for prepare in before:
            prepare()
        return sample(lambda: function(*args), runs)

    # The first calls compile, allocate, fill caches and wake the clocks up.
    for _ in range(warmup):
        prepared(1)
    # A call shorter than a clock can tell is timed many times in a row; not where
    # something must happen before each call.
    runs = 1
    while not before and prepared(runs) * runs < SAMPLE:
        runs *= 2
    steps = slowly(range(repeat), getattr(function, "__name__", "bench"))
    return Timing(tuple(prepared(runs) for _ in steps), runs)


def host_sample(call, runs):
    """Seconds of one of `runs` calls, by the host's monotonic clock."""
    start = perf_counter()
    for _ in range(runs):
        call()
    return (perf_counter() - start) / runs


def gpu_sample(call, runs):
    """Seconds of one of `runs` calls, between two events of the GPU's stream.

    A launch returns before the kernel has run, so the host's clock would time the
    launch alone. Events are stamped by the GPU where they stand among the kernels.
    """
    import cupy

    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    for _ in range(runs):
        call()
    end.record()
    end.synchronize()  # only now is it known when the end was
    return cupy.cuda.get_elapsed_time(start, end) / 1e3 / runs  # from milliseconds


def on_a_gpu(args, device):
    if device == "auto":
        return any(map(on_gpu, args)) or (not args and which("auto") == "cuda")
    return device != "cpu" and which(device) == "cuda"


def flusher(sample):
    """A function that fills a GPU's L2 cache with something else."""
    if sample is not gpu_sample:
        raise ValueError('flush=True clears a GPU\'s L2 cache: it needs device="cuda"')
    import cupy

    buffer = cupy.empty(2 * cupy.cuda.Device().attributes["L2CacheSize"], "u1")
    return lambda: buffer.fill(0)
