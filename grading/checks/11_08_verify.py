"""A verification: right operators pass, each wrong one is found."""

from pathlib import Path

from grading.checking.learner_tests import OfATest
from grading.checks import operators
from grading.checks.operators import HEART, OPERATORS, RIGHT
from grading.exercise import Problem, checks
from minigrad.testing.verify import verify

TEXT = Path(operators.__file__).read_text(encoding="utf-8")


@checks(verify)
class Verify(OfATest):
    """Leaves out operators wrong on a GPU, in bfloat16 or of integers: not promised."""

    seconds = 60  # each call of an operator is a message, in a box

    def cases(self, random):
        for part, names in OPERATORS.items():
            for name in names:
                yield part, name

    def is_right(self, args):
        return args[0] in RIGHT

    def presented(self, random, cases):
        """The heart's first: each has a process of its own, so that tells nothing."""
        heart = [case for case in cases if case[1][0] == HEART]
        yield from super().presented(random, heart)
        others = [case for case in cases if case not in heart]
        others += random.choices(others, k=random.randrange(3))
        random.shuffle(others)
        yield from others

    def tried(self, subject, seed):
        """All operators; only the heart's where these are not told apart."""
        right = True
        for case in super().tried(subject, seed):
            if case.part != HEART and not right:
                return
            right = right and (case.right or case.part != HEART)
            yield case

    def _got(self, subject, args, own=False):
        scene = {"scene": "verified", "text": TEXT, "name": args[0]}
        return super()._got(subject, [scene], own)

    def expected(self, name):
        return "accepted" if name in RIGHT else "rejected"

    def _right(self, got, expected, args):
        if isinstance(got, Problem):
            return expected == "rejected" and got.kind == "raised"
        return got == expected

    def words(self, name):
        kind = "a right operator" if name in RIGHT else "an operator that is wrong"
        return f"verify of {kind}: {name}"

    def general(self, case):
        (name,) = case.args
        if case.got == "accepted":
            return "passes", f"an operator with this fault passes: {name}"
        if "AssertionError" in getattr(case.got, "types", ()):
            return "strict", (
                "a right operator is rejected: is the comparison exact where sums may "
                "be rounded in another way, or is something asked that is not promised?"
            )
        return super().general(case)
