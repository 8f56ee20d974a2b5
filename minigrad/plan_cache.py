"""The plan cache: what a call allocated and launched, replayed in later calls.

This is for speed alone. For tensors of the same dtypes, device and layouts an
operator's checks, kernel, variant, and grids come out the same in each call. So the
first one leaves a plan: on "cpu" how to read the arrays, on devices the allocations and
launches, recorded as in a CUDA graph. Without plans, `with plan_cache.disabled():`,
results are the same, to the bit.
"""

import contextlib
import functools
import threading
from typing import NamedTuple

import numpy as np

UPLOAD = "a copy of numbers from the host to a device"
_filled = []  # the dicts that have plans
_caches = []  # functions, each of which empties a cache


class _State(threading.local):
    disabled = False  # does this thread do without plans?
    recording = None  # the Recording of this thread, while one is made
    watch = None  # jit's or a CUDA graph's: it is called with what the host reads
    has_context = False  # the driver needs one in each thread; CuPy's calls make it


state = _State()


def put(plans, key, plan, most=1000):
    """Put a plan into a dict, and return it.

    The dict never holds more than `most`, and is emptied whenever an answer changes.
    """
    if not plans:
        _filled.append(plans)
    elif len(plans) >= most:
        plans.clear()
    plans[key] = plan
    return plan


def cached(function):
    """The function with a cache, which is emptied whenever an answer changes."""
    cached_function = functools.lru_cache(1000)(function)
    _caches.append(cached_function.cache_clear)
    return cached_function


def clear():
    """Empty all caches: an answer has changed, and plans depend on answers."""
    while _filled:
        _filled.pop().clear()
    for empty in _caches:
        empty()


@contextlib.contextmanager
def disabled(recording=None):
    """While this is open, operators of this thread run without plans."""
    before = state.disabled, state.recording
    state.disabled, state.recording = True, recording
    try:
        yield recording
    finally:
        state.disabled, state.recording = before


def constant(storage):
    """Let the recording know that a storage is the same one in every call."""
    if state.recording is not None:
        state.recording.constants.append(storage)


def host(what):
    """Report that the host reads numbers, by `item()` say: that cannot be recorded."""
    if state.watch is not None:
        state.watch(what)


class Recording:
    """What one call allocates and launches, in order.

    storages: those of the call's tensors, then those that it allocates, each made by
    makers[i](). launches: (launch, its arguments, (argument, storage, offset in bytes)
    of memory, (argument, its Number)). sound: was no other memory used?
    """

    def __init__(self, storages):
        self.storages, self.makers, self.launches = [*storages], [], []
        self.constants, self.sound = [], True

    def allocated(self, storage, maker):
        self.storages.append(storage)
        self.makers.append(maker)

    def place(self, storage):
        """The number of a storage; None for a constant one, and for an unknown one."""
        for place, known in enumerate(self.storages):
            if known is storage:
                return place
        self.sound = self.sound and any(storage is c for c in self.constants)
        return None

    def launched(self, launch, args):
        fixed, memory, numbers = [], [], []
        for i, argument in enumerate(args):
            storage, place = getattr(argument, "storage", None), None
            if storage is not None and (place := self.place(storage)) is not None:
                memory.append((i, place, argument.offset * storage.itemsize))
            elif type(argument) is Number:
                numbers.append((i, argument))
            fixed.append(launch.address(argument) if place is None else None)
        self.launches.append((launch, fixed, memory, numbers))


class Number(NamedTuple):
    """A launch's argument that is made of a number among the call's operands."""

    value: np.generic
    operand: int
    convert: object  # the function that makes it


def is_on_device(x):
    """Is it a tensor in a device's memory? One of "cpu" beside these is a number."""
    return hasattr(x, "storage") and x.device != "cpu"


def recorded(work, operands):
    """(result of work(*operands), the function that does it again, or None).

    While it is recorded each tensor has a storage of its own, so that x + x does not
    look like one operand.
    """
    which = [i for i, x in enumerate(operands) if is_on_device(x)]
    operands, given = [*operands], []
    for i in which:
        given.append(operands[i].storage)
        operands[i] = operands[i]._from_spec(given[-1].alias(), operands[i].spec)
    twins = [operands[i].storage for i in which]
    with disabled(Recording(twins)) as recording:
        result = work(*operands)
    for storage, twin in zip(given, twins, strict=True):
        storage.version = max(storage.version, twin.version)
    results = []
    for x in result if isinstance(result, tuple) else (result,):
        place = None if x is None else recording.place(x.storage)
        if place is not None and place < len(given):  # an operand is handed back
            recording.sound, x.storage = False, given[place]
        results.append(x if x is None else (x._from_spec, place, x.spec))
    places = [one[1] for one in results if one]
    if recording.sound and len({*places}) == len(places):
        return result, replay(recording, which, results, type(result))
    return result, None


def replay(recording, which, recipes, kind):
    """A function of the call's operands that allocates, launches and returns anew.

    made: for each result how a tensor is made, its storage and its Spec, or None. kind:
    the type of what is returned: a tensor, a tuple, or a named one.
    """
    makers, device = recording.makers, recording.storages[0].device
    again = Packed if device == "cuda" else Relaunch
    launches = [again(*one) for one in recording.launches]
    pack = getattr(kind, "_make", tuple) if issubclass(kind, tuple) else None
    make, place, spec = recipes[0] or (lambda storage, spec: None, 0, None)

    def run(*operands):
        storages = [operands[i].storage for i in which]
        for maker in makers:
            storages.append(maker())
        for launch in launches:
            launch(storages, operands)
        if pack is None:
            return make(storages[place], spec)
        return pack([one and one[0](storages[one[1]], one[2]) for one in recipes])

    return run


class Relaunch:
    """A launch in the simulator, with other memory and other numbers."""

    def __init__(self, launch, args, memory, numbers):
        self.launch, self.args = launch, args
        self.memory, self.numbers = memory, numbers

    def __call__(self, storages, operands):
        args = [*self.args]
        for i, place, offset in self.memory:
            args[i] = storages[place].address(offset)
        for i, number in self.numbers:
            args[i] = number.convert(operands[number.operand])
        self.launch.run(args)


class Packed:
    """A launch on a GPU whose arguments stay packed as the driver takes them.

    CuPy looks at each argument of a call anew, which takes longer than the launch. Here
    only what has changed is written: addresses, and numbers of the call.
    """

    def __init__(self, launch, args, memory, numbers):
        from cupy.cuda import driver, get_current_stream, runtime

        pieces = [bytes(8) if a is None else a.tobytes() for a in args]
        starts = np.cumsum([0] + [-(-len(p) // 16) * 16 for p in pieces]).tolist()
        self.values = np.zeros(starts[-1], np.uint8)
        for start, piece in zip(starts, pieces, strict=False):
            self.values[start : start + len(piece)] = np.frombuffer(piece, np.uint8)
        self.addresses = self.values.ctypes.data + np.array(starts[:-1], np.uint64)
        self.words, self.bytes = (memoryview(self.values).cast(c) for c in "QB")
        self.memory = [(starts[i] // 8, place, offset) for i, place, offset in memory]
        self.numbers = [(starts[i], number) for i, number in numbers]
        self.stream, self.runtime = get_current_stream, runtime
        self.shape = launch.kernel.run.kernel.ptr, *launch.grid, *launch.block, 0
        self.run, self.where = driver.launchKernel, self.addresses.ctypes.data
        self.lock = threading.Lock()

    def __call__(self, storages, operands):
        if not state.has_context:
            self.runtime.free(0)
            state.has_context = True
        with self.lock:
            words = self.words
            for word, place, offset in self.memory:
                words[word] = storages[place].ptr + offset
            for start, number in self.numbers:
                value = number.convert(operands[number.operand]).tobytes()
                self.bytes[start : start + len(value)] = value
            self.run(*self.shape, self.stream().ptr, self.where, 0)
