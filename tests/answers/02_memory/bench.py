"""Answers of bench by other algorithms."""

from minigrad.kernels.memory import bench
from tools.audit.specimens import answer


@answer(bench, right="sorted, waited for once before all")
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
