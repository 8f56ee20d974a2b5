"""Launches that are made again, with other memory and other numbers.

CuPy looks at each argument of a call anew, which takes longer than the launch. Here the
arguments stay packed as the driver wants them, and only what has changed is written.
"""

import threading

import numpy as np

from .. import trace
from ..recorder import recorder
from . import ladder


class _Thread(threading.local):
    has_context = False  # the driver asks for one in each thread; CuPy's calls make it


_thread = _Thread()


class Launch:
    """One launch of a kernel.

    told: operator, rung, kernel, device, grid, block and bytes, as `ladder.launch`
    takes them. args: the arguments; at `memory` and `numbers` stand those that change.
    """

    def __init__(self, told, args, memory, numbers=()):
        self.told, self.memory, self.numbers = told, memory, numbers
        changing = {*memory, *numbers}  # nobody's memory is kept
        self.args = [None if i in changing else a for i, a in enumerate(args)]
        self.packed = None

    def __call__(self, memory, numbers=()):
        """Launch it with memory, as `ladder.memory` gives it, and numbers of NumPy."""
        heard = trace.active is not None or recorder.active is not None
        if self.told[3] == "cuda" and not heard:
            if self.packed is None:
                self.packed = Packed(self, self.filled(memory, numbers))
            self.packed(memory, numbers)
            return
        operator, rung, kernel, device, grid, block, nbytes = self.told
        args = self.filled(memory, numbers)
        ladder.launch(operator, rung, kernel, device, grid, block, args, nbytes)

    def filled(self, memory, numbers):
        """All arguments."""
        args = [*self.args]
        for place, value in zip(self.memory, memory, strict=True):
            args[place] = value
        for place, value in zip(self.numbers, numbers, strict=True):
            args[place] = value
        return args


class Packed:
    """The arguments of a launch on a GPU, each at an address of its own."""

    def __init__(self, launch, args):
        from cupy.cuda import driver, get_current_stream, runtime

        *_, kernel, _, grid, block, _ = launch.told
        pieces = [as_bytes(a) for a in args]
        starts = np.cumsum([0] + [-(-len(p) // 16) * 16 for p in pieces]).tolist()
        self.values = np.zeros(starts[-1], np.uint8)
        for start, piece in zip(starts, pieces, strict=False):
            self.values[start : start + len(piece)] = np.frombuffer(piece, np.uint8)
        addresses = [self.values.ctypes.data + start for start in starts[:-1]]
        self.addresses = np.array(addresses, np.uint64)
        self.words = memoryview(self.values).cast("Q")
        self.memory = [starts[i] // 8 for i in launch.memory]
        self.numbers = [starts[i] for i in launch.numbers]
        self.bytes, self.lock = memoryview(self.values), threading.Lock()
        self.stream, self.run = get_current_stream, driver.launchKernel
        self.runtime = runtime
        self.shape = kernel.run.kernel.ptr, *grid, *block, 0
        self.where = self.addresses.ctypes.data

    def __call__(self, memory, numbers):
        if not _thread.has_context:
            self.runtime.free(0)
            _thread.has_context = True
        with self.lock:
            for word, pointer in zip(self.memory, memory, strict=True):
                self.words[word] = pointer.ptr
            for start, number in zip(self.numbers, numbers, strict=True):
                self.bytes[start : start + number.nbytes] = number.tobytes()
            self.run(*self.shape, self.stream().ptr, self.where, 0)


def as_bytes(argument):
    """What a kernel finds in its parameter: an address, a number, a struct."""
    pointer = getattr(argument, "ptr", None)
    return np.uint64(pointer).tobytes() if pointer is not None else argument.tobytes()
