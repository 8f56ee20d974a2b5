"""Where an answer comes from: files, notebooks, a real Jupyter kernel."""

import os

from empty_exercises import ex, fits, nothing_answered, written  # noqa: F401
from real_kernel import a_kernel, output_of  # noqa: F401

from minigrad import layout, solves

offset_of, index_of = layout.offset_of, layout.index_of


def test_source_of_an_answer_in_a_file(tmp_path):
    solves(offset_of)(written(tmp_path, "    return 1\n"))
    source = offset_of.answer.source
    assert source.text == (tmp_path / "cell.py").read_text()
    assert (source.notebook, source.cell) == (None, None)
    assert not offset_of.answer.from_solutions


def test_source_of_an_answer_that_a_notebook_gave():
    with ex.running("work/03_strides.ipynb", "a1", "the text"):
        with ex.running("solutions/03_strides.py", "a2", ""):
            solves(index_of)(fits(index_of, 1))
        solves(offset_of)(fits(offset_of, 1))
    assert offset_of.answer.source == ("work/03_strides.ipynb", "a1", "the text")
    assert index_of.answer.from_solutions and not offset_of.answer.from_solutions
    assert repr(index_of).endswith(": the course's solution>")


ANSWER = """\
%time
@solves(layout.offset_of)
def offset_of(index, strides, offset=0):
    return 1
"""
ASK = "print(tuple(layout.offset_of.answer.source))"


def test_source_in_a_kernel(kernel):
    assert output_of(kernel, "from minigrad import layout, solves") == ""
    output_of(kernel, ANSWER, cellId="a1b2")
    assert output_of(kernel, ASK) == f"{('work/03_strides.ipynb', 'a1b2', ANSWER)}\n"
    output_of(kernel, ANSWER.replace("1", "2"), cellId="a1b2")
    assert output_of(kernel, "print(layout.offset_of((), ()))") == "2\n"
    output_of(kernel, ANSWER)  # as Colab sends it
    assert output_of(kernel, ASK) == f"{('work/03_strides.ipynb', None, ANSWER)}\n"


def test_stub_in_a_kernel(kernel):
    output_of(kernel, "from minigrad import layout, solves")
    output_of(kernel, ANSWER, cellId="a1b2")
    output_of(kernel, ANSWER.replace("return 1", "raise NotImplementedError"))
    printed = output_of(kernel, "layout.offset_of((), ())")
    assert printed.startswith("offset_of has no answer yet. It is exercise 2")


def test_reload_by_autoreload(kernel, tmp_path):
    path = tmp_path / "reloaded_lab.py"
    text = "from minigrad import exercise\n@exercise(points={})\ndef held(x): 'old'\n"
    path.write_text(text.format(1))
    os.utime(path, (1, 1))
    output_of(
        kernel, "%load_ext autoreload\n%autoreload 2\nfrom minigrad import solves"
    )
    output_of(kernel, f"import sys; sys.path.insert(0, {str(tmp_path)!r})")
    output_of(kernel, "import reloaded_lab\nfrom reloaded_lab import held")
    output_of(kernel, "@solves(held)\ndef held(x): return x + 1")
    path.write_text(text.format(20).replace("old", "new"))
    shown = output_of(kernel, "print(held(1), held.points, held.__doc__)")
    assert shown == "2 20 new\n"
    assert output_of(kernel, "print(reloaded_lab.held is held)") == "True\n"
