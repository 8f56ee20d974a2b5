"""bench: it times a fake GPU, whose kernels take known times.

What was done is read in the FakeGPU, which no answer reaches but by its calls.
"""

import functools
import statistics

from grading.drivers.fake_gpu import LAUNCH, FakeGPU
from grading.drivers.registry import plain_call
from grading.exercise import Check, drive
from minigrad.kernels.memory import bench

UNIT = 1e-3  # seconds; every duration differs from every other by several percent


def cases(random):
    for repeat in (5, 1, 4):
        yield "the time of the work", drawn(random, 2, repeat)
    for warmup, repeat in [(3, 3), (4, 1), (2, 5)]:
        yield "the warm-up", drawn(random, warmup, repeat)
    for repeat in (7, 20):
        yield "disturbed runs", drawn(random, 3, repeat, disturbed=True)
    yield "no warm-up", drawn(random, 0, 5)
    yield "long runs", drawn(random, 1, 3, unit=1.0)


def drawn(random, warmup, repeat, disturbed=False, unit=UNIT):
    """Slow first runs, then all different ones; a fifth may be disturbed."""
    first = [unit * random.uniform(20, 40) for _ in range(warmup)]
    steps = random.sample(range(20), repeat)
    warm = [unit * (1 + 0.07 * step + 0.01 * random.random()) for step in steps]
    if disturbed:
        for i in random.sample(range(repeat), repeat // 5):
            warm[i] *= 30
    gpu = functools.partial(FakeGPU, [*first, *warm])
    return drive(plain_call, {"fake gpu": None}, warmup, repeat, outside=gpu)


def reference(device, warmup, repeat, outside):
    return statistics.median(outside.times[warmup : warmup + repeat])


def observe(seconds, case, outside=None):
    """The time, and what was done for it; of the reference, what was to be done."""
    if not isinstance(seconds, float):
        raise TypeError("bench must return a float")
    _, warmup, repeat = case.args
    calls, left_over, asked = warmup + repeat, False, True
    if outside:
        calls, asked = len(outside.left_over), outside.is_asked
        left_over = any(outside.left_over[warmup : warmup + repeat])
    return {
        "the device was asked for a time": asked,
        "launches alone were timed": 0 <= seconds < UNIT / 2,
        "calls of run()": calls,
        "seconds": round(seconds, 9),
        "work left over when a timed call began": left_over,
    }


def compare(got, expected, case=None):
    """Launching and waiting cost a few microseconds, however one measures."""
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(
            compare(got[fact], value) for fact, value in expected.items()
        )
    if isinstance(expected, float):
        return -2 * LAUNCH < got - expected < 4 * LAUNCH
    return got == expected


def describe(exercise, case):
    _, warmup, repeat = case.args
    times = [f"{1000 * t:.2f}" for t in case.outside().times]
    times = ", ".join([*times[:8], *(["..."] if times[8:] else [])])
    call = f"bench(run, device, warmup={warmup}, repeat={repeat})"
    return f"{call}; the runs take {times} milliseconds"


check = Check(
    bench,
    cases=cases,
    reference=reference,
    observe=observe,
    compare=compare,
    describe=describe,
    not_tested="repeat < 1 and warmup < 0: the contract has neither",
)
