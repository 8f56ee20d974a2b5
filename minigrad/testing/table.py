"""bench_table: several ways to do one thing, on several shapes, side by side."""

import dataclasses

from .progress import slowly
from .timing import Timing, bench

ROUNDS = 5


@dataclasses.dataclass(frozen=True)
class Table:
    """timings: {shape: {name: Timing}}; ratios are against the first name."""

    timings: dict

    def ratio(self, shape, name):
        """How many times as long as the first one `name` takes."""
        row = self.timings[shape]
        return row[name].median / next(iter(row.values())).median

    def rows(self):
        """The cells of the table as texts, its head first."""
        names = list(next(iter(self.timings.values())))
        yield ["shape", *names]
        for shape, row in self.timings.items():
            times = {name: str(row[name]).partition(" (")[0] for name in names}
            ratios = {n: f", {times_as_long(self.ratio(shape, n))}" for n in names[1:]}
            yield [str(shape), *(times[n] + ratios.get(n, "") for n in names)]

    def __str__(self):
        rows = list(self.rows())
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, r, widths)).rstrip() for r in rows)

    def _repr_html_(self):
        head, *rows = ("".join(f"<td>{cell}</td>" for cell in r) for r in self.rows())
        rows = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><tr>{head.replace('td>', 'th>')}</tr>{rows}</table>"


def times_as_long(ratio):
    """A ratio in words of two or three digits: 0.97 x, 12 x, 3100 x."""
    return f"{ratio:.2f} x" if ratio < 10 else f"{float(f'{ratio:.2g}'):.0f} x"


def bench_table(functions, shapes, make, rounds=ROUNDS, repeat=30, **how):
    """The Table of {name: function} on make(shape) for each shape.

    make: the arguments (a tuple) for a shape; one shape tells little, since a function
    that wins on small data often loses on large. repeat: samples of each in all; they
    are taken in turns, in `rounds`, so that a computer that slows down meanwhile slows
    all of them. how: as for `bench`.
    """
    timings = {}
    for shape in slowly(shapes, "bench_table"):
        args, samples = make(shape), dict.fromkeys(functions, ())
        for _ in range(rounds):
            for name, function in functions.items():
                timed = bench(function, *args, repeat=max(1, repeat // rounds), **how)
                samples[name] += timed.samples
        timings[shape] = {name: Timing(s) for name, s in samples.items()}
    return Table(timings)
