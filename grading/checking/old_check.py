"""Checks that are still classes, and how such a check is converted.

A chapter moves as a whole: `checks/09_06_batch_norm.py`, or a class in
`checks/08_autograd.py`, becomes `checks/09_nn/batch_norm.py`, one file for each
exercise, called as it is. find_check takes that file as soon as it is there. The old
file goes with the last of its classes, and so does its `models(...)`.
Look at `checks/03_strides/`: expand.py (a method), slice_view.py (compare, picture),
layouts.py (a driver for some cases), contiguous_kernel.py, test_permute.py.

What was a hook of the class becomes a function, or a value, that Check(...) gets:

    class and decorator   Check(exercise, cases=..., ...), called `check` in its file
    docstring             not_tested="...": what came after "Leaves out"
    cases(self, random)   cases(random): `yield part, call(*args)`; the same draws in
                          the same order, or verdicts change
    self.drawn, self.of   functions beside it; of several exercises, in a file of the
                          chapter's folder; of several chapters, in `checks/` itself
    expected              reference(*args, **options). Best PyTorch's own function:
                          torch.Tensor.expand. It gets PyTorch's tensors for a View or a
                          Filled, arrays and numbers as they are
    same                  compare(got, expected, case), or one of compare.py:
                          close(rtol, atol) for what SceneCheck did, values, arrays
    a fact in `same`      observe(result, case): what is seen of a result. It's asked of
                          the reference's result, too, and of a mistake's, and all that
                          follows, messages as well, has what it returns. Not of errors
    words                 describe(exercise, case); first see what `typed` says
    lines                 nothing: `observe` makes facts, the first wrong one is shown
    general               diagnose(got, expected, case): (name, text), or None to go on,
                          or () for a cause that nobody knows
    scene = "x", [{"scene": "x", ...}]
                          driver=x, or drive(x, *args, **options) for one case; x is
                          the function in drivers/. Write it as `@driver` if it can be
                          played with PyTorch, too (drivers/registry.py): its reference
                          is PyTorch's own then, and results are shown briefly. With a
                          `@scene`, the reference gets the case's args, and of its
                          options those that it names, and returns what the scene does
    _got with outside     drive(x, ..., outside=Made), and Made() is made for each call;
                          observe(result, case, outside) reads in it what was done
    _got, otherwise       observe
    _right                compare; what an error says: diagnose
    first_difference, Differs, Shows
                          nothing: a sign is the first wrong key of a dict, or a text
    Model(f), f(check, *args)
                          models={"its name": f}, f(*args) as the reference has them
    seconds, steps, tries, patience, watched
                          limits=Limits(...)
    picture               picture(case, expected, got)
    judge, tried, _try    none should be left: ask before you write a Judgment

Bases: LayoutCheck is drive(numbers_alone, ..., least=...). SceneCheck is
compare=close(). Facts, ScenarioCheck, TensorCheck, and FunctionCheck are drivers of
scenarios.py and compare=close(); what they add to the cases is a function that takes
the cases.
BuiltCheck is found by itself, for an exercise in C++ (built_judgment.py).

A kernel's check (kernel_judgment.py says more):

    Launch                as before; `limits` are still called so
    expected(launch, x, y, n)
                          reference(x, y, n) of tensors; it writes to y, or returns it;
                          it may name `launch`
    rtol, atol, tolerance, close
                          compare=arrays(rtol, atol), arrays(tolerance=f), and
                          arrays(signs=True) for MovesNumbers
    forgiven              allowed=("race", ...)
    is_long               Launch(..., long=True)
    BlockCheck            Launch(..., needs_shared=True), of the first case
    gpu_parts, on_gpu     on_gpu={part: f}: f(exercise, text) yields (right, message),
                          or raises NotRun(why); of what is right it is shown, too
    all_right             nothing
    a Model that returned None
                          a model that returns False: it does not show in this case

Then: every specimen of the chapter is judged as before (compare the texts of the
verdicts, two seeds), and so are tests/test_forged.py, and the tests of the chapter.
"""

import functools
import inspect
import itertools
import random as random_numbers

from minigrad.exercises.registry import Exercise

from ..isolation.replies import Problem
from . import describe, diagnosis, picture
from .cases import Raises, Tried, failed_as, given, stops, value_of
from .explanation import EVERYWHERE
from .mistakes import Model, mistakes_of
from .runner import LocalSubject
from .verdict import NEEDS_GPU, Failure, Verdict, number, plural

AT_ONCE = 64  # cases of which a subject hears before the first is done
_checks = {}  # name of the exercise -> Check
_kept = {}  # what came of the cases of the check and the seed that were judged last


class Check:
    """The base of every check; see the head of this file."""

    exercise: Exercise
    seconds = 5  # for one call
    scene = None  # what the answer is called by, where that is no plain call
    plain = property(lambda self: self.scene is None)  # are a case's args the call's?

    def cases(self, random):
        """Yield (part, *arguments), the heart of the task first."""
        raise NotImplementedError

    def expected(self, *args):
        """PyTorch's answer. What it raises, the learner's function must raise too."""
        raise NotImplementedError

    def same(self, got, expected, *args):
        """Is `got` right? Override where more than one answer is."""
        return describe.same(got, expected)

    def all_right(self, tried):
        """What is said of an answer that is right. tried: its cases."""
        return "all right"

    def picture(self, *args, expected, got):
        """An SVG that shows the difference, or ""."""
        return picture.tensors(args, expected, got)

    def source(self):
        """Its text, for those who want to know how they are checked."""
        return inspect.getsource(type(self))

    def causes(self):
        """Every Mistake that this check knows."""
        known = mistakes_of(self.exercise)
        return [known[name] for name in sorted(known)]

    def judgment(self, subject, seed=None, exam=None):
        return AsJudgment(self, subject, seed)

    def judge(self, subject, seed=None):
        """The verdict on the subject's answer. seed: of the random cases."""
        about = subject.about(self.exercise.name)
        if about.state == "not answered":
            said = f"not answered yet: its cell begins with {self.exercise.solved_by()}"
            return self._nothing("not answered", said)
        if about.uses_torch:
            text = "  cause     PyTorch is the judge here: write it without PyTorch"
            failure = Failure("uses_torch", text)
            return self._nothing("wrong", "the answer uses PyTorch", [failure])
        return self._verdict(*self.answer(subject, seed), about)

    def answer(self, subject, seed):
        """({part: is it right?}, every case tried) of the answer."""
        tried = self.all_tried(subject, seed)
        parts = self.by_parts(tried)
        if all(parts.values()):
            circular = self._circular(subject, seed)
            parts = dict.fromkeys(parts, not circular)
            tried = circular or tried
        return parts, tried

    def by_parts(self, tried):
        """{part: are all its cases right?}, in order."""
        parts = {}
        for case in tried:
            parts[case.part] = parts.get(case.part, True) and case.right
        return parts

    def all_tried(self, subject, seed):
        """What comes of every case. What is computed for them is kept till the next."""
        if seed is None or _kept.get("of") != (self, seed):
            _kept.clear()
            _kept["of"] = self, seed
        return [*self.tried(subject, seed)]

    def tried(self, subject, seed):
        """Yield what comes of every case; after one that never ends nothing is run."""
        case, cases = None, enumerate(self.cases(random_numbers.Random(seed)))
        while some := [*itertools.islice(cases, AT_ONCE)]:
            usual = subject.ahead and type(self)._got is Check._got
            if usual and not (case and stops(case.got)):
                asked = [self.asked(args) for _, (_, *args) in some]
                subject.ahead(self.exercise.name, asked, self.seconds)
            for n, (part, *args) in some:
                if case and stops(case.got):
                    case = case._replace(part=part)
                else:
                    case = self._try(subject, part, tuple(args))._replace(number=n)
                yield case

    def passes(self, subject, seed=None):
        """Is the answer right in every case? It ends at the first that is not."""
        _kept.clear()
        return all(case.right for case in self.tried(subject, seed))

    def refusing(self, subject, seeds):
        """Those of the seeds in whose cases the answer is wrong."""
        return [seed for seed in seeds if not self.passes(subject, seed)]

    def _try(self, subject, part, args, own=False):
        """Let the answer do one case. own: with the learner's other answers."""
        expected = value_of(self.expected, args)
        got, outcome = self._got(subject, args, own)
        right = self._right(got, expected, args)
        return Tried(right, part, args, expected, got, outcome)

    def _got(self, subject, args, own=False):
        """(value or Problem, Outcome) of the answer."""
        outcome = subject.call(self.exercise.name, self.asked(args), self.seconds, own)
        return outcome.problem or outcome.value, outcome

    def asked(self, args):
        """What a subject is given of a case's arguments."""
        scene = [{"scene": self.scene}] if self.scene else []
        return [*scene, *map(given, args)]

    def _right(self, got, expected, args):
        if isinstance(expected, Raises):
            types = got.types if isinstance(got, Problem) else ()
            unwritten = {"NotImplementedError", "RecursionError"} & set(types)
            return expected.type in types and not unwritten
        return not isinstance(got, Problem) and self.same(got, expected, *args)

    def _circular(self, subject, seed):
        """The case, if any, that shows that answers only call each other.

        It is seen when every answer runs the learner's own others.
        """
        seen = set()
        cases = enumerate(self.cases(random_numbers.Random(seed)))
        for n, (part, *args) in cases:
            if part in seen:
                continue
            seen.add(part)
            case = self._try(subject, part, tuple(args), own=True)
            case = case._replace(number=n)
            if isinstance(case.got, Problem) and "CircularAnswers" in case.got.types:
                return [case]
            if stops(case.got):
                break
        return []

    def general(self, case):
        """(name, text) of a mistake that any exercise may have; None for no idea."""
        if case.got is None and "None" in self.exercise.contract:
            return None  # an answer like any other: no return is missing
        return describe.general_cause(case.got, case.expected)

    def sees(self, cases):
        """What `general` says of an answer. cases: all, the wrong ones first."""
        first = self.general(cases[0])
        if not first or first[0] not in EVERYWHERE:
            return first
        found = [self.general(case) for case in cases if not case.right]
        return first if all(one and one[0] == first[0] for one in found) else None

    def ways(self, mistake):
        """What gives what a mistake gives."""
        return mistake.ways

    def agrees(self, way, case):
        """Does this way of a mistake give just what the answer gave?"""
        value, got = self.given(way, case), case.got
        if isinstance(value, Raises):
            if not isinstance(got, Problem) or value.type not in got.types:
                return False
            if not isinstance(way, Model):
                return case.right or value.message == got.message
            return case.right or not value.message  # else the model's own error
        if isinstance(got, Problem) or isinstance(value, Problem):
            return getattr(got, "kind", "") == getattr(value, "kind", "-")
        return self.same(got, value, *case.args)

    def equals(self, way, case):
        """Does it agree in all that can be counted, too?"""
        return self.agrees(way, case)

    def shows(self, sign, cases):
        """Do the wrong ones of these cases show a sign of a mistake?"""
        return all(c.right or self.same(c.got, sign.value, *c.args) for c in cases)

    def cure(self, cases):
        """(statement, places) of what would mend a kernel. See kernels.py."""
        return ()

    def given(self, way, case):
        """What a mistake gives in a case; a Problem where the solution is not here."""
        try:
            key = id(way), case.number
            if key not in _kept:
                _kept[key] = self.gives(way, case)
            return _kept[key]
        except FileNotFoundError:
            return Problem("gone", "the course's solution is not here")

    def gives(self, way, case):
        """What a mistake gives: a value, Raises, or its answer's Problem."""
        if isinstance(way, Model):
            return value_of(functools.partial(way.function, self), case.args)
        with way.in_place():
            got, _ = self._got(LocalSubject(trusted=True), case.args)
        if isinstance(got, Problem) and got.kind == "raised":
            return Raises(got.types[0], got.message)
        return got

    def _verdict(self, parts, tried, about):
        unjudged = [part for part, right in parts.items() if right is None]
        judged = [part for part in parts if part not in unjudged]
        wrong = [part for part in judged if not parts[part]]
        share = 1 - len(wrong) / len(judged) if judged and parts[judged[0]] else 0
        points = round(self.exercise.points * share, 2)
        state, said = "right", self.all_right(tried)
        if wrong:
            state = "partly right" if points else failed_as(tried[-1])
            said = f"{'partly right; ' * (points > 0)}wrong: {describe.listed(wrong)}"
        missing = f"{describe.listed(unjudged)} ({NEEDS_GPU})"
        if not judged:
            state, said = NEEDS_GPU, missing
        elif unjudged and points:
            said += f"; not graded: {missing}"
        if about.state == "solution":
            points, state = 0, "solution"
            said += "; but the course's solution stands in, and earns nothing"
        first = diagnosis.by_size(tried)[0] if wrong else None
        failures = [self._failure(first, tried)] if wrong else []
        picture = self._picture(first) if wrong else ""
        said = self._summary(said, points, state)
        return Verdict(self.exercise.name, points, self.exercise.points, state, said,
                       failures, picture)  # fmt: skip

    def _failure(self, case, tried):
        found = diagnosis.diagnose(self, tried)
        printed = ("printed", describe.beginning(case.outcome.printed))
        said = [line for line in self.lines(case) if line[1] != found.text]
        lines = [("cause", found.text), *found.more, *said, printed]
        message = "\n".join(f"  {key:<9} {describe.folded(v)}" for key, v in lines if v)
        count = sum(not case.right for case in tried)
        return Failure(found.cause, message, case.part, count)

    def lines(self, case):
        """(key, text): the explanation of a case that failed."""
        expected, got = describe.beside(case.got, case.expected)
        where = case.got.where if isinstance(case.got, Problem) else ""
        both = ("expected", expected), ("got", got)
        words = self.words(*case.args)
        call = [("case", words)] if words else describe.call(self.exercise, case.args)
        return [*call, *both, ("where", where)]

    def words(self, *args):
        """The case in words; "" where its arguments show it."""
        return ""

    def _picture(self, case):
        """The check's picture. It is an extra: what goes wrong in it is not shown."""
        if isinstance(case.got, Problem) or isinstance(case.expected, Raises):
            return ""
        try:
            return self.picture(*case.args, expected=case.expected, got=case.got)
        except Exception:
            return ""

    def _summary(self, said, points, state=""):
        earned = f"{number(points)} of {plural(self.exercise.points)}"
        earned = "not graded" if state == NEEDS_GPU else earned
        return f"{self.exercise.name}: {earned} · {said}"

    def _nothing(self, state, said, failures=()):
        return Verdict(self.exercise.name, 0, self.exercise.points, state,
                       self._summary(said, 0), list(failures))  # fmt: skip


class AsJudgment:
    """A check that is a class, as a Judgment (check.py) is used."""

    def __init__(self, check, subject, seed):
        self.check, self.subject, self.seed = check, subject, seed

    def __getattr__(self, name):
        return getattr(self.check, name)

    def verdict(self):
        return self.check.judge(self.subject, self.seed)

    def tried(self):
        return self.check.all_tried(self.subject, self.seed)


def kept(key, make):
    """What `make` gives, kept as long as the same cases are judged; but no Problem."""
    value = _kept[key] if key in _kept else make()
    if not isinstance(value, Problem):
        _kept[key] = value
    return value


def checks(exercise):
    """Say that the class below is the check of `exercise`."""

    def register(cls):
        check = _checks[exercise.name] = cls()
        check.exercise = (
            exercise  # not on the class: an exercise there would become a method
        )
        return cls

    return register


def old_check(exercise):
    """The check of an exercise whose chapter has classes still."""
    if exercise.name not in _checks:
        raise LookupError(f"{exercise.name} has no check yet")
    return _checks[exercise.name]
