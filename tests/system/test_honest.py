"""Right answers lose nothing by what students ordinarily have beside them."""

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad.layout import contiguous_strides  # noqa: E402

HEAD = "import sys, time, warnings\nfrom minigrad import layout, solves\n"
ANSWER = """
@solves(layout.contiguous_strides)
def contiguous_strides(shape):
    BEFORE
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * max(shape[i + 1], 1)
    return tuple(strides)
"""
PLOT = """
try:
    import matplotlib.pyplot as plt
except ImportError:
    plot = print
else:
    def plot():
        plt.plot([1, 2])
        plt.show()
"""
BESIDE = {
    "nothing": "pass",
    "a warning": "warnings.warn('careful')",
    "prints": "print('x' * 10**5); print('é 😀', file=sys.stderr)",
    "a lone surrogate": "print('\\udc80', shape)",
    "slow code": "time.sleep(0.05)",
    "a thread": "import threading; threading.Thread(target=int).start()",
    "a module of its own": "import helper; assert helper.one == 1",
    "a helper of a later cell": "helps()",
    "a file in /tmp": "open('/tmp/x', 'w').write('x')",
    "numbers of NumPy": "import numpy as np; shape = tuple(np.array(shape, int))",
    "a random number": "import random; random.seed(1); random.random()",
    "Windows' line ends": "pass\r",
    "a plot": "plot()",
    "a warning that is an error": "warnings.simplefilter('error')",
    "logging": "import logging; logging.warning('careful')",
    "a value that is shown": "display(shape); shape",
}


@pytest.mark.parametrize("beside", BESIDE)
def test_a_right_answer_is_right(beside):
    cells = [
        ("early", "twice = 2 * half"),
        ("plot", PLOT),
        ("magics", "%matplotlib inline\n!ls\n%%timeit"),
        ("a", HEAD + ANSWER.replace("BEFORE", BESIDE[beside])),
        ("later", "half = 1\ndef helps():\n    return 'ü' * twice"),
        ("fails", "1 / 0"),
    ]
    files, unsafe = [("helper.py", "one = 1")], bool(sandbox.why_not())
    with ProcessSubject("x.ipynb", cells, "03_strides", files, unsafe) as subject:
        verdict = verdict_on(contiguous_strides, subject)
    assert verdict.state == "right", (verdict, verdict.failures, subject.problems)


def problems(*texts):
    """What goes wrong in cells that are run from the first to the last."""
    cells = [(str(n), HEAD + text) for n, text in enumerate(texts)]
    unsafe = bool(sandbox.why_not())
    with ProcessSubject("x.ipynb", cells, "03_strides", unsafe=unsafe) as subject:
        return verdict_on(contiguous_strides, subject).state, subject.problems


def test_cells_that_were_run_out_of_order():
    early = "size = max(one, 1)\n" + ANSWER.replace("BEFORE", "assert size == 1")
    assert problems(early, "one = 1") == ("right", {})
    state, said = problems(early, "two = 2")
    assert state == "not answered" and "NameError" in said["0"]


def test_an_answer_that_came_later_stays():
    """Its first try failed, in a line below it that a later cell makes right."""
    first = "@solves(layout.contiguous_strides)\ndef f(shape):\n    return 1\nshow()"
    later = ANSWER.replace("BEFORE", "pass") + "\nshow = print"
    assert problems(first, later)[0] == "right"
