"""Pictures of kernels: right about every thread and byte, there for every kernel."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter

import bugs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import boxes, matplotlib, shown, texts
from table import table
from test_cudasim_kernels import LAUNCHES
from test_cudasim_kernels import kernels as texts_of_kernels

import cudasim
from minigrad import Kernel, viz
from minigrad.exercises.exercise import Answer
from minigrad.kernels.threads import tail_guard

# They take long, so they come early.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("drawn kernels")]

PICTURES = "launch", "access", "banks", "divergence", "timeline", "step"
ADD = """\
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""
FILL = """\
extern "C" __global__ void fill(int* y, int rows, int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && row < rows) y[row * cols + x] = 1;
}
"""
STRIDE = """\
extern "C" __global__ void stride(const float* x, float* y, int step) {
    y[threadIdx.x] = x[threadIdx.x * step];
}
"""
SHARED = """\
extern "C" __global__ void turn(int* y, int step) {
    __shared__ int s[32 * 33];
    s[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x * step];
}
"""
ROTATE = """\
extern "C" __global__ void rotate(int* y) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    BARRIER
    y[threadIdx.x] = s[63 - threadIdx.x];
}
"""


def raw(source, **options):
    name = source.split("void ")[1].split("(")[0]
    return cudasim.RawKernel(source, name, **options)


def zeros(*shape, dtype=np.float32):
    return np.zeros(shape, dtype)


def add(n=37, grid=5, block=8, **how):
    return viz.launch(raw(ADD), grid, block, (*zeros(3, n), n), **how)


# ---------------------------------------------------------------- every kernel


def every_launch():
    """Each kernel in each picture; by day in two of five, in turn."""
    for n, (stem, make) in enumerate(LAUNCHES.items()):
        launch = list(make())[-1]
        for m, name in enumerate(PICTURES):
            seldom = [] if (n + m) % 5 < 2 else [pytest.mark.nightly]
            yield pytest.param(stem, launch, name, id=f"{stem}-{name}", marks=seldom)


@pytest.mark.slow
@pytest.mark.parametrize("stem, launch, name", list(every_launch()))
def test_every_kernel_can_be_drawn(stem, launch, name):
    kernel = Kernel(texts_of_kernels()[stem], launch.name, launch.options)
    before = [np.copy(a) for a in launch.args]
    picture = getattr(viz, name)(
        kernel, launch.grid, launch.block, launch.args, shared_mem=launch.shared_mem
    )
    picture = picture.picture() if name == "step" else picture
    assert "There is nothing" not in picture.alt or name in ("banks", "divergence")
    root = ElementTree.fromstring(picture.svg())
    assert root.attrib["aria-label"] == picture.alt
    for old, new in zip(before, launch.args, strict=True):
        np.testing.assert_array_equal(old, new)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 90), st.integers(1, 5), st.integers(1, 70),
    st.sampled_from(PICTURES),
)  # fmt: skip
def test_any_launch_can_be_drawn(n, grid, block, name):
    args = *zeros(3, n), n
    picture = getattr(viz, name)(raw(ADD), grid, block, args)
    picture = picture.picture() if name == "step" else picture
    assert picture.svg().rstrip().endswith("</svg>")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 15), min_size=1, max_size=4), st.data())
def test_outputs_of_any_shape_are_drawn(shape, data):
    block = tuple(data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)))
    size = int(np.prod(shape))
    y = zeros(*shape, dtype=np.int32)
    picture = viz.launch(raw(FILL), (2, 2), block, (y, 1, size))
    assert f"y has shape {tuple(shape)}" in picture.alt
    assert picture.svg()


# ---------------------------------------------------------------- launch


def test_each_element_shows_its_thread_and_block():
    picture = add()
    assert "37 of 37 elements are written" in picture.alt
    assert "40 threads, of which 37 write; 3 write nothing" in picture.alt
    numbers = texts(picture, size=10)  # and so does each thread without one
    assert numbers == Counter(str(i % 8) for i in range(40))
    beneath = texts(picture, size=7)
    assert beneath == Counter(str(i // 8) for i in range(40))


def test_x_runs_along_columns_and_y_along_rows():
    args = zeros(3, 4, dtype=np.int32), 3, 4
    picture = viz.launch(raw(FILL), (2, 1), (2, 3), args)
    texts = [t for t in picture.figure.axes[0].texts if t.get_fontsize() == 10]
    threads = {(t.get_text(), *(round(p, 2) for p in t.get_position())) for t in texts}
    columns = sorted({x for _, x, _ in threads})
    rows = sorted({y for *_, y in threads})
    expected = {(f"{c % 2},{r % 3}", x, y)
                for c, x in enumerate(columns) for r, y in enumerate(rows)}  # fmt: skip
    assert threads == expected and (len(columns), len(rows)) == (4, 3)


def test_what_nobody_writes_is_marked():
    picture = add(n=20, grid=2)
    assert "No thread writes c[16], c[17], c[18], c[19]." in picture.alt
    assert boxes(picture, "free") == 4 + 1


def test_two_writers_are_marked_and_both_are_named():
    text = ADD.replace("c[i] = a[i] + b[i]", "c[i / 2] = a[i]")
    picture = viz.launch(raw(text), 2, 4, (*zeros(3, 8), 8))
    assert "More than one thread writes c[0], c[1], c[2], c[3]." in picture.alt
    assert boxes(picture, "wrong") == 4 + 1
    assert texts(picture)["0 1"] == 2


def test_one_thread_that_writes_twice_is_no_conflict():
    text = ADD.replace("c[i] = a[i] + b[i];", "{ c[i] = a[i]; c[i] += b[i]; }")
    assert boxes(viz.launch(raw(text), 2, 4, (*zeros(3, 8), 8)), "wrong") == 0


def test_atomics_are_no_conflict():
    text = ADD.replace("c[i] = a[i] + b[i]", "atomicAdd(c, a[i])")
    picture = viz.launch(raw(text), 2, 4, (*zeros(3, 8), 8))
    assert boxes(picture, "wrong") == 0
    assert "several threads, atomically: 1 element" in picture.alt


def test_a_float4_is_four_elements():
    source = """\
extern "C" __global__ void quads(float4* y) {
    y[threadIdx.x] = make_float4(1, 2, 3, 4);
}
"""
    picture = viz.launch(raw(source), 1, 3, (zeros(12),))
    assert texts(picture, size=10) == Counter(3 * ["0", "1", "2"] + ["0", "1", "2"])


def test_a_million_elements_are_counted_and_cut():
    picture = add(n=1_000_000, grid=4000, block=256)
    assert "1,000,000 of 1,000,000 elements are written" in picture.alt
    assert "of 1,000,000 elements are drawn" in picture.alt
    drawn = texts(picture)
    assert drawn["255"] >= 2 and drawn["256"] == 1 and drawn["999999"] == 1


def test_output_is_chosen_by_name_and_by_number():
    assert "a has shape" in add(output="a").alt
    assert "b has shape" in add(output=1).alt
    assert "0 of 37 elements" in add(output="a").alt
    with pytest.raises(ValueError, match="choose from a, b, c"):
        add(output="d")


# ---------------------------------------------------------------- access and banks


def strided(step):
    args = zeros(32 * 32), zeros(32), step
    return viz.access(raw(STRIDE), 1, 32, args)


@pytest.mark.parametrize("step, sectors", [(0, 1), (1, 4), (2, 8), (4, 16), (32, 32)])
def test_sectors_are_counted(step, sectors):
    used = 128 if step else 4
    noun = "sector" if sectors == 1 else "sectors"
    expected = f"x is read by 32 lanes, 4 bytes each: {sectors} {noun}, {used} of "
    picture = strided(step)
    assert expected + f"{sectors * 32} bytes used" in picture.alt
    if sectors <= 16:  # else rows are cut
        touched = 32 if step else 1
        assert boxes(picture, "touched") == 1 + 32 + touched
        assert boxes(picture, "unused") == 1 + 8 * sectors - touched


def test_the_counts_are_those_of_the_tools():
    report = cudasim.run(raw(STRIDE), 1, 32, (zeros(1024), zeros(32), np.int32(8)))
    printed = strided(8).alt
    assert (
        f"Whole launch: {report.counts['sectors'] - 4} sectors in 1 request" in printed
    )


def test_a_line_and_a_warp_are_chosen():
    args = *zeros(3, 300), 300
    picture = viz.access(raw(ADD), 5, 64, args, line=3, warp=9)
    assert "a is read by 12 lanes" in picture.alt and "lane 0: a[288]" in picture.alt
    with pytest.raises(ValueError, match="warps 0 to 9"):
        viz.access(raw(ADD), 5, 64, args, warp=10)
    with pytest.raises(ValueError, match="lines 1 to"):
        viz.access(raw(ADD), 5, 64, args, line=99)
    nothing = viz.access(raw(ADD), 5, 64, args, line=2)
    assert "makes no access of global memory in line 2" in nothing.alt


@pytest.mark.parametrize("step, passes", [(0, 1), (1, 1), (2, 2), (32, 32), (33, 1)])
def test_bank_passes_are_counted(step, passes):
    picture = viz.banks(raw(SHARED), 1, 32, (zeros(32, dtype=np.int32), step), line=5)
    verdict = "no conflict" if passes == 1 else "1 would do"
    noun = "pass" if passes == 1 else "passes"
    assert (
        f"s is read by 32 lanes, 4 bytes each: {passes} {noun}, {verdict}"
        in picture.alt
    )
    if passes <= 10:
        words_of_banks, first = (32, 32 // passes) if step else (1, 1)
        assert boxes(picture, "wrong") == 1 + words_of_banks - first
    assert texts(picture)[f"pass {passes}"] == 1


def test_doubles_go_by_half_a_warp():
    source = SHARED.replace("int* y", "double* y").replace("int s[", "double s[")
    picture = viz.banks(raw(source), 1, 32, (zeros(32, dtype=np.float64), 1), line=5)
    assert "2 groups" in picture.alt and "2 passes, no conflict" in picture.alt


def test_a_column_more_spreads_a_column_over_the_banks():
    picture = viz.bank_map((32, 32), (32, 33))
    assert picture.alt == (
        "[32][32]: 32 words in 1 bank, 32 passes. "
        "[32][33]: 32 words in 32 banks, 1 pass."
    )
    assert min(t.get_fontsize() for t in picture.figure.axes[0].texts) > 6.75  # 9 px
    same = viz.bank_map((32, 33), lanes=lambda lane: (3, 4))
    assert same.alt == "[32][33]: 1 word in 1 bank, 1 pass."
    half = viz.bank_map((4, 16), lanes=lambda lane: (lane % 4, lane % 8))
    assert "32 words" not in half.alt


@pytest.mark.parametrize(
    "shape, message",
    [
        ((35, 1), "1 to 34 rows and columns are drawn"),
        ((32, 0), "not 32 and 0"),
        ((16, 16), r"reads \[16\]\[0\], outside of \[16\]\[16\]"),
    ],
)
def test_what_a_map_of_banks_cannot_draw_is_explained(shape, message):
    with pytest.raises(ValueError, match=message):
        viz.bank_map(shape)


# ---------------------------------------------------------------- divergence


WAYS = """\
extern "C" __global__ void ways(int* y, int size, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / size % 2 == 0)
        for (int r = 0; r < rounds; r++) y[i] += r;
    else y[i] = 2;
}
"""


def ways(size, rounds=3, block=64, **how):
    args = np.zeros(2 * block, np.int32), np.int32(size), np.int32(rounds)
    return viz.divergence(raw(WAYS), 2, block, args, **how)


@pytest.mark.parametrize("size, true", [(1, 16), (8, 16), (20, 20), (32, 32), (64, 32)])
def test_a_divergent_warp_makes_two_passes(size, true):
    picture = ways(size, line=3)
    passes = 2 if true < 32 else 1
    assert boxes(picture, "touched") == 1 + 32
    assert boxes(picture, "free") == 1 + 32 * (passes - 1)
    assert texts(picture)["pass 2: false"] == passes - 1
    split = 4 if passes == 2 else 0
    assert f"come here 4 times and disagree {split} times" in picture.alt
    agree = f"It's true for {true} of the 32 lanes here, so the warp makes 2 passes."
    both = "It's true for all 32 lanes here, so the warp makes 1 pass."
    assert (agree if passes == 2 else both) in picture.alt


def test_lanes_that_went_the_other_way_wait():
    picture = ways(1, line=4)
    assert "It's true for all 16 lanes here" in picture.alt
    assert (
        "This is the first of 4 times. In the whole launch, warps come here 16 times"
        in picture.alt
    )
    assert boxes(picture, "touched") == boxes(picture, "free") == 1 + 16


def test_a_short_warp_has_fewer_lanes_and_any_warp_is_drawn():
    picture = ways(40, block=40, line=3, warp=1)
    assert "true for all 8 lanes" in picture.alt and boxes(picture, "touched") == 1 + 8
    assert "It's false for all 32 lanes" in ways(64, line=3, warp=2).alt
    assert "It's false for all 16 lanes" in ways(1, rounds=0, line=4).alt
    with pytest.raises(ValueError, match="warps 0 to 3"):
        ways(1, warp=4)


def test_conditions_are_drawn_in_the_order_of_the_text():
    alt = ways(1).alt
    assert alt.index("Line 3, column 5") < alt.index("Line 4, column 9")
    straight = viz.divergence(raw(STRIDE), 1, 32, (zeros(32), zeros(32), 1))
    assert "Warp 0 of stride comes to no condition." in straight.alt
    many = raw(FILL.replace("= 1", "= 1; " + "if (row) y[0] = 2;" * 9, 1))
    picture = viz.divergence(many, 1, 32, (zeros(32, dtype=np.int32), 1, 32))
    assert "Cut: 8 of " in picture.alt and " conditions are drawn" in picture.alt


# ---------------------------------------------------------------- timeline


def rotated(barrier, block=64):
    kernel = raw(ROTATE.replace("BARRIER", barrier))
    return viz.timeline(kernel, 1, block, (zeros(64, dtype=np.int32),))


def arcs(picture):
    patches = picture.figure.axes[0].patches
    bows = [p for p in patches if isinstance(p, matplotlib.patches.FancyArrowPatch)]
    return [p for p in bows if matplotlib.colors.to_hex(p.get_edgecolor()) == "#b3261e"]


def test_a_race_is_an_arc_between_its_accesses():
    picture = rotated("")
    assert len(arcs(picture)) == 1
    assert boxes(picture, "wrong") == 2 + 1
    assert "Race, line 5: thread " in picture.alt and "0 barriers" in picture.alt


def test_with_its_barrier_there_is_no_arc():
    picture = rotated("__syncthreads();")
    assert not arcs(picture) and not boxes(picture, "wrong")
    assert "2 warps, 2 accesses of shared memory, 1 barrier." in picture.alt
    assert texts(picture)["w"] == texts(picture)["r"] == 2


def test_a_line_of_source_stands_above_its_first_column():
    picture = rotated("s[threadIdx.x] += 1;\ns[threadIdx.x] += 2;", 32)
    texts = {t.get_text(): t.get_position() for t in picture.figure.axes[0].texts}
    lines = [text for text in texts if ";" in text]
    assert lines == sorted(lines) and "5  s[threadIdx.x] += 2;" in lines
    heights = [texts[line][1] for line in lines]
    assert heights == sorted(set(heights))


def test_lanes_end_with_the_last_column():
    few, many = (rotated(barrier) for barrier in ("", "s[threadIdx.x] += 1;" * 9))
    assert arrow_end(few) < arrow_end(many) <= 8.56


def arrow_end(picture):
    texts = {t.get_text(): t.get_position() for t in picture.figure.axes[0].texts}
    return texts["time"][0]


def test_another_block_can_be_drawn():
    args = zeros(64, dtype=np.int32), 1
    picture = viz.timeline(raw(SHARED), (2, 2), 32, args, only=(1, 1))
    assert "the warps of block 1,1" in picture.alt
    with pytest.raises(ValueError, match="the grid is"):
        viz.timeline(raw(SHARED), (2, 2), 32, args, only=(2, 0, 0))


def test_a_long_loop_is_cut():
    loop = "__syncthreads(); for (int k = 0; k < 500; ++k) s[threadIdx.x] += k;"
    assert "of 1,003 accesses and barriers are drawn" in rotated(loop, 32).alt


# ---------------------------------------------------------------- findings


def test_a_finding_is_drawn_on_its_line():
    report = cudasim.run(
        raw(ROTATE.replace("BARRIER", "")), 1, 64, (zeros(64, dtype="i4"),)
    )
    finding = report.findings[0]
    for picture in (viz.finding(report), viz.finding(finding)):
        assert f"race at line {finding.line}, column {finding.column}" in picture.alt
        assert any(finding.source_line.strip() in text for text in texts(picture))
        assert boxes(picture, "wrong") == 2
        assert texts(picture)["in no order"] == 1


def test_no_finding_is_said_and_what_is_none_is_refused():
    report = cudasim.run(raw(ADD), 5, 8, (*zeros(3, 40), np.int32(40)))
    assert "found nothing" in viz.finding(report).alt
    with pytest.raises(TypeError, match="expected a Report"):
        viz.finding("x")


@pytest.mark.slow
@table("case", bugs.wrong(), ids=lambda c: c.name)
def test_the_findings_of_every_planted_bug_are_drawn(case):
    kernel = cudasim.RawKernel(case.source, case.name)
    limits = cudasim.Limits(seconds=0.3)
    report = cudasim.run(kernel, **case.arguments(), tools="all", limits=limits)
    for finding in report.findings:
        assert f"{finding.kind} at line {finding.line}" in viz.finding(finding).alt


def one_of_each():
    """For each kind of finding its first planted bug."""
    kinds = {}
    for case in bugs.wrong():
        for marks in case.marks.values():
            for kind in marks.get("BUG", ()):
                kinds.setdefault(kind, case)
    return kinds


@pytest.mark.slow
@pytest.mark.parametrize("kind", one_of_each())
@pytest.mark.parametrize("name", PICTURES)
def test_a_kernel_with_this_bug_can_be_drawn(kind, name, monkeypatch):
    monkeypatch.setattr(viz.draw.kernel_launch, "SECONDS", 0.3)
    case = one_of_each()[kind]
    kernel, given = cudasim.RawKernel(case.source, case.name), case.arguments()
    assert repr(getattr(viz, name)(kernel, **given))


# ---------------------------------------------------------------- what cannot run


def filled(text):
    """An exercise with its answer, as a lab leaves it."""
    tail_guard.answer, tail_guard._run = Answer(text, None), text
    return tail_guard


@pytest.fixture
def exercise():
    before = tail_guard.answer, tail_guard._run
    yield tail_guard
    tail_guard.answer, tail_guard._run = before


TAIL = """\
__global__ void tail_guard(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
"""


@pytest.mark.parametrize("name", PICTURES)
def test_an_exercise_is_drawn_with_its_text(name, exercise):
    args = zeros(10), zeros(10), 10
    assert "nothing to draw" not in repr(viz.launch(filled(TAIL), 2, 8, args))
    wrong = getattr(viz, name)(filled(TAIL.replace("n) y", "m) y")), 2, 8, args)
    assert "There is nothing to draw." in repr(wrong)
    assert "kernel.cu:3:13: error:" in repr(wrong)
    exercise._run = exercise.answer = None
    assert "has no answer yet" in repr(getattr(viz, name)(exercise, 2, 8, args))


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize(
    "grid, args, message",
    [
        (5, (*zeros(3, 8), 8.0), "got the Python float"),
        (5, (*zeros(3, 8), 8, 8), "takes 4 arguments, got 5"),
        (5, (*zeros(3, 8, dtype="f8"), 8), "expected an array of float32"),
        (0, (*zeros(3, 8), 8), "is empty"),
        (2.5, (*zeros(3, 8), 8), "whole numbers"),
    ],
)
def test_a_wrong_launch_is_a_sentence(name, grid, args, message):
    picture = getattr(viz, name)(raw(ADD), grid, 8, args)
    assert message in picture.alt
    assert picture.svg()


@pytest.mark.parametrize("name", PICTURES)
def test_out_of_bounds_is_said_and_the_rest_is_drawn(name):
    args = zeros(40), zeros(40), zeros(30), 40
    how = {"only": 3} if name == "step" else {}
    picture = getattr(viz, name)(raw(ADD), 5, 8, args, **how)
    assert "c[30] is written, but c has 30 elements" in repr(picture)
    if name == "launch":
        assert "30 of 30 elements" in repr(picture)


def test_what_is_no_kernel_is_a_sentence():
    assert "expected a kernel" in viz.launch(len, 1, 1, ()).alt


def test_an_endless_loop_is_cut_short(monkeypatch):
    monkeypatch.setattr(viz.draw.kernel_launch, "SECONDS", 0.3)
    text = ADD.replace("if (i < n)", "while (n)")
    picture = viz.launch(raw(text), 1, 8, (*zeros(3, 8), 8))
    assert "timeout: the kernel did not end" in picture.alt


def test_variables_of_the_file_stay_as_they_are():
    source = "__device__ int hits;\n" + ROTATE.replace(
        "BARRIER", "atomicAdd(&hits, 1);"
    )
    kernel = cudasim.RawModule(source).get_function("rotate")
    for name in PICTURES:
        getattr(viz, name)(kernel, 1, 64, (zeros(64, dtype=np.int32),))
    assert kernel.module.get_global("hits")[0] == 0


def test_pictures_of_kernels_import_no_matplotlib_until_one_is_drawn():
    code = "import sys; from minigrad import viz; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "False\n", run.stderr


# ---------------------------------------------------------------- the stepper


def stepped(**how):
    return viz.step(raw(ADD), 5, 8, (*zeros(3, 37), 37), **how)


def sent(stepper):
    pytest.importorskip(
        "anywidget", reason="not run: tests of the slider (anywidget is not installed)"
    )
    return json.loads(stepper.panel.data)


def test_the_stepper_is_sent_every_statement():
    data = sent(stepped(only=4))
    *steps, end = data["steps"]  # the last one: how the kernel ends
    assert [s["line"] for s in steps] == [2, 3, 3] and end["line"] == 4
    active = [data["pool"][s["active"]].count("1") for s in steps]
    assert active == [8, 8, 5]
    values = data["pool"][steps[-1]["values"]["i"]]
    assert values == list(range(32, 40))
    assert data["source"] == ADD.rstrip().split("\n")
    assert data["names"] == list("01234567")


def test_shared_memory_is_sent_and_what_is_unwritten_is_marked():
    source = ROTATE.replace("BARRIER", "__syncthreads();").replace("int s", "float s")
    data = sent(viz.step(raw(source), 1, 64, (zeros(64, dtype=np.int32),)))
    first, last = (data["pool"][data["steps"][i]["shared"]["s"]] for i in (0, -1))
    assert first == "?" and last == list(range(64))
    assert data["shapes"] == {"s": [64]}


def test_long_traces_are_cut_and_say_so():
    text = ADD.replace("if (i < n)", "for (int k = 0; k < 5000; ++k) if (i < n)")
    data = sent(viz.step(raw(text), 1, 256, (*zeros(3, 37), 37)))
    assert len(data["steps"]) <= 2000 and "Only the first" in data["note"]
    assert len(json.dumps(data)) < 3e6


def test_odd_values_can_be_sent():
    source = """\
struct Pair { float a; int b; };
extern "C" __global__ void odd(float* y, long long big, const Pair* p) {
    float bad[2] = {0.0f / y[0], 1.0f / y[0]};
    Pair one = p[0]; bool yes = big > 3; float4 q = make_float4(1, 2, 3, 4);
    y[0] = bad[0] + one.a + yes + q.x;
}
"""
    pairs = zeros(1, dtype=np.dtype([("a", "f4"), ("b", "i4")]))
    data = sent(viz.step(raw(source), 1, 4, (zeros(4), 2**60, pairs)))
    values = {k: data["pool"][v] for k, v in data["steps"][-2]["values"].items()}
    assert values["bad[0]"] == "nan" and values["bad[1]"] == "inf"
    assert values["big"] == str(2**60) and values["yes"] == "true"
    assert values["q"] == "(1, 2, 3, 4)"


def test_the_slider_comes_with_a_still_picture_that_it_hides(monkeypatch):
    stepper = stepped()
    sent(stepper)
    widget, still = shown(monkeypatch, stepper)
    view = widget["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == stepper.panel.model_id
    assert still["text/html"].startswith(f'<div class="{stepper.panel.still}"><img')
    assert still["text/plain"] == repr(stepper)


@pytest.mark.parametrize("missing", ["google.colab", "anywidget"])
def test_without_a_slider_there_is_the_picture(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    (picture,) = shown(monkeypatch, stepped())
    assert isinstance(picture, viz.Picture)
    assert "Line 3: Statement 3: 8 of 8 threads." in picture.alt


def test_threads_that_write_nothing_are_drawn():
    picture = add(n=5, grid=2, block=4)
    assert texts(picture)["threads that write nothing"] == 1
    assert boxes(picture, "unused") == 3
    assert boxes(add(n=8, grid=2, block=4), "unused") == 0


def test_threads_stand_in_their_blocks_with_their_elements():
    picture = viz.threads(2, 4, 5)
    assert texts(picture)["block 1"] == texts(picture)["i=7"] == 1
    assert boxes(picture, "free") == 3
    assert picture.alt.endswith("The last 3 threads have no element.")
    seen = texts(viz.threads((2, 1), (3, 2)))
    assert seen["block 0"] == seen["block 1"] == 1 and seen["2,1"] == 2
    with pytest.raises(ValueError, match="too large to be drawn: at most 24 threads"):
        viz.threads(2, 32)


def test_a_still_has_the_values_of_threads_and_of_shared_memory():
    source = ROTATE.replace("BARRIER", "__syncthreads();").replace(
        "= threadIdx.x;", "= 77;"
    )
    picture = viz.step(raw(source), 1, 64, (zeros(64, dtype=np.int32),)).picture()
    assert texts(picture)["77"] == 2 * 64  # in shared memory and in the output
    assert texts(picture)["shared by the block"] == 1


def test_a_step_has_what_the_block_has_written():
    x, y, z = (np.arange(8, dtype=np.float32) for _ in range(3))
    shown = viz.step(raw(ADD), 2, 4, (x, y, z, 8))
    data = sent(shown)
    ((name, (old, new, shape)),) = data["after"].items()
    assert name == "c" and shape == [8]
    assert data["pool"][old] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert data["pool"][new] == [0, 2, 4, 6, 4, 5, 6, 7]  # of the first block alone
    assert boxes(shown.picture(), "unused") == 5  # the others are new
    assert texts(shown.picture())["has changed"] == 1


def test_a_source_has_the_numbers_that_findings_name():
    kernel = raw(ADD)
    assert repr(viz.source(kernel)).splitlines()[1].startswith("   2  ")
    pytest.importorskip("pygments", reason="not run: Pygments is not installed")
    page = viz.source(kernel)._repr_html_()
    assert "<span" in page and "__global__" in page
