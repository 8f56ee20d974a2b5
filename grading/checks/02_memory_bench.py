"""Chapter 02, the timer: it times a fake GPU, whose kernels take known times."""

import statistics

from grading.checking import Check, cause, checks
from grading.stand_ins import LAUNCH
from minigrad.kernels import memory

UNIT = 1e-3  # seconds; every duration differs from every other by several percent


class Below(float):
    """Any time below this one."""


@checks(memory.bench)
class Bench(Check):
    def cases(self, random):
        for repeat in (5, 1, 4):
            yield "the time of the work", *self.drawn(random, 2, repeat)
        for warmup, repeat in [(3, 3), (4, 1), (2, 5)]:
            yield "the warm-up", *self.drawn(random, warmup, repeat)
        for repeat in (7, 20):
            yield "disturbed runs", *self.drawn(random, 3, repeat, disturbed=True)
        yield "no warm-up", *self.drawn(random, 0, 5)

    def drawn(self, random, warmup, repeat, disturbed=False):
        """Slow first runs, then all different ones; a fifth may be disturbed."""
        first = [UNIT * random.uniform(20, 40) for _ in range(warmup)]
        steps = random.sample(range(20), repeat)
        warm = [UNIT * (1 + 0.07 * step + 0.01 * random.random()) for step in steps]
        if disturbed:
            for i in random.sample(range(repeat), repeat // 5):
                warm[i] *= 30
        return {"fake gpu": [*first, *warm]}, warmup, repeat

    def expected(self, gpu, warmup, repeat):
        return statistics.median(self.timed(gpu, warmup, repeat))

    def timed(self, gpu, warmup, repeat):
        return gpu["fake gpu"][warmup : warmup + repeat]

    def same(self, got, expected, *args):
        """Launching and waiting cost a few microseconds, however one measures."""
        if type(got) is not float:
            return False
        if isinstance(expected, Below):
            return 0 <= got < expected
        return (
            expected - 2 * LAUNCH < got < expected + 0.01 * abs(expected) + 3 * LAUNCH
        )

    def lines(self, case):
        gpu, warmup, repeat = case.args
        runs = ", ".join(f"{1000 * t:.2f}" for t in gpu["fake gpu"][:8])
        more = ", ..." if len(gpu["fake gpu"]) > 8 else ""
        _, *rest = super().lines(case)
        return [
            ("case", f"bench(run, device, warmup={warmup}, repeat={repeat})"),
            ("the runs", f"take {runs}{more} milliseconds"),
            *rest,
        ]

    @cause(
        "only the launch was timed: run() returns at once. Wait with "
        "device.synchronize() before the clock is read at the end"
    )
    def no_synchronise(self, gpu, warmup, repeat):
        return Below(UNIT / 2)

    @cause("the time is below 0: it is the clock at the end minus that at the start")
    def backwards(self, gpu, warmup, repeat):
        return -self.expected(gpu, warmup, repeat)

    @cause("`warmup` and `repeat` are not used: 3 and 20 are written in their places")
    def fixed_counts(self, gpu, warmup, repeat):
        runs = gpu["fake gpu"]
        return statistics.median([*runs, *runs[-1:] * 23][3:23])

    @cause("the first `warmup` times are left out twice: they were not timed at all")
    def left_out_twice(self, gpu, warmup, repeat):
        return statistics.median(self.timed(gpu, warmup, repeat)[warmup:])

    @cause("the mean of the times: one disturbed run moves it. Take the median")
    def mean(self, gpu, warmup, repeat):
        return statistics.mean(self.timed(gpu, warmup, repeat))

    @cause("the smallest of the times: it says what happens at best. Take the median")
    def smallest(self, gpu, warmup, repeat):
        return min(self.timed(gpu, warmup, repeat))

    @cause("the warm-up runs are counted: they come first, and are not timed")
    def first_counted(self, gpu, warmup, repeat):
        return statistics.median(gpu["fake gpu"][: warmup + repeat])

    @cause(
        "there is no warm-up: call run() `warmup` times, without timing it, before the "
        "first that counts"
    )
    def no_warmup(self, gpu, warmup, repeat):
        return statistics.median(gpu["fake gpu"][:repeat])

    @cause(
        "the time of all runs together: time each run by itself, and take the median"
    )
    def total(self, gpu, warmup, repeat):
        return float(sum(self.timed(gpu, warmup, repeat)))

    @cause(
        "the warm-up was not done when the clock was first read, so its rest was timed "
        "too: call device.synchronize() before a timed run begins"
    )
    def not_waited(self, gpu, warmup, repeat):
        first, *rest = self.timed(gpu, warmup, repeat)
        return statistics.median([sum(gpu["fake gpu"][:warmup]) + first, *rest])

    @cause("that is in milliseconds: return seconds, as events give milliseconds")
    def milliseconds(self, gpu, warmup, repeat):
        return 1000 * self.expected(gpu, warmup, repeat)

    @cause("only one run was timed: time `repeat` of them, and take the median")
    def once(self, gpu, warmup, repeat):
        return self.timed(gpu, warmup, repeat)[0]

    @cause("the upper of the two middle values: of an even number, take their mean")
    def upper_median(self, gpu, warmup, repeat):
        return statistics.median_high(self.timed(gpu, warmup, repeat))

    @cause("the middle one in order of time, not of size: sort before you take it")
    def unsorted(self, gpu, warmup, repeat):
        return self.timed(gpu, warmup, repeat)[repeat // 2]
