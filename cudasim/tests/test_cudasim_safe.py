"""A kernel can neither reach Python nor take more than it is given."""

import ast
import json
import pathlib
import random
import re
import subprocess
import sys

import cudasim
import numpy as np
import pytest
import random_kernels
from arguments import arguments
from mutation import mutated
from snippets import entries

SECONDS, MORE, MEGABYTES = 0.3, 10.0, 600
SCHEDULES = ("lockstep", "watched", "warps", "steps")
NODES = {
    "Add", "Assign", "Attribute", "BinOp", "BitAnd", "BitOr", "BitXor", "Break", "Call",
    "Compare", "Constant", "Dict", "Eq", "Expr", "FloorDiv", "FunctionDef", "Gt", "GtE",
    "If", "IfExp", "Invert", "Is", "IsNot", "List", "Load", "Lt", "LtE", "Module",
    "Mult", "Name", "NotEq", "Pass", "Return", "Slice", "Starred", "Store", "Sub",
    "Subscript", "Tuple", "UAdd", "USub", "UnaryOp", "While", "Yield", "YieldFrom",
    "arg", "arguments",
}  # fmt: skip
OF_THE_BATCH = {
    "activemask", "add", "address", "arrive", "astype", "at", "atomic", "barrier",
    "barrier_reduce", "block_dim", "bx", "by", "bz", "cast", "cell", "check", "choose",
    "clock", "dim", "divisor", "exit", "fence", "full", "globals", "grid_dim", "keep",
    "load", "local", "match", "other", "pointer_from", "printf", "renew", "rest", "row",
    "set_cell", "shared", "shuffle", "split", "step", "store", "strings", "syncwarp",
    "tick", "tile_reduce", "trap", "tx", "ty", "tz", "view", "vote", "warp_reduce",
    "where", "within",
    "int32", "int64", "uint8", "uint32", "uint64",
}  # fmt: skip
FREE = {
    "NULL", "R", "np", "map", "tuple", "ret", "rv", "bool_", "add", "sub", "mul", "div",
    "lt", "gt", "le", "ge", "eq", "ne", "and_", "or_", "xor", "any_of", "fma",
    "int_div", "int_mod", "select_any", "shift_left", "shift_right", "split", "take",
    "union", "minus", "at",
}  # fmt: skip
NUMBERED = re.compile(
    r"[tmckpsgr]\d+|f\d+_\w+|\w+_\d+|R_[tb][xyz]|R_(block|grid)_dim_[xyz]", re.ASCII
)
WORDS = {
    "", "_up", "_down", "_xor", "count", "and", "or", "xor", "any", "all", "ballot",
    "add", "sub", "min", "max", "exch", "cas", "inc", "dec",
}  # fmt: skip


def is_ours(node):
    """Is this node of generated code one that no text can choose?"""
    if type(node).__name__ not in NODES:
        return False
    if isinstance(node, ast.Attribute):
        return node.attr in OF_THE_BATCH
    if isinstance(node, ast.Name | ast.arg):
        name = node.id if isinstance(node, ast.Name) else node.arg
        return name in FREE or bool(NUMBERED.fullmatch(name))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value in WORDS
    return not isinstance(node, ast.Constant) or isinstance(
        node.value, bool | int | type(None)
    )


def assert_ours(module):
    """Everything in the Python of every kernel of a text is made by the generator."""
    for name in module.program.kernels:
        for schedule in SCHEDULES:
            code = module.module(module.program.kernel(name), schedule).source
            strange = [n for n in ast.walk(ast.parse(code)) if not is_ours(n)]
            assert [ast.dump(node) for node in strange] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_python_of_random_kernels(seed):
    assert_ours(cudasim.RawModule(random_kernels.make(seed).source))


@pytest.mark.parametrize("seed", range(40))
def test_mutants_run_or_are_refused(seed):
    chance, limits = random.Random(seed), cudasim.Limits(steps=200, seconds=1)
    for source in chance.sample(entries("accepted"), 8):
        try:
            text = mutated(source, chance, chance.randint(1, 3))
            module = cudasim.RawModule(text)
            assert_ours(module)
        except cudasim.CompileError:
            continue
        for name in module.program.kernels:
            kernel = module.get_function(name)
            args = arguments(kernel)
            cudasim.run(kernel, 2, 33, args, shared_mem=1024, limits=limits)


NAMES = [
    "R", "m0", "np", "k1", "t1", "f0", "ret", "rv", "None", "True", "exec", "lambda",
    "__import__", "__class__", "__builtins__", "_", "self", "is", "def", "print",
    "pass", "R_tx", "select_any", "f0_k", "globals", "NULL_", "at",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_of_python(name):
    source = (
        f"#define PASTE(a, b) a##b\nstruct S_{name} {{ int {name}; }};\n"
        f"__device__ int f_{name}(int {name}) {{ return {name} + 1; }}\n"
        f"__global__ void k(int* o, int PASTE({name}, )) {{\n"
        f"  S_{name} s; s.{name} = {name}; int i = threadIdx.x;\n"
        f"  {{ int {name} = s.{name} + i; o[i] = f_{name}({name}); }}\n}}"
    )
    module, out = cudasim.RawModule(source), np.zeros(40, np.int32)
    assert_ours(module)
    module.get_function("k")(1, 40, (out, np.int32(3)))
    np.testing.assert_array_equal(out, np.arange(40) + 4)


@pytest.mark.parametrize("text", [
    "a'b", r"a\"b", r"a\\", "{x} {0} {{", "%n %q %", r"a\0b", "__import__('os')", "é",
    r"\x41\101", "'''", r"\"\"\"", "%%d", "%(name)s", "#", "k1", "%s%s%s",
])  # fmt: skip
def test_texts(text):
    source = f'__global__ void k(int* o) {{ printf("{text}|%d", o[0]); assert(o[0]); }}'
    module = cudasim.RawModule(source)
    assert_ours(module)
    report = cudasim.run(module.get_function("k"), 1, 1, (np.ones(1, np.int32),))
    assert report.findings == []
    if r"\0" not in text:
        assert "|" in report.output


HOSTILE = pytest.mark.xdist_group("hostile")  # they share what takes a while


@pytest.fixture(scope="module", params=["lockstep", "warps"])
def outcomes(request):
    """What came of the hostile kernels, run in a process of their own."""
    pytest.importorskip("resource", reason="not run: memory (no module resource)")
    script = pathlib.Path(__file__).with_name("hostile.py")
    command = [sys.executable, script, request.param, str(SECONDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
@HOSTILE
def test_hostile_kernels_end_in_time(outcomes):
    late = [o for o in outcomes if o.get("seconds", 0) > SECONDS + MORE]
    assert late == []
    ran = [o for o in outcomes if "kinds" in o]
    large = {o["name"] for o in ran if "memory" in o["kinds"]}
    assert large == {"local memory", "structs"}
    endless = [o for o in ran if "memory" not in o["name"] and o["name"] not in large]
    assert len(endless) > 25
    assert [o for o in endless if "timeout" not in o["kinds"]] == []


@pytest.mark.slow
@HOSTILE
def test_hostile_kernels_stay_small(outcomes):
    assert max(o["megabytes"] for o in outcomes) < MEGABYTES
    refused = {o["name"]: o["error"].split(":")[0] for o in outcomes if "error" in o}
    assert refused == {"file": "CompileError"}


TOWER = "".join(
    f"__device__ int f{i}() {{ return f{i - 1}(); }}" for i in range(1, 999)
)
EIGHT = "".join(
    f"struct S{i} {{ S{i - 1} a, b, c, d, e, f, g, h; }};" for i in range(1, 9)
)
DOUBLED = "".join(f"#define A{i} A{i - 1} + A{i - 1}\n" for i in range(1, 60))
REFUSED = {  # what stands before the kernel, what it does -> why not
    "shared": ("", "__shared__ float s[1 << 28]; s[0] = 1;", "less shared memory"),
    "local": ("", "int s[1 << 20][1 << 20]; s[0][0] = 1;", "array is too large"),
    "first value": ("", "int s[10000000] = {1}; o[0] = s[1];", "fill the array in"),
    "of a constant": ("__constant__ int c[1 << 30] = {1};", "", "too large"),
    "struct": ("struct S { int a[100000]; };", "S s; o[0] = s.a[0];", "use an array"),
    "structs": (f"struct S0 {{ int a; }}; {EIGHT}", "S8 s = {};", "use an array"),
    "recursion": (
        "__device__ int f(int n) { __syncthreads(); return n ? f(n - 1) : 1; }",
        "f(9);", "a barrier in what calls itself",
    ),
    "tower": ("__device__ int f0() { return 0; }" + TOWER, "f998();", "stack is small"),
    "templates": (
        "template <int N> __device__ int f() { return f<N + 1>() + f<N + 2>(); }",
        "f<0>();", "too many functions",
    ),
    "types": (
        "template <typename T> __device__ int f(T* x) { T** p = &x; return f(p); }",
        "f(o);", "too many functions",
    ),
    "macros": (f"#define A0 1\n{DOUBLED}", "o[0] = A59;", "too much text"),
    "brackets": ("", "o[0] = " + "(" * 20000 + "1" + ")" * 20000 + ";", "too deeply"),
    "sum": ("", "o[0] = 1" + " + n" * 20000 + ";", "too many"),
    "printf": ("", f'printf("", {", ".join("n" * 33)});', "more than 32 values"),
    "number": ("", "o[0] = " + "9" * 20000 + ";", "too large"),
    "long": ("", "/*" + "*" * 10**6 + "*/", "1,000,000 characters"),
}  # fmt: skip


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.slow] * (name in ("sum", "macros")))
    for name in REFUSED
])  # fmt: skip
def test_texts_that_take_too_much_are_refused(name):
    before, body, why = REFUSED[name]
    with pytest.raises(cudasim.CompileError, match=why):
        kernel = cudasim.RawKernel(
            f"{before}\n__global__ void k(int* o, int n) {{ {body} }}", "k"
        )
        cudasim.run(kernel, 16, 256, (np.zeros(99, np.int32), np.int32(1)))


LARGE = {
    "constant": ("__constant__ int c[1 << 24] = {1};", "o[i] = c[i];"),
    "first value": ("", "int s[4096] = {1}; s[n] = i; o[i] = s[n];"),
    "tower": (
        "__device__ int f0() { __syncthreads(); return 1; }"
        + TOWER.partition("__device__ int f100()")[0],
        "o[i] = f99();",
    ),
    "printf": ("", f'o[i] = printf("", {", ".join("n" * 32)});'),
}


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize("name", LARGE)
def test_as_much_as_is_allowed(name, schedule):
    before, body = LARGE[name]
    text = (
        f"{before}\n__global__ void k(int* o, int n) {{ int i = threadIdx.x; {body} }}"
    )
    args = np.zeros(64, np.int32), np.int32(7)
    assert (
        cudasim.run(
            cudasim.RawKernel(text, "k"), 1, 64, args, schedule=schedule
        ).findings
        == []
    )


@pytest.mark.parametrize("tools", ["all", ()])
def test_a_function_that_calls_itself_for_ever_is_a_finding(tools):
    text = "__device__ int f(int n) { return f(n + 1) + 1; }"
    text += "__global__ void k(int* o) { o[0] = f(0); }"
    kernel, args = cudasim.RawKernel(text, "k"), (np.zeros(1, np.int32),)
    (finding,) = cudasim.run(kernel, 1, 32, args, tools=tools).findings
    assert finding.kind == "memory" and "calls itself" in finding.message


def test_memory_that_is_not_there_is_a_finding():
    text = (
        "__global__ void k(int* o) { float s[100000000]; s[o[0]] = 1; o[1] = s[o[0]]; }"
    )
    kernel, args = cudasim.RawKernel(text, "k"), (np.zeros(2, np.int32),)
    (finding,) = cudasim.run(kernel, 1, 32, args).findings
    assert finding.kind == "memory" and "declare large arrays" in finding.hint
    with pytest.raises(cudasim.KernelError, match="memory in k"):
        kernel(1, 32, args)


def test_limits_of_a_kernel_and_of_a_run():
    source = "__global__ void k(int* o) { while (o[0]) o[1] = 1; }"
    kernel, args = cudasim.RawKernel(source, "k"), (np.ones(2, np.int32),)
    kernel.limits = cudasim.Limits(steps=10)
    with pytest.raises(cudasim.KernelError, match="within 10 rounds"):
        kernel(1, 1, args)
    report = cudasim.run(kernel, 1, 1, args, limits=cudasim.Limits(seconds=0.1))
    assert "within 0.1 seconds" in report.findings[-1].message
