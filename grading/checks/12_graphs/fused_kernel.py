"""fused_kernel: a kernel that a program writes, compiled and run in the simulator."""

import itertools
import re

import numpy as np

import cudasim
from grading.checking.cases import stops
from grading.checking.kernel_messages import FOUND
from grading.exercise import Check, Launch, Limits, Problem, call
from grading.kernels.simulation import Text
from minigrad.exercises.registry import kind
from minigrad.jit.codegen import fused_kernel

from ..layered import graphs

N = 37
TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "bool": np.bool_,
         "long long": np.int64}  # fmt: skip
C = {"max": np.maximum, "fabs": np.abs, "where": np.where, "trunc": np.trunc,
     "ceil": np.ceil, "float": np.float32,
     "FLT_MAX": np.finfo(np.float32).max}  # fmt: skip
DRAWN = [["i", "i % 4", "i / 4", "0"], ["-a", "fabs(a)"],  # by how many operands
         ["a + b", "a - b", "a * b", "max(a, b)", "(a > b ? b : a)"],
         ["a * b + c", "(a > b ? c : a)"]]  # fmt: skip
NAMES = [*(f"{name}{n}" for name in ("in", "input", "x", "out", "output", "r")
           for n in (0, 1)), "idx", "tid", "x", "a", "b", "c",
         "Mb", "a_M", "M0"]  # fmt: skip
LAUNCHES = (3, 13), (2, 32), (5, 8)


def step(name, expression, *operands, type="float", M="float"):  # noqa: A002, N803
    return name, type, expression, operands, M


ONE = [("v0", "float", "i")]
TWO = [*ONE, ("v1", "float", "i % 4")]
INTS = [("v0", "int", "i"), ("v1", "int", "i % 2")]
NAMED = [("b", "float", "i"), ("a", "float", "i % 3")]
MUL = step("v2", "a * b", "v0", "v1")
RELU = step("v3", "max(a, (M)0)", "v2")
MAX = step("v2", "max(a, b)", "v0", "v1")


def cases(random):
    neg = step("v1", "-a", "v0")
    yield "one step", call("fused_neg", ONE, [neg], ["v1"])
    yield "one step", call("fused_mul", TWO, [MUL], ["v2"])
    yield "several steps", call("fused_mul_max", TWO, [MUL, RELU], ["v3"])
    yield "several outputs", call("both", TWO, [MUL, RELU], ["v2", "v3"])
    yield "several outputs", call("turned", TWO, [MUL, RELU], ["v3", "v2"])
    cycle = itertools.cycle(random.sample(NAMES, len(NAMES)))
    for n, edges in enumerate(graphs(random, 3)):
        if edges != {0: []}:
            inputs, steps = drawn(random, edges, [next(cycle) for _ in edges])
            names = [name for name, *_ in steps]
            yield "several steps", call(f"steps_{n}", inputs, steps, names[-1:])
            some = random.sample(names, min(len(names), 3))
            yield "several outputs", call(f"outputs_{n}", inputs, steps, some)
    yield "whole words", call("words", TWO, [MAX], ["v2"])
    far = step("v3", "fabs(a) + max(a, b)", "v2", "v0")
    yield "whole words", call("words_2", TWO, [MAX, far], ["v3"])
    ends = step("v2", "(a > b ? trunc(a) : ceil(b))", "v0", "v1")
    third = step("v3", "(a > b ? trunc(b) : c)", "v2", "v0", "v1")
    yield "whole words", call("words_3", TWO, [ends, third], ["v2", "v3"])
    words = step("v2", "(a > b ? a : FLT_MAX)", "v0", "v1", type="double", M="double")
    yield "whole words", call("words_4", TWO, [words], ["v2"])
    own = [("Mb", "float", "i"), ("M_a", "float", "i % 3")]
    cast = step("aM", "(M)a * b", "Mb", "M_a", type="double", M="double")
    yield "whole words", call("words_5", own, [cast], ["aM"])
    minus = step("c", "a - b", "b", "a")
    yield "all at once", call("names", NAMED, [minus], ["c"])
    third = step("d", "(a > b ? c : a)", "c", "a", "b")
    yield "all at once", call("names_3", NAMED, [minus, third], ["d"])
    number = step("v1", "a - b", "v0", "(-2.0f)")
    yield "numbers", call("number", ONE, [number], ["v1"])
    first = step("v1", "a / b", "1.0f", "v0")
    yield "numbers", call("first", ONE, [first], ["v1"])
    both = step("v1", "a - b", "1.5f", "(-2.0f)")
    yield "numbers", call("no_inputs", [], [both], ["v1"])
    flag = step("v2", "a < b", "v0", "v1", type="bool")
    pick = step("v3", "(a ? b : c)", "v2", "v0", "v1")
    yield "types", call("types", TWO, [flag, pick], ["v2", "v3"])
    half = step("v1", "a * (M)0.1 + a", "v0", type="double", M="double")
    yield "types", call("doubles", [("v0", "double", "i")], [half], ["v1"])
    wide = step("v2", "a * (M)0.1 + b", "v0", "v1", M="double")
    whole = step("v3", "a * b", "v0", "v1", type="int")
    product = step("v4", "a * b", "v3", "v2")
    yield "types", call("other_types", TWO, [wide, whole, product], ["v3", "v4"])
    square = step("v4", "(M)a * b", "v2", "v2", type="double", M="double")
    yield "types", call("wide", TWO, [wide, square], ["v4"])
    minus = step("v2", "a - b", "v0", "v1", type="int", M="int")
    ratio = step("v3", "a / b", "((float)v2)", "((float)v0)")
    yield "types", call("ints", INTS, [minus, ratio], ["v3"])


def drawn(random, edges, names):
    """(inputs, steps) of a graph whose variables have these names."""
    inputs, steps = [], []
    for n, used in edges.items():
        text = random.choice(DRAWN[len(used)])
        if used:
            steps.append(step(names[n], text, *(names[i] for i in used)))
        else:
            inputs.append((names[n], "float", text))
    return inputs, steps


def arrays(inputs):
    """Numbers of their own for each input, more than are read."""
    draw = np.random.default_rng(5)
    return [(draw.standard_normal(N) * 3 + 0.25).astype(TYPES[t]) for _, t, _ in inputs]


def reference(name, inputs, steps, outputs):
    """NumPy's numbers."""
    values = {}
    for (v, _, index), x in zip(inputs, arrays(inputs), strict=True):
        cells = evaluated(index.replace("/", "//"), {"i": np.arange(N)})
        values[v] = x[np.broadcast_to(cells, N)]
    with np.errstate(all="ignore"):
        for v, type_, expression, operands, wide in steps:
            M = TYPES[wide]  # noqa: N806
            some = {k: M(evaluated(o, values)) for k, o in zip("abc", operands)}
            value = evaluated(expression, {"M": M, **some})
            values[v] = np.broadcast_to(TYPES[type_](value), N)
    return {v: values[v] for v in outputs}


def evaluated(expression, names):
    """An expression in C, as Python evaluates it."""
    choice = re.sub(r"\((.*) \? (.*) : (.*)\)", r"where(\1, \2, \3)", expression)
    casts = re.sub(r"\((M|float)\)([\w.]+)", r"\1(\2)", choice)
    return eval(re.sub(r"(\d)f\b", r"\1", casts), C | names)


def observe(code, case, simulator):
    """What the outputs hold after a launch of an answer's text; or why there's none."""
    if simulator is None:  # it's no text, but the reference's numbers
        return code
    result = launched(code, *case.args, simulator)
    return {"failed": result} if isinstance(result, str) else result


def launched(code, name, inputs, steps, outputs, simulator):
    if not isinstance(code, str):
        return f"The result is {kind(code)}. Return the source as one string."
    if not re.search(r'\bextern\s+"C"', code):
        return 'The kernel isn\'t extern "C", so C++ changes its name. Add extern "C".'
    types, x = {v: t for v, t, *_ in steps}, arrays(inputs)
    y = [np.full(N + 3, 7, TYPES[types[v]]) for v in outputs]
    launch = Launch(*LAUNCHES[len(steps) % 3], (*x, *y, np.int64(N)))
    wanted = [*range(len(x), len(x) + len(y))]
    how = {"tools": ["race"], "limits": cudasim.Limits(seconds=5)}
    ran = Text(code, simulator).run(name, launch, wanted, **how)
    if isinstance(ran, Problem):
        said = ran.message.splitlines()[0]
        if ran.kind == "compile":
            return f"The source doesn't compile: {said}"
        return ran if stops(ran) else refused(said)
    for finding in ran.report.findings + ran.report.notes:
        return FOUND[finding.kind]
    if ran.spoilt:
        return "The kernel changes an input. Write only to the outputs."
    after = [ran.arrays[place] for place in wanted]
    if any((a[N:] != old[N:]).any() for a, old in zip(after, y, strict=True)):
        return "The kernel writes more than n elements. Let threads with i >= n return."
    return {v: a[:N] for v, a in zip(outputs, after, strict=True)}


def refused(said):
    said = said.split("; ")[0]
    if one := re.fullmatch(r"(\w+): argument (\d+), (.+): expected .+, got (.+)", said):
        kernel, number, declared, given = one.groups()
        declared = declared.replace(" *", "*")
        said = (
            f"Parameter {number} of kernel `{kernel}` is `{declared}`, but gets {given}"
        )
    else:
        said = f"The launch is refused: {said}"
    return (
        f"{said}. Declare a pointer of the right type for each input, then one for "
        "each output, and then `long long n`."
    )


def compare(got, expected, case=None):
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(
            compare(got[v], value) for v, value in expected.items()
        )
    if isinstance(expected, str):
        return got == expected
    return np.array_equal(got, expected, equal_nan=True)


def diagnose(got, expected, case):
    why = isinstance(got, dict) and got.get("failed")
    return ("unrun", why) if why else None


check = Check(
    fused_kernel,
    cases=cases,
    reference=reference,
    observe=observe,
    compare=compare,
    diagnose=diagnose,
    limits=Limits(seconds=10),
    not_tested="sizes but n = 37, and half: chapters 01 and 04 try those",
)
