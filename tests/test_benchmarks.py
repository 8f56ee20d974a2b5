"""The benchmarks: their tables, their judgement, and that no kernel is left out."""

import concurrent.futures
import datetime
import json
import re
import subprocess
import sys

import fake_cupy
import numpy as np
import pytest
from recorded import recorded

from benchmarks import (
    alone,
    cases,
    chapters,
    common,
    features,
    generated,
    gpu_agreement,
    hard_work,
    kernels,
    memory,
    ncu,
    operators,
    outcomes,
    public_races,
    reasons,
    sanitizer,
    simt,
    workloads,
)
from benchmarks.gpu_agreement import compared
from benchmarks.outcomes import BOUNDS, Outcome
from minigrad.simt import RawKernel, run
from minigrad.testing import Timing, timing

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
        (simt.PAGE, "speed"), (gpu_agreement.PAGE, "agreement"),
        (gpu_agreement.PAGE, "counts"), (sanitizer.PAGE, "sanitizer"),
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


# Speed


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(timing, "SAMPLE", 0)


def small(monkeypatch):
    """The workloads, at sizes that take no time."""
    monkeypatch.setattr(simt, "WORKLOADS", {
        "vector_add": lambda: workloads.vector_add(1000),
        "matmul": lambda: workloads.matmul("matmul_tiled", "matmul_tiled", 55, 32),
        "softmax": lambda: workloads.softmax(16),
        "reduction": lambda: workloads.reduction(1000),
        "transpose": lambda: workloads.transpose(64),
        "histogram": lambda: workloads.histogram(1000),
        "empty": workloads.empty,
    })  # fmt: skip


def test_the_table_has_a_row_for_each_workload(monkeypatch, quick, capsys, tmp_path):
    small(monkeypatch)
    page = tmp_path / "simt.md"
    page.write_text(simt.PAGE.read_text())
    monkeypatch.setattr(simt, "PAGE", page)
    monkeypatch.setattr(simt, "against_numba", lambda _: "numba-cuda is not installed")
    assert simt.main(["--rounds", "1", "--write"]) == 0
    shown = capsys.readouterr().out
    assert shown.strip() in page.read_text()
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(simt.WORKLOADS) + 1
    assert "not run: Numba's simulator (numba-cuda is not installed)" in shown
    add = next(row for row in rows if "vector add" in row)
    assert add.count(" x)") == (5 if simt.shutil.which("g++") else 4)


@pytest.mark.parametrize(
    "work, result",
    [
        (workloads.vector_add(1000), 2),
        (workloads.softmax(16), 1),
        (workloads.transpose(64), 1),
        (workloads.matmul("matmul_tiled", "matmul_tiled", None, 32), 2),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_every_contestant_computes_the_same(work, result):
    functions, out = simt.contestants(work), work.args[result]
    expected = functions.pop("NumPy")()
    if functions["g++"] is None:
        pytest.skip("not run: the g++ contestant (no g++)")
    for name, function in functions.items():
        out[...] = 0
        function()
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5, err_msg=name)


def test_the_real_workloads_launch(monkeypatch):
    for name, make in simt.WORKLOADS.items():
        if name in ("vector_add", "empty", "histogram"):  # the quick ones
            assert simt.timings({"plain": simt.contestants(make())["plain"]}, 1)


def test_ratios_are_against_the_plain_launch():
    assert simt.ratio(Timing((0.03,)), Timing((0.01,))) == "30 ms (3 x)"
    assert simt.ratio(None, Timing((0.01,))) == "–"


def test_compiling_is_never_cached(quick):
    assert simt.compiling(1).best > 1e-4


def test_a_quick_look_is_not_written(capsys):
    assert simt.main(["--quick", "empty"]) == 0
    assert "not run: Numba's simulator (--quick)" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        simt.main(["--quick", "--write"])


def test_an_unknown_workload_is_refused(capsys):
    with pytest.raises(SystemExit):
        simt.main(["matmull"])
    assert "no workload matmull: vector_add, " in capsys.readouterr().err


NUMBA = """
import json, os
import numpy as np
os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
from benchmarks import numba_kernels
from minigrad.simt import RawKernel
errors = []
for work, theirs in numba_kernels.contestants():
    arrays = [a for a in work.args if isinstance(a, np.ndarray)]
    out = arrays[-1]
    out[:] = 0
    theirs()
    other = out.copy()
    out[:] = 0
    kernel = RawKernel(work.source, work.name)
    kernel(work.grid, work.block, work.args, shared_mem=work.shared_mem)
    errors.append(float(abs(out - other).max() / abs(out).max()))
print(json.dumps(errors))
"""


@pytest.mark.slow
def test_numba_gets_the_same_results():
    if not simt.has_numba():
        pytest.skip("not run: Numba's simulator (numba-cuda is not installed)")
    command = [sys.executable, "-c", NUMBA]
    run = subprocess.run(command, cwd=common.HOME, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    errors = json.loads(run.stdout)
    assert len(errors) == 4
    assert max(errors) < 1e-5


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
    teaching = {case.label for case in cases.of_teaching()}
    assert set(reasons.WHY) <= teaching | labels
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


def test_what_the_simulators_tests_launch_is_recorded_once():
    text = "__global__ void k(float* x) { x[threadIdx.x] += 1; }"
    kernel, x, found = RawKernel(text, "k"), np.zeros(4, np.float32), {}
    with features.recording(found):
        kernel(1, 4, (x,))
        kernel(1, 4, (x,))
    ((test, one),) = found.values()
    assert test == "what_the_simulators_tests_launch_is_recorded_once"
    assert one.text == (text, "k") and one.args[0].tolist() == [0] * 4
    assert x.tolist() == [2] * 4


def test_launches_are_recorded_once_and_what_is_left_out_is_named(tmp_path):
    path = tmp_path / "lesson.py"
    path.write_text(WRONG_LESSON)
    found, failed = chapters.launches(path)
    assert [(one.grid, one.block, one.left_out) for one in found] == [
        (1, 8, ""), (1, 4, ""), (2, 8, "wrong on purpose: race"),
        (1, 9, "wrong on purpose: out-of-bounds"), (1, 3, ""),
        (1, 1, "3 launches of the same text are compared"),
    ]  # fmt: skip
    assert [one.args[0][0] for one in found[:2]] == [0, 2]  # as before the launch
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
            path = common.HOME / "tests" / "simt" / "test_simt_headers.py"
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
    return gpu_agreement.dataclasses.replace(case, **changes)


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
    monkeypatch.setattr(ncu.shutil, "which", lambda _: None)
    monkeypatch.setattr(cases, "recorded", lambda *_: {})
    names = ["transpose_tiled", "softmax", "histogram", "--jobs", "1"]
    assert gpu_agreement.main([*names, "--write", "--ncu"]) == code
    shown, text = capsys.readouterr(), page.read_text()
    _, agreement, counts = shown.out.split("a machine.\n\n")
    assert f"{agreement.strip()}\n\n<!-- end of agreement" in text
    assert f"{counts.strip()}\n\n<!-- end of counts" in text
    assert gpu_agreement.CUT_OFF not in text
    assert ("\ndisagree: histogram, transpose_tiled" in shown.err) == broken
    assert (
        "not run: comparison of counts with Nsight Compute (ncu is not on" in shown.out
    )


NCU = """==PROF== Connected to process 7
"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","7","add","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","1,024"
"0","7","add","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","sector","8"
"0","7","add","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","","2"
"1","7","add","l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum","","3"
"""


def test_ncus_counts_are_read_and_summed():
    assert ncu.read(NCU) == [
        {"sectors": 1032, "requests": 2, "bank_passes": 0},
        {"sectors": 0, "requests": 0, "bank_passes": 3},
    ]


def fake_ncu(monkeypatch, stdout, code=0):
    shown = alone.Watched(stdout, code, {})
    monkeypatch.setattr(ncu.shutil, "which", lambda _: "ncu")
    monkeypatch.setattr(ncu.alone, "watch", lambda *_: shown)


class Here:
    """In the place of a pool of processes."""

    def submit(self, function, *args):
        future = concurrent.futures.Future()
        future.set_result(function(*args))
        return future


def test_counts_stand_side_by_side(monkeypatch):
    fake_ncu(monkeypatch, NCU)
    head, first, second = gpu_agreement.traffic([a_case(), a_case()], Here())
    assert head[1] == "sectors: simulator, ncu"
    _, report = gpu_agreement.in_the_simulator(a_case(), (), ("coalescing", "banks"))
    assert report.counts["sectors"] > 0
    assert first[1] == f"{report.counts['sectors']}, 1,032"
    assert head[-2:] == ("equal", "why")
    assert (first[-2:], second[-2:]) == (("no", "?"), ("no", "?"))


ALL = {"sectors": 8, "requests": 4, "bank_passes": 2}


@pytest.mark.parametrize(
    "label, theirs, said",
    [
        ("adam", {}, ""),
        ("adam", {"requests": 3}, "kept"),
        ("adam", {"requests": 5}, "?"),  # what is kept saves requests, makes none
        ("saxpy_grid_stride", {"sectors": 9}, "unrolled"),
        ("bfloat_sum", {"requests": 5}, "?"),
        ("solutions/01_threads: grid_stride", {"sectors": 9, "requests": 3},
         "kept, unrolled"),
        ("nobody", {"sectors": 9}, "?"),
    ],
)  # fmt: skip
def test_a_reason_stands_where_it_explains_the_counts(label, theirs, said):
    assert reasons.why(label, ALL, ALL | theirs) == said


def test_every_word_of_the_table_is_in_the_legend():
    rows = [("a", "kept, unrolled"), ("b", ""), ("c", "?")]
    shown = reasons.legend(rows).splitlines()
    assert [line.split("**")[1] for line in shown] == ["kept", "unrolled", "?"]
    assert {word for words in reasons.WHY.values() for word in words} <= set(
        reasons.REASONS
    )


SIGNS = {
    "printf": "printf",
    "turns": "tomic",
    "order": "atomicCAS",
    "unrolled": "for (",
}


def test_reasons_belong_to_what_stands_in_the_text():
    for label in reasons.WHY.keys() & {p.stem for p in common.KERNELS.glob("*.cu")}:
        for word in reasons.WHY[label]:
            assert SIGNS.get(word, "") in common.source(label), (label, word)


def test_why_ncu_did_not_count_is_said(monkeypatch):
    fake_ncu(monkeypatch, "==ERROR== ERR_NVGPUCTRPERM\n", 1)
    assert ncu.counted([a_case()]) == "ERR_NVGPUCTRPERM"
    fake_ncu(monkeypatch, "")
    assert ncu.counted([a_case()]) == "0 of 1 launches counted"
    fake_ncu(monkeypatch, NCU, None)
    assert ncu.counted([a_case()]) == "ncu took over 300 s"


def test_a_finding_in_a_public_kernel_stands_at_its_line_of_the_file(tmp_path):
    text = """#include <cstdio>
int main() { return 0; }

__device__ float half(float x) { return x / 2; }
__global__ void turn(float* y) {
    __shared__ float s[64];
    s[threadIdx.x] = half(y[threadIdx.x]);
    y[threadIdx.x] = s[63 - threadIdx.x];
}
"""
    (tmp_path / "a.cu").write_text(text)
    launch = public_races.Launch("some/one", "a.cu", "turn", (1,), 64, ((64,),))
    (row,) = public_races.rows(launch, tmp_path)
    assert row[:4] == ["some/one", "a.cu:8", "turn", "race"]
    assert row[4].endswith("wrote at line 7: no barrier between them")


def test_what_is_hard_work_is_done_right():
    attention, sort = hard_work.attention(), hard_work.sort()
    for work in (attention, sort):
        before = common.fresh(work.args)
        kernel = RawKernel(work.source, work.name)
        assert run(kernel, work.grid, work.block, work.args).findings == []
        if work is sort:
            rows = before[0].reshape(-1, 1024)
            assert np.array_equal(np.sort(rows), work.args[0].reshape(rows.shape))
    q, k, v, y, _ = attention.args
    weights = np.exp(q @ k.T)
    wanted = weights @ v / weights.sum(axis=1, keepdims=True)
    assert np.allclose(y, wanted, rtol=1e-3, atol=1e-4)
