"""Every overload of every function of CUDA's, called with one value for all threads,
with a value for each, and for some threads only."""

import itertools

import cudasim
import numpy as np
import pytest
from arguments import array
from cudasim.engine.memory import leaves_of
from cudasim.front import builtins as B, ctype as C
from table import table

N = 70
PLAIN = {"math", "integer", "bits", "convert", "half", "vector"}
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
CTYPES = {C.HALF: "__half", C.BFLOAT16: "__nv_bfloat16"}


def plain_overloads():
    """All overloads whose results depend on their arguments alone."""
    for name in sorted(B.ROWS):
        for builtin in B.overloads(name):
            special = name.startswith(("atomic", "__shfl", "__ld", "__st", "nan"))
            if builtin.category in PLAIN and not special:
                yield builtin


def spelled(type):
    return CTYPES.get(type.plain, str(type.plain))


EVERY = list(plain_overloads())


def described(builtin):
    return f"{builtin.name}({', '.join(map(spelled, builtin.types))})"


def in_a_kernel(builtin, k):
    """(parameters, statements, types of the inputs, of the outputs) of three calls.

    With one value for all threads, with a value for each, and for some threads only:
    each has its own output arrays u, v and m, whose names have the number k.
    """
    kinds = [isinstance(t.plain, C.Pointer) for t in builtin.types]
    inputs = [t for t, out in zip(builtin.types, kinds, strict=True) if not out]
    pointed = [t.to for t, out in zip(builtin.types, kinds, strict=True) if out]
    has_result = builtin.result is not C.VOID
    results = [builtin.result] * has_result + pointed
    parameters = [f"const {spelled(t)}* a{i}_{k}" for i, t in enumerate(inputs)]
    parameters += [f"{spelled(t)}* {form}{j}_{k}" for form in "uvm"
                   for j, t in enumerate(results)]  # fmt: skip

    def call(form, index):
        given = iter(f"a{i}_{k}[{index}]" for i in range(len(inputs)))
        outputs = iter(f"&w{j}" for j in range(len(pointed)))
        arguments = ", ".join(next(outputs if out else given) for out in kinds)
        before = "".join(f"{spelled(t)} w{j}; " for j, t in enumerate(pointed))
        result = f"{form}0_{k}[i] = " if has_result else ""
        after = "".join(f" {form}{j + has_result}_{k}[i] = w{j};"
                        for j in range(len(pointed)))  # fmt: skip
        return f"{{ {before}{result}{builtin.name}({arguments});{after} }}"

    lines = [call("u", "0"), call("v", "i"), f"if (i % 3 == 1) {call('m', 'i')}"]
    return parameters, lines, inputs, results


def bits(array):
    return array.view(f"u{array.itemsize}") if array.dtype.kind == "f" else array


TOGETHER = 20  # overloads in a kernel
GROUPS = [EVERY[at : at + TOGETHER] for at in range(0, len(EVERY), TOGETHER)]


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS, ids=lambda g: f"{g[0].name}-{g[-1].name}")
def test_one_result_however_it_is_called(group):
    parts = [in_a_kernel(builtin, k) for k, builtin in enumerate(group)]
    parameters = ", ".join(p for part in parts for p in part[0])
    body = "\n  ".join(line for part in parts for line in part[1])
    text = f"{HEADERS}__global__ void k({parameters}) {{\n  int i = threadIdx.x;\n"
    kernel = cudasim.RawKernel(
        f"{text}  {body}\n}}", "k", ("--gpu-architecture=sm_90",)
    )
    for schedule in ("lockstep", "warps"):
        args = [arrays_of(inputs, results) for *_, inputs, results in parts]
        flat = [one for given, outputs in args for one in (*given, *sum(outputs, []))]
        report = cudasim.run(kernel, 1, N, flat, schedule=schedule, tools=["race"])
        assert {f.kind for f in report.findings} <= {"divide-by-zero"}, str(report)
        for builtin, (_, outputs) in zip(group, args, strict=True):
            assert same(*outputs), f"{described(builtin)} ({schedule})"


def arrays_of(inputs, results):
    """(arguments, [the outputs of each form])"""
    given = [array(t, N, seed) for seed, t in enumerate(inputs)]
    outputs = [[array(t, N) for t in results] for _ in "uvm"]
    for one in sum(outputs, []):
        one[...] = 99
    return given, outputs


def same(us, vs, ms):
    """Did the three forms give the same, and those threads nothing that did not run?"""
    runs = np.arange(N) % 3 == 1
    for arrays in zip(us, vs, ms, strict=True):
        u, v, m = (bits(x).reshape(N, -1) for x in arrays)
        untouched = bits(np.full(1, 99, arrays[0].dtype))[0]
        if (u != v[0]).any() or (m[runs] != v[runs]).any():
            return False
        if (m[~runs] != untouched).any():
            return False
    return True


def stepped(how, old, values):
    """What one atomic operation writes; old and values are NumPy scalars."""
    value = values[0]
    if how == "Add" and old.dtype == np.uint16:
        wide = [np.uint32(int(x) << 16).view(np.float32) for x in (old, value)]
        return np.uint16(rounded_to_bfloat16(wide[0] + wide[1]))
    plain = {
        "Add": lambda: old + value, "Sub": lambda: old - value, "Exch": lambda: value,
        "Min": lambda: min(old, value), "Max": lambda: max(old, value),
        "And": lambda: old & value, "Or": lambda: old | value,
        "Xor": lambda: old ^ value, "CAS": lambda: values[1] if old == value else old,
        "Inc": lambda: 0 if old >= value else old + old.dtype.type(1),
        "Dec": lambda: value if old in (0,) or old > value else old - old.dtype.type(1),
    }  # fmt: skip
    return plain[how]()


def rounded_to_bfloat16(x):
    bits = int(x.view(np.uint32))
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def numbers(type, count, seed):
    """Small numbers as `type` keeps them."""
    values = array(type, count, seed)
    if leaves_of(type)[0][0] is C.BFLOAT16:
        return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return values


def one_by_one(how, memory, operands, per):
    """The old values, thread after thread."""
    olds = np.full(N * per, 99).astype(memory.dtype)
    with np.errstate(over="ignore"):
        for i in (i for i in range(N) if i % 5):
            for leaf in range(per):
                at, lane = i % 3 * per + leaf, i * per + leaf
                olds[lane] = memory[at]
                memory[at] = stepped(how, memory[at], [o[lane] for o in operands])
    return olds


def atomic_text(builtin, space):
    """Three places, for which threads queue; one in five does not come."""
    name, count = spelled(builtin.types[0].to), len(builtin.types) - 1
    given = "".join(f", const {name}* v{j}" for j in range(count))
    call = f"{builtin.name}(&m[i % 3]{''.join(f', v{j}[i]' for j in range(count))})"
    return (
        f"{HEADERS}__global__ void k({name}* g, {name}* old, bool used{given}) {{\n"
        f"  int i = threadIdx.x; __shared__ {name} s[3]; {name}* m = g;\n"
        f"  if ({int(space == 'shared')}) {{ m = s; if (i < 3) s[i] = g[i]; }}\n"
        f"  __syncthreads();\n"
        f"  if (i % 5) {{ if (used) old[i] = {call}; else {call}; }}\n"
        f"  __syncthreads();\n  if (m == s && i < 3) g[i] = s[i];\n}}"
    )


@pytest.mark.parametrize(
    "space", ["global", pytest.param("shared", marks=pytest.mark.slow)]
)
@table("name", sorted(n for n in B.ROWS if n.startswith("atomic")))
def test_atomics(name, space):
    for builtin in B.overloads(name):
        like_one_after_another(builtin, atomic_text(builtin, space))


def like_one_after_another(builtin, text):
    to, others = builtin.types[0].to, builtin.types[1:]
    kernel = cudasim.RawKernel(text, "k", ("--gpu-architecture=sm_90",))
    per = len(leaves_of(to))
    start, operands = numbers(to, 3, 5), [numbers(to, N, j) for j in range(len(others))]
    for used in (True, False):
        memory, wanted = start.copy(), start.copy()
        olds = one_by_one(builtin.name.removeprefix("atomic").split("_")[0], wanted,
                          operands, per)  # fmt: skip
        old = np.full(N * per, 99).astype(memory.dtype)
        report = cudasim.run(kernel, 1, N, (memory, old, np.bool_(used), *operands))
        assert report.findings == [], described(builtin)
        np.testing.assert_array_equal(memory, wanted, described(builtin))
        if used:
            np.testing.assert_array_equal(old, olds, described(builtin))


WARP = [
    ("__shfl_sync(~0u, x, i + 1, 8)", lambda x, i: x[i // 8 * 8 + (i + 1) % 8]),
    ("__shfl_up_sync(~0u, x, 3)", lambda x, i: x[i if i % 32 < 3 else i - 3]),
    ("__shfl_down_sync(~0u, x, 2, 16)", lambda x, i: x[i if i % 16 > 13 else i + 2]),
    ("__shfl_xor_sync(~0u, x, 5)", lambda x, i: x[i ^ 5]),
]
SHUFFLED = ["int", "unsigned", "long", "unsigned long", "long long", "float", "double",
            "unsigned long long", "__half", "__half2", "__nv_bfloat16",
            "__nv_bfloat162"]  # fmt: skip


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@table("type, warp", itertools.product(SHUFFLED, WARP))
def test_shuffles(type, warp, schedule):
    call, wanted = warp
    text = (
        f"{HEADERS}__global__ void k(const {type}* a, {type}* o) {{\n"
        f"  int i = threadIdx.x; {type} x = a[i]; o[i] = {call};\n}}"
    )
    kernel = cudasim.RawKernel(text, "k")
    x = array(kernel.parameters[0].type.to, 96, 1)
    out = np.zeros_like(x)
    assert cudasim.run(kernel, 1, 96, (x, out), schedule=schedule).findings == []
    rows = bits(x).reshape(96, -1)
    np.testing.assert_array_equal(
        bits(out).reshape(96, -1), [wanted(rows, i) for i in range(96)]
    )


def lanes_like(i):
    """The lanes of i's warp that run the masked calls: one in three, by 64 threads."""
    return [j for j in range(i // 32 * 32, i // 32 * 32 + 32) if j % 3 == i % 3]


def as_bits(lanes):
    return sum(1 << j % 32 for j in lanes)


VOTES = [
    ("__activemask()", lambda v, lanes, i: as_bits(lanes)),
    ("__ballot_sync(m, x)", lambda v, lanes, i: as_bits(j for j in lanes if v[j])),
    ("__any_sync(m, x == 3)", lambda v, lanes, i: any(v[j] == 3 for j in lanes)),
    ("__all_sync(m, x < 3)", lambda v, lanes, i: all(v[j] < 3 for j in lanes)),
    ("__match_any_sync(m, x)",
     lambda v, lanes, i: as_bits(j for j in lanes if v[j] == v[i])),
    ("__match_all_sync(m, x * 0, &p)", lambda v, lanes, i: as_bits(lanes)),
    ("__reduce_add_sync(m, x)", lambda v, lanes, i: sum(v[j] for j in lanes)),
    ("__reduce_min_sync(m, x)", lambda v, lanes, i: min(v[j] for j in lanes)),
    ("__reduce_max_sync(m, x)", lambda v, lanes, i: max(v[j] for j in lanes)),
    ("__reduce_and_sync(m, (unsigned)x + 2)",
     lambda v, lanes, i: np.bitwise_and.reduce([v[j] + 2 for j in lanes])),
    ("__reduce_or_sync(m, (unsigned)x)",
     lambda v, lanes, i: np.bitwise_or.reduce([v[j] for j in lanes])),
    ("__reduce_xor_sync(m, (unsigned)x)",
     lambda v, lanes, i: np.bitwise_xor.reduce([v[j] for j in lanes])),
]  # fmt: skip


@pytest.mark.parametrize("schedule", ["lockstep", "warps"])
@pytest.mark.parametrize(("call", "wanted"), VOTES)
def test_votes_of_some_lanes(call, wanted, schedule):
    text = (
        "__global__ void k(const int* a, unsigned* o) {\n"
        "  int i = threadIdx.x, x = a[i], p = 0; unsigned m = 0;\n"
        "  for (int j = 0; j < 32; j++)\n"
        "    if ((i / 32 * 32 + j) % 3 == i % 3) m |= 1u << j;\n"
        f"  if (i % 3 == 0) o[i] = {call};\n  else if (i % 3 == 1) o[i] = {call};\n"
        f"  else o[i] = {call};\n}}"
    )
    kernel = cudasim.RawKernel(text, "k", ("--gpu-architecture=sm_90",))
    values, out = array(C.INT, 64, 1), np.zeros(64, np.uint32)
    report = cudasim.run(kernel, 1, 64, (values, out), schedule=schedule)
    assert report.findings == []
    expected = [wanted(values, lanes_like(i), i) for i in range(64)]
    np.testing.assert_array_equal(out, np.array(expected).astype(np.uint32))


@pytest.mark.parametrize("name", ["__stwb", "__stcg", "__stcs", "__stwt"])
@pytest.mark.parametrize("type", ["float4", "__half", "signed char", "unsigned long"])
def test_stores_that_name_a_cache(name, type):
    """Like an assignment: what is read comes back, and bounds are watched."""
    text = (
        f"{HEADERS}__global__ void k(const {type}* a, {type}* o) {{\n"
        f"  int i = threadIdx.x; if (i % 3) {name}(o + i, __ldcv(a + i));\n}}"
    )
    kernel = cudasim.RawKernel(text, "k")
    kind = kernel.function.types[1].to
    per = len(leaves_of(kind))
    a, o = array(kind, N, 3), np.zeros_like(array(kind, N, 3))
    assert cudasim.run(kernel, 1, N, (a, o)).findings == []
    runs = np.repeat(np.arange(N) % 3 > 0, per)
    np.testing.assert_array_equal(o.ravel()[runs], a.ravel()[runs])
    assert not o.ravel()[~runs].any()
    (finding,) = cudasim.run(kernel, 1, N, (a, o[: 68 * per])).findings
    assert (finding.kind, finding.line) == ("out-of-bounds", 4)


def test_hints_to_the_compiler_change_nothing():
    text = """__global__ void k(int* o, int n) {
  __builtin_assume(n > 0);
  if (__builtin_expect(threadIdx.x < 3, 1)) o[threadIdx.x] = __builtin_expect(n, 7);
  else if (n < 0) __builtin_unreachable();
}"""
    out = np.zeros(5, np.int32)
    cudasim.RawKernel(text, "k")(1, 5, (out, 4))
    assert out.tolist() == [4, 4, 4, 0, 0]


def test_pairs_are_made_of_two_numbers():
    text = (
        HEADERS
        + """__global__ void k(float* o) {
  half2 a(1.5f, 2), b = half2(__float2half(3), __float2half(4));
  __nv_bfloat162 c = __nv_bfloat162(5, 6);
  o[0] = __low2float(a) + __high2float(b) * 10 + __high2float(c) * 100;
}"""
    )
    out = np.zeros(1, np.float32)
    cudasim.RawKernel(text, "k")(1, 1, (out,))
    assert out[0] == 641.5
