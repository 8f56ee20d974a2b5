"""A kernel that a program writes: compiled, and run in the simulator."""

import re

import numpy as np

from cudasim import Limits
from grading.checking.cases import stops
from grading.checking.kernel_messages import FOUND
from grading.checking.old_check import kept
from grading.exercise import Check, Launch, Problem, checks
from grading.kernels.simulation import Simulator, Text
from minigrad.jit.codegen import fused_kernel

from .layered import graphs

TYPES = {"float": np.float32, "double": np.float64, "int": np.int32, "bool": np.bool_,
         "long long": np.int64}  # fmt: skip
MUL = ("v2", "float", "a * b", ("v0", "v1"), "float")
MAX = ("v3", "float", "max(a, (M)0)", ("v2",), "float")
DRAWN = [["i", "i % 4", "i / 4", "0"], ["-a", "fabs(a)"],  # by how many operands
         ["a + b", "a - b", "a * b", "max(a, b)", "(a > b ? b : a)"],
         ["a * b + c", "(a > b ? c : a)"]]  # fmt: skip
LAUNCHES = (3, 13), (2, 32), (5, 8)
TWO = [("v0", "float", "i"), ("v1", "float", "i % 4")]
LIMITS = Limits(seconds=5)
PATIENCE = 20  # seconds for all texts


def product_of_two(*operands):
    return "v4", "double", "(M)a * b", operands, "double"


class Ran(dict):
    """What the outputs hold after a launch; or, under "", why there was none."""


@checks(fused_kernel)
class FusedKernel(Check):
    """Leaves out sizes but n = 37, and half: chapters 01 and 04 try those."""

    seconds = 10

    def cases(self, random):
        one = [("v0", "float", "i")]
        neg = ("v1", "float", "-a", ("v0",), "float")
        yield "one step", "fused_neg", one, [neg], ["v1"]
        yield "one step", "fused_mul", TWO, [MUL], ["v2"]
        yield "several steps", "fused_mul_max", TWO, [MUL, MAX], ["v3"]
        yield "several outputs", "both", TWO, [MUL, MAX], ["v2", "v3"]
        yield "several outputs", "turned", TWO, [MUL, MAX], ["v3", "v2"]
        for n, edges in enumerate(graphs(random, 3)):
            if edges != {0: []}:
                inputs, steps = self.drawn(random, edges)
                names = [step[0] for step in steps]
                yield "several steps", f"steps_{n}", inputs, steps, names[-1:]
                some = random.sample(names, min(len(names), 3))
                yield "several outputs", f"outputs_{n}", inputs, steps, some
        most = ("v2", "float", "max(a, b)", ("v0", "v1"), "float")
        yield "whole words", "words", TWO, [most], ["v2"]
        far = ("v3", "float", "fabs(a) + max(a, b)", ("v2", "v0"), "float")
        yield "whole words", "words_2", TWO, [most, far], ["v3"]
        ends = ("v2", "float", "(a > b ? trunc(a) : ceil(b))", ("v0", "v1"), "float")
        third = ("v3", "float", "(a > b ? trunc(b) : c)", ("v2", "v0", "v1"), "float")
        yield "whole words", "words_3", TWO, [ends, third], ["v2", "v3"]
        named = [("b", "float", "i"), ("a", "float", "i % 3")]
        minus = ("c", "float", "a - b", ("b", "a"), "float")
        yield "all at once", "names", named, [minus], ["c"]
        third = ("d", "float", "(a > b ? c : a)", ("c", "a", "b"), "float")
        yield "all at once", "names_3", named, [minus, third], ["d"]
        number = ("v1", "float", "a - b", ("v0", "(-2.0f)"), "float")
        yield "numbers", "number", one, [number], ["v1"]
        first = ("v1", "float", "a / b", ("1.0f", "v0"), "float")
        yield "numbers", "first", one, [first], ["v1"]
        both = ("v1", "float", "a - b", ("1.5f", "(-2.0f)"), "float")
        yield "numbers", "no_inputs", [], [both], ["v1"]
        flag = ("v2", "bool", "a < b", ("v0", "v1"), "float")
        pick = ("v3", "float", "(a ? b : c)", ("v2", "v0", "v1"), "float")
        yield "types", "types", TWO, [flag, pick], ["v2", "v3"]
        double = [("v0", "double", "i")]
        half = ("v1", "double", "a * (M)0.1 + a", ("v0",), "double")
        yield "types", "doubles", double, [half], ["v1"]
        wide = ("v2", "float", "a * (M)0.1 + b", ("v0", "v1"), "double")
        whole = ("v3", "int", "a * b", ("v0", "v1"), "float")
        product = ("v4", "float", "a * b", ("v3", "v2"), "float")
        yield "types", "other_types", TWO, [wide, whole, product], ["v3", "v4"]
        yield "types", "wide", TWO, [wide, product_of_two("v2", "v2")], ["v4"]
        whole = [("v0", "int", "i"), ("v1", "int", "i % 2")]
        yield "types", "ints", whole, [
            ("v2", "int", "a - b", ("v0", "v1"), "int"),
            ("v3", "float", "a / b", ("((float)v2)", "((float)v0)"), "float"),
        ], ["v3"]  # fmt: skip

    def drawn(self, random, edges):
        """(inputs, steps) of a graph."""
        inputs, steps = [], []
        for n, used in edges.items():
            text, operands = random.choice(DRAWN[len(used)]), [f"v{i}" for i in used]
            if used:
                steps.append((f"v{n}", "float", text, tuple(operands), "float"))
            else:
                inputs.append((f"v{n}", "float", text))
        return inputs, steps

    def tried(self, subject, seed):
        self.simulator = subject.simulator or Simulator()
        self.simulator.left = PATIENCE
        return super().tried(subject, seed)

    def _try(self, subject, part, args, own=False):
        case = super()._try(subject, part, args, own)
        if isinstance(case.got, Problem) or not isinstance(case.got, str):
            return case
        ran = self.run(Text(case.got, self.simulator), *args)
        return case._replace(got=ran, right=self.same(ran, case.expected, *args))

    def gives(self, wrong, case):
        found = super().gives(wrong, case)
        if not isinstance(found, str):
            return found
        return self.run(Text(found, kept("simulator", Simulator)), *case.args)

    def given_arrays(self, inputs, n=37):
        """Numbers of their own for each input, more than are read."""
        draw = np.random.default_rng(5)
        return [(draw.standard_normal(n) * 3 + 0.25).astype(TYPES[t])
                for _, t, _ in inputs]  # fmt: skip

    def run(self, text, name, inputs, steps, outputs, n=37):
        types = {v: t for v, t, *_ in steps}
        given = self.given_arrays(inputs)
        made = [np.full(n + 3, 7, TYPES[types[v]]) for v in outputs]
        launch = Launch(*LAUNCHES[len(steps) % 3], (*given, *made, np.int64(n)))
        wanted = [len(given) + place for place in range(len(made))]
        if not re.search(r'\bextern\s+"C"', text.code):
            return Ran({"": 'extern "C" is missing: in C++ the name would be another'})
        got = text.run(name, launch, wanted, tools=["race"], limits=LIMITS)
        if isinstance(got, Problem) and got.kind == "compile":
            return Ran({"": f"it does not compile: {got.message.splitlines()[0]}"})
        if isinstance(got, Problem):
            said = got.message.splitlines()[0].partition("; ")[0]
            return got if stops(got) else Ran({"": f"the launch is refused: {said}"})
        for found in got.report.findings + got.report.notes:
            return Ran({"": FOUND[found.kind]})
        if got.spoilt:
            return Ran({"": "an input has changed"})
        made = [got.arrays[place] for place in wanted]
        if any((m[n:] != np.full(3, 7, m.dtype)).any() for m in made):
            return Ran({"": "more than n elements are written"})
        return Ran({v: m[:n] for v, m in zip(outputs, made, strict=True)})

    def expected(self, name, inputs, steps, outputs, n=37):
        i, values = np.arange(n), {}
        for (v, _, where), array in zip(inputs, self.given_arrays(inputs), strict=True):
            cells = eval(where.replace("/", "//"), {"i": i})
            values[v] = array[np.broadcast_to(cells, n)]
        with np.errstate(all="ignore"):
            for v, kind, expression, operands, wide in steps:
                found = evaluated(expression, operands, values, TYPES[wide])
                found = np.broadcast_to(found, n)
                values[v] = found.astype(TYPES[kind])
        return Ran({v: values[v] for v in outputs})

    def same(self, got, expected, *args):
        if not isinstance(got, Ran) or got.keys() != expected.keys():
            return False
        if "" in got:
            return got[""] == expected[""]
        return all(
            np.array_equal(got[v], a, equal_nan=a.dtype.kind == "f")
            for v, a in expected.items()
        )

    def general(self, case):
        if isinstance(case.got, Ran) and "" in case.got:
            return "unrun", case.got[""]
        return super().general(case)

    def lines(self, case):
        name, inputs, steps, outputs = case.args
        parts = [f"{v} = {e!r} of {', '.join(o)}" for v, _, e, o, _ in steps]
        lines = [("case", f"{name}, inputs {inputs}; {'; '.join(parts)}; outputs "
                          f"{outputs}"[:300])]  # fmt: skip
        if isinstance(case.got, Ran) and "" not in case.got:
            for v in case.expected:
                got, right = case.got.get(v), case.expected[v]
                if got is None or not np.array_equal(got, right):
                    wrong = int(np.flatnonzero(got != right)[0])
                    lines += [("expected", f"element {wrong} of {v}: {right[wrong]}"),
                              ("got", str(got[wrong]))]  # fmt: skip
                    break
        elif isinstance(case.got, Problem):
            lines += super().lines(case)[1:]
        return lines


def evaluated(expression, operands, values, wide):
    """An expression in C, with NumPy's numbers."""
    found = []
    for text in operands:
        text = text.strip("()")
        cast = re.fullmatch(r"\(?float\)(\w+)", text)
        if cast:
            found.append(values[cast[1]].astype(np.float32))
        elif text in values:
            found.append(
                values[text].astype(wide) if wide != np.bool_ else values[text]
            )
        else:
            found.append(wide(float(text.rstrip("f"))))
    a, b, c = [*found, None, None][:3]
    python = re.sub(r"\((.*) \? (.*) : (.*)\)", r"where(\1, \2, \3)", expression)
    for text in "0.1", "0", "a":
        python = re.sub(rf"\(M\){text}\b", f"M({text})", python)
    names = {"a": a, "b": b, "c": c, "max": np.maximum, "fabs": np.abs, "M": wide,
             "where": np.where, "trunc": np.trunc, "ceil": np.ceil}  # fmt: skip
    return eval(python, names)
