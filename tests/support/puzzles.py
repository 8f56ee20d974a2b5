"""Puzzles of lessons: a line that the learner replaces, and the answer below it."""

import re

YOURS = re.compile(r"\S.*(//|  #) your line")


def solver(cells, at):
    """Return what solves the puzzle that cells[at] tries, or None if it tries none.

    It's a function that replaces the marked line of a text by the folded answer. The
    puzzle is the cell before, and the answer is in the cell after.
    """
    if cells[at].cell_type != "code" or "solved:" not in cells[at].source:
        return None
    assert YOURS.search(cells[at - 1].source), cells[at].source
    answer = re.search(r"```\w+\n(.*?)\n```", cells[at + 1].source, re.S)[1]
    return lambda text: YOURS.sub(lambda _: answer, text)
