"""Whatever the text, the answer is a Program or a CompileError, and soon."""

import random
import time

import cudasim
import pytest
from hypothesis import given, settings, strategies as st
from mutation import mutated
from snippets import entries, expected, kernels

SEEDS = 60
LONGEST = 10.0  # seconds for one text, on a slow machine
CORPUS = [*kernels().values(), *entries("accepted")] + [
    expected(e)[0] for e in entries("rejected")
]


def survives(source):
    """Compile; only CompileError may come, and it must print."""
    begin = time.process_time()
    try:
        cudasim.compile(source)
    except cudasim.CompileError as error:
        assert str(error)
        assert error.line <= source.count("\n") + 2
    assert time.process_time() - begin < LONGEST


@pytest.mark.slow
@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text(text):
    survives(text)


@given(st.text(alphabet="(){}[]<>;,*&+-=#\"'/\\ \nab01.xfint", max_size=120))
@settings(max_examples=200, deadline=None)
def test_any_punctuation(text):
    survives("__global__ void k(int *a) { " + text)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_mutated_corpus(seed):
    chance = random.Random(seed)
    for _ in range(25):
        source = chance.choice(CORPUS)
        try:
            source = mutated(source, chance, chance.randint(1, 4))
        except cudasim.CompileError:
            continue  # the corpus holds texts that are no tokens
        survives(source)


K = "__global__ void k(int* a, int n) { %s }"
DEEP = {
    "brackets": K % ("a[0] = " + "(" * 3000 + "1" + ")" * 3000 + ";"),
    "open brackets": K % ("(" * 5000),
    "unary": K % ("a[0] = " + "- " * 5000 + "1;"),
    "sum": K % ("a[0] = " + "1+" * 20000 + "1;"),
    "assignments": K % ("n=" * 5000 + "1;"),
    "conditional": K % ("a[0] = " + "n ? 1 : " * 5000 + "1;"),
    "blocks": K % ("{" * 3000 + "}" * 3000),
    "ifs": K % ("if (n) " * 5000 + ";"),
    "else ifs": K % ("if (n) ; else " * 5000 + ";"),
    "indices": K % ("a" + "[0]" * 5000 + ";"),
    "calls": K % ("abs(" * 3000 + "1" + ")" * 3000 + ";"),
    "pointers": K % ("int " + "*" * 5000 + "p;"),
    "arrays": K % ("int p" + "[2]" * 500 + ";"),
    "declarators": K % ("int " + "(*" * 3000 + "p" + ")" * 3000 + ";"),
    "casts": K % ("(int)" * 5000 + "1;"),
    "lists": K % ("int p[2] = " + "{" * 3000 + "}" * 3000 + ";"),
    "#if": "#if 1\n" * 5000,
    "#if brackets": "#if " + "(" * 3000 + "1" + ")" * 3000 + "\n#endif",
    "comments": "/*" * 100_000,
    "quotes": '"' * 100_001,
    "huge array": K % "__shared__ float s[99999][99999][99999]; s[0][0][0] = 1;",
    "many items": K % ("int p[] = {" + "1," * 20000 + "1}; a[0] = p[n];"),
    "huge literal": K % ("a[0] = " + "9" * 100_000 + ";"),
    "huge hex": K % ("a[0] = 0x" + "f" * 100_000 + ";"),
    "huge float": K % ("a[0] = " + "9" * 100_000 + ".5f;"),
    "huge exponent": K % "a[0] = 1e999999999999f;",
    "huge hex exponent": K % "a[0] = 0x1p999999999999;",
    "huge shift": K % "const int b = 1 << 1000000000; a[0] = b;",
    "huge enum": "enum E { A = 99999999999999 };",
    "macro doubling": "#define A0 x x\n"
    + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 40))
    + "A39",
    "macro arguments": "#define F(x) x x\n" + "F(" * 40 + "1" + ")" * 40,
    "macro in itself": "#define f(x) f(f(x)) g\n#define g f(g)\nf(g(f(f)))",
    "macro unclosed": "#define f(x) x\nf((((",
    "macro chain": "".join(f"#define A{i} A{i + 1}\n" for i in range(3000)) + "A0",
    "template in itself": "template <int N> __device__ int f() { return f<N + 1>(); }\n"
    + K % "a[0] = f<0>();",
    "template growth": "template <int N> __device__ int f() "
    "{ return f<N * 2>() + f<N * 2 + 1>(); }\n" + K % "a[0] = f<1>();",
    "struct doubling": "struct S0 { double a[64]; };\n"
    + "".join(f"struct S{i} {{ S{i - 1} a[64]; }};\n" for i in range(1, 9)),
    "long source": "int " * 300_000,
    "null": K % "\0",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_extremes(name):
    survives(DEEP[name])
