"""How the answer to a kernel's exercise is judged: by launches, in the simulator.

The answer is CUDA C, so it is data: its text comes from the subject, and is compiled
and launched, when a class is graded in the box (simulation.py). Where a GPU is, the
same launches run there too (gpu.py).

    def cases(random):                              # launches, by parts of the task
        for n, part in [(512, "whole blocks"), (257, "the tail")]:
            args = distinct(random, n), blank(n), np.float32(3), np.int32(n)
            yield part, Launch(-(-n // 256), 256, args)

    def reference(x, y, a, n):                      # writes to y, as the kernel does
        y[:] = a * x

- The reference gets tensors of the arguments as they are before the launch, and writes
  to the outputs, or returns the one output, or {name: array} of several. It may name
  `launch`, where the result depends on the blocks. A model does the same; if it returns
  False, the mistake doesn't show in this case.
- Outputs are the parameters that are pointers to what is not const: `blank(*shape)`,
  full of a pattern, or zeros where the kernel adds to it. `compare` is `arrays(...)`.
- A case is right if every output is, the inputs and the cells around the arrays are as
  before, no tool has a finding (but of the kinds in `allowed`), and no count is above
  `launch.limits`: {"sectors": 64} speaks of report.counts["sectors"].
- Above `limits.watched` threads or array elements a launch runs with the bounds tool
  alone, and not at all where its part, or the core, is wrong already.
- `on_gpu` is {part: function(exercise, text)}, which yields (right, message) of what
  only a GPU can tell. Its parts count where a GPU is, and are "not graded: needs a GPU"
  elsewhere. It raises NotRun(why) where something else is missing.
"""

import functools
import math
import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cudasim import Limits
from minigrad.exercises.signature import without_comments

from ..isolation.replies import Outcome, Problem
from ..kernels import gpu
from ..kernels.barriers import cured
from ..kernels.runs import by_name, names, outputs
from ..kernels.simulation import Simulator, Text
from . import describe, kernel_messages
from .cases import Tried
from .check import Judgment, parameters
from .compare import arrays, same
from .mistakes import Missing, Model
from .verdict import NEEDS_GPU

# Of several kinds of faults the worst is shown: the others come of it. What is not
# listed goes before all.
WORST = (
    *("out-of-bounds", "divergent-barrier", "race", "race-warp", "uninitialized"),
    *("writes", "reads", "reads of x", "sectors", "bank_passes", "atomics"),
    *("shared_requests", "reads_per_thread", "writes_per_thread"),
)
BARRIERS = {"race": "__syncthreads();", "race-warp": "__syncwarp();"}
REWRITES = (  # (what is replaced, by what, in words)
    (
        re.compile(r"\bunsigned(?: int)?\b(?! (?:long|char|short))|\buint32_t\b"),
        "int",
        "`int` instead of an unsigned type",
    ),
    (
        re.compile(r"\b(exp|log|sqrt|rsqrt|pow|tanh|sin|cos|fabs|fmax|fmin)f\("),
        r"\1(",
        "functions without an f at the end, such as `exp` instead of `expf`,",
    ),
    (
        re.compile(r"\b__syncwarp\(\w*\)"),
        "__syncthreads()",
        "`__syncthreads()` instead of `__syncwarp()`",
    ),
)
GUARDS = 3  # that are tried
WASTE = 1.3  # sectors for each that would do: more are strided


class NotRun(Exception):
    """A part that only a GPU can judge is not judged here, and why."""


class Left(NamedTuple):
    """What a mistaken kernel leaves where it is wrong."""

    arrays: dict  # name of an output -> what it holds
    faults: dict  # kind -> count


@dataclass(eq=False)
class KernelJudgment(Judgment):
    """The judgment of a kernel's text."""

    seconds = 10
    measured = ()  # what was said of the parts on a GPU, if they are right
    cured = None  # what `cure` gave, once asked

    @functools.cached_property
    def close(self):
        """Are two arrays equal, as this exercise counts it?"""
        return arrays() if self.check.compare is same else self.check.compare

    @property
    def all_right(self):
        where = " in the simulator (on a GPU: not run, there is none)"
        if gpu.available():
            where = ", in the simulator and on the GPU"
        return ": ".join([f"all right{where}", *self.measured])

    @property
    def missing(self):
        there = gpu.available() or not self.check.on_gpu
        return "" if there else f"{describe.listed([*self.check.on_gpu])} ({NEEDS_GPU})"

    # ---------------------------------------------------------------- what is tried

    def tried(self):
        """Yield what comes of every launch: where all are right, on a GPU, if any."""
        held, right = [], True  # those that are right, till one is wrong
        for case in self.simulated():
            held.append(case)
            right = right and case.right
            if not right:
                yield from held
                held.clear()
        if right and held and gpu.available():
            held = self.on_gpu_too(held)
        yield from held
        if gpu.available() and all(case.right for case in held) and right:
            yield from self.of_gpu_alone()

    def simulated(self):
        """Yield what comes of every launch in the simulator."""
        code = self.subject.text(self.exercise.name)
        text, last, wrong = Text(code, self.simulator_of(self.subject)), None, set()
        for number, (part, launch) in enumerate(self.exam.cases):
            if wrong & {part, self.exam.cases[0][0]} and self.is_long(launch):
                continue  # it can earn nothing
            problem = last and isinstance(last.got, Problem)
            if problem and (last.got.is_last or last.got.kind == "compile"):
                last = last._replace(part=part)
            else:
                last = self.attempted(text, part, number, launch,
                                      self.run(text, number, launch))  # fmt: skip
            wrong |= set() if last.right else {part}
            yield last

    def attempted(self, text, part, number, launch, got):
        expected = self.expected(number, launch)
        problem = got if isinstance(got, Problem) else None
        right = not problem and not self.faults(got, launch)
        right = bool(right and self.holds(got, expected))
        outcome = Outcome(text, problem, "" if problem else got.report.output)
        return Tried(right, part, (launch,), expected, got, outcome, number, launch)

    def run(self, text, number, launch):
        """The Ran, or Problem, of a Text in a case."""
        got = self.launched(text, launch)
        if number == 0 and launch.needs_shared and not isinstance(got, Problem):
            alone = self.launched(text, launch, unshared=True)
            equal = not isinstance(alone, Problem) and self.holds(alone, got.arrays)
            got = got._replace(spoilt=got.spoilt + ("unshared",) * equal)
        return got

    def launched(self, text, launch, **how):
        limits = self.check.limits
        few = ["race", "init"] if self.is_small(launch) else []
        tools = "all" if launch.limits else few  # the others only count
        most = Limits(limits.steps, limits.seconds or self.seconds)
        return text.launched(self.exercise, launch, tools, most, **how)

    def expected(self, number, launch):
        expected = self.exam.expected
        if number in expected:
            return expected[number]
        arrays = self.value(self.check.reference, launch)
        if self.is_small(launch):
            expected[number] = arrays
        return arrays

    def value(self, function, launch):
        """{name: array} of the outputs that a function writes; None: no mistake."""
        import torch

        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in launch.args]
        given = [
            torch.from_numpy(a) if isinstance(a, np.ndarray) and a.ndim else a
            for a in copies
        ]
        more = {"launch": launch} if "launch" in parameters(function) else {}
        result = function(*given, **more)
        if result is False:
            return None
        if result is None:
            known = dict(zip(names(self.exercise), copies, strict=True))
            result = {name: known[name] for name in outputs(self.exercise)}
        return by_name(self.exercise, result)

    def is_long(self, launch):
        """Is a launch left out where its part, or the core, is wrong already?"""
        return launch.long or not self.is_small(launch)

    def is_watched(self, launch):
        return self.is_small(launch) or bool(launch.limits)

    def is_small(self, launch):
        return max(launch.threads, launch.cells) <= self.check.limits.watched

    def on_gpu_too(self, tried):
        """The same cases on the GPU."""
        text, launches = tried[0].outcome.value, [case.case for case in tried]
        runs = gpu.run(self.exercise, text.code, launches)
        return [
            self.attempted(text, case.part, case.number, case.case, got)
            for case, got in zip(tried, runs, strict=True)
        ]

    def of_gpu_alone(self):
        """What comes of the parts that only a GPU can judge."""
        code, tried, said = self.subject.text(self.exercise.name), [], []
        for part, judge in self.check.on_gpu.items():
            try:
                for right, message in judge(self.exercise, code):
                    problem = Problem("measured", message)
                    outcome = Outcome(None, problem, "")
                    tried.append(Tried(right, part, (), None, problem, outcome))
                    said += [message] if right and message else []
            except NotRun as why:
                said.append(f"{part}: not run, {why}")
        self.measured = said
        return tried

    def holds(self, got, expected):
        """Does a run hold these arrays, {name: array}?"""
        return all(self.close(got.arrays[n], a) for n, a in expected.items())

    def faults(self, got, launch):
        """{kind: count} of the worst that counts against a run, whatever its values."""
        faults = {}
        for one in got.report.findings + got.report.notes:
            kind = one.kind.removesuffix("-equal")
            if kind not in self.check.allowed:
                faults[kind] = faults.get(kind, 0) + one.count
        for key, most in launch.limits.items():
            if got.report.counts[key] > most:
                faults[key] = got.report.counts[key]
        faults |= dict.fromkeys(got.spoilt, 1)
        order = {kind: n for n, kind in enumerate(WORST)}
        return dict(sorted(faults.items(), key=lambda f: order.get(f[0], -1))[:1])

    # -------------------------------------------------- what is said of a wrong answer

    def agrees(self, way, case, counted=False):
        """Does this way of a mistake leave what the answer left, and faults like it?"""
        if not case.args:  # what was measured on a GPU
            return case.right
        if not isinstance(way, Model) and way.answer == case.outcome.value.code:
            return True
        small = self.is_small(case.case)
        left = self.mistaken(way, case) if small else self.gives(way, case)
        got = case.got
        if left is None:  # it does not show
            return case.right
        if isinstance(got, Problem) or isinstance(left, Problem):
            return getattr(got, "kind", "") == getattr(left, "kind", "-")
        alike = same_faults(
            self.faults(got, case.case), left.faults, case.case, counted
        )
        return alike and self.holds(got, left.arrays)

    def both(self, case):
        if not case.args or self.faults(case.got, case.case):
            return (), ()
        got, expected = case.got.arrays, {}
        for name, array in case.expected.items():
            expected[name] = array.astype(got[name].dtype).reshape(got[name].shape)
        return got, expected

    def is_like(self, case, value):
        return bool(value) and self.holds(case.got, value)

    def equals(self, way, case):
        return self.agrees(way, case, counted=True)

    def gives(self, way, case):
        """What a mistaken kernel has Left, or its Problem; None where it is right."""
        if isinstance(way, Model):
            arrays = self.value(way.function, case.case)
            return arrays and Left(arrays, {})
        known = self.exam.kept
        if "simulator" not in known:
            known["simulator"] = Simulator()
        got = self.run(Text(way.answer, known["simulator"]), case.number, case.case)
        if isinstance(got, Problem) and got.kind == "compile":
            raise ValueError(f"a mistake of {self.exercise.name}: {got.message}")
        return got if isinstance(got, Problem) else Left(
            got.arrays, self.faults(got, case.case))  # fmt: skip

    def shows(self, sign, cases):
        """Do all wrong cases show a Fault, or does a barrier mend them?"""
        if isinstance(sign, Missing):
            return self.cure(cases)[:1] == (sign.statement,)
        wrong = [case for case in cases if not case.right]
        if any(isinstance(case.got, Problem) for case in wrong):
            return False
        watched = [case for case in wrong if self.is_watched(case.case)]
        return bool(watched) and all(self.sees_fault(sign.kind, c) for c in watched)

    def sees_fault(self, kind, case):
        """Is a fault seen? A count only where it is all that is wrong."""
        launch, counts = case.case, case.got.report.counts
        if kind == "strided":
            far = counts["sectors"] > WASTE * counts["ideal_sectors"]
            return far and self.sees_fault("sectors", case)
        right = kind not in launch.limits or self.holds(case.got, case.expected)
        return kind in self.faults(case.got, launch) and right

    def cure(self, cases):
        """(statement, places in words) of the barriers that mend an answer, or ()."""
        if self.cured is None:
            self.cured = self.tried_cure(cases) or self.rewritten(cases)
        return self.cured

    def rewritten(self, cases):
        """The same of words of the text that others take the place of."""
        run = [case for case in cases if case.args]
        if not run or any(isinstance(case.got, Problem) for case in run):
            return ()
        for pattern, words, said in REWRITES:
            code = run[0].outcome.value.code
            new = pattern.sub(words, code)
            text = new != code and Text(new, self.simulator_of(self.subject))
            if text and not any(self.left(case, text) for case in run):
                return said, []
        return ()

    def tried_cure(self, cases):
        wrong = [case for case in cases if not case.right]
        if any(isinstance(case.got, Problem) for case in wrong):
            return ()
        kinds = {kind for c in wrong for kind in self.faults(c.got, c.case)}
        if "out-of-bounds" in kinds:
            return self.guard(wrong, cases)
        statement = next((BARRIERS[k] for k in BARRIERS if k in kinds), None)
        if not statement:
            return ()
        racy = [c for c in cases if BARRIERS.keys() & self.faults(c.got, c.case)]
        text = racy[0].outcome.value
        if any(beyond_barriers(c.got.report, text.code) for c in racy):
            return ()
        worst = max(racy, key=lambda c: self.left(c, text))
        left = functools.partial(self.left, worst)
        findings = worst.got.report.findings + worst.got.report.notes
        lines = {line for f in findings for line in (f.line, f.other)} - {None}
        text, places = cured(statement, text, left, lines, self.check.limits.tries)
        mends = places and not any(self.left(c, text) for c in cases if c.args)
        return (statement, places) if mends else ()

    def guard(self, wrong, cases):
        """The same of a guard: those that accesses outside ask for are tried."""
        right = [case for case in cases if case.right and case.args]
        findings = [f for case in wrong for f in case.got.report.findings]
        guards = dict.fromkeys(tuple(f.guard) for f in findings if f.guard)
        for guard in [*guards][:GUARDS]:
            for statement, text in wrong[0].outcome.value.guarded(guard):
                if not any(self.left(case, text) for case in [*wrong, *right]):
                    return statement, [f"before line {guard[0]}"]
        return ()

    def left(self, case, text):
        """How much is wrong with a text in a case; 0: it is right."""
        own = text is case.outcome.value
        got = case.got if own else self.run(text, None, case.case)
        if isinstance(got, Problem):
            return math.inf
        faults = sum(self.faults(got, case.case).values())
        return faults + (not self.holds(got, case.expected))

    def any_cause(self, case):
        return kernel_messages.cause(self, case)

    def lines(self, case):
        return kernel_messages.lines(self, case)


def beyond_barriers(report, code):
    """Are all races between blocks, which only atomics could order?"""
    races = [f for f in report.findings + report.notes if f.kind.startswith("race")]
    within = not all(f.apart for f in races)
    return bool(races) and not within and "atomic" not in without_comments(code)


def same_faults(faults, others, launch, counted):
    """Faults of the same kinds; what has a limit, or all if `counted`, as often."""
    if counted or faults.keys() != others.keys():
        return faults == others
    return all(faults[key] == others[key] for key in launch.limits if key in faults)
