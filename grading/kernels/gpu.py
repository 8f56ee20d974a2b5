"""Launches on a GPU, through CuPy, in a process of their own.

One illegal access spoils a CUDA context for good, so each check has its own process:
what goes wrong there stays there. Where there is no GPU, `available` says so.
"""

import functools
import time

import numpy as np

from minigrad.devices import gpu_available

from ..isolation import sandbox
from ..isolation.replies import Problem
from .runs import MARGIN, Guarded, Report, ran, sent, taken

START_SECONDS = 60  # a context, and NVRTC's first compilation
PAUSE = 5  # seconds, before memory is requested again
TIMES, TRIES = 20, 3  # launches that are timed; of which the best tries count
CUBLAS = "cuBLAS's product of matrices"  # in the place of a text: (a, b, c, M, N, K)
CODE = (
    "from grading.isolation import sandbox; from grading.kernels import gpu; "
    "sandbox.answer(gpu.serve)"
)


@functools.cache
def available():
    """Is there a GPU that CuPy can use?"""
    return gpu_available()


def run(exercise, text, launches):
    """What came of launches on the GPU: for each a Ran, or a Problem."""
    shown = _asked(exercise, [text], launches, 0)
    if isinstance(shown, Problem):
        return [shown] * len(launches)
    done = [
        _seen(exercise, one, left) for one, left in zip(launches, shown, strict=False)
    ]
    return done + done[-1:] * (len(launches) - len(done))  # after a fault none is run


def seconds(exercise, texts, launch):
    """The shortest time of a launch of each text, by events; or a Problem.

    They take turns, after a warm-up. Other programs on the GPU only add to a time.
    """
    shown = _asked(exercise, texts, [launch], TIMES)
    if isinstance(shown, Problem):
        return shown
    return Problem("raised", shown[0]) if isinstance(shown[0], str) else shown[0]


def share(exercise, text, other, launch, enough):
    """(the other's time over the text's, their times), or a Problem.

    Is it less than enough, the best of a few tries counts: others may use the GPU.
    """
    shares = []
    while len(shares) < TRIES and not (shares and shares[-1][0] >= enough):
        took = seconds(exercise, [other, text], launch)
        if isinstance(took, Problem):
            return took
        shares.append((took[0] / took[1], took[1], took[0]))
    return max(shares)


def _seen(exercise, launch, left):
    """A launch's Ran, of the cells that it has left; a Problem of a message."""
    if isinstance(left, str):
        return Problem("raised", left)
    places = [Guarded(a) if isinstance(a, np.ndarray) else a for a in launch.args]
    guarded = [place for place in places if isinstance(place, Guarded)]
    for place, cells in zip(guarded, left, strict=True):
        place.cells[:] = cells
    args = [p.array if isinstance(p, Guarded) else p for p in places]
    torn = any(place.is_torn() for place in guarded)
    clean = Report([], [], dict.fromkeys(launch.limits, 0), "")  # no tool has watched
    return ran(exercise, launch, args, clean, torn)


def _asked(exercise, texts, launches, times):
    """What the launches leave, or how long they take, or a Problem.

    Another's kernel may have all memory: that is waited for as long as it may run.
    """
    where = [
        [one.grid, one.block, one.shared_mem,
         [*map(sent, one.args)], list(one.options)]
        for one in launches
    ]  # fmt: skip
    asked = [texts, exercise.name, where, times]
    end = time.monotonic() + START_SECONDS
    while True:
        begun, shown = time.monotonic(), _served(asked)
        if begun > end or not _lacks_memory(shown):
            return shown
        time.sleep(PAUSE)


def _lacks_memory(shown):
    last = [shown.message] if isinstance(shown, Problem) else shown[-1:]
    return "out of memory" in "".join(x for x in last if isinstance(x, str)).lower()


def _served(asked):
    """What the process says that does the launches, or a Problem."""
    try:
        return sandbox.said(CODE, asked, START_SECONDS, ["torch", "jax"])
    except TimeoutError as error:
        return Problem("time", f"on the GPU: {error}")
    except (sandbox.Failed, ValueError) as error:
        return Problem("raised", f"on the GPU: {error}")


def serve(asked):
    """In the process: do the requested launches, and say what they left."""
    import minigrad

    texts, name, launches, times = asked

    @functools.cache
    def kernel(text, *options):
        return _cublas if text == CUBLAS else minigrad.Kernel(text, name, options)

    shown = []
    for *launch, options in launches:
        try:
            kernels = [kernel(text, *options) for text in texts]
            shown.append(_launched(kernels, times, *launch))
        except Exception as error:  # the context may be spoilt: nothing after it counts
            shown.append(f"on the GPU: {type(error).__name__}: {error}")
            break
    return shown


def _cublas(grid, block, args, shared_mem):
    """What is called like a kernel of (a, b, c, M, N, K), in float32."""
    import cupy

    a, b, c, M, N, K = args  # noqa: N806
    cupy.matmul(a.reshape(M, K), b.reshape(K, N), out=c.reshape(M, N))


def _launched(kernels, times, grid, block, shared_mem, args):
    """What a launch has left in the cells of its arrays; or how long it takes each."""
    import cupy

    cells = [cupy.asarray(Guarded(a).cells) for sort, a in args if sort == "array"]
    inside = iter(cells)
    args = tuple(
        next(inside)[MARGIN : MARGIN + a.size] if sort == "array" else taken(sort, a)
        for sort, a in args
    )  # fmt: skip
    how = {"shared_mem": shared_mem}
    calls = [functools.partial(k, grid, block, args, **how) for k in kernels]
    return _fastest(cupy, calls, times) if times else _left(cupy, calls[0], cells)


def _left(cupy, call, cells):
    call()
    cupy.cuda.runtime.deviceSynchronize()
    return [cupy.asnumpy(array) for array in cells]


def _fastest(cupy, calls, times):
    """The shortest time of each call, in seconds; the first three do not count."""
    spans = []
    for _ in range(3 + times):
        spans.append([])
        for call in calls:
            start, stop = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            call()
            stop.record()
            stop.synchronize()
            spans[-1].append(cupy.cuda.get_elapsed_time(start, stop) / 1000)
    return [min(column) for column in zip(*spans[3:], strict=True)]
