"""NVIDIA's own compiler and this one agree: on kernels, on the corpus, on mistakes."""

import ast
import functools
import pathlib
import random
import re

import nvrtc
import pytest
from mutation import mutated
from snippets import entries, expected, kernels

from minigrad import simt
from minigrad.kernel import with_macros

ROOT = pathlib.Path(__file__).parent.parent.parent
BATCH = 40
pytestmark = pytest.mark.skipif(
    bool(nvrtc.missing()), reason=f"not run: NVRTC ({nvrtc.missing()})"
)
PIECES = ("copy", "elementwise")
INCLUDE = re.compile(r"^\s*#\s*include.*$", re.M)
KERNEL = re.compile(r"__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?\w+\s+\w+\s*\(")


def texts_of(path):
    """name -> (text, options) of CUDA C that stands whole in a Python file."""
    # pieces: the launch brings types and operations
    if path.stem in PIECES or path.stem.startswith(("03_", "04_")):
        return {}
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    parts = {id(v) for n in nodes if isinstance(n, ast.JoinedStr) for v in n.values}
    made, out = launched(nodes), {}
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) else None
        if not isinstance(text, str) or id(node) in parts or not KERNEL.search(text):
            continue
        given = [o for name, o in made if re.search(rf"\b{name}\s*\(", text)]
        for number, options in enumerate(given or [()]):
            where = f"{path.parent.name}/{path.name}:{node.lineno}"
            out[f"{where} {number}" if number else where] = text, options
    return out


def launched(nodes):
    """(kernel, options) of each Kernel(text, kernel, options)."""
    calls = [n for n in nodes if isinstance(n, ast.Call) and len(n.args) > 2]
    calls = [n for n in calls if getattr(n.func, "id", "") == "Kernel"]
    lists = [n for n in calls if isinstance(n.args[2], ast.Tuple | ast.List)]
    fixed = [
        n for n in lists if not any(isinstance(e, ast.Starred) for e in n.args[2].elts)
    ]
    return [(n.args[1].value, tuple(map(option, n.args[2].elts))) for n in fixed]


def option(node):
    """An option as text; where it is made by a loop, what stands in braces is `-`."""
    if isinstance(node, ast.JoinedStr):
        return "".join(getattr(part, "value", "") if isinstance(part, ast.Constant)
                       else "-" for part in node.values)  # fmt: skip
    return ast.literal_eval(node)


@functools.cache
def course_kernels():
    """name -> (text, options): every kernel of the course, and of these tests."""
    out = {f"{name}.cu": (text, ()) for name, text in kernels().items()}
    for path in sorted((ROOT / "minigrad" / "kernels").glob("*.cu")):
        out[f"kernels/{path.name}"] = path.read_text(encoding="utf-8"), ()
    for folder in ("solutions", "lessons", "minigrad/kernels"):
        for path in sorted((ROOT / folder).glob("*.py")):
            out.update(texts_of(path))
    return out


def instances(text):
    """The name expressions by which the kernel templates of a text are compiled."""
    made = re.findall(r"template\s*<([^>]*)>\s*__global__[^(]*?(\w+)\s*\(", text)
    return tuple(f"{n}<{', '.join(map(argument, p.split(',')))}>" for p, n in made)


def argument(parameter):
    """A template argument that fits most parameters: float, or 4."""
    return "float" if re.match(r"\s*(typename|class)\b", parameter) else "4"


@pytest.mark.parametrize("name", course_kernels())
def test_course_kernels(name):
    text, options = course_kernels()[name]
    program = simt.compile(text, options=options)
    for expression in instances(text):
        assert program.kernel(expression).kernel
    for arch in nvrtc.TARGETS:
        code, rest = with_macros(text, options)
        assert nvrtc.compiled(code, arch, instances(text), rest) == ""


def together(sources):
    """One program of several: each in a namespace, without its #include lines."""
    heads = {line.strip(): 0 for text in sources for line in INCLUDE.findall(text)}
    spaces = [
        f"namespace n{i} {{\n{INCLUDE.sub('', text)}\n}}"
        for i, text in enumerate(sources)
    ]
    return "\n".join([*heads, *spaces])


def alone(text):
    """Must this stand in a program of its own? Macros know no namespaces."""
    rest = INCLUDE.sub("", text)
    return bool(re.search(r"^\s*#|extern\s|_Pragma|\btemplate\s*<>", rest, re.M))


def programs(sources):
    """The sources as few programs."""
    many = [s for s in sources if not alone(s)]
    parts = [many[at : at + BATCH] for at in range(0, len(many), BATCH)]
    return [s for s in sources if alone(s)] + [together(part) for part in parts]


@pytest.mark.parametrize("arch", nvrtc.TARGETS)
def test_accepted_snippets(arch):
    logs = [nvrtc.compiled(p, arch) for p in programs(entries("accepted"))]
    assert [log for log in logs if log] == []


def test_what_is_only_outside_the_subset():
    sources = [expected(entry)[0] for entry in entries("outside")]
    logs = [nvrtc.compiled(p) for p in programs(sources)]
    assert [log for log in logs if log] == []


def test_what_is_rejected():
    sources = [expected(entry)[0] for entry in entries("rejected")]
    assert [s for s in sources if not nvrtc.compiled(s)] == []


def test_mutants():
    """Texts with mistakes that nobody chose: what NVRTC rejects is rejected here."""
    chance, corpus = random.Random(3), [s for s in entries("accepted") if not alone(s)]
    corpus = [s for s in corpus if "cooperative" not in s]
    unsound = []
    for _ in range(1000):
        source = mutated(chance.choice(corpus), chance)
        try:
            simt.compile(source)
        except simt.CompileError:
            continue
        if nvrtc.compiled(source):
            unsound.append(source)
    assert unsound == []
