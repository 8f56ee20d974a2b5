"""How long an exercise took, as far as a notebook says when its cells last ran.

Colab writes it, and JupyterLab where "Record Cell Timing" is on. Each cell knows its
last run alone, so this is less than the true time.
"""

import collections

PAUSE = 30 * 60  # a longer gap between two runs is a break


def minutes(cells):
    """{exercise: minutes} of the Cells of a notebook; {} where they have no times."""
    exercise, ran = None, []
    for cell in cells:
        exercise = next(iter(cell.answers), None) or cell.check or exercise
        if cell.ran is not None and exercise:
            ran.append((cell.ran, exercise))
    spent = collections.Counter()
    ran.sort()
    for (before, _), (now, exercise) in zip(ran, ran[1:], strict=False):
        if now - before <= PAUSE:
            spent[exercise] += (now - before) / 60
    return dict(spent)
