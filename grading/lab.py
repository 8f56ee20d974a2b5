"""What a lab calls: `check` an answer, and show its check."""

import inspect
import sys
import textwrap

from minigrad.cli import progress
from minigrad.exercises.cells import answered_in
from minigrad.exercises.errors import Stopped

from .checking import find_check, judge
from .subject import LocalSubject


def check(hole, seed=None):
    """Check an answer against PyTorch: print what came out, return the verdict.

    hole: the exercise itself, `check(contiguous_strides)`. seed: repeats random cases.
    """
    try:
        verdict = judge(hole, LocalSubject(), seed)
    except KeyboardInterrupt as stop:
        trace = stop.__traceback__
        raise Stopped("you stopped this check").with_traceback(trace) from None
    if outdated(hole):
        print(f"Your last run of the cell with {hole.solved_by()} failed.")
        print("What is checked here is the answer that you ran before.")
    print(verdict)
    progress.record(verdict.name, verdict.to_dict())
    return verdict


def show_check(hole):
    """Show how an exercise is checked: its check's source, and what it can name."""
    check = find_check(hole)
    source = inspect.getsource(type(check)) + "\n\n# Mistakes that it names:\n"
    for name, text, _ in check.causes():
        source += textwrap.indent(textwrap.fill(f"{name}: {text}", 86), "# ") + "\n"
    try:
        from IPython.display import Code, display

        display(Code(source, language="python"))
    except ImportError:
        print(source)


def outdated(hole):
    """Did a cell that should answer `hole` fail after the one whose answer is used?"""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or hole.answer is None:
        return False
    given = hole.answer.source.text.strip()
    ran = [text.strip() for text in shell.history_manager.input_hist_raw]
    if given not in ran:
        return False  # it comes from a file
    later = ran[len(ran) - ran[::-1].index(given) :]
    return any(answered_in(text) == hole.name for text in later)
