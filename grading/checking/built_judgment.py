"""How an answer in C++ is judged: built once, and called in all cases by one process.

A case is `call(x, bias, ...)`, of dicts that say what native.tensor makes. What comes
of it is {"value": ...} or {"error": ..., "message": ...}. An error is a Problem, unless
`observe(result, case)` says what else is seen of it. It may name `others`, the pairs
(result, case) of all.
"""

import textwrap
from dataclasses import dataclass
from random import Random

import numpy as np

from minigrad.testing.extension import NoCompiler, compiler

from ..isolation.replies import Outcome, Problem
from ..kernels.runs import names
from .cases import Tried
from .check import Exam, Judgment, parameters
from .compare import UNLIKE
from .mistakes import Model
from .verdict import NEEDS_COMPILER, Verdict

SAID = {  # kind of a Problem -> its cause
    "compile": ("compile", "The compiler refuses it. Fix the line that it names."),
    "ATen": (
        "aten",
        "ATen computed the result. Write the loop yourself, over pointers.",
    ),
    "changed": ("changed", "An input has changed. Read it with `const_data_ptr`."),
    "static": (
        "static",
        "Two results share memory. Allocate a new tensor in each call.",
    ),
    "state": (
        "state",
        (
            "The same call returns something else the second time. Don't use static or "
            "global variables."
        ),
    ),
    "gone": (
        "gone",
        "The process crashed. Check that no pointer is used if there are no elements, "
        "and that no integer is divided by 0.",
    ),
}


@dataclass(eq=False)
class BuiltJudgment(Judgment):
    """The judgment of a C++ function."""

    seconds = 300  # a build on a busy machine, and all cases

    def verdict(self):
        try:
            compiler()
        except NoCompiler as error:
            exercise = self.check.exercise
            if self.subject.about(exercise.name).state != "not answered":
                said = f"{exercise.name}: not graded · {error}"
                points = exercise.points
                return Verdict(exercise.name, 0, points, NEEDS_COMPILER, said)
        return super().verdict()

    def tried(self, own=False):
        cases = [case for _, case in self.exam.cases]
        tensors = [[a for a in case.args if isinstance(a, dict)] for case in cases]
        scene = {"scene": "built"}
        seconds = self.check.limits.seconds or self.seconds
        name = self.check.exercise.name
        outcome = self.subject.call(name, [scene, tensors], seconds)
        results = outcome.value or [{}] * len(cases)
        both = [*zip(results, cases, strict=True)]
        for number, (part, case) in enumerate(self.exam.cases):
            got = of_whole(outcome.problem) or self.read(results[number], case, both)
            printed = str(results[number].get("message", ""))
            expected = self.value(self.check.reference, case)
            try:
                right = not isinstance(got, Problem)
                right = right and bool(self.check.compare(got, expected, case))
            except UNLIKE:
                right = False
            said = Outcome(None, None, printed)
            yield Tried(right, part, case.args, expected, got, said, number, case)

    def read(self, result, case, others):
        """What is seen of a case."""
        if self.check.observe:
            more = "others" in parameters(self.check.observe)
            how = {"others": others} if more else {}
            seen = self.check.observe(result, case, **how)
            if seen is not None:
                return seen
        if "error" in result:
            kind = result["error"]
            usual = kind in SAID
            types = () if usual else (kind,)
            return Problem(kind if usual else "raised", result["message"], types)
        return result["value"]

    def observed(self, value, case):
        return value  # a reference, or a model, gives what is seen

    @classmethod
    def refusing(cls, check, subject, seeds):
        """All seeds by one call: for each, a process would begin anew."""
        drawn = [(s, c) for s in seeds for c in Exam(check, Random(s)).cases]
        exam = Exam(check, None)
        exam.cases = [case for _, case in drawn]
        tried = cls(check, subject, exam).tried()
        pairs = zip(drawn, tried, strict=True)
        return sorted({seed for (seed, _), case in pairs if not case.right})

    def agrees(self, way, case):
        """Mistakes are compared by their models: each answer takes a build."""
        return isinstance(way, Model) and super().agrees(way, case)

    def general(self, case):
        if isinstance(case.got, Problem) and case.got.kind in SAID:
            return SAID[case.got.kind]
        return super().general(case)

    def lines(self, case):
        got = case.got
        if isinstance(got, Problem) and got.kind == "compile":
            lines = [textwrap.fill(line, 88) for line in got.message.split("\n")]
            return [("compiler", textwrap.indent("\n".join(lines), " " * 12).strip())]
        return super().lines(case)


def of_whole(problem):
    """A Problem of the build, or of the process, for every case; else None."""
    if problem is None:
        return None
    if "BuildFailed" in problem.types:
        return Problem("compile", problem.message)
    return Problem("gone", problem.message) if "Crashed" in problem.types else problem


def operands(exercise, case):
    """A check's `describe`: `x: float32 (4, 3), bias: float32 (3,)`."""
    tensors = [a for a in case.args if isinstance(a, dict)]
    pairs = zip(names(exercise), tensors, strict=False)
    return ", ".join(f"{name}: {_shown(**x)}" for name, x in pairs)


def _shown(values=None, dtype="float32", device="cpu", shape=None, turned=False,
           spread=False):  # fmt: skip
    shape = tuple(np.shape(values) if values is not None else shape)
    where = f" on {device}" if device != "cpu" else ""
    how = ", transposed" if turned else ", every second cell" if spread else ""
    return f"{dtype} {shape}{where}{how}"
