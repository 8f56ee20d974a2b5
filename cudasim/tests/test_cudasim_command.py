"""`cudasim`: compile files of CUDA C from a terminal."""

import json
import subprocess
import sys
import textwrap
import tomllib
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest
from cudasim.cli.command import run as main
from cudasim.cli.simulate import occupancy
from packaging.requirements import Requirement

GOOD = textwrap.dedent(
    """\
    __device__ float twice(float x) {
        __shared__ float seen[3];
        seen[0] = x;
        __syncthreads();
        return 2 * seen[0];
    }
    __global__ void k(const float* x, float* y) {
        __shared__ char first;
        first = 1;
        y[0] = twice(x[0]) + first;
    }
    template <typename T, int N> __global__ void fill(T* p) { p[threadIdx.x] = N; }
    """
)


class Ran(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Runs `cudasim` in a folder with files of these texts."""

    def run(*words, **files):
        for name, text in files.items():
            kind = "wb" if isinstance(text, bytes) else "w"
            with open(tmp_path / f"{name}.cu", kind) as file:
                file.write(text)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["cudasim", *words])
        with pytest.raises(SystemExit) as end:
            main()
        code, (out, err) = end.value.code, capsys.readouterr()
        if isinstance(code, str):  # Python writes it to stderr
            code, err = 1, err + code
        return Ran(code or 0, out, err)

    return run


def test_a_line_for_each_kernel(command):
    ran = command("good.cu", good=GOOD)
    assert ran.returncode == 0
    assert ran.stdout.splitlines() == [
        "good.cu: k(const float *x, float *y), 16 bytes of shared memory, barriers",
        'good.cu: template fill: --name-expression "fill<...>" makes a kernel of it',
    ]


def test_an_error_with_its_line_and_a_caret(command):
    bad = "__global__ void k(float* o) {\n  o[0] = sqrf(2.0f); // [red] \x1b[0m\n}\n"
    ran = command("bad.cu", "good.cu", bad=bad, good=GOOD)
    assert ran.returncode == 1
    assert ran.stdout.startswith(
        textwrap.dedent(
            """\
            bad.cu:2:10: error: 'sqrf' is undefined
                  o[0] = sqrf(2.0f); // [red] \N{REPLACEMENT CHARACTER}[0m
                         ^
            note: did you mean 'sqrtf'?
            good.cu: k("""
        )
    )
    assert "\x1b" not in ran.stdout


def test_a_warning_is_no_error(command):
    text = "__global__ void k(float* o, float f) { o[0] = f * 0.5; }"
    ran = command("warn.cu", warn=text)
    assert ran.returncode == 0
    assert ran.stdout.startswith("warn.cu:1:51: warning: a double constant")
    assert ran.stdout.endswith("warn.cu: k(float *o, float f)\n")


LATE = "template <typename T> __global__ void late(T* x) {\n    T* y = 3.5;\n}"


@pytest.mark.parametrize(
    "words, line",
    [
        (("none.cu",), "none.cu: error: no such file\n"),
        (("god.cu",), "god.cu: error: no such file; did you mean 'good.cu'?"),
        (("/",), "/: error: this is a folder: name the files in it, as *.cu"),
        (("zeros.cu",), "zeros.cu: error: not a text file in UTF-8"),
        (("bytes.cu",), "bytes.cu: error: not a text file in UTF-8"),
        (
            ("good.cu", "--name-expression", "fill<3, 4>"),
            "--name-expression fill<3, 4>: error: template parameter T is a type",
        ),
        (
            ("late.cu", "--name-expression", "late<float>"),
            "late.cu:2:8: error: a value of type 'double' cannot be the first value",
        ),
    ],
)
def test_what_cannot_be_compiled(command, words, line):
    files = {"good": GOOD, "late": LATE, "zeros": b"int\0", "bytes": b"\xff\xfe\xfd"}
    ran = command(*words, **files)
    assert ran.returncode == 1
    assert ran.stdout.startswith(line)
    assert ran.stderr == ""


@pytest.mark.parametrize(
    "words, message",
    [
        (("--arch", "H100"), "'-arch=H100' names no GPU: write -arch=sm_75, or so"),
        (("-D", "2=3"), "'-D2=3' does not define a macro"),
        (("--name-expression", "other<1>"), "no file has a kernel 'other'"),
        (("--name-expression", "fil<int, 1>"), "'fil'; did you mean 'fill'?"),
    ],
)
def test_options_that_mean_nothing(command, words, message):
    ran = command("good.cu", *words, good=GOOD)
    assert ran.returncode == 1
    assert ran.stderr.startswith("cudasim: ") and message in ran.stderr


def test_json_macros_and_the_kernel_of_a_template(command):
    text = GOOD + "__global__ void j(int* o) { o[0] = SIZE * __CUDA_ARCH__; }"
    given = ("-D", "SIZE=4", "--arch", "sm_90", "--name-expression", "fill<float, 3>")
    ran = command("good.cu", "--json", *given, good=text)
    assert ran.returncode == 0
    (file,) = json.loads(ran.stdout)
    assert [k["name"] for k in file["kernels"]] == ["k", "j", "fill<float, 3>"]
    assert file["kernels"][0] == {
        "name": "k",
        "parameters": [
            {"type": "const float *", "name": "x"},
            {"type": "float *", "name": "y"},
        ],
        "shared_bytes": 16,
        "dynamic_shared": False,
        "barriers": True,
    }
    assert file["remarks"] == [] and file["templates"] == []


def test_json_has_the_place_of_an_error(command):
    ran = command("bad.cu", "--json", bad="__global__ void k() { x; }")
    assert ran.returncode == 1
    (error,) = json.loads(ran.stdout)[0]["remarks"]
    assert (error["kind"], error["line"], error["column"]) == ("error", 1, 23)
    assert error["message"] == "'x' is undefined"


ADD = """\
__global__ void add(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}
"""
LAUNCH = "add.cu", "--run", "add", "--grid", "4", "--block", "256"


def test_a_kernel_is_run_on_arrays_that_are_made(command):
    ran = command(*LAUNCH, "range:1000", "zeros:1000", "1000", add=ADD)
    assert ran.returncode == 0
    assert "add, grid (4, 1, 1), block (256, 1, 1): nothing found" in ran.stdout
    assert "0, 1, 2, 3, 4, 5, ..." in ran.stdout  # x
    assert "1, 2, 3, 4, 5, 6, ..." in ran.stdout  # y
    assert "occupancy on a T4: 100%" in ran.stdout
    assert "run by NumPy\n" in ran.stdout


def test_what_a_run_finds_is_shown(command):
    ran = command(*LAUNCH, "1000", "1000", "1024", add=ADD)
    assert ran.returncode == 1
    assert "add.cu:3:21: out-of-bounds in add" in ran.stdout
    assert "    if (i < n) y[i] = x[i] + 1;" in ran.stdout


UNSET = """\
__global__ void mean(const float* x, float* y, int n) {
    float total;
    for (int i = 0; i < n; i++) total += x[i];
    y[0] = total / n;
}
"""


def test_a_run_shows_the_warnings_of_the_compiler(command):
    words = "mean.cu", "--run", "mean", "--block", "1", "8", "zeros:1", "8"
    ran = command(*words, mean=UNSET)
    assert ran.returncode == 0
    assert "block (1, 1, 1): nothing found, 1 warning" in ran.stdout
    assert "mean.cu:3:33: warning: 'total' is used before it has a value" in ran.stdout
    (warning,) = json.loads(command(*words, "--json", mean=UNSET).stdout)["warnings"]
    assert warning.startswith("mean.cu:3:33: warning: 'total' is used")


def test_a_run_as_json(command):
    words = "1000", "1000", "1024", "--json", "--gpu", "A100"
    report = json.loads(command(*LAUNCH, *words, add=ADD).stdout)
    kinds = {finding["kind"] for finding in report["findings"]}
    assert kinds == {"out-of-bounds"} and report["counts"]["sectors"] > 0
    assert report["occupancy"]["gpu"] == "A100" and report["engine"] == "NumPy"


@pytest.mark.parametrize(
    "words, said",
    [
        (("1000", "1000"), "add takes 3 arguments, not 2: const float *x (a size"),
        (("1000", "1000", "1.5"), "int n (a number): '1.5' does not fit"),
        (("half:3", "1000", "1"), "an array is one of random, zeros, ones, range"),
        (("rnage:3", "1000", "1"), "does not fit: did you mean 'range'?"),
        (("9", "9", "1", "--gpu", "T5"), "--gpu T5: known are T4"),
        (("9", "9", "1", "--gpu", "H10"), "--gpu H10: did you mean 'H100'?"),
        (("9", "9", "1", "--grid", "x"), "--grid and --block are numbers"),
    ],
)
def test_what_does_not_fit_is_said(command, words, said):
    ran = command(*LAUNCH, *words, add=ADD)
    assert ran.returncode and said in ran.stderr and "Traceback" not in ran.stderr


def test_occupancy_is_what_the_tightest_limit_leaves():
    half = "1 block per multiprocessor: its shared memory"
    assert occupancy("B200", 1024, 200 * 1024) == (0.5, half)


def test_no_such_kernel(command):
    ran = command("add.cu", "--run", "sub", "1", add=ADD)
    assert ran.returncode == 1 and "no kernel 'sub'" in ran.stdout
    assert "the file has add" in ran.stdout
    ran = command("add.cu", "--run", "addd", "1", add=ADD)
    assert "note: did you mean 'add'?" in ran.stdout


# Installed without extras

PROJECT = tomllib.loads(
    Path(__file__).parents[1].joinpath("pyproject.toml").read_text()
)
EXTRAS = PROJECT["project"]["optional-dependencies"]


def names(*groups):
    """What the package depends on, and its extras."""
    of = {"dependencies": PROJECT["project"]["dependencies"]} | EXTRAS
    return {Requirement(text).name for group in groups for text in of[group]}


def without(packages, code, *arguments):
    """Run a program for which these packages are not installed."""
    modules = [m for m, of in metadata.packages_distributions().items()
               if packages & set(of)]  # fmt: skip
    code = f"import sys; sys.modules.update(dict.fromkeys({modules})); {code}"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.slow
def test_the_command_needs_no_extras(tmp_path):
    needed, extras = names("dependencies"), names(*EXTRAS)
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(float* x) { x[threadIdx.x] = 1; }")
    code = "from cudasim.cli.command import run; run()"
    for arguments in ([path], [path, "--run", "k", 32]):
        ran = without({"minigrad"} | extras - needed, code, *arguments)
        assert (ran.returncode, ran.stderr) == (0, ""), arguments
    assert "nothing found" in ran.stdout


def test_the_simulator_needs_numpy_alone():
    named = {"minigrad"} | names("dependencies", *EXTRAS)
    code = "import cudasim; cudasim.compile('__global__ void f() {}')"
    assert not without(named - {"numpy"}, code).stderr
