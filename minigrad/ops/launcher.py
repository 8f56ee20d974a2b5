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
        self.device = told[3]
        changing = {*memory, *numbers}  # nobody's memory is kept
        self.args = [None if i in changing else a for i, a in enumerate(args)]
        self.packed = None

    def __call__(self, cells, numbers=()):
        """Launch it: (array of a storage, offset) of each memory, numbers of NumPy."""
        if trace.active is None and recorder.active is None and self.device == "cuda":
            if self.packed is None:
                self.packed = Packed(self, numbers)
            self.packed(cells, numbers)
        else:
            operator, rung, kernel, device, grid, block, nbytes = self.told
            args = self.filled(cells, numbers)
            ladder.launch(operator, rung, kernel, device, grid, block, args, nbytes)

    def filled(self, cells, numbers):
        """All arguments."""
        args = [*self.args]
        for place, (array, offset) in zip(self.memory, cells, strict=True):
            args[place] = ladder.memory_of(array, offset, self.device)
        for place, value in zip(self.numbers, numbers, strict=True):
            args[place] = value
        return args


class Packed:
    """The arguments of a launch on a GPU, each at an address of its own."""

    def __init__(self, launch, numbers):
        from cupy.cuda import driver, get_current_stream, runtime

        *_, kernel, _, grid, block, _ = launch.told
        args = [*launch.args]
        for place, value in zip(launch.numbers, numbers, strict=True):
            args[place] = value
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

    def __call__(self, cells, numbers):
        if not _thread.has_context:
            self.runtime.free(0)
            _thread.has_context = True
        with self.lock:
            words = self.words
            for word, (array, offset) in zip(self.memory, cells, strict=True):
                words[word] = array.data.ptr + offset * array.itemsize
            for start, number in zip(self.numbers, numbers, strict=True):
                self.bytes[start : start + number.nbytes] = number.tobytes()
            self.run(*self.shape, self.stream().ptr, self.where, 0)


def as_bytes(argument):
    """What a kernel finds in its parameter: a number, a struct, an address."""
    if argument is None:  # an address that is still to come
        return bytes(8)
    pointer = getattr(argument, "ptr", None)
    return argument.tobytes() if pointer is None else np.uint64(pointer).tobytes()
