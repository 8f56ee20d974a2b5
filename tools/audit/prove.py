"""Whether the answers that an exercise lists prove what they are listed for.

The solution and each right answer must be right, and each wrong one refused and named,
with the cases of three seeds. A mark that no answer changes is in a learner's way for
nothing. An `or` that its mistake is named without belongs in tests/answers.
"""

from grading.checking.answers import Edits, Specimen, marked_solution
from grading.checking.check import find_check, judge
from grading.checking.marks import marks_in
from grading.checking.runner import LocalSubject
from tools.audit.specimens import specimens_of

SEEDS = 0, 1, 2


def problems(exercise):
    """Yield, in words, all that is not as it should be."""
    for mark in unused(exercise):
        yield f"the mark {mark!r} is in the solution, and no answer changes it"
    for seed in SEEDS:
        for one in [Specimen(exercise, Edits({}), None, "the solution"),
                    *specimens_of(exercise)]:  # fmt: skip
            if said := wrongly_judged(one, seed):
                yield f"{one.title}, seed {seed}: {said}"
    place = f"tests/answers/{exercise.chapter}/{exercise.name}.toml"
    for one in needless(exercise):
        yield f"{one.title}: {one.cause} is named without it: `or` belongs in {place}"


def unused(exercise):
    """The marks of a solution that no answer changes."""
    used = set()
    for one in specimens_of(exercise):
        if isinstance(one.given, Edits):
            used |= {*one.given.changes, *one.given.changes.get("after", ())}
    return [mark for mark in marks_in(marked_solution(exercise)) if mark not in used]


def wrongly_judged(specimen, seed):
    """What is wrong with the verdict on an answer; "" if nothing is."""
    failures = verdict_on(specimen, seed).failures
    if specimen.cause is None:
        return f"a right answer is refused\n{failures[0]}" if failures else ""
    if not failures:
        return "a wrong answer passes"
    if failures[0].cause != specimen.cause:
        return f"{specimen.cause} is not named\n{failures[0]}"
    return ""


def verdict_on(specimen, seed):
    with specimen.in_place():
        return judge(specimen.exercise, LocalSubject(), seed)


def needless(exercise):
    """The answers under `or` without which the mistake is named as well."""
    check = find_check(exercise)
    known = check.causes()
    for mistake in known:
        for one in mistake.answers[1:]:
            others = tuple(a for a in mistake.answers if a is not one)
            fewer = [m._replace(answers=others) if m is mistake else m for m in known]
            object.__setattr__(check, "causes", lambda fewer=fewer: fewer)
            try:
                if not any(wrongly_judged(one, seed) for seed in SEEDS):
                    yield one
            finally:
                object.__delattr__(check, "causes")


def messages(exercise):
    """(title, message) of each wrong answer, as a learner gets it."""
    for one in specimens_of(exercise):
        if one.cause and (failures := verdict_on(one, 0).failures):
            yield one.title, str(failures[0])
