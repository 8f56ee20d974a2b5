"""The timer: it times a fake GPU, whose kernels take known times."""

import statistics

from grading.drivers.fake_gpu import LAUNCH, FakeGPU
from grading.exercise import Check, Shows, checks, models
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


models(bench, no_synchronise=Shows(Below(UNIT / 2)), other_clock=Shows(OTHER_CLOCK))
