"""The device as a timer sees it: something to wait for, with a clock."""

import time

from .. import devices


class Event:
    """A mark in the GPU's work; without a GPU, in the program's."""

    def __init__(self):
        self._inner = None
        if devices.gpu_available():
            import cupy

            self._inner = cupy.cuda.Event()

    def record(self):
        """Put the mark after all work that has been started."""
        self._seconds = time.perf_counter()
        if self._inner:
            self._inner.record()

    def synchronize(self):
        """Wait until the mark is reached."""
        if self._inner:
            self._inner.synchronize()

    def elapsed_time(self, end):
        """Milliseconds from this mark to `end`; both must have been reached."""
        if self._inner is None:
            return 1000 * (end._seconds - self._seconds)
        import cupy

        return cupy.cuda.get_elapsed_time(self._inner, end._inner)


class Stopwatch:
    """This computer's GPU, or its simulator, where nothing is left to wait for."""

    def synchronize(self):
        """Wait until all work that has been started is done."""
        devices.synchronize()

    def clock(self):
        """The time now, in seconds."""
        return time.perf_counter()

    def event(self):
        """A new event, as torch.cuda.Event(enable_timing=True)."""
        return Event()
