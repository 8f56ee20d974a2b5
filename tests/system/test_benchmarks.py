"""The benchmarks: their tables, their judgement, and that no kernel is left out."""

import concurrent.futures
import dataclasses
import datetime
import re

import fake_cupy
import numpy as np
import pytest
from recorded import recorded

from benchmarks import (
    cases,
    chapters,
    common,
    generated,
    gpu_agreement,
    kernels,
    memory,
    operators,
    outcomes,
    sanitizer,
)
from benchmarks.gpu_agreement import compared
from benchmarks.outcomes import BOUNDS, Outcome
from cudasim.benchmarks import features
from minigrad.testing import timing

pytestmark = pytest.mark.slow

ADD = """
extern "C" __global__ void add(const float* x, float* y, int n) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i] * x[i] + y[i];
}"""


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch):
    fake_cupy.install(monkeypatch, available=False)


# Pages and tables

DOCS = common.HOME / "docs"
WRITTEN = [DOCS / "attacks.md", *(DOCS / "benchmarks").glob("*.md")]


def test_a_table_is_markdown():
    assert common.markdown([("a", "b|c"), (1, "long")]) == (
        "| a | b\\|c |\n|---|------|\n| 1 | long |"
    )


def test_a_page_keeps_what_is_around_the_table(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("A\n<!-- t: written by a script -->\nold\n<!-- end of t -->\nB\n")
    common.write(page, "new", "t")
    common.write(page, "newer", "t")
    today = f"Run on {datetime.date.today()}."
    assert page.read_text() == (
        f"A\n<!-- t: written by a script -->\n\n{today}\n\nnewer\n\n"
        "<!-- end of t -->\nB\n"
    )
    with pytest.raises(SystemExit, match="has no lines"):
        common.write(page, "new", "other")


@pytest.mark.parametrize(
    "page, name",
    [
        (gpu_agreement.PAGE, "agreement"),
        (sanitizer.PAGE, "sanitizer"),
        (kernels.PAGE, "kernels"), (operators.PAGE, "operators on cpu"),
        (operators.PAGE, "operators on cuda"), (memory.PAGE, "memory"),
    ],
)  # fmt: skip
def test_the_pages_have_room_for_their_tables(page, name, tmp_path):
    copy = tmp_path / page.name
    copy.write_text(page.read_text())
    common.write(copy, "a table", name)
    assert "\n\na table\n\n" in copy.read_text()


def test_the_machine_is_named():
    assert f"NumPy {np.__version__}" in common.machine()
    assert "core" in common.machine()


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_every_table_names_the_day_of_its_run(page):
    tables = re.findall(r"written by a script -->\n\n(.*)\n", page.read_text())
    assert tables
    for day in tables:
        assert re.match(r"Run on 20\d\d-\d\d-\d\d\.$|Not run: ", day)


def test_every_page_of_measurements_is_linked():
    texts = [p.read_text() for p in (common.HOME / "docs").glob("*.md")]
    texts.append((common.HOME / "README.md").read_text())
    for page in (common.HOME / "docs" / "benchmarks").glob("*.md"):
        assert any(f"benchmarks/{page.name})" in text for text in texts), page.name


# Memory


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(timing, "SAMPLE", 0)


def test_the_tables_of_memory_are_those_of_its_page(quick):
    def frame(text):
        """Of each table its head, and how many rows it has."""
        tables = re.findall(r"^(\|.*\n)\|-.*\n((?:\|.*\n?)+)", text, re.M)
        return [(head.split(), rows.count("\n|")) for head, rows in tables]

    shown = "\n\n".join(memory.report(2**16))
    assert frame(shown) == frame(memory.PAGE.read_text())


def test_without_a_gpu_memory_is_not_measured(capsys):
    assert memory.main([]) == 2
    assert "not run" in capsys.readouterr().out


# Agreement with a GPU


def test_without_a_gpu_it_says_so(capsys):
    assert gpu_agreement.main([]) == 2
    said = "not run: agreement with a GPU (needs an NVIDIA GPU and CuPy)\n"
    assert capsys.readouterr().out == said


def test_every_teaching_kernel_is_compared():
    labels = {case.label for case in cases.of_teaching()}
    assert labels == {path.stem for path in common.KERNELS.glob("*.cu")}
    assert {label for label in BOUNDS if ": " not in label} <= labels
    written = {case.label for case in cases.of_jit()}
    assert {label for label in BOUNDS if generated.LABEL in label} <= written


class Here:
    """In the place of a pool of processes."""

    def submit(self, function, *args):
        future = concurrent.futures.Future()
        future.set_result(function(*args))
        return future


@pytest.mark.slow
@pytest.mark.xdist_group("chapters")  # recorded once
def test_every_kernel_of_a_chapter_is_compared(monkeypatch):
    """Lessons and solved labs are run, and what they launch is recorded."""
    monkeypatch.setattr(chapters, "recorded", recorded)
    monkeypatch.setattr(features, "launches", lambda: ([], []))
    compared, failed, lost = cases.of_chapters(cases.recorded(Here(), 600))
    labs = {case.name for case in compared if case.label.startswith("solutions/")}
    assert labs >= {"tail_guard", "grid_stride", "block_sum", "transpose_tiled"}
    labels = {case.label for case in compared}
    assert {label.split("/")[0] for label in labels} == {"solutions", "lessons"}
    assert lost == []
    assert {label for label in BOUNDS if "/" in label} <= labels
    failed = [why for _, why in failed if "module 'cupy'" not in why]  # the fake one
    reason = {re.split("[:,]", why)[0] for why in failed}
    assert reason == {"wrong on purpose", "3 launches of the same text are compared"}


WRONG_LESSON = """
# %% [markdown]
# text
# %%
import numpy as np
from grading import trying
from minigrad.kernel import Kernel
text = 'extern "C" __global__ void f(int* x) { x[threadIdx.x] += 1; }'
kernel, x = Kernel(text, "f"), np.zeros(8, np.int32)
# %%
with trying():
    1 / 0
# %%
kernel(1, 8, (x,))
kernel(1, 8, (x,))
kernel(1, 4, (x,))
# %% check="f"
kernel(1, 2, (x,))
# %%
kernel(2, 8, (x,))  # a race
# %%
with trying():
    kernel(1, 9, (x,))
# %%
with trying():
    kernel(1, 5, (x.astype("f4"),))
# %%
kernel(1, 3, (x,))
kernel(1, 1, (x,))
# %%
undefined
"""


def test_launches_are_recorded_once_and_what_is_left_out_is_named(tmp_path):
    path = tmp_path / "lesson.py"
    path.write_text(WRONG_LESSON)
    result, failed = chapters.launches(path)
    assert [(one.grid, one.block, one.left_out) for one in result] == [
        (1, 8, ""), (1, 4, ""), (2, 8, "wrong on purpose: race"),
        (1, 9, "wrong on purpose: out-of-bounds"), (1, 3, ""),
        (1, 1, "3 launches of the same text are compared"),
    ]  # fmt: skip
    assert [one.args[0][0] for one in result[:2]] == [0, 2]  # as before the launch
    ((cell, error),) = failed
    assert (cell, error[:10]) == ("cell 'undefined'", "NameError(")


def test_what_is_left_out_stands_in_the_output():
    text = gpu_agreement.left_out_text(
        [("lessons/02: f 1 2", "wrong on purpose: race")]
    )
    assert "| lessons/02: f 1 2 | wrong on purpose: race |" in text
    assert gpu_agreement.left_out_text([]) == "No launch is left out."


def test_only_kernels_with_a_reason_may_differ():
    """Whatever is exempt has a transcendental function or a float atomic."""
    reasons = ("expf(", "powf(", "tanhf(", "rsqrtf(", "atomicAdd(", "exp(", "mma")
    written = {one.label: one.source for one in generated.launches()}
    for label in BOUNDS:
        text, _, name = label.partition(": ")
        path = common.HOME / f"{text}.py"
        if text == cases.TESTS:
            path = common.HOME / "cudasim" / "tests" / "test_cudasim_headers.py"
            assert f"def test_{name}(" in path.read_text()
        source = written.get(label)
        source = source or (path.read_text() if name else common.source(label))
        if "kernels.cuh" in source:
            source = (common.HOME / "examples/extension/csrc/kernels.cuh").read_text()
        assert any(reason in source for reason in reasons), label


def a_case(**changes):
    x = np.linspace(0, 1, 50, dtype=np.float32)
    args = (x, x.copy(), np.int32(50))
    case = cases.Case("add", ADD, "add", (1,), (64,), args)
    return dataclasses.replace(case, **changes)


def judged(some, way="--fmad=true"):
    """The Outcome on a GPU that cannot be stuck."""
    gpu = gpu_agreement.Gpu(600)
    return compared(some, way, gpu, lambda: gpu_agreement.simulated(some))


def with_gpu(monkeypatch, change=lambda arrays: None, text=""):
    """A "GPU" that is the simulator, and does something more."""

    def run(case, options):
        arrays, report = gpu_agreement.in_the_simulator(case, options)
        change(arrays)
        return arrays, report.output + text

    monkeypatch.setattr(gpu_agreement, "on_the_gpu", run)


def test_the_same_bits_agree(monkeypatch):
    with_gpu(monkeypatch)
    outcome = judged([a_case(), a_case()], "--fmad=false")
    assert str(outcome) == "same bits"
    assert outcome.elements == 200
    assert outcome.holds(outcomes.EXACT)


def test_one_bit_is_seen(monkeypatch):
    def change(arrays):
        arrays[1][7] = np.nextafter(arrays[1][7], np.float32(9))

    with_gpu(monkeypatch, change)
    outcome = judged([a_case()])
    assert not outcome.holds(outcomes.EXACT)
    assert outcome.holds(outcomes.Bound(2, "why"))
    assert not outcome.holds(outcomes.Bound(0.1, "why"))
    assert str(outcome).startswith("1 of 100 differ, error up to ")


def test_zeros_of_two_signs_are_different_bits():
    outcome = Outcome()
    outcome.add(np.float32([0.0]), np.float32([-0.0]), 0)
    assert (outcome.differ, outcome.error) == (1, 0)


def test_floats_too_small_for_a_normal_exponent_are_taken_for_zero():
    outcome = Outcome()
    outcome.add(np.float32([0, 0, 1e-40]), np.float32([1e-40, 1e-37, 1e-40]), 0)
    assert (outcome.elements, outcome.differ) == (3, 1)


@pytest.mark.parametrize("gpu, sim", [(np.nan, 1), (1, np.inf)])
def test_what_is_no_number_is_never_within_a_bound(gpu, sim):
    assert outcomes.error(np.float32([gpu]), np.float32([sim]), 0) == np.inf


def test_any_nan_is_as_good_as_another():
    assert outcomes.error(np.float32([np.nan, 1]), np.float32([-np.nan, 1]), 0) == 0


def test_errors_are_counted_in_units_of_the_last_place():
    one = np.float32([1])
    assert outcomes.error(one + np.float32(2**-22), one, 0) == pytest.approx(2)
    assert outcomes.error(one + np.float32(2**-22), one, 8) == pytest.approx(0.25)


def test_lines_may_come_in_any_order(monkeypatch):
    """Blocks run in any order, and so does what they print."""
    text = 'extern "C" __global__ void hello() { printf("block %d\\n", blockIdx.x); }'
    case = a_case(source=text, name="hello", grid=(2,), block=(1,), args=())
    arrays, report = gpu_agreement.in_the_simulator(case, ())
    assert report.output == "block 0\nblock 1\n"
    shown = arrays, "block 1\nblock 0\n"
    monkeypatch.setattr(gpu_agreement, "on_the_gpu", lambda *_: shown)
    assert str(judged([case])) == "same bits"


def test_another_text_is_a_difference(monkeypatch):
    with_gpu(monkeypatch, text="hello")
    outcome = judged([a_case()])
    assert str(outcome) == "prints other lines"
    assert not outcome.holds(outcomes.Bound(9, "why"))


def test_a_case_that_cannot_run_is_a_failure_not_the_end(monkeypatch):
    with_gpu(monkeypatch)
    outcome = judged([a_case(grid=(2,), block=(1, 2000))])
    assert str(outcome).startswith("failed: ValueError: add: block")
    assert not outcome.holds(outcomes.Bound(9, "why"))


def test_what_a_kernel_prints_is_caught(capfd):
    import ctypes

    libc = ctypes.CDLL(None)
    with gpu_agreement.printed() as output:
        libc.printf(b"17 of 20\n")
    assert output == ["17 of 20\n"]
    print("after")
    assert capfd.readouterr().out == "after\n"


@pytest.mark.parametrize("broken, code", [(False, 0), (True, 1)])
def test_the_exit_code_is_the_judgement(monkeypatch, capsys, tmp_path, broken, code):
    def change(arrays):
        if broken and arrays:
            arrays[-1].reshape(-1).view(np.uint8)[0] ^= 1

    with_gpu(monkeypatch, change)
    page = tmp_path / "page.md"
    page.write_text(gpu_agreement.PAGE.read_text())
    monkeypatch.setattr(gpu_agreement, "PAGE", page)
    fake_cupy.install(monkeypatch)
    monkeypatch.setattr(common, "machine", lambda: "a machine")
    monkeypatch.setattr(cases, "recorded", lambda *_: {})
    names = ["transpose_tiled", "softmax", "histogram", "--jobs", "1"]
    assert gpu_agreement.main([*names, "--write"]) == code
    shown, text = capsys.readouterr(), page.read_text()
    _, agreement = shown.out.split("a machine.\n\n")
    assert f"{agreement.strip()}\n\n<!-- end of agreement" in text
    assert gpu_agreement.CUT_OFF not in text
    assert ("\ndisagree: histogram, transpose_tiled" in shown.err) == broken
