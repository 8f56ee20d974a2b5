"""What came of the machine-made wrong answers, as a table, and as docs/mutants.md."""

import collections

from minigrad import course
from minigrad.exercises.registry import find

from .audit import EQUIVALENT, REJECTED, STALE, SURVIVED

COLUMNS = "exercise", "mutants", "killed", "equivalent", "survivors"
PAGE = course.home() / "docs" / "mutants.md"
HEAD = """# Wrong answers that no one chose

`python -m grading mutate` changes the course's solutions by machine: numbers off by
one, operands and comparisons swapped, terms, guards, barriers, branches and statements
dropped, other types, loops that end too early, results rounded, inputs changed, state
kept between calls. A change is killed if the check rejects it. It is equivalent if no
input that the exercise allows shows it, or none that a check has time for: the reasons
stand below. `python -m grading mutate --write` wrote this page.
"""


def table(found):
    """[(exercise, mutants, killed, equivalent, survivors)], and the sums."""
    rows = collections.defaultdict(collections.Counter)
    for one in found:
        rows[f"{find(one.hole).number} {one.hole}"][one.state] += 1
    rows["all"] = collections.Counter(one.state for one in found)
    return [
        (name, row.total(), row[REJECTED] + row[STALE], row[EQUIVALENT], row[SURVIVED])
        for name, row in rows.items()
    ]


def share(found):
    """Of what is not equivalent, how much is killed."""
    killed, survived = (
        sum(one.state == state for one in found) for state in (REJECTED, SURVIVED)
    )
    return killed / max(killed + survived, 1)


def page(found):
    """docs/mutants.md"""
    rows = [COLUMNS, ("---", *["--:"] * 4), *table(found)]
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    reasons = collections.defaultdict(collections.Counter)
    for one in found:
        if one.state == EQUIVALENT:
            reasons[one.reason][one.hole] += 1
    why = [
        f"- {reason}: " + ", ".join(f"{name} {n}" for name, n in holes.items())
        for reason, holes in sorted(reasons.items())
    ]
    killed = f"**{share(found):.2%} of what is not equivalent is killed.**"
    parts = HEAD, killed, "", *lines, "", "## Why they are equivalent", "", *why
    return "\n".join(parts) + "\n"
