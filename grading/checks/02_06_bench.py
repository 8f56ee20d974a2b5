"""The timer: it times a fake GPU, whose kernels take known times."""

import statistics

from grading.drivers.fake_gpu import LAUNCH, FakeGPU
from grading.exercise import Check, Shows, checks, mistakes, right
from minigrad.kernels.memory import bench

UNIT = 1e-3  # seconds; every duration differs from every other by several percent


OTHER_CLOCK = "another clock"


class Below(float):
    """Any time below this one."""


@checks(bench)
class Bench(Check):
    """Leaves out repeat < 1 and warmup < 0: the contract has neither.

    What was done is read in the FakeGPU, which no answer reaches but by its calls.
    """

    plain = False

    def cases(self, random):
        for repeat in (5, 1, 4):
            yield "the time of the work", self.drawn(random, 2, repeat)
        for warmup, repeat in [(3, 3), (4, 1), (2, 5)]:
            yield "the warm-up", self.drawn(random, warmup, repeat)
        for repeat in (7, 20):
            yield "disturbed runs", self.drawn(random, 3, repeat, disturbed=True)
        yield "no warm-up", self.drawn(random, 0, 5)
        yield "long runs", self.drawn(random, 1, 3, unit=1.0)

    def drawn(self, random, warmup, repeat, disturbed=False, unit=UNIT):
        """Slow first runs, then all different ones; a fifth may be disturbed."""
        first = [unit * random.uniform(20, 40) for _ in range(warmup)]
        steps = random.sample(range(20), repeat)
        warm = [unit * (1 + 0.07 * step + 0.01 * random.random()) for step in steps]
        if disturbed:
            for i in random.sample(range(repeat), repeat // 5):
                warm[i] *= 30
        return {"runs": [*first, *warm], "warmup": warmup, "repeat": repeat}

    def _got(self, subject, args, own=False):
        runs, warmup, repeat = args[0].values()
        subject.outside = gpu = FakeGPU(runs)
        args = {"fake gpu": None}, warmup, repeat
        got, outcome = super()._got(subject, args, own)
        subject.outside = None
        if isinstance(got, float):
            busy = any(gpu.left_over[warmup : warmup + repeat])
            got = {"seconds": got, "calls": len(gpu.left_over), "left over": busy,
                   "asked": gpu.is_asked}  # fmt: skip
        return got, outcome

    def expected(self, case):
        runs, warmup, repeat = case.values()
        seconds = statistics.median(runs[warmup : warmup + repeat])
        counts = {"calls": warmup + repeat, "left over": False, "asked": True}
        return {"seconds": seconds, **counts}

    def same(self, got, expected, *args):
        """Launching and waiting cost a few microseconds, however one measures."""
        if not isinstance(got, dict):
            return False
        seconds = got["seconds"]
        if isinstance(expected, Below):
            return got["asked"] and 0 <= seconds < expected
        if expected == OTHER_CLOCK:
            return not got["asked"]
        near = -2 * LAUNCH < seconds - expected["seconds"] < 4 * LAUNCH
        return near and got | {"seconds": 0} == expected | {"seconds": 0}

    def words(self, case):
        counts = f"warmup={case['warmup']}, repeat={case['repeat']}"
        return f"bench(run, device, {counts})"

    def lines(self, case):
        times = case.args[0]["runs"]
        runs = ", ".join(f"{1000 * t:.2f}" for t in times[:8])
        runs += ", ..." if len(times) > 8 else ""
        first, *rest = super().lines(case)
        rest = dict(rest) | {"expected": said(case.expected)}
        if isinstance(case.got, dict):
            rest["got"] = said(case.got)
        return [first, ("the runs", f"take {runs} milliseconds"), *rest.items()]


def said(value):
    more = ", work left over" if value["left over"] else ""
    more += "" if value["asked"] else ", the device was not asked for a time"
    return f"{value['seconds']:.6g} seconds, {value['calls']} calls of run(){more}"


WARM = "for _ in range(warmup):\n        run()\n    "
WAIT = "device.synchronize()\n        "
START = f"{WAIT}start = device.clock()"
STOP = f"{WAIT}times.append(device.clock() - start)"
MEDIAN = "np.median(times)"
LOOP = "for _ in range(repeat):"
EVENTS = f"{START} -> start, stop = device.event(), device.event(); start.record()"
DONE = f"{STOP} -> stop.record(); stop.synchronize()"
mistakes(
    bench, no_synchronise=Shows(Below(UNIT / 2)), other_clock=Shows(OTHER_CLOCK)
)(rf"""
no_synchronise: only the launch was timed: run() returns at once. Wait with
    device.synchronize() before the clock is read at the end
> {STOP} -> times.append(device.clock() - start)
& {WAIT} ->
& times = [] -> device.synchronize()\n    times = []
> {STOP} -> times.append(device.clock() - start)\n        device.synchronize()
> device.synchronize() -> device.synchronize
& times = [] -> device.synchronize()\n    times = []
other_clock: that is the time of another clock: ask device.clock(), or the device's
    events
> device.clock -> time.perf_counter
& for _ in range(warmup) -> import time\n    for _ in range(warmup)
lower_median: of an even number of times the lower of the two in the middle is taken:
    the median is the mean of both
> float(np.median(times)) -> sorted(times)[(repeat - 1) // 2]
fixed_counts: `warmup` and `repeat` are not used: 3 and 20 are written in their places
> range(warmup) -> range(3)
& range(repeat) -> range(20)
once: only one run was timed: time `repeat` of them, and take the median
> range(repeat) -> range(1)
left_out_twice: the first `warmup` times are left out twice: they were not timed at all
> {MEDIAN} -> np.median(times[warmup:] or times)
mean: the mean of the times: one disturbed run moves it. Take the median
> {MEDIAN} -> np.mean(times)
smallest: the smallest of the times: it says what happens at best. Take the median
> {MEDIAN} -> min(times)
unsorted: the middle one in order of time, not of size: sort before you take it
> {MEDIAN} -> times[repeat // 2]
first_counted: the warm-up runs are counted: they come first, and are not timed
> {WARM} ->
& range(repeat) -> range(warmup + repeat)
no_warmup: there is no warm-up: call run() `warmup` times, without timing it, before the
    first that counts
> {WARM} ->
not_waited: the warm-up was not done when the clock was first read, so what was left of
    it was timed too: call device.synchronize() before a timed run begins
> {START} -> start = device.clock()
milliseconds: that is in milliseconds: return seconds, as events give milliseconds
> {EVENTS}
& {DONE}; times.append(start.elapsed_time(stop))
together: all runs are timed together: time each by itself, and take the median
> {START} ->
& {LOOP} -> device.synchronize()\n    start = device.clock()\n    {LOOP}
& {STOP} ->
& float({MEDIAN}) -> (device.synchronize() or device.clock() - start) / repeat
one_too_many: run() is called more often: `warmup` times, and `repeat` times
> return float -> run()\n    return float
left_over_early: before the first run the device may be at work for others: wait for
    that where `warmup` is 0, too
> {EVENTS}
& {DONE}; times.append(start.elapsed_time(stop) / 1000)
& {LOOP} -> if warmup:\n        device.synchronize()\n    {LOOP}
left_over: work was left over on the device when a timed call began: wait for it,
    device.synchronize()
> {EVENTS}
& {DONE}; times.append(start.elapsed_time(stop) / 1000)
right: by events
> {EVENTS}
& {DONE}; times.append(start.elapsed_time(stop) / 1000)
& {LOOP} -> device.synchronize()\n    {LOOP}
""")


@right(bench, "sorted, waited for once before all")
def _(run, device, warmup=3, repeat=20):
    def waited():
        device.synchronize()
        return device.clock()

    for _ in range(warmup):
        run()
    times, before = [], waited()
    while len(times) < repeat:
        run()
        times, before = sorted([*times, -before + (after := waited())]), after
    return (times[repeat // 2] + times[~(repeat // 2)]) / 2
