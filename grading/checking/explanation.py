"""What is said of a wrong answer: the case that shows it, the cause, and a picture."""

import contextlib

from ..drivers.registry import PLAYED_BY
from ..isolation.replies import Problem
from . import describe, diagnosis
from .cases import Raises
from .compare import UNLIKE, of_parts
from .mistakes import Model
from .runner import LocalSubject
from .verdict import Failure

EVERYWHERE = {"cut", "dtype", "shape"}  # causes that are seen in every wrong case
EVERYWHERE |= {"swapped", "shifted", "reversed", "every_second", "end", "copied"}


class Explanation:
    """The part of a Judgment that explains. What it needs of the rest: see check.py."""

    def explained(self, verdict, tried):
        """The verdict on a wrong answer, with the smallest case that shows it."""
        diagnosed = diagnosis.diagnose(self, tried)
        case = diagnosed.case
        printed = ("printed", describe.beginning(case.outcome.printed))
        said = [line for line in self.lines(case) if line[1] != diagnosed.text]
        lines = [("cause", diagnosed.text), *diagnosed.more, *said, printed]
        message = "\n".join(f"  {key:<9} {describe.folded(v)}" for key, v in lines if v)
        count = sum(not case.right for case in tried)
        verdict.failures.append(Failure(diagnosed.cause, message, case.part, count))
        verdict.picture = self.picture(case)
        return verdict

    def lines(self, case):
        """(key, text): the explanation of a case that failed."""
        said = self.check.describe(self.exercise, case.case)
        where, got, expected = "", case.got, case.expected
        played = (case.case.driver or self.check.driver) in PLAYED_BY
        seen = isinstance(got, dict) or self.check.observe
        facts = played or (seen and isinstance(expected, dict))
        words = describe.in_brief if facts else describe.beside
        parts = (dict, list) if played else dict
        if isinstance(got, parts) and isinstance(expected, parts):
            alike = of_parts(self.check.compare)
            where, got, expected = describe.difference(got, expected, alike)
        texts = words(got, expected)
        both = zip(("expected", "got"), (where + text for text in texts), strict=True)
        return [("call", said), *both, ("where", getattr(case.got, "where", ""))]

    def picture(self, case):
        """The check's picture. It is an extra: what goes wrong in it is not shown."""
        if isinstance(case.got, Problem) or isinstance(case.expected, Raises):
            return ""
        try:
            return self.check.picture(case.case, case.expected, case.got)
        except Exception:
            return ""

    def general(self, case):
        """(name, text) of a cause that can be seen in a case; None for no idea."""
        if self.check.diagnose and case.case:
            with contextlib.suppress(*UNLIKE):  # what an answer returns may be anything
                cause = self.check.diagnose(case.got, case.expected, case.case)
                if cause is not None:
                    return cause or None
        return self.any_cause(case)

    def any_cause(self, case):
        """The same, of a cause that any exercise may have."""
        if case.got is None and "None" in self.exercise.contract:
            return None  # an answer like any other: no return is missing
        return describe.general_cause(case.got, case.expected)

    def sees(self, cases):
        """What `general` says of an answer. cases: all, the wrong ones first."""
        first = self.general(cases[0])
        if not first or first[0] not in EVERYWHERE:
            return first
        causes = [self.general(case) for case in cases if not case.right]
        return first if all(one and one[0] == first[0] for one in causes) else None

    def causes(self):
        return self.check.causes()

    def ways(self, mistake):
        """What gives what a mistake gives: its model, and its wrong answers."""
        model = self.check.models.get(mistake.name)
        return [Model(model), *mistake.answers] if model else mistake.answers

    def agrees(self, way, case):
        """Does this way of a mistake give just what the answer gave?"""
        value, got = self.mistaken(way, case), case.got
        if isinstance(value, Raises):
            if not isinstance(got, Problem) or value.type not in got.types:
                return False
            if isinstance(way, Model):
                return case.right or not value.message  # else the model's own error
            own = describe.is_own(value) and describe.is_own(got)  # in any words
            alike = own or value.message == got.message
            return case.right or alike
        if isinstance(got, Problem) or isinstance(value, Problem):
            return getattr(got, "kind", "") == getattr(value, "kind", "-")
        try:
            return bool(self.check.compare(got, value, case.case))
        except UNLIKE:
            return False

    def both(self, case):
        """(got, expected): what a pattern is looked for in."""
        return case.got, case.expected

    def is_like(self, case, value):
        """Is this what the answer gave?"""
        return self.check.compare(case.got, value, case.case)

    def equals(self, way, case):
        """Does it agree in all that can be counted, too?"""
        return self.agrees(way, case)

    def mistaken(self, way, case):
        """What a mistake gives in a case; a Problem where the solution is not here."""
        results, key = self.exam.mistaken, (way, case.number)
        try:
            if key not in results:
                results[key] = self.gives(way, case)
            return results[key]
        except FileNotFoundError:
            return Problem("gone", "the course's solution is not here")

    def gives(self, way, case):
        """What a mistake gives: a value, Raises, or its answer's Problem."""
        if isinstance(way, Model):
            return self.value(way.function, case.case)
        with way.in_place():
            got, _ = self.got(LocalSubject(trusted=True), case.case)
        if isinstance(got, Problem) and got.kind == "raised":
            return Raises(got.types[0], got.message, got.where)
        return got

    def shows(self, sign, cases):
        """Is this what is wrong first, in the wrong ones of these cases?"""
        return all(case.right or self.first_wrong(case) == sign.value for case in cases)

    def first_wrong(self, case):
        """The first of the facts that is wrong; of a text, the text itself."""
        got, right = case.got, case.expected
        if not isinstance(got, dict) or not isinstance(right, dict):
            return got if isinstance(got, str) else None
        alike = of_parts(self.check.compare)
        wrong = (k for k in right if k not in got or not alike(got[k], right[k]))
        return next(wrong, None)

    def cure(self, cases):
        """(statement, places) of what would mend a kernel. See kernel_judgment.py."""
        return ()
