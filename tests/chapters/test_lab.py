"""What beginners do in a notebook, and what they read there."""

import subprocess
import sys

import pytest
from real_kernel import a_kernel, output_of  # noqa: F401

pytestmark = pytest.mark.slow

SETUP = "from grading import check\nfrom minigrad import layout, solves"
HEAD = "@solves(layout.contiguous_strides)\ndef contiguous_strides(shape):\n"
RIGHT = f"""{HEAD}\
    steps = [1]
    for size in shape[:0:-1]:
        steps.append(steps[-1] * max(size, 1))
    return tuple(reversed(steps)) if shape else ()
"""
CHECK = "check(layout.contiguous_strides)"
FAILED = "Your last run of the cell with @solves(contiguous_strides) failed: "


@pytest.fixture
def lab(kernel):
    """Run a cell; return what it shows."""
    output_of(kernel, "%reset -f\n%config HistoryManager.enabled = True")
    output_of(kernel, SETUP)
    output_of(kernel, f"{HEAD}    raise NotImplementedError")
    return lambda cell: output_of(kernel, cell)


def test_before_an_answer_the_place_is_reported(lab):
    said = " ".join(lab(CHECK).split())  # its lines are broken
    assert "not answered yet" in said
    assert "its cell begins with @solves(contiguous_strides)" in " ".join(said.split())


def test_a_check_says_at_a_glance_what_came_out_and_what_comes_next(lab):
    assert lab(CHECK).startswith("· contiguous_strides: ")
    lab(f"{HEAD}    return tuple(shape)")
    assert lab(CHECK).startswith("✗ contiguous_strides: 0 of 1 point")
    lab(RIGHT.replace("max(size, 1)", "size"))
    assert lab(CHECK).startswith("◐ contiguous_strides: 0.8 of 1 point")
    lab(RIGHT)
    said = lab(CHECK)
    assert said.startswith("✓ contiguous_strides: 1 of 1 point")
    assert "Next: exercise 03.2, offset_of (core)." in said


def test_the_solution_is_a_step_of_its_own(lab):
    lab("from grading import show_solution\nfrom minigrad.layout import index_of")
    said = lab("show_solution(index_of)")
    assert said.startswith("@solves(index_of)") and "SOLUTION" not in said
    lab(said)
    assert lab("check(index_of)").startswith("✓ index_of: 1 of 1 point")


BROKEN = {
    "indentation": (f"{HEAD}return ()", "line 3: expected an indented block"),
    "syntax": (f"{HEAD}    return (", "line 3: '(' was never closed"),
    "parameter": (RIGHT.replace("(shape)", "(size)", 1), "is called with other param"),
    "name": (
        RIGHT.replace("def contiguous_strides", "def offset_of"),
        "Which of the two",
    ),
    "error": (f"1 / 0\n{RIGHT}", "it ended with an error"),
}


@pytest.mark.parametrize("broken, why", BROKEN.values(), ids=BROKEN)
def test_a_check_says_that_the_newest_text_was_refused_and_why(lab, broken, why):
    lab("from minigrad.layout import offset_of")
    lab(RIGHT)
    assert FAILED not in lab(CHECK)
    lab(broken)
    said = lab(CHECK)
    assert said.startswith(FAILED) and why in said
    newest = "all right; but that is not your newest text, which was refused"
    assert newest in " ".join(said.split())
    assert "not answered" in lab("check(offset_of)")
    lab(RIGHT)
    assert FAILED not in lab(CHECK)


def test_before_an_answer_the_refusal_is_said_too(lab):
    lab(BROKEN["syntax"][0])
    said = lab(CHECK)
    assert said.startswith(FAILED) and "not answered yet" in said


@pytest.mark.parametrize("line", ["input('size?')", "import pdb; pdb.set_trace()"])
def test_an_answer_that_waits_for_somebody_is_reported_so(lab, line):
    lab(f"{HEAD}    {line}")
    said = lab(CHECK)
    assert "nobody types here: take input() or pdb out of the answer" in said


def test_an_answer_that_exits_does_not_end_the_notebook(lab):
    lab(f"{HEAD}    exit()")
    assert "got       SystemExit" in lab(CHECK)
    assert (
        lab("print('still', contiguous_strides.name)") == "still contiguous_strides\n"
    )
    assert lab("import builtins; print(builtins.input.__name__)") == "raw_input\n"


def test_a_stopped_check_says_where_it_was_in_a_line(lab):
    stop = "import _thread, threading\n"
    stop += "threading.Timer(0.5, _thread.interrupt_main).start()\n"
    lab(f"{HEAD}    while True:\n        pass")
    said = lab(f"{stop}try:\n    {CHECK}\nexcept KeyboardInterrupt as e: stopped = e")
    assert said == ""
    said = lab("print(*stopped._render_traceback_(), sep='\\n')")
    first, second = said.splitlines()
    assert first == "Stopped: you stopped this check"
    assert second.startswith("  line ")


BARE = """
import sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.history_manager.enabled = False  # no file of it
for cell in sys.argv[1:]:
    shell.run_cell(cell, store_history=True)
"""


def test_a_bare_shell_is_enough_without_ids_and_requests():
    """As where a front end sends nothing but the cell's text."""
    cells = SETUP, RIGHT, CHECK, f"{HEAD}    return (", CHECK, RIGHT, CHECK
    shown = subprocess.run(
        [sys.executable, "-c", BARE, *cells], capture_output=True, text=True
    ).stdout
    first, second = (" ".join(part.split()) for part in shown.split(FAILED))
    assert first.count("all right Next") == second.count("all right Next") == 1
    assert "'(' was never closed" in second and "which was refused" in second
