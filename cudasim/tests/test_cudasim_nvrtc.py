"""NVIDIA's own compiler and this one agree: on kernels, on the corpus, on mistakes."""

import itertools
import random
import re

import cudasim
import pytest
from cudasim import nvrtc
from cudasim.front import builtins, ctype as C
from cudasim.front.headers import OUTSIDE
from mutation import mutated
from snippets import BATCH, alone, entries, expected, kernels, programs

MISSING = nvrtc.missing()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not run: NVRTC ({MISSING})"),
]


def instances(text):
    """The name expressions by which the kernel templates of a text are compiled."""
    templates = re.findall(r"template\s*<([^>]*)>\s*__global__[^(]*?(\w+)\s*\(", text)
    return tuple(f"{n}<{', '.join(map(argument, p.split(',')))}>" for p, n in templates)


def argument(parameter):
    """A template argument that fits most parameters: its default, float, or 4."""
    if default := re.search(r"=\s*(\d+)", parameter):
        return default[1]
    return "float" if re.match(r"\s*(typename|class)\b", parameter) else "4"


@pytest.mark.parametrize("name", kernels())
def test_kernels(name, targets):
    text = kernels()[name]
    accepted(text, targets, instances(text))


def accepted(text, targets, names=(), options=()):
    """Assert that this compiler and NVIDIA's take a text, with these instances."""
    program = cudasim.compile(text, options=options)
    for name in names:
        assert program.kernel(name).kernel
    code, rest = nvrtc.with_macros(text, options)
    for arch in targets:
        assert nvrtc.compiled(code, arch, names, (*nvrtc.QUICKLY, *rest)) == ""


def test_accepted_snippets(targets):
    texts = itertools.product(programs(entries("accepted")), targets)
    logs = [nvrtc.compiled(text, arch) for text, arch in texts]
    assert [log for log in logs if log] == []


HALVES = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"


def call(builtin):
    """A function that calls an overload with its own types and returns its result."""
    named = ", ".join(f"{t} a{i}" for i, t in enumerate(builtin.types))
    given = ", ".join(f"a{i}" for i in range(len(builtin.types)))
    back = "" if builtin.result is C.VOID else "return "
    return f"({named}) {{ {back}{builtin.name}({given}); }}"


@pytest.mark.parametrize("arch", [75, 80, 90])
def test_every_function_of_the_table(arch):
    """It exists for these types from this compute capability on, and not before."""
    every = [b for name in sorted(builtins.NAMES) for b in builtins.overloads(name)]
    every = [b for b in every if b.header != "internal"]
    texts = [f"__device__ {b.result} f{i}{call(b)}" for i, b in enumerate(every)]
    there = [t for t, b in zip(texts, every, strict=True) if b.arch <= arch]
    assert len(there) > 1400
    assert nvrtc.compiled(HALVES + "\n".join(there), arch) == ""
    later = [t for t, b in zip(texts, every, strict=True) if b.arch > arch]
    assert [t for t in later if not nvrtc.compiled(HALVES + t, arch)] == []


def test_names_that_are_called_outside_are_known_to_nvrtc():
    lines = [
        f"__device__ void f{i}() {{ (void)({n}); }}"
        for i, n in enumerate(sorted(OUTSIDE))
    ]
    unknown = []
    for at in range(0, len(lines), BATCH):
        log = nvrtc.compiled(HALVES + "\n".join(lines[at : at + BATCH]), 90)
        unknown += re.findall(r'identifier "(\w+)" is undefined', log)
    assert unknown == []
    assert OUTSIDE.isdisjoint(builtins.NAMES)


def test_what_is_only_outside_the_subset():
    sources = [expected(entry)[0] for entry in entries("outside")]
    logs = [nvrtc.compiled(p) for p in programs(sources)]
    assert [log for log in logs if log] == []


def test_what_is_rejected(nightly):
    few = entries("rejected")[:: 1 if nightly else 3]
    sources = [expected(entry)[0] for entry in few]
    assert [s for s in sources if not nvrtc.compiled(s)] == []


def test_mutants():
    """Texts with mistakes that nobody chose: what NVRTC rejects is rejected here."""
    chance, corpus = random.Random(3), [s for s in entries("accepted") if not alone(s)]
    corpus = [s for s in corpus if "cooperative" not in s]
    unsound = []
    for _ in range(1000):
        source = mutated(chance.choice(corpus), chance)
        try:
            cudasim.compile(source)
        except cudasim.CompileError:
            continue
        if nvrtc.compiled(source):
            unsound.append(source)
    assert unsound == []
