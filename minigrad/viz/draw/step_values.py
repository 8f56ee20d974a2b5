"""The statements of a block as plain values, for a browser."""

import numpy as np

from cudasim import spread

from .kernel_launch import place
from .text import count

MOST_NUMBERS = 200_000  # sent to the browser
MOST_WRITTEN = 1024  # elements of an array that is shown as the block leaves it


def payload(run, recording, before):
    """The trace as plain values; each array that occurs is there once.

    before: the arguments' arrays by name, as they were. after: those that have changed,
    with what they held and what they hold when the block is done.
    """
    pool, steps, shapes = Pool(), [], {}
    for one in recording.steps:
        values = {k: pool.add(v) for k, v in named(one.values)}
        shared = {k: pool.add(v, fresh=True) for k, v in one.shared.items()}
        shapes |= {k: v.shape for k, v in one.shared.items()}
        active = pool.text("".join("01"[on] for on in one.active.tolist()))
        steps.append({"line": one.line, "active": active, "values": values,
                      "shared": shared})  # fmt: skip
        if pool.size > MOST_NUMBERS:
            break
    after = {
        name: [pool.add(before[name]), pool.add(array), array.shape or (1,)]
        for name, array in run.arrays.items()
        if array.size <= MOST_WRITTEN and is_new(array, before[name]).any()
    }
    cut = recording.cut or len(steps) < len(recording.steps)
    note = f" Only the first {count(len(steps), 'statement')} are here." if cut else ""
    return {
        "title": title(run, recording),
        "source": "\n".join(run.lines).rstrip().split("\n"),
        "steps": steps,
        "pool": pool.values,
        "names": [place(spread(n, run.block), run.block)
                  for n in range(len(recording.steps[0].active))],
        "shapes": shapes,
        "after": after,
        "note": " ".join([note, *run.notes()]),
    }  # fmt: skip


def is_new(array, before):
    """Which elements of an array have other bits than before, as a flat array."""
    pair = (np.ascontiguousarray(a).reshape(-1, 1) for a in (array, before))
    now, then = (a.view(np.uint8) for a in pair)
    return (now != then).any(axis=1)


def title(run, recording):
    return f"{run.heading}   block {place(recording.only, run.grid)}"


def named(values):
    """(name, array, or text) of variables; a local array gives one for each element."""
    for name, value in values.items():
        if isinstance(value, list):
            for number, one in enumerate(value[:16]):
                yield f"{name}[{number}]", one
        else:
            yield name, value


class Pool:
    """Values that are sent once, however often they occur."""

    def __init__(self):
        self.values, self.places, self.size = [], {}, 0

    def add(self, value, fresh=False):
        """The place of an array, of a struct (a tuple of arrays), or of a text.

        fresh: memory that a float of all bits set shows to be unwritten, as no
        arithmetic gives it.
        """
        if isinstance(value, tuple):
            parts = [np.atleast_1d(v).tolist() for v in value]
            texts = [f"({', '.join(map(str, map(plain, p)))})" for p in zip(*parts)]  # noqa: B905
            return self.text("\n".join(texts), texts)
        if not isinstance(value, np.ndarray):
            return self.text(str(value))
        key = value.dtype.str, value.shape, fresh, value.tobytes()
        if key not in self.places:
            values = [plain(v) for v in value.reshape(-1).tolist()]
            if fresh:
                hidden = unset(value.reshape(-1))
                values = ["?" if u else v for u, v in zip(hidden, values, strict=True)]
            self.keep(key, values)
        return self.places[key]

    def text(self, text, values=None):
        if text not in self.places:
            self.keep(text, text if values is None else values)
        return self.places[text]

    def keep(self, key, values):
        if isinstance(values, list) and len(set(map(repr, values))) == 1:
            values = values[0]
        self.size += len(values) if isinstance(values, list | str) else 1
        self.places[key] = len(self.values)
        self.values.append(values)


def unset(values):
    """Which floats nobody has written: all their bits are set."""
    if values.dtype.kind != "f":
        return np.zeros(values.shape, bool)
    bits = values.view(f"u{values.itemsize}")
    return bits == np.iinfo(bits.dtype).max


def plain(value):
    """A number as JSON and JavaScript can hold it, else as text."""
    if isinstance(value, float):
        short = float(f"{value:.5g}")
        return int(short) if short.is_integer() and abs(short) < 1e6 else (
            short if np.isfinite(short) else str(short)
        )  # fmt: skip
    exact = isinstance(value, int) and abs(value) < 2**53
    return value if exact and not isinstance(value, bool) else str(value).lower()
