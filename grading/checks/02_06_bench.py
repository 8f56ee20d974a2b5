"""The timer: it times a fake GPU, whose kernels take known times."""

import statistics

import numpy as np

from grading.checking import Check, checks
from grading.mistakes import Mistake, Shows, mistake, mistakes, right
from grading.stand_ins import LAUNCH
from minigrad.kernels.memory import bench

UNIT = 1e-3  # seconds; every duration differs from every other by several percent


class Below(float):
    """Any time below this one."""


@checks(bench)
class Bench(Check):
    scene = "timing"

    def cases(self, random):
        for repeat in (5, 1, 4):
            yield "the time of the work", *self.drawn(random, 2, repeat)
        for warmup, repeat in [(3, 3), (4, 1), (2, 5)]:
            yield "the warm-up", *self.drawn(random, warmup, repeat)
        for repeat in (7, 20):
            yield "disturbed runs", *self.drawn(random, 3, repeat, disturbed=True)
        yield "no warm-up", *self.drawn(random, 0, 5)
        yield "long runs", *self.drawn(random, 1, 3, unit=1.0)

    def drawn(self, random, warmup, repeat, disturbed=False, unit=UNIT):
        """Slow first runs, then all different ones; a fifth may be disturbed."""
        first = [unit * random.uniform(20, 40) for _ in range(warmup)]
        steps = random.sample(range(20), repeat)
        warm = [unit * (1 + 0.07 * step + 0.01 * random.random()) for step in steps]
        if disturbed:
            for i in random.sample(range(repeat), repeat // 5):
                warm[i] *= 30
        return {"fake gpu": [*first, *warm]}, warmup, repeat

    def expected(self, gpu, warmup, repeat):
        seconds = statistics.median(gpu["fake gpu"][warmup : warmup + repeat])
        return {"seconds": seconds, "calls": warmup + repeat, "left over": False}

    def same(self, got, expected, *args):
        """Launching and waiting cost a few microseconds, however one measures."""
        if not isinstance(got, dict):
            return False
        seconds = got["seconds"]
        if isinstance(expected, Below):
            return 0 <= seconds < expected
        near = -2 * LAUNCH < seconds - expected["seconds"] < 4 * LAUNCH
        return near and got | {"seconds": 0} == expected | {"seconds": 0}

    def lines(self, case):
        gpu, warmup, repeat = case.args
        runs = ", ".join(f"{1000 * t:.2f}" for t in gpu["fake gpu"][:8])
        more = ", ..." if len(gpu["fake gpu"]) > 8 else ""
        _, *rest = super().lines(case)
        if isinstance(case.got, dict):
            rest = [(key, said(value)) for key, value in
                    (("expected", case.expected), ("got", case.got))]  # fmt: skip
        return [
            ("case", f"bench(run, device, warmup={warmup}, repeat={repeat})"),
            ("the runs", f"take {runs}{more} milliseconds"),
            *rest,
        ]


def said(value):
    left = ", work left over" if value["left over"] else ""
    return f"{value['seconds']:.6g} seconds, {value['calls']} calls of run(){left}"


WARM = "for _ in range(warmup):\n        run()\n    "
WAIT = "device.synchronize()\n        "
START = f"{WAIT}start = device.clock()"
STOP = f"{WAIT}times.append(device.clock() - start)"
MEDIAN = "np.median(times)"
EVENTS = """device.synchronize()
        start = device.clock()
        run()
        device.synchronize()
        times.append(device.clock() - start) -> start = device.event()
        stop = device.event()
        start.record()
        run()
        stop.record()
        """
mistakes(
    bench,
    f"""
    lower_median: of an even number of times the lower of the two in the middle is
        taken: the median is the mean of both
    > float(np.median(times)) -> sorted(times)[(repeat - 1) // 2]
    backwards: the time is below 0: it is the clock at the end minus that at the start
    > device.clock() - start -> start - device.clock()
    fixed_counts: `warmup` and `repeat` are not used: 3 and 20 are written in their
        places
    > range(warmup) -> range(3)
    & range(repeat) -> range(20)
    once: only one run was timed: time `repeat` of them, and take the median
    > range(repeat) -> range(1)
    left_out_twice: the first `warmup` times are left out twice: they were not timed at
        all
    > {MEDIAN} -> np.median(times[warmup:] or times)
    mean: the mean of the times: one disturbed run moves it. Take the median
    > {MEDIAN} -> np.mean(times)
    smallest: the smallest of the times: it says what happens at best. Take the median
    > {MEDIAN} -> min(times)
    total: the time of all runs together: time each run by itself, and take the median
    > {MEDIAN} -> sum(times)
    upper_median: the upper of the two middle values: of an even number, take their mean
    > {MEDIAN} -> sorted(times)[repeat // 2]
    unsorted: the middle one in order of time, not of size: sort before you take it
    > {MEDIAN} -> times[repeat // 2]
    """,
    no_synchronise=Mistake(
        "only the launch was timed: run() returns at once. Wait with "
        "device.synchronize() before the clock is read at the end",
        Shows(Below(UNIT / 2)),
        (
            f"{STOP} -> times.append(device.clock() - start)",
            f"{WAIT} ->",
            f"{WARM} -> {WARM}device.synchronize()\n    ",
        ),
        # it waits after the clock; by the host's own clock; without brackets
        f"{STOP} -> times.append(device.clock() - start)\n        device.synchronize()",
        (
            "device.clock -> time.perf_counter",
            "for _ in range(warmup) -> import time\n    for _ in range(warmup)",
        ),
        (
            "device.synchronize() -> device.synchronize",
            f"{WARM} -> {WARM}device.synchronize()\n    ",
        ),
    ),
    first_counted=Mistake(
        "the warm-up runs are counted: they come first, and are not timed",
        (f"{WARM} ->", "range(repeat) -> range(warmup + repeat)"),
    ),
    no_warmup=Mistake(
        "there is no warm-up: call run() `warmup` times, without timing it, before the "
        "first that counts",
        f"{WARM} ->",
    ),
    not_waited=Mistake(
        "the warm-up was not done when the clock was first read, so what was left of "
        "it was timed too: call device.synchronize() before a timed run begins",
        f"{START} -> start = device.clock()",
    ),
    milliseconds=Mistake(
        "that is in milliseconds: return seconds, as events give milliseconds",
        f"{EVENTS}stop.synchronize()\n        times.append(start.elapsed_time(stop))",
    ),
    one_too_many=Mistake(
        "run() is called more often: `warmup` times, and `repeat` times",
        "return float -> run()\n    return float",
    ),
    left_over=Mistake(
        "work was left over on the device when a timed call began: wait for it, "
        "device.synchronize()",
        f"{EVENTS}stop.synchronize()\n"
        "        times.append(start.elapsed_time(stop) / 1000)",
    ),
)


@mistake(bench)
def left_over(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    device.synchronize()
    pairs = []
    for _ in range(repeat):
        pairs.append((device.event(), device.event()))
        pairs[-1][0].record()
        run()
        pairs[-1][1].record()
    device.synchronize()
    return float(np.median([a.elapsed_time(b) for a, b in pairs])) / 1e3


@mistake(bench, "all runs are timed together: time each by itself, and take the median")
def together(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    device.synchronize()
    start = device.clock()
    for _ in range(repeat):
        run()
    device.synchronize()
    return (device.clock() - start) / repeat


right(
    bench,
    "by events",
    (
        f"{WARM} -> {WARM}device.synchronize()\n    ",
        f"{EVENTS}stop.synchronize()\n"
        "        times.append(start.elapsed_time(stop) / 1000)",
    ),
)
right(
    bench,
    "sorted by hand",
    f"return float({MEDIAN}) -> times.sort()\n"
    "    return (times[(repeat - 1) // 2] + times[repeat // 2]) / 2",
)
