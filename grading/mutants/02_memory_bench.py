"""Chapter 02, the timer: wrong ones that learners write, and right ones."""

import statistics
import time

import numpy as np

from grading.specimens import mutant, right
from minigrad.kernels.memory import bench


def timed(run, device):
    """One run, timed as it should be."""
    device.synchronize()
    start = device.clock()
    run()
    device.synchronize()
    return device.clock() - start


@mutant(bench, "no_synchronise")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    device.synchronize()
    times = []
    for _ in range(repeat):
        start = device.clock()
        run()
        times.append(device.clock() - start)
    return statistics.median(times)


@mutant(bench, "no_synchronise", "synchronises after the clock")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeat):
        device.synchronize()
        start = device.clock()
        run()
        times.append(device.clock() - start)
        device.synchronize()
    return statistics.median(times)


@mutant(bench, "no_synchronise", "the host's own clock")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeat):
        device.synchronize()
        start = time.perf_counter()
        run()
        device.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


@mutant(bench, "backwards")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    return statistics.median(-timed(run, device) for _ in range(repeat))


@mutant(bench, "fixed_counts")
def _(run, device, warmup=3, repeat=20):
    for _ in range(3):
        run()
    return statistics.median(timed(run, device) for _ in range(20))


@mutant(bench, "left_out_twice")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = [timed(run, device) for _ in range(repeat)]
    return statistics.median(times[warmup:] or times)


@mutant(bench, "no_synchronise", "without brackets")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeat):
        start = device.clock()
        run()
        _ = device.synchronize  # not called
        times.append(device.clock() - start)
    return statistics.median(times)


@mutant(bench, "mean")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    return statistics.mean([timed(run, device) for _ in range(repeat)])


@mutant(bench, "mean", "all runs divided by their number")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    device.synchronize()
    start = device.clock()
    for _ in range(repeat):
        run()
    device.synchronize()
    return (device.clock() - start) / repeat


@mutant(bench, "smallest")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    return min(timed(run, device) for _ in range(repeat))


@mutant(bench, "first_counted")
def _(run, device, warmup=3, repeat=20):
    return statistics.median(timed(run, device) for _ in range(warmup + repeat))


@mutant(bench, "no_warmup")
def _(run, device, warmup=3, repeat=20):
    return statistics.median(timed(run, device) for _ in range(repeat))


@mutant(bench, "total")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    return sum(timed(run, device) for _ in range(repeat))


@mutant(bench, "not_waited")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeat):
        start = device.clock()
        run()
        device.synchronize()
        times.append(device.clock() - start)
    return statistics.median(times)


@mutant(bench, "milliseconds")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeat):
        start, stop = device.event(), device.event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop))
    return statistics.median(times)


@mutant(bench, "once")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    return timed(run, device)


@mutant(bench, "upper_median")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    return sorted(timed(run, device) for _ in range(repeat))[repeat // 2]


@mutant(bench, "unsorted")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    return [timed(run, device) for _ in range(repeat)][repeat // 2]


@mutant(bench, "raised", "reads an event too early")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeat):
        start, stop = device.event(), device.event()
        start.record()
        run()
        stop.record()
        times.append(start.elapsed_time(stop) / 1000)
    return statistics.median(times)


@mutant(bench, "none", "prints")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    print(statistics.median(timed(run, device) for _ in range(repeat)))


@right(bench, "by events")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeat):
        start, stop = device.event(), device.event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) / 1000)
    return statistics.median(times)


@right(bench, "events that are all read at the end")
def _(run, device, warmup=3, repeat=20):
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


@right(bench, "sorted by hand")
def _(run, device, warmup=3, repeat=20):
    for _ in range(warmup):
        run()
        device.synchronize()
    times = sorted(timed(run, device) for _ in range(repeat))
    middle = repeat // 2
    return times[middle] if repeat % 2 else (times[middle - 1] + times[middle]) / 2


@right(bench, "warm-up in the same loop, NumPy")
def _(run, device, warmup=3, repeat=20):
    times = [timed(run, device) for _ in range(warmup + repeat)]
    return np.median(times[warmup:])
