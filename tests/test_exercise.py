"""Holes and answers: every mistake that a learner can make with them."""

import contextlib
import functools
import hashlib
import importlib
import inspect
import os
import sys
import traceback

import pytest

from minigrad import Tensor, arange, course, layout, solves
from minigrad.exercise import NotAnswered, WrongAnswerType, exercise, kernel_exercise

ex = importlib.import_module("minigrad.exercise")  # minigrad.exercise is a function
offset_of, index_of = layout.offset_of, layout.index_of

DECLARATION = """\
// y[i] = a * x[i]
__global__ void scale(const float* x, float* y, float a, int n);
"""
KERNEL = """__global__ void scale(const float* x, float* y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}"""


@pytest.fixture(autouse=True)
def nothing_answered(monkeypatch):
    """Every hole empty, and what a test does to them undone."""
    monkeypatch.setattr(ex, "_holes", dict(ex._holes))
    before = {hole: dict(vars(hole)) for *_, hole in ex.exercises()}
    for hole in before:
        hole.answer = hole.reference = hole._run = None
    yield
    for hole, state in before.items():
        vars(hole).clear()
        vars(hole).update(state)


@pytest.fixture
def scale():
    return kernel_exercise("16.1", DECLARATION, points=2)


def refusal(hole, answer):
    """What is said about an answer that does not fit."""
    with pytest.raises(WrongAnswerType) as caught:
        solves(hole)(answer)
    assert hole.answer is None
    return str(caught.value)


# ------------------------------------------------------------ the hole


def test_unanswered_hole_names_exercise_lab_and_the_way_on():
    with pytest.raises(NotAnswered) as caught:
        layout.offset_of((0,), (1,))
    message = str(caught.value)
    assert message.startswith("offset_of has no answer yet. It is exercise 2 of lab")
    assert "lab 03_strides" in message and 'answers_from("labs")' in message
    with pytest.raises(NotImplementedError, match="permute has no answer yet"):
        Tensor.permute(None, 0)


def test_answer_fills_the_hole_for_whoever_imported_it():
    @solves(offset_of)
    def offset_of_(index, strides, offset=0):
        return 42

    assert offset_of_ is offset_of is layout.offset_of
    assert layout.offset_of((0,), (1,)) == offset_of((0,), (1,)) == 42
    assert repr(offset_of) == (
        "<exercise 03.2 offset_of(index, strides, offset=0): answered>"
    )


def test_a_hole_shows_its_specification():
    assert inspect.getdoc(offset_of).startswith("The storage cell of the element")
    assert str(inspect.signature(offset_of)) == "(index, strides, offset=0)"
    assert (offset_of.points, offset_of.stars, offset_of.minutes) == (1, 1, 5)
    assert repr(offset_of).endswith(": not answered>")


def test_exercises_come_in_course_order():
    @exercise("03.10", points=1)
    def tenth(x): ...

    @exercise("16.2", points=1)
    def last(x): ...

    entries = [e for e in ex.exercises() if e.chapter == "03_strides"]
    numbers = [entry.hole.number for entry in entries]
    assert numbers == [f"03.{n}" for n in range(1, 11)]
    name, chapter, points, hole = entries[-1]
    assert (name, chapter, points, hole) == ("tenth", "03_strides", 1, tenth)
    assert ex.exercises()[-1].hole is last


def test_find():
    assert ex.find("permute") is Tensor.permute
    with pytest.raises(LookupError, match="'permut'. Did you mean permute"):
        ex.find("permut")


@pytest.mark.parametrize(("number", "name"), [("03.2", "other"), ("16.9", "offset_of")])
def test_number_and_name_are_used_once(number, name):
    def spec(x): ...

    spec.__name__ = name
    with pytest.raises(ValueError, match="two exercises are called .* 03.2 offset_of"):
        exercise(number, points=1)(spec)


# ------------------------------------------------------------ misspelt, mistaken


def test_solves_text():
    with pytest.raises(WrongAnswerType, match="not its name as text") as caught:
        solves("contiguos_strides")
    assert str(caught.value).endswith("Did you mean contiguous_strides?")
    with pytest.raises(WrongAnswerType, match="Did you mean permute"):
        solves("Tensor.permut")


def test_solves_a_function_that_is_no_hole():
    with pytest.raises(WrongAnswerType) as caught:
        solves(layout.numel)
    assert "not the function numel" in str(caught.value)
    assert "contiguous_strides, offset_of" in str(caught.value)


def test_solves_below_a_cell_that_forgot_solves():
    def offset_of(index, strides, offset=0): ...

    with pytest.raises(WrongAnswerType, match="Run the set-up cell again"):
        solves(offset_of)


def test_solves_without_brackets():
    with pytest.raises(WrongAnswerType, match="takes an exercise of the course"):

        @solves
        def answer(index, strides, offset=0):
            return 0


def test_decorator_above_solves_does_not_hide_the_hole():
    hidden = functools.cache(solves(offset_of)(lambda index, strides, offset=0: 1))
    solves(hidden)(lambda index, strides, offset=0: 2)
    assert offset_of((), ()) == 2


# ------------------------------------------------------------ parameters


@pytest.mark.parametrize(
    "answer",
    [
        lambda index, stride, offset=0: 0,  # renamed
        lambda strides, index, offset=0: 0,  # reordered
        lambda index, strides: 0,  # missing
        lambda index, strides, offset: 0,  # a default is missing
        lambda index, strides, offset=1: 0,  # another default
        lambda index, strides, more=0, offset=0: 0,  # in between
        lambda index, strides, offset=0, *, more: 0,  # without default
        lambda *everything: 0,
        lambda: 0,
        functools.partial(lambda index, strides, offset=0: 0, offset=0),
        sum,
    ],
)
def test_wrong_parameters(answer):
    message = refusal(offset_of, answer)
    assert "  expected  offset_of(index, strides, offset=0)\n  got       " in message


def test_wrong_parameters_are_shown_as_they_are():
    def offset_of_(index: tuple, stride) -> int: ...

    message = refusal(offset_of, offset_of_)
    assert "  got       offset_of_(index, stride)\n" in message
    message = refusal(offset_of, lambda x: x)
    assert "  got       offset_of(x)\n" in message


def test_variable_parameters_stay_first():
    message = refusal(layout.broadcast_shapes, lambda first=(), *shapes: ())
    assert "  got       broadcast_shapes(first=(), *shapes)\n" in message
    solves(layout.broadcast_shapes)(lambda *shapes, more=1: ())


@pytest.mark.parametrize(
    "answer",
    [
        lambda index, strides, offset=0: 7,
        lambda index, strides, offset=0, more=1: 7,
        lambda index, strides, offset=0, *, more=1: 7,
        lambda index, strides, offset=0, *args, **kwargs: 7,
        functools.partial(lambda seven, index, strides, offset=0: seven, 7),
        functools.cache(lambda index, strides, offset=0: 7),
    ],
)
def test_right_parameters(answer):
    solves(offset_of)(answer)
    assert offset_of((0,), (1,)) == 7


def test_annotations_have_no_say():
    @solves(offset_of)
    def annotated(index: tuple[int, ...], strides: tuple, offset: int = 0) -> int:
        return 7

    assert offset_of((0,), (1,)) == 7


def test_self_may_have_any_name():
    solves(Tensor.permute)(lambda x, *dims: (x, dims))
    solves(layout.contiguous_strides)(lambda shape: (1,) * len(shape))
    tensor = arange(3)
    assert tensor.permute(0) == (tensor, (0,))


@pytest.mark.parametrize(
    ("answer", "got"),
    [
        (42, "Got an int."),
        (None, "Got a NoneType."),
        ("text", "Got a str."),
        (functools.partial(len, more=1), "a partial does not tell its parameters."),
        (dict, "Got the class dict."),
        (offset_of, "Got the exercise offset_of itself."),
        (min, "the function min does not tell its parameters."),
    ],
)
def test_answer_that_is_no_function(answer, got):
    assert refusal(index_of, answer).endswith(got)


def test_answer_that_does_not_fit_leaves_the_last_good_one():
    solves(offset_of)(lambda index, strides, offset=0: 1)
    with pytest.raises(WrongAnswerType):
        solves(offset_of)(lambda index: 2)
    assert offset_of((), ()) == 1


# ------------------------------------------------------------ cells, run again


def test_new_answer_replaces_the_old_one():
    names = {"offset_of": offset_of, "solves": solves}
    text = "@solves(offset_of)\ndef offset_of(index, strides, offset=0): return {}"
    for value in (1, 2):
        exec(text.format(value), names)  # the name is bound anew, to the hole
        assert layout.offset_of((), ()) == names["offset_of"]((), ()) == value


@pytest.mark.parametrize(
    "body",
    [
        "raise NotImplementedError",
        "raise NotImplementedError()",
        "raise NotImplementedError('to do')",
        "...",
        "pass",
        "'only a docstring'",
        "'docstring'; ...",
        "half = 1; raise NotImplementedError",
    ],
)
def test_stub_is_no_answer_and_takes_one_back(body, tmp_path):
    solves(offset_of)(lambda index, strides, offset=0: 1)
    solves(offset_of)(written(tmp_path, f"    {body}\n"))
    assert offset_of.answer is None
    with pytest.raises(NotAnswered):
        offset_of((), ())


@pytest.mark.parametrize(
    "body",
    [
        "    return 1\n    raise NotImplementedError\n",
        "    if index is None:\n        raise NotImplementedError\n    return 1\n",
        "    return None\n",
        "    raise ValueError('this is all I know')\n",
        "    print(index)\n",
    ],
)
def test_more_than_a_stub_is_an_answer(body, tmp_path):
    solves(offset_of)(written(tmp_path, body))
    assert offset_of.answer is not None


def written(folder, body):
    """A function in a file, so that its text can be found."""
    path = folder / "cell.py"
    text = f"def offset_of(index, strides, offset=0):\n    # YOUR CODE HERE\n{body}"
    path.write_text(text)
    names = {}
    exec(compile(text, str(path), "exec"), names)
    return names["offset_of"]


# ------------------------------------------------------------ answers that call holes


def test_cell_run_out_of_order():
    @solves(layout.view_or_copy)
    def view_or_copy(shape, strides, new_shape):
        return layout.contiguous_strides(new_shape)

    with pytest.raises(NotAnswered, match="^contiguous_strides has no answer yet"):
        layout.view_or_copy((), (), (2,))
    solves(layout.contiguous_strides)(lambda shape: (1,))
    assert layout.view_or_copy((), (), (2,)) == (1,)


def test_answer_that_calls_itself():
    @solves(layout.contiguous_strides)
    def contiguous_strides(shape):
        if not shape:
            return ()
        rest = contiguous_strides(shape[1:])
        return (rest[0] * shape[1] if rest else 1, *rest)

    assert contiguous_strides((2, 3, 4)) == (12, 4, 1)


def test_answer_that_calls_itself_too_deep_is_an_ordinary_recursion_error():
    solves(offset_of)(lambda index, strides, offset=0: sum(index))

    @solves(index_of)
    def index_of_(position, shape):
        offset_of((position,), ())  # a helper that does its work
        return index_of(position + 1, shape)

    with pytest.raises(RecursionError) as caught:
        index_of(0, ())
    assert type(caught.value) is RecursionError


@pytest.mark.parametrize("start", ["transpose", "permute"])
def test_answers_in_a_circle(start):
    @solves(Tensor.permute)
    def permute(self, *dims):
        return self.transpose(0, 1)

    @solves(Tensor.transpose)
    def transpose(self, dim0, dim1):
        return self.T  # which calls permute

    solves(layout.contiguous_strides)(lambda shape: (1,) * len(shape))
    with pytest.raises(
        ex.CircularAnswers, match="^permute and transpose call"
    ) as caught:
        getattr(arange(3), start)(0, 0)
    assert isinstance(caught.value, RecursionError)
    assert caught.value.circle == ["permute", "transpose"]
    shown = "".join(traceback.format_exception(caught.value))
    assert len(shown.splitlines()) < 20 and "During handling" not in shown


def test_circle_of_three_that_ends_in_a_fourth():
    solves(index_of)(lambda position, shape: offset_of(position, shape))
    solves(layout.contiguous_strides)(lambda shape: index_of(0, shape))

    @solves(offset_of)
    def offset_of_(index, strides, offset=0):
        layout.broadcast_shapes(index)
        return layout.contiguous_strides(strides)

    solves(layout.broadcast_shapes)(lambda *shapes: len(shapes))
    with pytest.raises(ex.CircularAnswers) as caught:
        offset_of((), ())
    assert caught.value.circle == ["contiguous_strides", "index_of", "offset_of"]


# ------------------------------------------------------------ methods


def test_method_and_static_method():
    class Shape:
        sides = 4

        @exercise("16.1", points=1)
        def corners(self, more=0):
            """How many corners."""

        @staticmethod
        @exercise("16.2", points=1)
        def area(width, height):
            """Width times height."""

    solves(Shape.corners)(lambda self, more=0: self.sides + more)
    solves(Shape.area)(lambda width, height: width * height)
    assert Shape().corners() == 4 and Shape.corners(Shape(), more=1) == 5
    assert Shape.area(2, 3) == Shape().area(2, 3) == 6


def test_static_method_the_other_way_round():
    with pytest.raises(TypeError, match="^area: put @staticmethod above @exercise"):
        exercise("16.2", points=1)(staticmethod(area))


def area(width, height): ...


# ------------------------------------------------------------ kernels


def test_kernel(scale):
    assert scale.parameters == ["const float* x", "float* y", "float a", "int n"]
    with pytest.raises(NotAnswered, match="^scale has no answer yet"):
        print(scale.text)
    assert solves(scale)(KERNEL) is scale
    assert scale.text == KERNEL
    assert repr(scale).startswith(
        "<exercise 16.1 __global__ void scale(const float* x,"
    )
    with pytest.raises(TypeError, match="scale is a kernel: launch it"):
        scale(1, 2)


@pytest.mark.parametrize(
    "head",
    [
        "__global__ void scale(const float *x, float *y, float a, int n)",
        "__global__ void scale(float const* x, float* y, float a, int n)",
        "__global__ void\nscale(\n  const float* x,  // in\n  float* y,\n"
        "  float a, int n)",
        "/* (float* z) */ __global__ void scale(const float* /* x, */ x, float* y,"
        " float a, int n)",
        'extern "C" __global__ void scale(const float* x, float* y, float a, int n)',
        "__global__ void __launch_bounds__(256, 2) scale(const float* x, float* y,"
        " float a, int n)",
        "__launch_bounds__(256) __global__ void scale(const float* __restrict__ x,"
        " float* __restrict y, float a, int n)",
        "__device__ float twice(float x) { return 2 * x; }\n"
        "__global__ void other(int n) {}\n"
        "__global__ void scale(const float* x, float* y, float a, int n)",
    ],
)
def test_right_declarations(scale, head):
    solves(scale)(head + " { }")
    assert scale.answer


@pytest.mark.parametrize(
    ("text", "got"),
    [
        (
            KERNEL.replace("const ", ""),
            "void scale(float* x, float* y, float a, int n)",
        ),
        (KERNEL.replace("int n", "long n"), "float a, long n)"),
        (
            KERNEL.replace(", float a", ""),
            "void scale(const float* x, float* y, int n)",
        ),
        (KERNEL.replace("scale(", "scael("), "no kernel `__global__ void scale(...)`"),
        ("// " + KERNEL.split("\n")[0], "no kernel `__global__ void scale(...)`"),
        ("__device__ void scale() { }", "no kernel `__global__ void scale(...)`"),
        ("__global__ void scale() { }", "got       __global__ void scale()"),
    ],
)
def test_wrong_declarations(scale, text, got):
    message = refusal(scale, text)
    assert got in message
    assert "  expected  __global__ void scale(const float* x, float* y" in message


def test_kernel_stub_is_no_answer(scale):
    solves(scale)(KERNEL)
    solves(scale)(KERNEL.split("{")[0] + "{\n    // YOUR CODE HERE\n}")
    assert scale.answer is None


def test_kernel_is_not_answered_by_a_function(scale):
    assert "its answer is CUDA C in a string" in refusal(scale, lambda x: x)


# ------------------------------------------------------------ reload, isolation


def test_reloaded_module_keeps_hole_and_answer(tmp_path, monkeypatch):
    path = tmp_path / "reloaded_holes.py"
    head = "from minigrad import exercise\n@exercise('16.1', points={})\n"
    text = f"{head}def held(x): ...\n"
    path.write_text(text.format(1))
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("reloaded_holes")
    hole = module.held
    solves(hole)(lambda x: x + 1)
    path.write_text(text.format(20))
    os.utime(path, (1, 1))
    importlib.reload(module)
    assert module.held is hole and hole(1) == 2 and hole.points == 20
    del sys.modules["reloaded_holes"]


def test_isolated_runs_references_everywhere_else():
    answers = {offset_of: 1, index_of: 2}
    for hole, value in answers.items():
        hole.reference = fits(hole, value + 100)
        solves(hole)(fits(hole, value))
    with ex.isolated(offset_of):
        assert (offset_of(0, 0), index_of(0, 0)) == (1, 102)
        with ex.isolated(index_of):
            assert (offset_of(0, 0), index_of(0, 0)) == (101, 2)
        assert (offset_of(0, 0), index_of(0, 0)) == (1, 102)
        solves(index_of)(fits(index_of, 3))
        assert index_of(0, 0) == 102
    assert (offset_of(0, 0), index_of(0, 0)) == (1, 3)


def test_isolated_ends_with_an_exception():
    index_of.reference = fits(index_of, 1)
    with contextlib.suppress(KeyboardInterrupt), ex.isolated(offset_of):
        assert index_of(0, 0) == 1
        raise KeyboardInterrupt
    with pytest.raises(NotAnswered):
        index_of(0, 0)


def test_isolated_hole_without_answer_does_not_run_its_reference():
    offset_of.reference = fits(offset_of, 1)
    with ex.isolated(offset_of), pytest.raises(NotAnswered):
        offset_of((), ())


def test_isolated_without_reference_runs_the_answer():
    solves(index_of)(fits(index_of, 5))
    with ex.isolated(offset_of):
        assert index_of(0, 0) == 5


def fits(hole, value):
    if hole is offset_of:
        return lambda index, strides, offset=0: value
    return lambda position, shape: value


def test_collecting_fills_nothing():
    with ex.collecting() as found:
        solves(offset_of)(len)
    assert found == {offset_of: len} and offset_of.answer is None
    solves(offset_of)(fits(offset_of, 1))
    assert offset_of.answer


# ------------------------------------------------------------ where it comes from


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
    assert offset_of.answer.source[:2] == ("work/03_strides.ipynb", "a1")
    assert offset_of.answer.source.hash == hashlib.sha256(b"the text").hexdigest()
    assert index_of.answer.from_solutions and not offset_of.answer.from_solutions
    assert repr(index_of).endswith(": the course's solution>")


@pytest.fixture(scope="module")
def kernel():
    """A Python kernel, started as JupyterLab starts one."""
    manager = pytest.importorskip(
        "jupyter_client.manager", reason="not run: a real kernel (no jupyter_client)"
    )
    pytest.importorskip("ipykernel", reason="not run: a real kernel (no ipykernel)")
    notebook = course.home() / "work" / "03_strides.ipynb"
    environment = {**os.environ, "JPY_SESSION_NAME": str(notebook)}
    environment["PYTHONPATH"] = str(course.home())
    started, client = manager.start_new_kernel(env=environment)
    yield client
    client.stop_channels()
    started.shutdown_kernel(now=True)


def told(client, code, **metadata):
    """What a cell prints, when it is run with this metadata in its request."""
    message = client.session.msg("execute_request", dict(REQUEST, code=code))
    message["metadata"] |= metadata
    client.shell_channel.send(message)
    printed = ""
    while True:
        reply = client.get_iopub_msg(timeout=60)
        if reply["parent_header"].get("msg_id") != message["header"]["msg_id"]:
            continue
        content = reply["content"]
        printed += content.get("text", "") + content.get("evalue", "")
        if content.get("execution_state") == "idle":
            return printed


REQUEST = {"silent": False, "store_history": True, "user_expressions": {}}
ANSWER = """\
%time
@solves(layout.offset_of)
def offset_of(index, strides, offset=0):
    return 1
"""
ASK = "*place, digest, text = layout.offset_of.answer.source; print(place, digest)"


def test_source_in_a_kernel(kernel):
    assert told(kernel, "from minigrad import layout, solves") == ""
    told(kernel, ANSWER, cellId="a1b2")
    digest = hashlib.sha256(ANSWER.encode()).hexdigest()
    assert told(kernel, ASK) == f"['work/03_strides.ipynb', 'a1b2'] {digest}\n"
    told(kernel, ANSWER.replace("1", "2"), cellId="a1b2")
    assert told(kernel, "print(layout.offset_of((), ()))") == "2\n"
    told(kernel, ANSWER)  # as Colab sends it
    assert told(kernel, ASK) == f"['work/03_strides.ipynb', None] {digest}\n"


def test_stub_in_a_kernel(kernel):
    told(kernel, "from minigrad import layout, solves")
    told(kernel, ANSWER, cellId="a1b2")
    told(kernel, ANSWER.replace("return 1", "raise NotImplementedError"))
    printed = told(kernel, "layout.offset_of((), ())")
    assert printed.startswith("offset_of has no answer yet. It is exercise 2")


def test_reload_by_autoreload(kernel, tmp_path):
    path = tmp_path / "reloaded_lab.py"
    text = "from minigrad import exercise\n@exercise('16.1', {})\ndef held(x): 'old'\n"
    path.write_text(text.format(1))
    os.utime(path, (1, 1))
    told(kernel, "%load_ext autoreload\n%autoreload 2\nfrom minigrad import solves")
    told(kernel, f"import sys; sys.path.insert(0, {str(tmp_path)!r})")
    told(kernel, "import reloaded_lab\nfrom reloaded_lab import held")
    told(kernel, "@solves(held)\ndef held(x): return x + 1")
    path.write_text(text.format(20).replace("old", "new"))
    shown = told(kernel, "print(held(1), held.points, held.__doc__)")
    assert shown == "2 20 new\n"
    assert told(kernel, "print(reloaded_lab.held is held)") == "True\n"
