"""The learner's own record: which exercises were checked, and with what result.

It lies in work/progress.json, beside what the learner writes: {"permute":
{"points": 2, "max_points": 2, "state": "right", "time": "2026-11-21T08:00:00"}}
"""

import contextlib
import json
import os
import warnings
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from minigrad import course
from minigrad.exercises.registry import exercises

KEPT = ("points", "max_points", "state")
LEFT_OUT = "needs a GPU", "needs a C++ compiler"  # states that do not count


def record(name, verdict):
    """Keep the latest verdict, a dict, on the exercise `name`.

    Only a check in a notebook of work/ is progress: not a test's, not a grader's. A
    record that cannot be written must not spoil a check: it is a warning.
    """
    if not Path.cwd().is_relative_to(path().parent):
        return
    try:
        with _locked():
            done = read_progress()
            done[name] = {key: verdict[key] for key in KEPT if key in verdict}
            done[name]["time"] = datetime.now().isoformat(timespec="seconds")
            replace(path(), json.dumps(done, indent=1) + "\n")
    except OSError as error:
        warnings.warn(f"your progress could not be written: {error}", stacklevel=2)


def read_progress():
    """{exercise: last verdict}; a file that cannot be read is kept aside as .bak."""
    try:
        done = json.loads(path().read_text(encoding="utf-8"))
        if not isinstance(done, dict):
            raise ValueError(f"expected a table, found {type(done).__name__}")
        return {name: v for name, v in done.items() if isinstance(v, dict)}
    except FileNotFoundError:
        return {}
    except ValueError as error:
        aside = free_name(path().with_suffix(".json.bak"))
        path().rename(aside)
        print(f"work/progress.json could not be read ({error}): kept as {aside.name}")
        return {}


class Tally(NamedTuple):
    """A chapter in numbers. Exercises that need a GPU, where none was, do not count."""

    earned: float
    points: float
    solved: int
    count: int
    need_gpu: int


def tally(chapter, done):
    """The Tally of a chapter."""
    entries = [entry for entry in exercises() if entry.chapter == chapter.name]
    verdicts = [(entry, done.get(entry.name, {})) for entry in entries]
    counted = [(e, v) for e, v in verdicts if v.get("state") not in LEFT_OUT]
    return Tally(
        sum(v.get("points", 0) for _, v in counted),
        sum(entry.points for entry, _ in counted),
        sum(v.get("state") == "right" for _, v in counted),
        len(counted),
        len(entries) - len(counted),
    )


def path():
    return course.home() / "work" / "progress.json"


def replace(target, text):
    """Write a file so that it is there whole, old or new, whatever happens."""
    part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    part.write_text(text, encoding="utf-8")
    os.replace(part, target)


def free_name(wanted):
    """`wanted`, or, where it is taken, the same with -2, -3 ... before its suffix."""
    candidate, n = wanted, 1
    while candidate.exists():
        n += 1
        candidate = wanted.with_name(f"{wanted.stem}-{n}{wanted.suffix}")
    return candidate


@contextlib.contextmanager
def _locked():
    """One writer at a time: two notebooks may check at the same moment."""
    try:
        import fcntl
    except ImportError:  # Windows: an update may get lost, a check mends it
        yield
        return
    with open(path().with_name(".progress.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
