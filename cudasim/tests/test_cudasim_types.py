"""Types: widths, layout, conversions, and where they appear in the typed tree."""

import cudasim
import numpy as np
import pytest
from cudasim.front import ctype as C, tree as T
from table import table


def only(source, options=()):
    """The one kernel of a text."""
    (kernel,) = cudasim.compile(source, options=options).kernels.values()
    return kernel


def expression(text, declarations=""):
    """The typed tree of an expression over variables of many types."""
    parameters = (
        "char c, short s, int i, unsigned u, long long ll, size_t z, float f, "
        "double d, float* p, const float* q, bool b"
    )
    kernel = only(
        f"{declarations}\n__global__ void k({parameters}) {{ auto x = {text}; }}"
    )
    return kernel.body.statements[0].init


@table(
    "text, name",
    [
        ("c + c", "int"), ("s * s", "int"), ("b + b", "int"), ("i + u", "unsigned int"),
        ("i + ll", "long long"), ("u + ll", "long long"),
        ("ll + z", "unsigned long long"),
        ("i + z", "unsigned long"), ("i * f", "float"), ("ll + f", "float"),
        ("f + d", "double"), ("f * 0.5f", "float"), ("f * 0.5", "double"),
        ("c << ll", "int"), ("-c", "int"), ("~b", "int"), ("!f", "bool"),
        ("i < u", "bool"), ("b ? c : s", "int"), ("b ? i : f", "float"),
        ("p + i", "float *"), ("&p[i]", "float *"), ("&q[i]", "const float *"),
        ("p - q", "long"), ("b ? p : q", "const float *"),
        ("sizeof(f)", "unsigned long"),
        ("1", "int"), ("2147483648", "long"), ("0xffffffff", "unsigned int"),
        ("1u", "unsigned int"), ("1ull", "unsigned long long"), ("'a'", "char"),
        ("sqrtf(i)", "float"), ("sqrt(f)", "float"), ("sqrt(d)", "double"),
        ("max(i, u)", "unsigned int"), ("pow(f, 2)", "float"), ("(c, f)", "float"),
        ("threadIdx.x", "unsigned int"), ("threadIdx.x * i", "unsigned int"),
        ("__ballot_sync(~0u, i)", "unsigned int"), ("make_float2(1, 2)", "float2"),
        ("__shfl_down_sync(~0u, d, 1)", "double"), ("clock64()", "long long"),
    ],
)  # fmt: skip
def test_type_of_expression(text, name):
    assert str(expression(text).type) == name


def test_conversions_are_nodes():
    """i * f converts i, and an int that is given to a float is converted."""
    node = expression("i * f")
    assert isinstance(node.left, T.Convert) and node.left.type is C.FLOAT
    assert isinstance(node.left.operand, T.Load)
    assert isinstance(node.right, T.Load)


def test_literals_are_converted_at_once():
    node = expression("f * 2")
    assert isinstance(node.right, T.Literal)
    assert (node.right.type, node.right.value) == (C.FLOAT, 2.0)


def test_float_literals_are_rounded_once():
    node = expression("0.1f")
    assert node.value == float(np.float32(0.1)) and node.type is C.FLOAT


def test_arrays_keep_every_dimension():
    kernel = only("__global__ void k(int i) { __shared__ float s[2][3]; s[i][1] = 0; }")
    index = kernel.body.statements[0].value.target
    assert str(index.base.type) == "float [3]"
    assert str(index.base.base.type) == "float [2][3]"
    assert index.base.base.variable is kernel.shared[0]


@table("name, type", sorted(C.VECTORS.items()))
def test_vector_layout(name, type):
    assert (
        type.dtype.itemsize == type.size == sum(t.size for t, _ in type.fields.values())
    )
    assert type.size % type.align == 0


def test_alignment_of_vectors():
    aligned = {n: C.VECTORS[n].align for n in ("float2", "float3", "float4", "double4")}
    assert aligned == {"float2": 8, "float3": 4, "float4": 16, "double4": 16}


def test_struct_layout():
    program = cudasim.compile(
        "struct P { char a; double b; short c[3]; int d; };\n"
        "__global__ void k(P p, int* o) { o[0] = sizeof(P); }"
    )
    type = program.kernels["k"].parameters[0].type
    assert {n: offset for n, (_, offset) in type.fields.items()} == {
        "a": 0, "b": 8, "c": 16, "d": 24,
    }  # fmt: skip
    assert (type.size, type.align) == (32, 8)
    assert type.dtype.fields["c"][0] == np.dtype((np.int16, (3,)))


@pytest.mark.parametrize("where", ["__shared__ P p", "P p"])
@pytest.mark.parametrize(
    "members, writes, offsets",
    [
        ("short a[2][2], b[2][3];", "p.a[1][0] p.b[0][1] p.b[1][2]", (4, 10, 18)),
        ("char n; double a[2][2]; int b[2][2];", "p.a[1][1] p.b[1][0]", (32, 48)),
        ("int n; struct { short v[2][2]; } q[2];", "p.q[1].v[1][0]", (16,)),
        ("char a[2][2][3]; char b[2][2][3];", "p.b[1][0][2] p.a[1][1][1]", (20, 10)),
        ("float2 a[2][2]; char b[3][2];", "p.b[2][0] p.a[1][0].y", (36, 20)),
    ],
)  # fmt: skip
def test_elements_of_arrays_in_a_struct_stand_where_c_puts_them(
    where, members, writes, offsets
):
    places = writes.split()
    text = "".join(f"{w} = {n}; " for n, w in enumerate(places, 1))
    kernel = cudasim.RawKernel(
        f"struct P {{ {members} }};\n"
        "__global__ void f(char* o) { int t = threadIdx.x; "
        f"{where}; char* bytes = (char*)&p;\n"
        f"for (int i = 0; i < sizeof(P); i++) bytes[i] = 0;\n{text}\n"
        + "".join(f"o[{n}] = (char*)&{w} - bytes;" for n, w in enumerate(places))
        + "for (int i = 0; i < sizeof(P); i++) if (bytes[i] > 0 && bytes[i] < 9)"
        f" o[{len(places)} + bytes[i]] = i; }}",
        "f",
    )
    o = np.zeros(9, np.int8)
    cudasim.run(kernel, 1, 1, (o,))
    assert tuple(o[: len(places)]) == offsets
    if "float2" not in members and "double" not in members:  # ints show their byte
        assert tuple(o[len(places) + 1 :][: len(places)]) == offsets


@pytest.mark.parametrize(
    "text, value",
    [
        ("7 / -2", -3), ("7 % -2", 1), ("1 << 4 | 3", 19),
        ("2147483646 + 1", 2**31 - 1),
        ("0u - 1", 2**32 - 1), ("(char)200", -56), ("(unsigned char)-1", 255),
        ("sizeof(float4) * 2", 32), ("3 > 2 ? 10 : 20", 10), ("!0 && 2", 1),
        ("-7 >> 1", -4), ("(int)2.9f", 2), ("N * 2", 8), ("~0", -1), ("'a' + 1", 98),
    ],
)  # fmt: skip
def test_constants(text, value):
    """What a constant expression is worth, as a template argument says."""
    program = cudasim.compile(
        "constexpr int N = 4;\n"
        "template <long long V> __device__ long long f() { return V; }\n"
        f"__global__ void k(long long* o) {{ o[0] = f<({text})>(); }}"
    )
    (instance,) = [f for f in program.functions if f.template_arguments]
    assert instance.template_arguments == (value,)


CONSTANT = """
struct P { int a; float b[3]; };
constexpr P p = {7, {1.5f, 2.5f}};
constexpr int table[2][2] = {{1, 2}, {3}};
constexpr __device__ int log2(int x) { int r = 0; while (x > 1) { x >>= 1; ++r; } return r; }
constexpr __device__ int count(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { if (i % 2) continue; if (i > 8) break; s += i; }
    return s;
}
constexpr __device__ int pick(int n) {
    switch (n) { case 1: return 2; case 3: n += 1; default: n *= 10; }
    return n;
}
constexpr __device__ int places(int n) {
    int a[3] = {1, 2, 3};
    P q = {n, {}};
    a[1] += n, q.a++;
    do { a[2]--; } while (a[2]);
    return a[0] * 100 + a[1] * 10 + a[2] + q.a;
}
template <typename T> constexpr __device__ T twice(const T& x) { return x + x; }
constexpr __device__ unsigned wrapped(unsigned n) { return n - 1; }
"""  # noqa: E501


@pytest.mark.parametrize(
    "text, value",
    [
        ("p.a", 7), ("(int)(p.b[1] * 2)", 5), ("p.b[2] == 0", 1), ("table[1][0]", 3),
        ("table[1][1]", 0), ("log2(1024)", 10), ("count(100)", 20), ("pick(1)", 2),
        ("pick(3)", 40), ("pick(5)", 50), ("places(4)", 165), ("twice(21)", 42),
        ("(int)twice(1.25f * 2)", 5), ("wrapped(0)", 2**32 - 1), ("log2(pick(5))", 5),
        ("(1.0f / 0) > 3e38f", 1), ("1 << 31", -(2**31)), ("count(3) ? 4 : 1 / 0", 4),
    ],
)  # fmt: skip
def test_values_of_constexpr(text, value):
    program = cudasim.compile(
        CONSTANT + "template <long long V> __device__ long long f() { return V; }\n"
        f"__global__ void k(long long* o) {{ o[0] = f<({text})>(); }}"
    )
    instances = [f for f in program.functions if f.name == "f"]
    assert [f.template_arguments for f in instances] == [(value,)]


def test_templates_are_instantiated_once_for_each_type():
    program = cudasim.compile(
        "template <typename T> __device__ T sq(T x) { return x * x; }\n"
        "__global__ void k(float* a, int* b) {\n"
        "  a[0] = sq(a[1]) + sq(2.0f); *b = sq(3);\n}"
    )
    instances = [f for f in program.functions if f.name == "sq"]
    assert [str(f.result) for f in instances] == ["float", "int"]


def test_kernel_templates_by_name():
    program = cudasim.compile(
        "template <typename T, int N = 2> __global__ void fill(T* p) { p[0] = N; }"
    )
    kernel = program.kernel("fill<float, 3>")
    assert [str(t) for t in kernel.types] == ["float *"]
    assert program.kernel("fill<float, 3>") is kernel
    assert program.kernel("fill<double>").template_arguments == (C.DOUBLE, 2)
    for wrong in ("fill", "fill<3>", "fill<float", "other", "", "fill<float> x"):
        with pytest.raises(cudasim.CompileError):
            program.kernel(wrong)


GROUPS = """
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void k(float f, int i) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    cg::thread_block_tile<8> known = tile;
    auto x = %s;
    %s
}
"""


@pytest.mark.parametrize(
    "text, name, arguments, type",
    [
        ("tile.shfl_down(f, 1)", "__shfl_down_sync", 4, "float"),
        ("cg::reduce(tile, f, cg::plus<float>())", "__tile_reduce_add", 3, "float"),
        ("cg::reduce(tile, i, cg::less<int>())", "__tile_reduce_min", 3, "int"),
    ],
)
def test_tiles_become_builtins_with_their_width(text, name, arguments, type):
    call = only(GROUPS % (text, "")).body.statements[3].init
    assert (call.builtin.name, str(call.type)) == (name, type)
    assert len(call.arguments) == arguments and call.arguments[-1].value == 8


def test_groups_wait_with_the_barriers_that_are_there():
    statements = only(GROUPS % (1, "tile.sync(); block.sync();")).body.statements
    warp, block = (s.value.builtin.name for s in statements[-2:])
    assert (warp, block) == ("__syncwarp", "__syncthreads")
    assert only(GROUPS % (1, "block.sync();")).barrier
    assert not only(GROUPS % (1, "tile.sync();")).barrier


def test_a_tile_that_forgot_its_parent_carries_its_place():
    kernel = only(GROUPS % ("known.meta_group_rank()", ""))
    _, tile, known, rank = (s.init for s in kernel.body.statements)
    assert (tile.type.fields, tile.items) == ({}, [])
    assert list(known.type.fields) == ["meta_group_rank", "meta_group_size"]
    assert isinstance(rank, T.Load) and rank.operand.name == "meta_group_rank"
