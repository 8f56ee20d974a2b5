"""verify: a verification lets right operators pass, and finds each wrong one."""

from pathlib import Path

from grading.checking.candidates import Candidate, CoreFirst
from grading.drivers.cpp_extensions import verified
from grading.exercise import Check, Limits, drive
from minigrad.testing.verify import verify

from .. import operators


def cases(random):
    text = Path(operators.__file__).read_text(encoding="utf-8")
    for part, names in operators.OPERATORS.items():
        for name in names:
            case = drive(verified, text=text, name=name)
            words = f"an operator that {name}"
            yield part, Candidate(words, name in operators.RIGHT, case)


def diagnose(got, expected, case):
    if got == "accepted":
        return "passes", (
            f"A{case.words[1:]} passes. Add an input or a comparison that finds it."
        )
    if "AssertionError" in got.types:
        return "strict", (
            f"A{case.words[1:]} is rejected, but it's correct. Products must be equal, "
            "but compare gradients with a tolerance of 100 * np.finfo(dtype).eps."
        )
    return None


check = Check(
    verify,
    cases=cases,
    diagnose=diagnose,
    limits=Limits(seconds=60),  # each call of an operator is a message, in a box
    judged_by=CoreFirst,
    not_tested="operators wrong on a GPU, in bfloat16 or of integers: not promised",
)
