"""A GPU whose kernels take known times: what a timing function is judged on.

It has the three things that matter: launches return at once, work is done in order,
and the clock goes on while somebody waits. It measures nothing and always gives the
same numbers. A check describes it in plain values, because they may cross the wire:
{"fake gpu": [durations of the runs, in seconds]}. In the same way it describes a tensor
of zeros by its dtype and shape, {"tensor": ("float16", (3,))}, one that reads a flat
array by {"strided": (array, shape, strides, offset)}, and a number of NumPy's by its
dtype, {"numpy": ("float16", 2.5)}.
"""

import numpy as np

from minigrad.dtypes import DTYPES, bfloat16, carrier
from minigrad.storage import Storage
from minigrad.tensor import Tensor

BY_NAME = {dtype.name: dtype for dtype in DTYPES}

LAUNCH = 5e-6  # seconds of the host for each launch or event
WAIT = 2e-6  # and for each wait


class FakeGPU:
    """A device (see minigrad.kernels.memory.bench) on which run n takes times[n]."""

    def __init__(self, times):
        self._times = list(times)
        self._now = 100.0  # the host's time
        self._done = self._now + 10  # when all work will be done, of others at first
        self._is_asked = False  # for a time, by its clock or by events
        self._left_over = []  # of each run: was there work left when it was called?

    def run(self):
        """Start the next kernel; return at once."""
        self._left_over.append(self._done > self._now)
        self._now += LAUNCH
        took = self._times[min(len(self._left_over), len(self._times)) - 1]
        self._done = max(self._done, self._now) + took

    def synchronize(self):
        self._now = max(self._now, self._done) + WAIT

    def clock(self):
        self._is_asked = True
        return self._now

    def event(self):
        return FakeEvent(self)


class FakeEvent:
    def __init__(self, gpu):
        self._gpu, self._at = gpu, None

    def record(self):
        self._gpu._now += LAUNCH
        self._at = max(self._gpu._now, self._gpu._done)

    def synchronize(self):
        if self._at is not None:
            self._gpu._now = max(self._gpu._now, self._at) + WAIT

    def elapsed_time(self, end):
        for event in (self, end):
            if event._at is None:
                raise RuntimeError("an event has not been recorded: event.record()")
            if event._at > self._gpu._now:
                raise RuntimeError(
                    "an event has not been reached yet: event.synchronize() waits"
                )
        self._gpu._is_asked = True
        return 1000 * (end._at - self._at)


def arguments(values):
    """The arguments of a call: for each description of a GPU its `run` and itself."""
    made = []
    for value in values:
        if isinstance(value, dict) and set(value) == {"fake gpu"}:
            gpu = FakeGPU(value["fake gpu"])
            made += [gpu.run, gpu]
        elif isinstance(value, dict) and set(value) == {"tensor"}:
            made.append(zeros(*value["tensor"]))
        elif isinstance(value, dict) and set(value) == {"strided"}:
            data, *numbers = value["strided"]
            made.append(Tensor(Storage(np.array(data)), *numbers))
        elif isinstance(value, dict) and set(value) == {"numpy"}:
            name, number = value["numpy"]
            made.append(np.dtype(name).type(number))
        else:
            made.append(value)
    return made


def zeros(name, shape):
    """A tensor of zeros. (The library's own needs answers.)"""
    data = np.zeros(int(np.prod(shape)), carrier(BY_NAME[name]))
    strides = [int(np.prod(shape[d + 1 :])) for d in range(len(shape))]
    return Tensor(Storage(data, "cpu", BY_NAME[name]), tuple(shape), strides)


def described(value):
    """A dtype as plain values; None for anything else."""
    is_dtype = value is bfloat16 or isinstance(value, np.dtype)
    return {"dtype": value.name} if is_dtype else None
