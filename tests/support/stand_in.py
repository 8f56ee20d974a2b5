"""A class whose answers are words, and a judge that reads them: no answer is run.

`right`, `half`, `wrong`, `exit` and `gpu` are what it makes of an answer. So what is
tested is how a class is kept, with nbgrader's own steps, and not how answers run.
"""

import contextlib
import json
import re

from altered import EXERCISES, LAB, cell, empty

from grading.checking.verdict import NEEDS_GPU, Failure, Verdict, plural
from grading.classroom import judging
from minigrad.exercises.cells import answered_in

MOST = sum(exercise.points for exercise in EXERCISES.values())
SHARE = {"right": 1, "half": 0.5}
STATE = {"right": "right", "half": "partly right", "gpu": NEEDS_GPU, "exit": "crashed"}
CAUSE = """\
  cause     no thread is kept from
            the end of the array
  only      n"""


def lab(words=None, **named):
    """The empty lab with these answers: of all exercises, and of some by name."""
    nb = empty()
    for name in EXERCISES:
        word = named.get(name, words)
        if word:
            cell(nb, name)["source"] += f"\n# says {word}"
    return nb


def hand_in(root, student, nb):
    path = root / "submitted" / student / LAB / f"{LAB}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(nb))
    return path


def run(lab, cells, names=None, files=(), unsafe=False):
    """In place of judging.run."""
    texts = {answered_in(text): text for _, text in cells}
    exercises = [h for h in EXERCISES.values() if names is None or h.name in names]
    return [
        verdict(exercise, word_of(texts.get(exercise.name, "")))
        for exercise in exercises
    ], []


def word_of(text):
    match = re.search(r"# says (\w+)", text)
    return match[1] if match else ""


def verdict(exercise, word):
    points = round(exercise.points * SHARE.get(word, 0), 2)
    state = STATE.get(word, "wrong" if word else "not answered")
    failures = [Failure("no_guard", CAUSE)] if state == "wrong" else []
    said = f"{exercise.name}: {points:g} of {plural(exercise.points)} · {state}"
    return Verdict(exercise.name, points, exercise.points, state, said, failures)


@contextlib.contextmanager
def judging_words():
    """Let the judge read words. As in `grade`, the grader is found in order."""
    before = judging.run, judging.examine, judging.in_order
    judging.run, judging.examine = run, lambda lab, unsafe=False: None
    judging.in_order = judging.examine
    try:
        yield
    finally:
        judging.run, judging.examine, judging.in_order = before
