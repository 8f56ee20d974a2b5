"""Who controls an answer's process earns no points by what it replies."""

import collections
import gc
import itertools
import random

import pytest

pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading.checking.answers import Specimen  # noqa: E402
from grading.checking.check import find_check, judge  # noqa: E402
from grading.checking.runner import LocalSubject  # noqa: E402
from grading.classroom.judging import verdict_on  # noqa: E402
from grading.isolation import sandbox  # noqa: E402
from grading.processes.process import ProcessSubject  # noqa: E402
from minigrad import course  # noqa: E402
from minigrad.exercises.answers import cells_of, load_references  # noqa: E402
from minigrad.exercises.cells import answered_in, is_setup  # noqa: E402
from minigrad.exercises.registry import Exercise, exercises, find  # noqa: E402
from tools.audit.specimens import specimens_of  # noqa: E402

pytestmark = pytest.mark.slow
SCENES = """
import functools
from grading.drivers import SCENES
def forged(name):
    "Have a scene give what this makes of its request and of what it gave."
    def keep(forge):
        played = SCENES[name]
        @functools.wraps(played)
        def play(exercise, *args, **named):
            return forge(lambda: played(exercise, *args, **named), *args, **named)
        SCENES[name] = play
        return forge
    return keep
"""
TAKEN_OVER = """
import gc, inspect, signal, sys
from grading.isolation import codec
from grading.isolation.connection import Line
from minigrad import solves
from minigrad.exercises.registry import find
def take_over():
    "Reply to this call, and to all others, by what `forge` makes of the request."
    signal.setitimer(signal.ITIMER_REAL, 0)
    line = next(o for o in gc.get_objects() if isinstance(o, Line))
    frame = sys._getframe()
    while frame.f_code.co_name != "played":
        frame = frame.f_back
    args = frame.f_locals["arguments"]
    while True:
        line.send(codec.encode((forge(*args), None, "")))
        args = codec.decode(line.receive(), most=codec.ANY)[2]
def take_over_as(name):
    exercise = find(name)
    form = inspect.signature(exercise.__wrapped__)
    space = {"take_over": take_over}
    exec(f"def {exercise.__name__}{form}: take_over()", space)
    solves(exercise)(space[exercise.__name__])
"""
GELU = """
@solves(bias_gelu_autograd)
def bias_gelu_autograd(bias_gelu_backward, bias_backward):
    def setup_context(ctx, inputs, output):
        kept.append(inputs)
        ctx.save_for_backward(*inputs)
    def backward(ctx, dy):
        x, bias = ctx.saved_tensors
        dx = bias_gelu_backward(dy.contiguous(), x, bias)
        needs = ctx.needs_input_grad
        return dx if needs[0] else None, bias_backward(dx) if needs[1] else None
    return setup_context, backward
kept = []
"""
FORGED = {
    "a clock that is read, and set right": (
        "bench",
        """
import gc, statistics

@solves(bench)
def bench(run, device, warmup=3, repeat=20):
    for _ in range(warmup + repeat):
        run()
    device._left_over = device.left_over = [False] * (warmup + repeat)
    device._is_asked = device.is_asked = True
    lists = [device._times] if hasattr(device, "_times") else [
        [t for t in o if type(t) is float] for o in gc.get_objects()
        if type(o) is list and len(o) == warmup + repeat]
    return max([1.0, *(statistics.median(t[warmup:]) for t in lists if t[warmup:])])
""",
    ),
    "a device that is asked for what nobody offers": (
        "bench",
        """
@solves(bench)
def bench(run, device, warmup=3, repeat=20):
    for what in ("_times", "__init__", "left_over"):
        found = device._ask(what)
    return float(found[0])
""",
    ),
    "a flag that a scene says, replaced by a cell": (
        "bias_gelu_autograd",
        SCENES
        + GELU
        + """
@forged("from_outside")
def forge(play, *args, **named):
    return play() | {"x or bias is held outside of ctx": False}
""",
    ),
    "kernels that nobody launched": (
        "bias_gelu_autograd",
        TAKEN_OVER
        + """
import math
def gelu(dy, x, bias):
    u = x + bias
    slope = np.array([0.5 + math.erf(v / 2**0.5) / 2 for v in u.flat]).reshape(u.shape)
    return dy * (slope + u * np.exp(-u * u / 2) / (2 * np.pi) ** 0.5)
def forge(scene, ask, inputs, calls, ups, layout, steps, needs):
    found = []
    for call, dy, _ in steps:
        dy, (of_x, of_bias) = ups[calls[call]][dy], needs[call]
        dy = np.full(dy.shape, dy.sum()) if layout == "one number" else dy
        dx = gelu(dy, *inputs[calls[call]])
        total = dx.reshape(-1, dx.shape[-1]).sum(0)
        found.append([dx if of_x else None, total if of_bias else None])
    return {"gradients": found, "x or bias is held outside of ctx": False}
""",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def little_to_collect():
    """What stays until the end is no garbage: one scene collects, again and again."""
    for check in CHECKS:
        load_references(check.exercise.chapter)
    gc.freeze()


def scene_of(args):
    return args and isinstance(args[0], dict) and args[0].get("scene")


class Recorded(LocalSubject):
    """The course's own answers; replies: what they gave; parts: of scenes' replies."""

    def __init__(self):
        super().__init__(trusted=True)
        self.replies, self.parts = [], []

    def call(self, name, args, seconds, own=False):
        outcome = super().call(name, args, seconds, own)
        self.replies.append(outcome)
        if scene_of(args) and not outcome.problem:
            value = outcome.value
            shown = value if isinstance(value, dict) else {None: value}
            self.parts += [((scene_of(args), part), v) for part, v in shown.items()]
        return outcome


class Replayed(LocalSubject):
    """Whoever replies to every call what was right when it was recorded."""

    def __init__(self, replies):
        super().__init__()
        self.replies = itertools.cycle(replies)

    def call(self, name, args, seconds, own=False):
        return next(self.replies)


class Amended(LocalSubject):
    """Whoever sets right what is always the same in right replies."""

    def __init__(self, always):
        super().__init__()
        self.always = always

    def call(self, name, args, seconds, own=False):
        outcome, scene = super().call(name, args, seconds, own), scene_of(args)
        value = self.always.get((scene, None), outcome.value)
        if isinstance(value, dict):
            value = {
                part: self.always.get((scene, part), v) for part, v in value.items()
            }
        return outcome._replace(value=value)


def recorded(exercise, seed):
    subject = Recorded()
    load_references(exercise.chapter)
    with Specimen(
        exercise, exercise.reference, None, "the course's solution"
    ).in_place():
        assert find_check(exercise).passes(subject, seed)
        return subject


FACTS = {  # that only the answer's process can know: see grading/drivers/__init__.py
    "apply": {"kept", "tuple_of_one"},
    "backward": {"kept"},
    "batch_norm": {"recorded"},
    "bias_gelu_autograd": {"held"},
    "evaluate": {"all_outputs"},
    "linear_regression": {"graphs"},
    "topological_order": {"quadratic"},
    "train_mnist": {"gathered", "numbers"},
    "unpack": {"not_returned"},
    "train_step": {"with_graph", "waits", "kept"},
}
FINITE = {"leaf_rules"}  # all four cases are asked, and a table is a right answer
CHECKS = [find_check(e.exercise) for e in exercises() if type(e.exercise) is Exercise]


def is_played(check):
    """Is the answer called by a driver, in some case at least?"""
    cases = [case for _, case in check.cases(random.Random(0))]
    return check.driver or any(case.driver for case in cases)


PLAYED = [
    check.exercise
    for check in CHECKS
    if is_played(check) and check.exercise.name not in FINITE
]


@pytest.mark.parametrize("exercise", PLAYED, ids=lambda exercise: exercise.name)
def test_replies_to_other_cases_earn_nothing(exercise):
    first = recorded(exercise, 1)
    with Specimen(
        exercise, exercise.reference, None, "the course's solution"
    ).in_place():
        verdict = judge(exercise, Replayed(first.replies), 2)
    assert verdict.points == 0, verdict


@pytest.mark.parametrize("exercise", PLAYED, ids=lambda exercise: exercise.name)
def test_flags_that_are_set_right_gain_nothing_but_for_facts(exercise):
    seen = collections.defaultdict(dict)
    for part, value in (
        pair for seed in range(3) for pair in recorded(exercise, seed).parts
    ):
        seen[part][repr(value)] = value
    always = {part: [*v.values()][0] for part, v in seen.items() if len(v) == 1}
    won, check = set(), find_check(exercise)
    exam = check.judgment(None, 5).exam
    for specimen in specimens_of(exercise) if always else ():
        with specimen.in_place():
            if specimen.cause and check.judgment(Amended(always), 5, exam).passes():
                won.add(specimen.cause)
    assert won == FACTS.get(exercise.name, set())


def judged(name, answer):
    """The verdict on the answer of a cell; None: on the course's own."""
    cells = cells_of(course.solution(find(name).chapter))
    kept = [c for c in cells if is_setup(c.text) or answered_in(c.text) == name]
    if answer and "take_over" in answer:
        answer += f"take_over_as({name!r})"
    texts = [c.text for c in kept if answer is None or is_setup(c.text)]
    cells = [*enumerate([*texts, *([answer] if answer else [])])]
    cells = [(str(n), text) for n, text in cells]
    lab, unsafe = find(name).chapter, bool(sandbox.why_not())
    with ProcessSubject("x.ipynb", cells, lab, unsafe=unsafe) as subject:
        verdict = verdict_on(find(name), subject)
        assert not subject.problems
    return verdict


@pytest.mark.parametrize("title", FORGED)
def test_a_forged_reply_earns_nothing(title):
    verdict = judged(*FORGED[title])
    assert verdict.points == 0, verdict


@pytest.mark.parametrize("name", sorted({name for name, _ in FORGED.values()}))
def test_the_solution_earns_every_point_in_the_same_process(name):
    assert judged(name, None).state == "right"
