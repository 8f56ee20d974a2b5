"""The scripts for a GPU where there is none: limits in time, what is kept when a run is
cut off, compute-sanitizer's reports and its table."""

import contextlib
import dataclasses
import sys
import time

import fake_cupy
import numpy as np
import pytest

pytest.importorskip("torch", reason="not run: GPU benchmarks (no PyTorch)")

from benchmarks import (
    alone,
    cases,
    common,
    gpu_agreement,
    sanitizer,
)
from benchmarks.sanitizer_report import Found, read

pytestmark = pytest.mark.slow

# Limits in time


def slow(case):
    time.sleep(60)


def test_what_takes_too_long_is_ended_and_named():
    with common.processes(1) as pool:
        future = pool.submit(common.within, 0.3, slow, None)
        with pytest.raises(TimeoutError, match="^took over 0.3 s$") as caught:
            future.result()
    assert cases.in_words(caught.value) == "not run: took over 0.3 s"
    assert cases.in_words(ValueError("no\nmore")) == "failed: ValueError: no"


def two_cases():
    text = 'extern "C" __global__ void f(int* x) { x[threadIdx.x] += 1; }'
    for name in ("first", "second"):
        yield cases.Case(name, text, "f", (1,), (8,), (np.zeros(8, np.int32),))


def test_after_a_kernel_without_end_the_gpu_is_left_alone(monkeypatch):
    monkeypatch.setattr(gpu_agreement, "on_the_gpu", lambda case, _: slow(case))
    gpu = gpu_agreement.Gpu(0.3)
    shown = [
        str(gpu_agreement.compared([case], "--fmad=true", gpu, None))
        for case in two_cases()
    ]
    assert shown == ["not run: took over 0.3 s", "not run: the GPU is still at first"]


def test_a_text_that_takes_too_long_is_no_agreement(monkeypatch):
    monkeypatch.setattr(cases.chapters, "launches", lambda _: slow(None))
    path = common.HOME / "lessons" / "01_threads.py"
    futures = {"lessons/01_threads": Here().submit(common.within, 0.1, slow, path)}
    assert cases.of_chapters(futures) == (
        [], [], [("lessons/01_threads", "not run: took over 0.1 s")]
    )  # fmt: skip


class Here:
    """In the place of a pool of processes."""

    def submit(self, function, *args):
        import concurrent.futures

        future = concurrent.futures.Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, **_):
        pass


@pytest.fixture
def agreement(monkeypatch, tmp_path):
    """The script's page; its "GPU" is the simulator, and "second" is never reached."""
    page = tmp_path / "page.md"
    page.write_text(gpu_agreement.PAGE.read_text())
    monkeypatch.setattr(gpu_agreement, "PAGE", page)
    monkeypatch.setattr(common, "machine", lambda: "a machine")
    monkeypatch.setattr(common, "processes", lambda _: Here())
    monkeypatch.setattr(cases, "of_teaching", lambda _: two_cases())
    monkeypatch.setattr(cases, "recorded", lambda *_: {})
    fake_cupy.install(monkeypatch)
    return page


def test_a_run_that_is_cut_off_keeps_its_rows(monkeypatch, agreement, capsys):
    def run(case, options):
        if case.label == "second":
            assert "| first " in agreement.read_text()  # written before the end
            raise SystemExit(143)  # what SIGTERM does
        arrays, report = gpu_agreement.in_the_simulator(case, options)
        return arrays, report.output

    monkeypatch.setattr(gpu_agreement, "on_the_gpu", run)
    with pytest.raises(SystemExit):
        gpu_agreement.main(["--write"])
    shown = capsys.readouterr().out.strip()
    assert shown in agreement.read_text()
    assert shown.endswith(gpu_agreement.CUT_OFF)
    assert "| first  | the same bits | same bits" in shown
    assert "second" not in shown


def test_a_text_without_launches_is_a_disagreement(monkeypatch, agreement, capsys):
    monkeypatch.setattr(cases, "of_teaching", lambda _: [])
    monkeypatch.setattr(cases, "of_jit", lambda _: [])
    lost = [("lessons/01_threads", "not run: took over 60 s")]
    monkeypatch.setattr(cases, "of_chapters", lambda *_: ([], [], lost))
    assert gpu_agreement.main([]) == 1
    shown = capsys.readouterr()
    assert shown.out.count("not run: took over 60 s") == 2
    assert shown.err == "\ndisagree: lessons/01_threads\n"


# compute-sanitizer's reports

MEMCHECK = """\
========= COMPUTE-SANITIZER
what the program prints
========= Invalid __global__ write of size 4 bytes
=========     at void unary<float>(const float *, float *, long long)+0x70 in a.cu:4
=========     by thread (36,0,0) in block (1,0,0)
=========     Access to 0x7f0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7e0 of size 16 bytes
=========
========= Invalid __shared__ read of size 8 bytes
=========     at tile_of(const float *, int)+0xb0 in b.cu:12
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x400 is out of bounds
=========         Device Frame: void matmul<float>(const float *)+0x30 in /tmp/b.cu:44
=========
========= ERROR SUMMARY: 2 errors
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at turn(float *)+0x90 in c.cu:65
=========     and Read access at turn(float *)+0x100 in c.cu:67 [508 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
INITCHECK = """\
========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at copy(const float *, float *)+0x70
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
=========
========= ERROR SUMMARY: 128 errors
========= ERROR SUMMARY: 127 errors were not printed. Use --print-limit option
"""
SYNCCHECK = """\
========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at [clone scan(int *, int *)] outlined()+0x11f0 in d.cu:42
=========     by thread (32,0,0) in block (0,0,0)
=========     Device Frame:scan(int *, int *)+0xe40 in d.cu:60
========= ERROR SUMMARY: 1 error
"""
WRITE = "Invalid __global__ write of size 4 bytes"


@pytest.mark.parametrize(
    "text, findings, total",
    [
        (MEMCHECK, [(WRITE, "unary", "a.cu", 4),
                    ("Invalid __shared__ read of size 8 bytes", "matmul", "b.cu", 12)],
         2),
        (RACECHECK, [("Error: Race reported between Write access", "turn", "c.cu",
                      65)], 1),
        (INITCHECK, [("Uninitialized __global__ memory read of size 4 bytes", "copy",
                      "", 0)], 128),
        (SYNCCHECK, [("Barrier error detected. Divergent thread(s) in block", "scan",
                      "d.cu", 42)], 1),
        ("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", [], 0),
        ("========= COMPUTE-SANITIZER\n", [], None),
        ("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
         [], 0),
    ],
)  # fmt: skip
def test_a_report_is_read(text, findings, total):
    assert read(text) == ([Found(*one) for one in findings], total)


def test_what_the_tool_itself_says_is_found_too():
    said = "Internal Sanitizer Error: didn't track the launch"
    (one,), total = read(f"========= {said}\n========= ERROR SUMMARY: 0 errors\n")
    assert (str(one), total) == (f"{said} in ?", 0)


# Its table


def rows(*names):
    one = common.Launch("", "", "", (1,), (1,), ())
    return {n: [dataclasses.replace(one, file=f"{n}.cu")] for n in names}


def watched(output, code=0, **done):
    return alone.Watched(output, code, done)


def test_findings_stand_in_the_row_of_their_file():
    shown = sanitizer.cells(rows("a", "d"), watched(MEMCHECK, a="", d=""), 9)
    assert shown == {
        "a": f"1 error: {WRITE} in unary, a.cu:4",
        "d": "0 errors",
        "elsewhere": "Invalid __shared__ read of size 8 bytes in matmul, b.cu:12",
    }
    shown = sanitizer.cells(rows("a"), watched(INITCHECK, a=""), 9)
    assert shown["elsewhere"].endswith("in copy; 127 more, not printed")


def test_errors_of_one_place_are_counted():
    findings = [Found("Bad", "f", "a.cu", line) for line in (1, 1, 2, 3, 4, 5, 6, 7)]
    assert sanitizer.errors(findings).startswith(
        "8 errors: Bad in f, a.cu:1 (2 x); Bad in"
    )
    assert sanitizer.errors(findings).endswith("a.cu:5; 2 other places")


@pytest.mark.parametrize(
    "output, code, done, cell",
    [
        ("", None, {"a": ""}, "not run: took over 9 s, at b"),
        ("Unable to find injection library\n", 1, {},
         "not run: compute-sanitizer ended with Unable to find injection library"),
        ("========= ERROR SUMMARY: 0 errors\n", -11, {"a": ""},
         "not run: the process ended at b"),
        ("========= ERROR SUMMARY: 0 errors\n", 0, {"a": "", "b": "ValueError: no"},
         "not run: ValueError: no"),
    ],
)  # fmt: skip
def test_why_a_row_has_no_result_is_said(output, code, done, cell):
    shown = sanitizer.cells(rows("a", "b"), watched(output, code, **done), 9)
    assert shown["b"] == cell


def test_a_control_in_which_nothing_is_found_is_a_failure():
    good = {"a": "0 errors", sanitizer.CONTROL: "28 errors: there"}
    assert list(sanitizer.judged({"memcheck": good})) == []
    silent = {"a": "0 errors", sanitizer.CONTROL: "0 errors"}
    ((tool, what),) = sanitizer.judged({"memcheck": silent})
    assert (tool, what) == ("memcheck", "wrong on purpose: nothing was found there")
    bad = {"a": "1 error: there", sanitizer.CONTROL: "1 error: there"}
    assert list(sanitizer.judged({"memcheck": bad})) == [("memcheck", "a")]


@pytest.mark.parametrize("tool", sanitizer.OPTIONS)
def test_the_simulator_finds_what_is_wrong_in_the_controls(tool):
    import cudasim

    one = sanitizer.control(tool)
    kernel = cudasim.RawKernel(one.source, one.name)
    args = tuple(cudasim.empty(a.shape) if i in one.unset else a for i, a in
                 enumerate(one.args))  # fmt: skip
    report = cudasim.run(kernel, one.grid, one.block, args, tools="all")
    kinds = {
        "memcheck": "out-of-bounds",
        "racecheck": "race",
        "initcheck": "uninitialized",
        "synccheck": "divergent-barrier",
    }
    assert kinds[tool] in {finding.kind for finding in report.findings}


def test_every_kernel_of_the_library_and_the_labs_is_launched():
    from minigrad.exercises.registry import KernelExercise, exercises

    families, labs = sanitizer.families(), sanitizer.labs()
    folder = common.HOME / "minigrad" / "kernels"
    assert set(families) == {path.stem for path in folder.glob("*.cu")}
    names = {one.name for launches in labs.values() for one in launches}
    answered = [e.exercise for e in exercises() if type(e.exercise) is KernelExercise]
    assert names == {exercise.name for exercise in answered}
    files = [{one.file for one in some} for some in (families | labs).values()]
    assert sum(map(len, files)) == len(set.union(*files))  # a file names its row
    unset = {one.name for some in (families | labs).values() for one in some
             if one.unset}  # fmt: skip
    assert {"unary<float>", "matmul_tiled", "block_sum"} <= unset
    assert not unset & {"sum_atomics<float>", "fold_scatter<float>"}  # they add


def test_what_jit_writes_is_launched_and_right_in_the_simulator():
    cases_of_jit = list(cases.of_jit())
    assert {c.label.partition(": ")[2] for c in cases_of_jit} == {
        "chain", "types", "halves", "turned", "smooth",
        "product", "convolved", "reduced",
    }  # fmt: skip
    case = next(c for c in cases.of_jit(["minigrad.jit: chain"]) if c.args[0].size > 1)
    x, y = case.args[:2]
    arrays, _ = gpu_agreement.in_the_simulator(case, (), ("race", "init"))
    x = x.reshape(-1, y.size)
    expected = abs(np.maximum(x * y + 1, 0) * np.float32(0.5) - y)
    assert any((a == expected.reshape(-1)).all() for a in arrays[2:])


def test_rows_are_dealt_to_processes():
    some = rows("a", "b", "c")
    dealt = list(sanitizer.tasks(some, ["memcheck", "racecheck"], 4))
    processes = [["a", "c"], ["b"], [sanitizer.CONTROL]]
    assert [(tool, list(part)) for tool, part in dealt] == [
        (tool, part) for tool in ("memcheck", "racecheck") for part in processes
    ]


# From end to end, with a program in the place of compute-sanitizer

CUPY = """
import sys
sys.path.insert(0, {tests!r})
import fake_cupy
class Now:
    setitem = staticmethod(lambda where, key, value: where.update({{key: value}}))
fake = fake_cupy.install(Now)
fake.cuda.set_allocator = lambda allocator: fake.calls.append(("allocator", allocator))
real = fake.RawModule
class RawModule(real):
    def __init__(self, code, **how):
        assert fake.calls[0] == ("allocator", None)
        assert '\\n#line 1 "' in code and "-lineinfo" in how["options"]
        assert "torch" not in sys.modules
        super().__init__(code=code, **how)
fake.RawModule = RawModule
"""
SANITIZER = """#!{python} -I
import pathlib, subprocess, sys, time
tool, path = sys.argv[sys.argv.index("--tool") + 1], sys.argv[-1]
if tool == {slow!r}:
    time.sleep(60)
code = subprocess.call(sys.argv[sys.argv.index({python!r}):])
done = pathlib.Path(path + ".done").read_text()
file = dict(memcheck="bounds", racecheck="barriers", initcheck="uninitialized",
            synccheck="divergent")[tool] if "wrong" in done else "cat"
wrong = "wrong" in done or tool == {wrong!r}
print("========= COMPUTE-SANITIZER")
if wrong:
    print("========= Bad\\n=========     at f(int)+0x1 in " + file + ".cu:7")
print("========= ERROR SUMMARY: %d error%s" % (wrong, "s" * (not wrong)))
sys.exit(code)
"""


@pytest.fixture
def tools(monkeypatch, tmp_path):
    """A function that puts a compute-sanitizer on the PATH; its child has a CuPy."""
    tests = str(common.HOME / "tests/support")
    (tmp_path / "cupy.py").write_text(CUPY.format(tests=tests))
    fake_cupy.install(monkeypatch)
    monkeypatch.setattr(common, "machine", lambda: "a machine")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{common.HOME}")
    monkeypatch.setenv("PATH", str(tmp_path))

    def put(wrong="", slow=""):
        text = SANITIZER.format(python=sys.executable, wrong=wrong, slow=slow)
        (tmp_path / "compute-sanitizer").write_text(text)
        (tmp_path / "compute-sanitizer").chmod(0o755)

    return put


def table(shown):
    lines = (
        line.strip("| ").split(" | ") for line in shown.splitlines() if "|" in line
    )
    return {name.strip(): [*map(str.strip, rest)] for name, *rest in lines}


def test_a_clean_run(tools, capsys, monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(sanitizer.PAGE.read_text())
    monkeypatch.setattr(sanitizer, "PAGE", page)
    tools()
    assert sanitizer.main(["cat", "01_threads", "--jobs", "2", "--write"]) == 0
    shown = capsys.readouterr()
    assert shown.out.strip() in page.read_text()
    findings = table(shown.out)
    assert findings["cat"] == ["4", *["0 errors"] * 4]
    assert findings["01_threads"][1:] == ["0 errors"] * 4
    assert all(
        "1 error: Bad in f, " in cell for cell in findings[sanitizer.CONTROL][1:]
    )
    assert shown.err.strip() == ""


def test_errors_are_a_failure(tools, capsys):
    tools(wrong="racecheck")
    what = ["--tool", "racecheck", "--tool", "synccheck", "--jobs", "2"]
    assert sanitizer.main(["cat", *what]) == 1
    shown = capsys.readouterr()
    assert table(shown.out)["cat"] == ["4", "1 error: Bad in f, cat.cu:7", "0 errors"]
    assert shown.err.strip() == "racecheck: cat"


def test_what_takes_too_long_is_ended(tools, capsys):
    tools(slow="synccheck")
    assert sanitizer.main(["cat", "--tool", "synccheck", "--limit", "1"]) == 1
    assert table(capsys.readouterr().out)["cat"] == [
        "4", "not run: took over 1 s, at cat"
    ]  # fmt: skip
    assert not alone._running


def test_where_it_cannot_run_it_says_so(monkeypatch, tools, capsys):
    fake_cupy.install(monkeypatch, available=False)
    assert sanitizer.main([]) == 2
    assert capsys.readouterr().out == (
        "not run: compute-sanitizer (needs an NVIDIA GPU and CuPy)\n"
    )
    fake_cupy.install(monkeypatch)
    monkeypatch.setattr(sanitizer, "program", lambda: None)
    assert sanitizer.main([]) == 2
    assert "not on the PATH)\n" in capsys.readouterr().out


def test_names_that_are_not_known_are_refused(tools, capsys):
    tools()
    assert sanitizer.main(["matmull"]) == 2
    assert capsys.readouterr().out.startswith("no row matmull: choose of index, ")
    with contextlib.redirect_stderr(None), pytest.raises(SystemExit):
        sanitizer.main(["--tool", "leakcheck"])
