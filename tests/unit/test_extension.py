"""Native code: built once, never stale, explained; the examples of chapter 11."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch

from minigrad import course, viz
from minigrad.exercises.answers import load_references
from minigrad.exercises.registry import CppExercise, KernelExercise, exercises, find
from minigrad.testing import extension, native

pytestmark = pytest.mark.xdist_group("extension")
EXAMPLES = course.home() / "examples"
needs_compiler = pytest.mark.skipif(
    not extension.has_compiler(), reason="not run: needs a C++ compiler"
)
needs_nvcc = pytest.mark.skipif(not shutil.which("nvcc"), reason="not run: needs nvcc")
SOURCE = "int answer() { return 42; }\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def built(folder, text=SOURCE, **how):
    (folder / "answer.cpp").write_text(text)
    return extension.shared_library("answer", folder / "answer.cpp", **how)


# ------------------------------------------------- built once, never stale


@needs_compiler
def test_what_is_there_is_not_compiled_again(folder, monkeypatch):
    path = built(folder)
    real, commands = extension.run, []

    def run(command, *rest):
        commands.append(command)
        return real(command, *rest)

    monkeypatch.setattr(extension, "run", run)
    assert built(folder) == path
    assert [c[1:] for c in commands] == [["--version"]]


@needs_compiler
def test_another_source_another_header_or_another_flag_is_another_build(folder):
    paths = {built(folder), built(folder, SOURCE + "// more\n")}
    paths.add(built(folder, flags=["-DN=1"]))
    paths.add(built(folder, versions=["2.13"]))
    (folder / "help.h").write_text("#define N 1\n")
    paths.add(built(folder))
    (folder / "help.h").write_text("#define N 2\n")
    paths.add(built(folder))
    assert len(paths) == 6


def test_another_gpu_is_another_build(monkeypatch):
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    monkeypatch.setattr(extension, "version", lambda program: program)
    monkeypatch.setattr(extension, "built", lambda name, sources, how, build: how)
    builds = set()
    for gpu in (8, 0), (9, 0):
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda gpu=gpu: gpu)
        builds.add(repr(extension.load("answer", cuda=True)))
    assert len(builds) == 2


@needs_compiler
def test_two_processes_at_once_compile_once(folder):
    (folder / "answer.cpp").write_text(SOURCE)
    log = folder / "log"
    compiler = folder / "slow"
    compiler.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && exec {extension.compiler()} "$@"\n'
        f'echo once >> {log}\nsleep 1\nexec {extension.compiler()} -shared -fPIC "$@"\n'
    )
    compiler.chmod(0o755)
    code = (
        "from minigrad.testing import extension\n"
        f"extension.shared_library('answer', {str(folder / 'answer.cpp')!r}, "
        f"command=[{str(compiler)!r}])"
    )
    env = os.environ | {"PYTHONPATH": str(course.home())}
    both = [subprocess.Popen([sys.executable, "-c", code], env=env) for _ in range(2)]
    assert [p.wait(600) for p in both] == [0, 0]
    assert log.read_text() == "once\n"


# ------------------------------------------------- explained


@needs_compiler
def test_a_failed_build_names_the_line_and_shows_it(folder):
    with pytest.raises(extension.BuildFailed) as error:
        built(folder, "int answer() {\n    return wrong;\n}\n")
    first, second = str(error.value).splitlines()
    assert first.startswith("answer.cpp, line 2: ")
    assert "wrong" in first
    assert second.strip() == "return wrong;"


@needs_compiler
def test_what_the_linker_misses_is_said(folder):
    with pytest.raises(extension.BuildFailed, match="cannot find -lnowhere"):
        built(folder, flags=["-lnowhere"])


def test_an_error_of_nvcc_is_read_as_well(tmp_path):
    (tmp_path / "k.cu").write_text("first\nsecond line\n")
    said = f'{tmp_path}/k.cu(2): error: identifier "x" is undefined\n'
    expected = 'k.cu, line 2: identifier "x" is undefined\n    second line'
    assert extension.errors_in(said) == expected


def test_without_a_compiler_it_says_how_to_get_one(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(extension.NoCompiler, match="Get them: apt install g.."):
        extension.compiler()


def test_without_a_compiler_exercises_in_cpp_are_not_counted(monkeypatch):
    from grading.checking.check import judge
    from grading.checking.runner import LocalSubject

    load_references("11_extending_pytorch")
    exercise = find("check_bias_gelu")
    before = exercise.answer, exercise._run
    exercise.fill(exercise.reference)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    try:
        verdict = judge(exercise, LocalSubject())
    finally:
        exercise.answer, exercise._run = before
    assert (verdict.points, verdict.state) == (0, "needs a C++ compiler")
    assert not verdict.counts
    assert "not run: needs a C++ compiler" in verdict.summary


# ------------------------------------------------- the examples


@pytest.fixture(scope="module")
def ops():
    if not extension.has_compiler():
        pytest.skip("not run: needs a C++ compiler")
    return extension.minigrad_ops()


@pytest.mark.slow
def test_the_extension_agrees_with_pytorch(ops):
    for dtype in torch.float64, torch.float32, torch.float16:
        a, b = torch.randn(3, 5, dtype=dtype), torch.randn(3, 7, dtype=dtype)
        torch.testing.assert_close(ops.add(a, a), a + a)
        torch.testing.assert_close(ops.outer(a, b), torch.einsum("bm,bn->bmn", a, b))
        x, bias = torch.randn(4, 6, dtype=dtype), torch.randn(6, dtype=dtype)
        gelu = torch.nn.functional.gelu(x.double() + bias.double()).to(dtype)
        torch.testing.assert_close(ops.bias_gelu(x, bias), gelu)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["outer", "bias_gelu"])
def test_the_extension_passes_gradcheck_opcheck_and_compiles(ops, name):
    shapes = {"outer": ((3, 4), (3, 5)), "bias_gelu": ((3, 4), (4,))}[name]
    op = getattr(ops, name)
    args = [torch.rand(s, dtype=torch.double, requires_grad=True) for s in shapes]
    assert torch.autograd.gradcheck(op, args)
    assert set(torch.library.opcheck(op, args).values()) == {"SUCCESS"}
    model = torch.compile(
        lambda *xs: op(*xs).sin().sum(), fullgraph=True, backend="aot_eager"
    )
    torch.testing.assert_close(model(*args), op(*args).sin().sum())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a, b: (a, b.double()), "a is Float, b is Double"),
        (lambda a, b: (a.int(), b.int()), "must be floating, is Int"),
        (lambda a, b: (a.to("meta"), b), "a is on meta, b on cpu"),
        (lambda a, b: (a.to("meta"), b.to("meta")), "(on|for) meta"),
        (lambda a, b: (a, b[:1]), "a has 2 rows, b has 1"),
        (lambda a, b: (a[0], b), r"are \[3\] and \[2, 4\]"),
        (lambda a, b: (a.T.contiguous().T, b), "a must be contiguous"),
    ],
)
def test_the_extension_refuses_what_it_cannot_do(ops, change, said):
    with pytest.raises(RuntimeError, match=said):
        ops._C.outer(*change(torch.rand(2, 3), torch.rand(2, 4)))


@needs_compiler
@pytest.mark.slow
def test_the_set_up_file_builds_the_package():
    """Once for each text of it: its headers take a minute."""
    source = EXAMPLES / "extension"
    texts = [p for p in source.rglob("*.*") if p.suffix in (".py", ".cpp", ".cu")]
    versions = torch.__version__, sys.version, extension.version(extension.compiler())
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    code = (
        "import torch, minigrad_ops\n"
        "print(*minigrad_ops.outer(torch.ones(1, 2), torch.ones(1, 3)).shape)"
    )
    use = [sys.executable, "-c", code]
    with extension.folder_of("setup", sorted(texts), (), versions) as (folder, _):
        copy = shutil.copytree(source, folder / "extension", dirs_exist_ok=True)
        if not [*copy.glob("minigrad_ops/_C*.so")]:
            with extension.one_architecture(torch.cuda.is_available()):
                env = os.environ | {"CFLAGS": "-g0"}  # Python's own flags say -g
                subprocess.run(
                    build, cwd=copy, check=True, capture_output=True, env=env
                )
        assert subprocess.check_output(use, cwd=copy, text=True) == "1 2 3\n"


def nvcc(sources, options, version, folders=()):
    """Compile the first of the sources, once for each text of all of them."""
    versions = version, extension.run(["nvcc", "--version"])
    how = ["nvcc", "-x", "cu", "-arch=sm_80", "-w", *options]
    with extension.folder_of("nvcc", sources, options, versions) as (folder, _):
        if not (folder / "done").exists():
            output = ["-c", str(sources[0]), "-o", str(folder / "done")]
            extension.run([*how, *(f"-I{path}" for path in folders), *output])


@needs_nvcc
@pytest.mark.slow
def test_launches_and_built_answers_compile_against_pytorchs_headers(tmp_path):
    """As one text, since the headers take longest; they stand before the namespaces."""
    load_references("11_extending_pytorch")
    cuda = EXAMPLES / "extension" / "csrc" / "cuda.cu"
    text = f'#include "{cuda}"\n{native.HEADERS}{native.CUDA}'
    sources = [tmp_path / "all.cu", cuda]
    for name in "bias_gelu_backward", "bias_backward":
        exercise = find(name)
        sources += [tmp_path / f"{name}.cu", tmp_path / f"{name}_main.cu"]
        sources[-2].write_text(exercise.reference)
        sources[-1].write_text(native.cuda_source(exercise, name))
        text += f'namespace of_{name} {{\n#include "{name}_main.cu"\n}}\n'
    sources[0].write_text(text)
    lacking = tmp_path / "c10" / "cuda" / "impl"  # a wheel for the CPU lacks a header
    lacking.mkdir(parents=True)
    (lacking / "cuda_cmake_macros.h").write_text("#define C10_CUDA_BUILD_SHARED_LIBS\n")
    options = ["-std=c++20", *native.includes()]
    nvcc(sources, options, torch.__version__, [tmp_path])


# ------------------------------------------------- load_inline


@needs_compiler
@pytest.mark.slow
@pytest.mark.nightly  # PyTorch's headers take a minute; lesson 11 builds such a module
def test_a_text_becomes_a_module_once(capsys):
    text = "at::Tensor twice(at::Tensor x) { return x + x; }"
    for _ in range(2):
        tiny = extension.load_inline("test_tiny", text, ["twice"])
        assert tiny.twice(torch.ones(2)).tolist() == [2, 2]
        del sys.modules[tiny.__name__]
    assert capsys.readouterr().out.count("compiling") <= 1
    with pytest.raises(extension.BuildFailed, match=r"main.cpp, line \d: .*twixe"):
        extension.load_inline("test_broken", text.replace("x + x", "twixe(x)"), [])


# ------------------------------------------------- TensorFlow


@pytest.fixture(scope="module")
def tf_ops():
    tf = pytest.importorskip("tensorflow", reason="not run: needs TensorFlow")
    if not extension.has_compiler():
        pytest.skip("not run: needs a C++ compiler")
    path = extension.tensorflow_library("minigrad_tf", EXAMPLES / "tensorflow/ops.cc")
    return tf, tf.load_op_library(str(path))


@pytest.mark.slow
def test_tensorflows_operator_is_right_forward_and_backward(tf_ops):
    tf, ops = tf_ops
    for dtype in tf.float16, tf.float32, tf.float64:
        a, b = (tf.cast(tf.random.normal((3, n)), dtype) for n in (4, 5))
        y = ops.minigrad_outer(a, b, scale=2.0)
        expected = 2 * a.numpy()[:, :, None] * b.numpy()[:, None]
        np.testing.assert_allclose(y.numpy(), expected, 1e-3)
        da, db = ops.minigrad_outer_grad(y, a, b, scale=2.0)
        up = y.numpy().astype(float)
        want = 2 * np.einsum("bmn,bn->bm", up, b.numpy().astype(float))
        np.testing.assert_allclose(da.numpy(), want, 2e-2, 2e-2)
        want = 2 * np.einsum("bmn,bm->bn", up, a.numpy().astype(float))
        np.testing.assert_allclose(db.numpy(), want, 2e-2, 2e-2)


@pytest.mark.slow
def test_tensorflows_elementwise_operators_are_pytorchs(tf_ops):
    tf, ops = tf_ops
    for dtype in tf.float16, tf.float32, tf.float64:
        shapes = (2, 3, 5), (5,), (2, 3, 5)
        x, bias, dy = (tf.cast(tf.random.normal(s), dtype) for s in shapes)
        np.testing.assert_array_equal(ops.minigrad_add(x, dy), (x + dy).numpy())
        wide = [torch.tensor(t.numpy()).double() for t in (x, bias, dy)]
        wide[0].requires_grad_()
        y = torch.nn.functional.gelu(wide[0] + wide[1])
        y.backward(wide[2])
        near = {"rtol": 2e-3, "atol": 1e-3} if dtype is tf.float16 else {"rtol": 1e-5,
                "atol": 1e-6}  # fmt: skip
        result = ops.minigrad_bias_gelu(x, bias)
        np.testing.assert_allclose(result.numpy(), y.detach(), **near)
        result = ops.minigrad_bias_gelu_grad(dy, x, bias)
        np.testing.assert_allclose(result.numpy(), wide[0].grad, **near)


@pytest.mark.slow
def test_tensorflows_operator_knows_shapes_and_refuses_others(tf_ops):
    tf, ops = tf_ops
    some = tf.TensorSpec((None, 3), tf.float32), tf.TensorSpec((8, 3), tf.float32)
    traced = tf.function(ops.minigrad_add).get_concrete_function(*some)
    assert traced.structured_outputs.shape.as_list() == [8, 3]
    some = tf.TensorSpec((None, 3), tf.float32), tf.TensorSpec((None,), tf.float32)
    traced = tf.function(ops.minigrad_bias_gelu).get_concrete_function(*some)
    assert traced.structured_outputs.shape.as_list() == [None, 3]
    x, row = tf.zeros((2, 3)), tf.zeros(3)
    for call, words in (
        (lambda: ops.minigrad_add(x, row), r"a is \[2,3\], b is \[3\]"),
        (lambda: ops.minigrad_bias_gelu(x, row[1:]), "bias must have x's last size"),
        (lambda: ops.minigrad_bias_gelu_grad(row, x, row), r"dy is \[3\]"),
        (lambda: ops.minigrad_bias_gelu(row[0], row), "bias must have"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            call()
    assert ops.minigrad_bias_gelu(tf.zeros((2, 0)), tf.zeros(0)).shape == (2, 0)
    known = [tf.TensorSpec((None, 3), tf.float32), tf.TensorSpec((8, None), tf.float32)]
    traced = tf.function(ops.minigrad_outer).get_concrete_function(*known)
    assert traced.structured_outputs.shape.as_list() == [8, 3, None]
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be"):
        ops.minigrad_outer(tf.zeros((2, 3)), tf.zeros((3, 3)))
    assert ops.minigrad_outer(tf.zeros((0, 3)), tf.zeros((0, 3))).shape == (0, 3, 3)


@needs_nvcc
@pytest.mark.slow
def test_tensorflows_gpu_kernel_compiles():
    tf = pytest.importorskip("tensorflow", reason="not run: needs TensorFlow")
    how = ["-std=c++17", "--expt-relaxed-constexpr", "-I", tf.sysconfig.get_include()]
    nvcc([EXAMPLES / "tensorflow" / "ops.cu.cc"], how, tf.__version__)


# ------------------------------------------------- exercises of C++


def test_an_exercise_of_cpp_says_how_it_is_declared():
    exercise = find("bias_gelu_cpu")
    assert isinstance(exercise, CppExercise)
    head = "at::Tensor bias_gelu_cpu"
    assert exercise.form() == f"{head}(const at::Tensor& x, const at::Tensor& bias)"
    with pytest.raises(TypeError, match="called with other parameters"):
        exercise.fits(f"{head}(const at::Tensor& x) {{}}")
    with pytest.raises(TypeError, match="no function `at::Tensor bias_gelu_cpu"):
        exercise.fits("void other() {}")


def test_every_other_text_is_a_kernel():
    kinds = {
        type(e.exercise) for e in exercises() if isinstance(e.exercise, KernelExercise)
    }
    assert kinds == {KernelExercise, CppExercise}


# ------------------------------------------------- pictures


def test_a_profile_says_who_called_whom():
    from torch.profiler import ProfilerActivity, profile

    a = torch.rand(64, 64)
    with profile(activities=[ProfilerActivity.CPU], acc_events=True) as prof:
        torch.relu(a @ a)
    words = repr(viz.profile(prof))
    assert "aten::matmul, aten::relu" in words
    assert "aten::mm" not in words.replace("aten::matmul", "")
    assert viz.profile(prof).svg().count("<svg") == 1
    with pytest.raises(ValueError, match="nothing that begins with 'mine::'"):
        viz.profile(prof, only="mine::")
