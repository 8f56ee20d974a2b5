"""What a lab calls: `check` an answer, show its check, or show the solution."""

import ast
import gc
import re
import sys
import textwrap

from minigrad import course, suggest
from minigrad.cli import progress
from minigrad.exercises.cells import answered_in, cells_of, python
from minigrad.exercises.errors import Stopped
from minigrad.exercises.registry import following

from .check import find_check, judge
from .runner import LocalSubject

MARKS = {"right": "✓", "partly right": "◐", "wrong": "✗", "crashed": "✗",
         "timed out": "✗"}  # fmt: skip
SOLUTION_MARK = re.compile(r"^ *(###|//) (BEGIN|END) SOLUTION\n?", re.M)


def check(exercise, seed=None):
    """Check an answer against PyTorch: print what came out, return the verdict.

    exercise: itself, as in `check(contiguous_strides)`. seed: repeats random cases.
    """
    gc.freeze()  # collections pass over what there is, such as all of PyTorch
    try:
        verdict = judge(exercise, LocalSubject(), seed)
    except KeyboardInterrupt as stop:
        trace = stop.__traceback__
        raise Stopped("you stopped this check").with_traceback(trace) from None
    finally:
        gc.unfreeze()
    ipython = sys.modules.get("IPython")
    shell = ipython and ipython.get_ipython()
    if why := refused(exercise, shell) if shell else exercise.refused:
        print(f"Your last run of the cell with {exercise.solved_by()} failed: {why}")
        if exercise.answer:
            print("What is checked here is the answer that you ran before.")
            verdict.summary += "; but that is not your newest text, which was refused"
    print(MARKS.get(verdict.state, "·"), verdict)
    if verdict.state == "right":
        after = following(exercise)
        said = after and f"Next: exercise {after.number}, {after.name} ({after.level})."
        print(f"  {said or 'This was the last exercise of the lab.'}")
    progress.record(verdict.name, vars(verdict))
    return verdict


def show_solution(exercise):
    """Print the reference solution of an exercise."""
    path = course.solution(exercise.chapter)
    if not path.exists():
        print(f"This copy of the course has no {path.parent.name}/{path.name}.")
        return
    cells = cells_of(path)
    text = next(c.text for c in cells if answered_in(python(c.text)) == exercise.name)
    print(SOLUTION_MARK.sub("", text).strip())


def show_check(exercise):
    """Show how an exercise is checked: its check's source, and what it can name."""
    check = find_check(exercise)
    source = check.source() + "\n\n# Mistakes that it names:\n"
    for one in check.causes():
        text = textwrap.fill(f"{one.name}: {one.message}", 86)
        source += textwrap.indent(text, "# ") + "\n"
    try:
        from IPython.display import Code, display

        display(Code(source, language="python"))
    except ImportError:
        print(source)


def refused(exercise, shell):
    """Why the newest text of an answer was not taken; "" where it was."""
    newest, after = _newest(exercise, shell)
    try:
        ast.parse(python(newest))
    except SyntaxError as error:
        return f"line {error.lineno}: {suggest.syntax(error)}"
    return exercise.refused or ("it ended with an error" if after else "")


def _newest(exercise, shell):
    """(text, did it run after the answer?) of the last cell that answers `exercise`."""
    ran = [text.strip() for text in shell.history_manager.input_hist_raw]
    given = exercise.answer and exercise.answer.source.text.strip()
    after = given in ran  # else it comes from a file
    ran = ran[len(ran) - ran[::-1].index(given) :] if after else ran
    texts = [text for text in ran if answered_in(text) == exercise.name]
    return (texts[-1], after) if texts else ("", False)
