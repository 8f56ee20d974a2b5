"""What the learner reads: whole messages, lints, options, macros."""

import textwrap

import cudasim
import pytest


def message(source, **given):
    with pytest.raises(cudasim.CompileError) as caught:
        cudasim.compile(source, **given)
    return str(caught.value)


def lints(body, before=""):
    source = f"{before}\n__global__ void k(float* o, int n, float f) {{\n{body}\n}}"
    return [(w.kind, w.line, w.column) for w in cudasim.compile(source).warnings]


def test_whole_message():
    source = "__global__ void k(float* x) {\n\tx[0] = sqrf(2.0f);\n}"
    assert message(source, name="lab01.cu") == textwrap.dedent(
        """\
        lab01.cu:2:9: error: 'sqrf' is undefined
            \tx[0] = sqrf(2.0f);
            \t       ^
        note: did you mean 'sqrtf'?"""
    )


def test_missing_semicolon_points_behind_the_statement():
    text = message("__global__ void k(int* a) {\n  a[0] = 1\n  a[1] = 2;\n}")
    assert text.startswith("kernel.cu:2:11: error: expected ';' after '1'")


def test_notes_say_what_to_write():
    assert "write #include <cuda_fp16.h>" in message("__global__ void k(half* o) { }")
    assert "known without it" in message("#include <math.h>\n")
    assert "by shuffles" in message("#include <cub/cub.cuh>\n")
    assert "by members, a.x + b.x" in message(
        "__global__ void k(float4* o) { o[0] = o[0] + o[1]; }"
    )


@pytest.mark.parametrize(
    "body, kind, line, column",
    [
        ("o[n] = f * 0.5;", "double-constant", 3, 12),
        ("o[n] = 2.0 / f;", "double-constant", 3, 8),
        ("int x; o[n] = x;", "uninitialized", 3, 15),
        ("float a[4]; a[n] = 1; o[n] = a[4];", "out-of-bounds", 3, 32),
        ("__shared__ int s[2][3];\ns[n][3] = 1;", "out-of-bounds", 4, 6),
        ("return; o[n] = 1;", "unreachable", 3, 9),
        ("for (;;) { n++; }\no[0] = n;", "unreachable", 4, 1),
        ("if (n = 1) o[0] = 1;", "assignment", 3, 7),
        ("n == 1;", "no-effect", 3, 1),
        ("int x;", "unused", 3, 5),
        ("o[0] = n / 0;", "divide-by-zero", 3, 10),
    ],
)
def test_lints(body, kind, line, column):
    assert lints(body) == [(kind, line, column)]


@pytest.mark.parametrize(
    "body",
    [
        "o[n] = f * 0.5f;",
        "o[0] = f / 0; o[1] /= false;",
        "double d = 0.5; o[n] = (float)(d * 2.0);",
        "int x; if (n) x = 1; else x = 2; o[n] = x;",
        "int x; while (true) { x = n; if (x) break; } o[n] = x;",
        "int x; switch (n) { case 1: x = 1; break; default: x = 2; } o[n] = x;",
        "float s, c; sincosf(f, &s, &c); o[n] = s + c;",
        "float a[4]; a[3] = f; o[n] = a[3];",
        "while (true) { if (n--) continue; return; }",
        "do { n--; } while (n); o[0] = 1;",
        "__shared__ float s[4]; s[n] = f; __syncthreads(); o[n] = s[0];",
    ],
)
def test_no_lints(body):
    assert lints(body) == []


def test_end_of_a_function_without_return():
    source = "__device__ int f(int n) { if (n) return 1; }\n"
    program = cudasim.compile(source + "__global__ void k(int* o) { o[0] = f(1); }")
    (lint,) = program.warnings
    assert (lint.kind, lint.line, lint.column) == ("missing-return", 1, 44)
    assert program.functions[0].falls_off
    assert "kernel.cu:1:44: warning: 'f' can end" in str(lint)
    both = "__device__ int g(int n) { if (n) return 1; else return 2; }"
    assert not cudasim.compile(both).functions[0].falls_off


def test_barriers_are_passed_up():
    program = cudasim.compile(
        "__device__ void a() { __syncthreads(); }\n__device__ void b() { a(); }\n"
        "__device__ void c() { }\n__global__ void k() { b(); c(); }"
    )
    assert {f.name: f.barrier for f in program.functions} == {
        "a": True, "b": True, "c": False, "k": True,
    }  # fmt: skip


def test_kernels_and_their_parameters():
    program = cudasim.compile(
        'extern "C" __global__ void __launch_bounds__(64) k(const float* x, int n) {}\n'
        "__constant__ float w[3];\n__global__ void j() { extern __shared__ int s[]; }"
    )
    assert list(program.kernels) == ["k", "j"]
    shown = [(p.name, str(p.type)) for p in program.kernels["k"].parameters]
    assert shown == [("x", "const float *"), ("n", "int")]
    assert program.kernels["k"].launch_bounds == (64,)
    assert [g.storage for g in program.globals] == ["constant"]
    assert str(program.dynamic["s"]) == "int []"


def size_of(text, before="", options=()):
    """The size of the array `int a[text]` in a kernel."""
    source = f"{before}\n__global__ void k(int* o) {{ int a[{text}]; a[0] = o[0]; }}"
    kernel = cudasim.compile(source, options=options).kernels["k"]
    return kernel.body.statements[0].variable.type.count


@pytest.mark.parametrize(
    "before, text, size",
    [
        ("#define A 3\n#define B A + 1", "B * 2", 5),
        ("#define SQ(x) ((x) * (x))", "SQ(1 + 2)", 9),
        ("#define CAT(a, b) a##b\n#define XY 7", "CAT(X, Y)", 7),
        ("#define CAT(a, b) a##b", "CAT(1, 2)", 12),
        ("#define STR(x) #x", "sizeof(STR(a  +  b))", 6),
        ("#define FIRST(a, ...) a", "FIRST(4, 5, 6)", 4),
        ("#define f(x) x + g\n#define g f", "f(1)(2) - 0 * 1 + 0 * sizeof(int)", None),
        ("#define EMPTY\n#define V EMPTY 5 EMPTY", "V", 5),
        (
            "#if 1 + 1 == 2 && !defined(Q)\n#define N 6\n#else\n#define N 1\n#endif",
            "N",
            6,
        ),
        (
            "#ifdef Q\n#define N 1\n#elif 0\n#define N 2\n#else\n#define N 3\n#endif",
            "N",
            3,
        ),
        ("#if 0\n#if 1\n#error no\n#endif\n#else\n#define N 8\n#endif", "N", 8),
        ("#define N 1 \\\n + 2", "N", 3),
        ("#define N(x) x\n#undef N\n#define N 9", "N", 9),
        ("", "__CUDA_ARCH__ / 100", 7),
        ("", "__LINE__", 2),
    ],
)
def test_macros(before, text, size):
    if size is None:
        with pytest.raises(cudasim.CompileError):
            size_of(text, before)
    else:
        assert size_of(text, before) == size


def test_options():
    assert size_of("N", options=("-DN=12",)) == 12
    assert size_of("N", options=("-D", "N=12")) == 12
    assert size_of("N", options=("--define-macro=N",)) == 1
    arch = "--gpu-architecture=compute_90"
    assert size_of("__CUDA_ARCH__ / 10", options=(arch, "--fmad=false")) == 90
    assert "unrecognized option '--nonsense'" in message("", options=("--nonsense",))


def test_errors_in_macros_point_at_their_use():
    source = (
        "#define BAD(x) (x) + nowhere\n__global__ void k(int* o) {\n  o[0] = BAD(1);\n}"
    )
    assert message(source).startswith("kernel.cu:3:10: error: 'nowhere' is undefined")


def test_places_behind_spliced_lines_and_comments():
    source = "__global__ void k(int* o) { /* a\nb */ o[0] \\\n = \\\n  x; }"
    assert message(source).startswith("kernel.cu:4:3: error: 'x' is undefined")


def test_source_must_be_text():
    with pytest.raises(TypeError, match="text, not bytes"):
        cudasim.compile(b"")


@pytest.mark.parametrize(
    "options, fmad, ftz, arch",
    [
        ((), False, False, 75),
        (("--fmad=true",), True, False, 75),
        (("-fmad=false", "-arch=sm_90"), False, False, 90),
        (("--use_fast_math",), True, True, 75),
        (("--fmad=false", "--use_fast_math"), False, True, 75),
    ],
)
def test_what_the_options_said(options, fmad, ftz, arch):
    program = cudasim.compile("", options=options)
    assert (program.fmad, program.options.ftz, program.arch) == (fmad, ftz, arch)


def test_a_header_may_be_an_option():
    text = "__global__ void one(half* x) { x[0] = (half)1.0f; }"
    assert cudasim.compile(text, options=["--pre-include=cuda_fp16.h"]).kernels
    with pytest.raises(cudasim.CompileError, match="cannot open source file"):
        cudasim.compile(text, options=["--pre-include=none.h"])


@pytest.mark.parametrize(
    "body, note",
    [
        ("theradIdx.x;", "threadIdx"), ("atomicadd(o, 1.0f);", "atomicAdd"),
        ("syncthreads();", "__syncthreads"), ("double limit = lmiit;", None),
        ("int limit = 1; limti = 2;", "limit"), ("flaot x;", "float"),
        ("foo(3);", None), ("o[0] = compute_value(n);", None), ("o[0] = x;", None),
        ("o[0] = sinf;", None), ("__mySync();", None), ("threadidx();", None),
    ],
)  # fmt: skip
def test_only_what_is_near_and_of_one_kind_is_suggested(body, note):
    text = "__global__ void k(float* o, int n) { " + body + " }"
    shown = message(text)
    assert ("did you mean" in shown) == (note is not None)
    assert note is None or f"did you mean '{note}'?" in shown


def test_what_has_no_value_says_so():
    text = "__global__ void k(int* o) { constexpr int a = 2 * (2147483647 + 1); }"
    shown = message(text)
    assert "kernel.cu:1:63: error: this has no value in C: it overflows" in shown
    text = "constexpr __device__ int f(int n) { while (n) n = n; return n; }\n"
    text += "__global__ void k(int* o) { int a[f(3)]; }"
    assert "2:35: error: this use of 'f' in a constant is outside" in message(text)


def test_a_branch_that_is_not_taken_leaves_nothing():
    program = cudasim.compile(
        "__device__ void f() { __syncthreads(); }\n"
        "__global__ void k(int* o) { if constexpr (sizeof(int) == 8) {\n"
        "  __shared__ int s[8]; int unused; s[0] = unused; f(); o[0] = s[1]; } }"
    )
    kernel = program.kernels["k"]
    assert (kernel.shared, kernel.calls, kernel.barrier) == ([], {}, False)
    assert program.warnings == []


def test_what_newer_devices_have():
    text = "#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16* a) "
    text += "{ a[0] = __hfma(a[0], a[1], a[2]); }"
    shown = message(text)
    assert "'__hfma' is undefined below compute capability 8.0" in shown
    assert "compile with -arch=compute_80" in shown
    assert cudasim.compile(text, options=("-arch=sm_80",)).kernels


PYTHON = {
    "y[i] = x[i] ** 2;": "x * x, or powf",
    "y[i] = n // 2;": "To divide write /",
    "# the guard": "a comment begins with //",
    "y[i] = 1; # set": "a comment begins with //",
    "bool a = True;": "it is true in C",
    "while (False) {}": "it is false in C",
    "float* p = None;": "nullptr",
    "if (i < n) { y[i] = 1; } elif (i > n) { y[i] = 2; }": "it is else if (...) in C",
    "if (i < len(x)) y[i] = 1;": "a parameter of its own",
    'print("a", i);': "it is printf in C",
    "for (int k : range(n)) y[i] = 1;": "C counts: for (int i = 0;",
    "for k in range(n): y[i] = 1;": "C counts: for (int i = 0;",
    "if i < n: y[i] = 1;": "parentheses and braces",
    "y[i] = 1 if i < n else 0;": "condition ? one : other",
    "y[i] = 1": "expected ';' after '1'",
}


@pytest.mark.parametrize("line", PYTHON)
def test_words_of_python_get_their_c(line):
    head = "__global__ void f(const float* x, float* y, int n) {\n  int i = 0;\n"
    said = message(f"{head}  {line}\n}}")
    assert PYTHON[line] in said and "kernel.cu:3:" in said


@pytest.mark.parametrize(
    "line", ["float **p = x 1;", "y[i] = 1 // if i is 0: set it", "y[i] = a ? b : c;"]
)
def test_c_gets_no_note_about_python(line):
    assert "note" not in message(f"__global__ void f(float* y, int i) {{\n  {line}\n}}")


def test_and_or_not_are_words_of_c_too():
    assert lints("if (not n or n > 2 and n < 9) o[0] = 1;") == []
