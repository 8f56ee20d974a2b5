"""What the checks of C++ answers share: one build, all cases in one process."""

import random as random_numbers
import textwrap

import numpy as np

from grading.checking.built_judgment import SAID
from grading.checking.cases import Tried
from grading.checking.verdict import NEEDS_COMPILER, Verdict
from grading.exercise import Check, Model, Problem
from grading.isolation.replies import Outcome
from minigrad.testing.extension import NoCompiler, compiler


class BuiltCheck(Check):
    """The base of checks of C++: cases are (part, arguments of native.tensor, more)."""

    seconds = 300  # a build on a busy machine, and all cases
    scene = "built"
    operands = ()  # the names of the parameters

    def judge(self, subject, seed=None):
        try:
            compiler()
        except NoCompiler as error:
            if subject.about(self.exercise.name).state != "not answered":
                said = f"{self.exercise.name}: not graded · {error}"
                points = self.exercise.points
                return Verdict(self.exercise.name, 0, points, NEEDS_COMPILER, said)
        return super().judge(subject, seed)

    def tried(self, subject, seed):
        yield from self.called(subject, [*self.cases(random_numbers.Random(seed))])

    def refusing(self, subject, seeds):
        """All seeds by one call: for each, a process would begin anew."""
        cases = [(s, c) for s in seeds for c in self.cases(random_numbers.Random(s))]
        tried = self.called(subject, [case for _, case in cases])
        wrong = {s for (s, _), case in zip(cases, tried, strict=True) if not case.right}
        return sorted(wrong)

    def called(self, subject, cases):
        few = len(self.operands)
        tensors = [list(case[1 : 1 + few]) for case in cases]
        scene = {"scene": self.scene}
        outcome = subject.call(self.exercise.name, [scene, tensors], self.seconds)
        results = outcome.value or [{}] * len(cases)
        for number, ((part, *args), result) in enumerate(
            zip(cases, results, strict=True)
        ):
            got = of_whole(outcome.problem) or self.read(result, *args)
            said = Outcome(None, None, str(result.get("message", "")))
            expected = self.expected(*args)
            yield Tried(self._right(got, expected, args), part, tuple(args),
                        expected, got, said, number)  # fmt: skip

    def read(self, result, *args):
        """What a case gave, as `same` compares it."""
        if "error" in result:
            kind = result["error"]
            known = kind in SAID
            types = () if known else (kind,)
            return Problem(kind if known else "raised", result["message"], types)
        return result["value"]

    def _circular(self, subject, seed):
        return []

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

    def words(self, *args):
        pairs = zip(self.operands, args, strict=False)
        return ", ".join(f"{name}: {shown(**x)}" for name, x in pairs)


def of_whole(problem):
    """A Problem of the build, or of the process, for every case; else None."""
    if problem is None:
        return None
    if "BuildFailed" in problem.types:
        return Problem("compile", problem.message)
    return Problem("gone", problem.message) if "Crashed" in problem.types else problem


def shown(values=None, dtype="float32", device="cpu", shape=None, turned=False,
          spread=False):  # fmt: skip
    shape = tuple(np.shape(values) if values is not None else shape)
    where = f" on {device}" if device != "cpu" else ""
    how = ", transposed" if turned else ", every second cell" if spread else ""
    return f"{dtype} {shape}{where}{how}"
