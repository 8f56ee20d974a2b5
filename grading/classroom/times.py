"""How long an exercise took, as far as a notebook says when its cells last ran.

Colab writes it, and JupyterLab where "Record Cell Timing" is on. Each cell knows its
last run alone, so this is less than the true time.
"""

import collections
from datetime import datetime

from minigrad.exercises.cells import answered_in

from .repair import CHECK, source_of

PAUSE = 30 * 60  # a longer gap between two runs is a break


def minutes(nb):
    """{exercise: minutes} of a notebook as a dict; {} where it has no times."""
    exercise, ran = None, []
    for cell in nb.get("cells", []):
        text = source_of(cell)
        check = CHECK.search(text)
        exercise = answered_in(text) or (check and check[1]) or exercise
        when = _last_run(cell)
        if when is not None and exercise:
            ran.append((when, exercise))
    spent = collections.Counter()
    ran.sort()
    for (before, _), (now, exercise) in zip(ran, ran[1:], strict=False):
        if now - before <= PAUSE:
            spent[exercise] += (now - before) / 60
    return dict(spent)


def _last_run(cell):
    """When a cell last ran, in seconds; None where nothing says so."""
    marks = cell.get("metadata") if isinstance(cell, dict) else None
    try:
        if "executionInfo" in marks:
            return float(marks["executionInfo"]["timestamp"]) / 1000
        reply = marks["execution"]["shell.execute_reply"]
        return datetime.fromisoformat(reply).timestamp()
    except (LookupError, TypeError, ValueError):
        return None
