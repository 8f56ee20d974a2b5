"""What came of the machine-made wrong answers, as a table, and as docs/mutants.md."""

import collections

from minigrad import course
from tools.audit import pages
from tools.audit.mutants import EQUIVALENT, REJECTED, STALE, SURVIVED

COLUMNS = "exercise", "mutants", "killed", "equivalent", "survivors"
PAGE = course.home() / "docs" / "mutants.md"
WHY = "## Why they are equivalent"
HEAD = """# Wrong answers that no one chose

`python -m tools.audit mutants` changes the reference solutions by machine. For example,
it makes numbers off by one, swaps operands and comparisons, drops terms, guards,
barriers, branches, and statements, uses other types, ends loops too early, rounds
results, changes inputs, and keeps state between calls. A change is killed if the check
rejects it. It's equivalent if no input that the exercise allows reveals it, or none
that a check has time for. The reasons are below the table.

`python -m tools.audit mutants --write` wrote this page. If you name exercises or
chapters before `--write`, it renews only their rows.
"""


def table(outcomes, before=""):
    """Rows of COLUMNS, the sums first; before: the page, whose other rows are kept."""

    def numbers(of):
        states = collections.Counter(one.state for one in of)
        killed = states[REJECTED] + states[STALE]
        return len(of), killed, states[EQUIVALENT], states[SURVIVED]

    return pages.table(outcomes, numbers, before)


def share(rows):
    """Of what is not equivalent, how much is killed."""
    _, _, killed, _, survivors = rows[0]
    return killed / max(killed + survivors, 1)


def page(outcomes, before=""):
    """docs/mutants.md, where the rows of other exercises stay as they were before."""
    rows = table(outcomes, before)
    killed = f"**{share(rows):.2%} of the changes that aren't equivalent are killed.**"
    parts = HEAD, killed, "", *pages.lines(COLUMNS, rows)
    return "\n".join([*parts, "", WHY, "", *_reasons(outcomes, before)]) + "\n"


def _reasons(outcomes, before):
    reasons = collections.defaultdict(collections.Counter)
    anew = {one.exercise for one in outcomes}
    for line in before.partition(f"{WHY}\n\n")[2].splitlines():
        reason, _, exercises = line.removeprefix("- ").rpartition(": ")
        for name, n in (exercise.split() for exercise in exercises.split(", ")):
            if name not in anew:
                reasons[reason][name] = int(n)
    for one in outcomes:
        if one.state == EQUIVALENT:
            reasons[one.reason][one.exercise] += 1
    for reason, exercises in sorted(reasons.items()):
        counts = [
            f"{name} {exercises[name]}" for name in pages.order() if exercises[name]
        ]
        if counts:
            yield f"- {reason}: {', '.join(counts)}"
