"""minigrad.testing.bench: what it times, what it leaves out, how it says it."""

import sys
import time

import fake_cupy
import numpy as np
import pytest

from minigrad.testing import Timing, bench, bench_table, progress, table, timing


class Clock:
    """A clock that moves only when set. A GPU beside it has a time of its own."""

    def __init__(self):
        self.now = self.gpu = 0.0

    def __call__(self):
        return self.now

    def work(self, *seconds):
        """A function that takes these times, one call after the other."""
        times = iter(seconds)

        def worker():
            worker.calls += 1
            self.now += next(times) if len(seconds) > 1 else seconds[0]

        worker.calls = 0
        return worker

    def launch(self, seconds):
        """A kernel: the host goes on at once, the GPU works."""

        def kernel(*_):
            self.now += 1e-6
            self.gpu = max(self.gpu, self.now) + seconds

        return kernel


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(timing, "perf_counter", clock)
    return clock


@pytest.fixture
def gpu(clock, monkeypatch):
    """A GPU whose events are stamped when its work before them is done."""
    cupy = fake_cupy.install(monkeypatch)

    class Event:
        def record(self):
            self.at = clock.gpu = max(clock.gpu, clock.now)

        def synchronize(self):
            clock.now = max(clock.now, self.at)

    cupy.cuda.Event = Event
    cupy.cuda.get_elapsed_time = lambda start, end: (end.at - start.at) * 1e3
    return cupy


# Timing


def test_a_timing_says_median_best_and_spread():
    t = Timing((4.0, 1.0, 2.0, 3.0, 100.0))
    assert (t.median, t.best, t.spread) == (3.0, 1.0, 1.0)
    assert Timing((2.0,)).spread == 0


@pytest.mark.parametrize(
    "seconds, text",
    [
        (12.34e-6, "12.3 us ± 0 (median of 2)"),
        (2.5, "2.5 s ± 0 (median of 2)"),
        (0.0301, "30.1 ms ± 0 (median of 2)"),
        (5e-9, "5 ns ± 0 (median of 2)"),
        (5e-11, "0.05 ns ± 0 (median of 2)"),
    ],
)
def test_a_timing_reads_well(seconds, text):
    assert str(Timing((seconds, seconds))) == text


def test_the_spread_has_the_unit_of_the_median():
    assert str(Timing((1e-6, 2e-6, 3e-6, 4e-6, 5e-6))) == "3 us ± 1 (median of 5)"


def test_rates_come_from_the_median():
    t = Timing((1e-3, 2e-3, 9e-3))
    assert t.bandwidth(4e6) == pytest.approx(2)
    assert t.flops(2e9) == pytest.approx(1000)


# On the host


def test_a_function_of_known_duration(clock):
    t = bench(clock.work(0.25), device="cpu", repeat=7)
    assert (t.median, t.best, t.spread) == (0.25, 0.25, 0)
    assert (len(t.samples), t.runs) == (7, 1)


def test_real_time_is_measured():
    t = bench(time.sleep, 0.005, warmup=1, repeat=5)
    assert 0.005 <= t.best <= t.median < 0.05


def test_the_first_calls_are_not_counted(clock):
    slow_at_first = clock.work(9, 9, *[0.1] * 20)
    assert bench(slow_at_first, warmup=2, repeat=5, device="cpu").samples == (
        pytest.approx((0.1,) * 5)
    )


def test_the_median_withstands_an_interruption(clock):
    work = clock.work(1, 1, 1, 50, 1, 1, 1)
    t = bench(work, warmup=1, repeat=5, device="cpu")
    assert t.median == pytest.approx(1)
    assert max(t.samples) == pytest.approx(50)


def test_a_short_function_runs_many_times_in_a_sample(clock):
    work = clock.work(1e-6)
    t = bench(work, warmup=1, repeat=4, device="cpu")
    assert t.median == pytest.approx(1e-6)
    assert t.runs * 1e-6 >= timing.SAMPLE > t.runs * 1e-6 / 2
    assert work.calls == 1 + (2 * t.runs - 1) + 4 * t.runs


def test_setup_runs_before_every_call_and_is_not_timed(clock):
    log, setup = [], clock.work(5)

    def prepare():
        log.append("setup")
        setup()

    def function(x):
        log.append("call")
        clock.now += 1e-6

    t = bench(function, 3, setup=prepare, warmup=2, repeat=3, device="cpu")
    assert log == ["setup", "call"] * 5
    assert t.median == pytest.approx(1e-6)
    assert t.runs == 1


def test_arguments_reach_the_function():
    seen = []
    bench(lambda *args: seen.append(args), 1, "x", warmup=1, repeat=1)
    assert set(seen) == {(1, "x")}


def test_flush_needs_a_gpu():
    with pytest.raises(ValueError, match="L2 cache: it needs device="):
        bench(len, "", flush=True, device="cpu")


def test_cuda_needs_a_gpu(monkeypatch):
    fake_cupy.install(monkeypatch, available=False)
    with pytest.raises(RuntimeError, match="needs an NVIDIA GPU and CuPy"):
        bench(len, "", device="cuda")


# On a GPU


def test_a_kernel_is_timed_where_it_runs(gpu, clock):
    x = fake_cupy.ndarray(np.zeros(3))
    t = bench(clock.launch(0.5), x, repeat=3)
    assert t.median == pytest.approx(0.5, rel=1e-3)
    wrong = bench(clock.launch(0.5), x, repeat=3, device="cpu")
    assert wrong.median < 1e-5  # the launch alone: why events are needed


def test_auto_looks_at_the_arguments(gpu, clock):
    kernel = clock.launch(0.5)
    assert bench(kernel, repeat=1).median > 0.4
    assert bench(kernel, fake_cupy.ndarray(np.zeros(3)), repeat=1).median > 0.4
    assert bench(kernel, np.zeros(3), repeat=1).median < 0.1


def test_flush_writes_more_than_the_cache_before_each_call(gpu, clock, monkeypatch):
    filled = []
    fill = fake_cupy.ndarray.fill
    monkeypatch.setattr(
        fake_cupy.ndarray, "fill", lambda a, v: (filled.append(a.nbytes), fill(a, v))
    )
    t = bench(clock.launch(1e-6), flush=True, warmup=2, repeat=4)
    assert filled == [2000] * 6
    assert t.runs == 1


# Tables


def test_a_table_compares_with_the_first(clock):
    functions = {
        "one": lambda n: clock.work(1e-3 * n)(),
        "two": lambda n: clock.work(3e-3 * n)(),
    }
    t = bench_table(functions, [1, 10], lambda n: (n,), device="cpu")
    assert t.ratio(10, "two") == pytest.approx(3)
    assert {len(x.samples) for row in t.timings.values() for x in row.values()} == {30}
    shape, one, two = zip(*t.rows(), strict=True)
    assert shape == ("shape", "1", "10")
    assert [cell.partition(", ")[2] for cell in two[1:]] == ["3.00 x", "3.00 x"]
    assert str(t).splitlines()[0].split() == ["shape", "one", "two"]
    assert t._repr_html_().count("<tr>") == 3


def test_contestants_take_turns(clock):
    log = []
    functions = {k: lambda k=k: (log.append(k), clock.work(1)()) for k in "ab"}
    bench_table(
        functions, ["-"], lambda _: (), rounds=3, repeat=3, warmup=1, device="cpu"
    )
    turns = [k for i, k in enumerate(log) if log[i - 1 : i] != [k]]
    assert turns == ["a", "b"] * 3


@pytest.mark.parametrize(
    "ratio, text", [(0.9666, "0.97 x"), (12.4, "12 x"), (3149, "3100 x")]
)
def test_ratios_have_no_more_digits_than_they_deserve(ratio, text):
    assert table.times_as_long(ratio) == text


# Progress


@pytest.fixture
def bars(monkeypatch):
    """The bars that were shown, and how far each came; each step takes a second."""
    seconds, bars = iter(range(100)), []

    class Bar:
        task_ids = [0]

        def __init__(self, what, total):
            self.what, self.total, self.seen, self.stopped = what, total, [], False
            bars.append(self)

        def update(self, _, completed, refresh):
            self.seen.append(completed)

        def stop(self):
            self.stopped = True

    monkeypatch.setattr(progress, "perf_counter", lambda: next(seconds))
    monkeypatch.setattr(progress, "started", Bar)
    return bars


def test_what_takes_long_has_a_bar(bars):
    assert list(progress.slowly(range(6), "work")) == list(range(6))
    (bar,) = bars
    assert (bar.what, bar.total, bar.seen, bar.stopped) == ("work", 6, [2, 3, 4, 5], 1)


def test_what_is_quick_has_none(bars):
    assert list(progress.slowly("ab", "work")) == ["a", "b"]
    assert bars == []


def test_without_rich_it_goes_on_without_a_bar(monkeypatch):
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(progress, "PATIENCE", -1)
    assert list(progress.slowly("abc", "work")) == ["a", "b", "c"]


def test_the_real_bar_starts_and_stops(monkeypatch, capsys):
    pytest.importorskip("rich", reason="not run: the progress bar (no rich)")
    monkeypatch.setattr(progress, "PATIENCE", -1)
    assert list(progress.slowly("abc", "work")) == ["a", "b", "c"]
    assert capsys.readouterr().out == ""
