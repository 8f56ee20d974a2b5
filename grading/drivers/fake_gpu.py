"""A GPU whose kernels take known times: what a timing function is judged on.

It has the three things that matter: launches return at once, work is done in order,
and the clock goes on while somebody waits. It measures nothing and always gives the
same numbers. It is the check's, which reads in it what was done: an answer has a Device
and the Events of it, whose calls reach the FakeGPU through `ask`, by message where the
answer is in another process.

A check describes a device, like other things that do not cross, in plain values:
{"fake gpu": None}, or {"outside": None} for `ask` itself. A tensor of zeros is
described by its dtype and shape, {"tensor": ("float16", (3,))}, one that reads a flat
array by {"strided": (array, shape, strides, offset)}, an array that is not row-major by
{"array": ...} of the same, and a number of NumPy's by its dtype,
{"numpy": ("float16", 2.5)}.
"""

import numpy as np

from minigrad.dtypes import DTYPES, bfloat16, carrier
from minigrad.storage import Storage
from minigrad.tensor import Tensor

BY_NAME = {dtype.name: dtype for dtype in DTYPES}

LAUNCH = 5e-6  # seconds of the host for each launch or event
WAIT = 2e-6  # and for each wait
MOST = 100_000  # calls


class FakeGPU:
    """A GPU on which run n takes times[n]."""

    CALLS = {"run", "synchronize", "clock", "event", "record", "wait", "elapsed"}

    def __init__(self, times):
        self.times, self._calls = list(times), 0
        self._now = 100.0  # the host's time
        self._done = self._now + 10  # when all work will be done, of others at first
        self._events = []  # when each will be reached
        self.is_asked = False  # for a time, by its clock or by events
        self.left_over = []  # of each run: was there work left when it was called?

    def __call__(self, what, *numbers):
        """Do what a Device or an Event is asked. ValueError for anything else."""
        self._calls += 1
        if what not in self.CALLS or self._calls > MOST:
            raise ValueError(f"{what} is call {self._calls} of a device")
        return getattr(self, what)(*numbers)

    def run(self):
        """Start the next kernel; return at once."""
        self.left_over.append(self._done > self._now)
        self._now += LAUNCH
        took = self.times[min(len(self.left_over), len(self.times)) - 1]
        self._done = max(self._done, self._now) + took

    def synchronize(self):
        self._now = max(self._now, self._done) + WAIT

    def clock(self):
        self.is_asked = True
        return self._now

    def event(self):
        """The number of a new event."""
        self._events.append(None)
        return len(self._events) - 1

    def record(self, event):
        self._now += LAUNCH
        self._events[event] = max(self._now, self._done)

    def wait(self, event):
        if self._events[event] is not None:
            self._now = max(self._now, self._events[event]) + WAIT

    def elapsed(self, start, end):
        start, end = self._events[start], self._events[end]
        if start is None or end is None:
            raise RuntimeError("an event has not been recorded: event.record()")
        if max(start, end) > self._now:
            raise RuntimeError(
                "an event has not been reached yet: event.synchronize() waits"
            )
        self.is_asked = True
        return 1000 * (end - start)


class Device:
    """What an answer has of a FakeGPU; see minigrad.kernels.memory.bench."""

    def __init__(self, ask):
        self._ask = ask

    def run(self):
        self._ask("run")

    def synchronize(self):
        self._ask("synchronize")

    def clock(self):
        return self._ask("clock")

    def event(self):
        return Event(self._ask)


class Event:
    def __init__(self, ask):
        self._ask, self._number = ask, ask("event")

    def record(self):
        self._ask("record", self._number)

    def synchronize(self):
        self._ask("wait", self._number)

    def elapsed_time(self, end):
        return self._ask("elapsed", self._number, end._number)


def arguments(values, ask=None):
    """The arguments of a call: for each description of a GPU its `run` and itself.

    ask: what such a Device reaches.
    """
    args = []
    for value in values:
        if isinstance(value, dict) and set(value) == {"fake gpu"}:
            device = Device(ask)
            args += [device.run, device]
        elif isinstance(value, dict) and set(value) == {"outside"}:
            args.append(ask)
        elif isinstance(value, dict) and set(value) == {"tensor"}:
            args.append(zeros(*value["tensor"]))
        elif isinstance(value, dict) and set(value) == {"strided"}:
            data, *numbers = value["strided"]
            args.append(Tensor(Storage(np.array(data)), *numbers))
        elif isinstance(value, dict) and set(value) == {"array"}:
            data, shape, strides, offset = value["array"]
            size, how = data.itemsize, (shape, data.dtype, data.copy())
            args.append(np.ndarray(*how, offset * size, [size * s for s in strides]))
        elif isinstance(value, dict) and set(value) == {"numpy"}:
            name, number = value["numpy"]
            args.append(np.dtype(name).type(number))
        else:
            args.append(value)
    return args


def zeros(name, shape):
    """A tensor of zeros. (The library's own needs answers.)"""
    data = np.zeros(int(np.prod(shape)), carrier(BY_NAME[name]))
    strides = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
    return Tensor(Storage(data, "cpu", BY_NAME[name]), tuple(shape), strides)


def described(value):
    """A dtype as plain values; None for anything else."""
    is_dtype = value is bfloat16 or isinstance(value, np.dtype)
    return {"dtype": value.name} if is_dtype else None
