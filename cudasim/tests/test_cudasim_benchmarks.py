"""The benchmarks: their tables, and that everyone computes the same."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from cudasim import RawKernel, run
from cudasim.benchmarks import (
    common,
    features,
    hard_work,
    public_races,
    speed,
    workloads,
)
from cudasim.benchmarks.common import Timing

pytestmark = pytest.mark.slow


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(common, "SAMPLE", 0)


@pytest.mark.parametrize(
    "page", [*common.PAGES.glob("*.md")], ids=lambda page: page.name
)
def test_every_table_names_the_day_of_its_run(page):
    tables = re.findall(r"written by a script -->\n\n(.*)\n", page.read_text())
    assert tables
    for day in tables:
        assert re.match(r"Run on 20\d\d-\d\d-\d\d\.$", day)


def test_every_page_of_measurements_is_linked():
    texts = [common.HOME / "README.md", *(common.HOME / "docs").glob("*.md")]
    text = "".join(path.read_text() for path in texts)
    for page in common.PAGES.glob("*.md"):
        assert f"benchmarks/{page.name})" in text, page.name


def small(monkeypatch):
    """The workloads, at sizes that take no time."""
    monkeypatch.setattr(speed, "WORKLOADS", {
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
    page = tmp_path / "speed.md"
    page.write_text(speed.PAGE.read_text())
    monkeypatch.setattr(speed, "PAGE", page)
    monkeypatch.setattr(speed, "against_numba", lambda _: "numba-cuda is not installed")
    assert speed.main(["--rounds", "1", "--write"]) == 0
    shown = capsys.readouterr().out
    assert shown.strip() in page.read_text()
    rows = [line for line in shown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(speed.WORKLOADS) + 1
    assert "not run: Numba's simulator (numba-cuda is not installed)" in shown
    add = next(row for row in rows if "vector add" in row)
    assert add.count(" x)") == (5 if speed.shutil.which("g++") else 4)


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
    functions, out = speed.contestants(work), work.args[result]
    expected = functions.pop("NumPy")()
    if functions["g++"] is None:
        pytest.skip("not run: the g++ contestant (no g++)")
    for name, function in functions.items():
        out[...] = 0
        function()
        np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5, err_msg=name)


def test_the_real_workloads_launch(monkeypatch):
    for name, make in speed.WORKLOADS.items():
        if name in ("vector_add", "empty", "histogram"):  # the quick ones
            assert speed.timings({"plain": speed.contestants(make())["plain"]}, 1)


def test_ratios_are_against_the_plain_launch():
    assert speed.ratio(Timing((0.03,)), Timing((0.01,))) == "30 ms (3 x)"
    assert speed.ratio(None, Timing((0.01,))) == "–"


def test_compiling_is_never_cached(quick):
    assert speed.compiling(1).best > 1e-4


def test_a_quick_look_is_not_written(capsys):
    assert speed.main(["--quick", "empty"]) == 0
    assert "not run: Numba's simulator (--quick)" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        speed.main(["--quick", "--write"])


def test_an_unknown_workload_is_refused(capsys):
    with pytest.raises(SystemExit):
        speed.main(["matmull"])
    assert "no workload matmull: vector_add, " in capsys.readouterr().err


NUMBA = """
import json, os
import numpy as np
os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
from cudasim.benchmarks import numba_kernels
from cudasim import RawKernel
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
    if not speed.has_numba():
        pytest.skip("not run: Numba's simulator (numba-cuda is not installed)")
    command = [sys.executable, "-c", NUMBA]
    run = subprocess.run(
        command, cwd=common.HOME.parent, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    errors = json.loads(run.stdout)
    assert len(errors) == 4
    assert max(errors) < 1e-5


def test_what_the_tests_launch_is_recorded_once():
    text = "__global__ void k(float* x) { x[threadIdx.x] += 1; }"
    kernel, x, launches = RawKernel(text, "k"), np.zeros(4, np.float32), {}
    with features.recording(launches):
        kernel(1, 4, (x,))
        kernel(1, 4, (x,))
    (one,) = launches.values()
    assert one.label == "what_the_tests_launch_is_recorded_once"
    assert (one.source, one.name) == (text, "k") and one.args[0].tolist() == [0] * 4
    assert x.tolist() == [2] * 4


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
