"""Checks of kernels: launches, an oracle, causes; run in the simulator.

The answer is CUDA C, so it is data: a check takes its text from the subject, and has it
compiled and launched, when a class is graded in the box (simulation.py). Where a GPU
is, the same launches run there too (gpu.py).

    @checks(scale)                                  # y[i] = a * x[i]
    class Scale(KernelCheck):
        def cases(self, random):                    # launches, by parts of the task
            for n, part in [(512, "whole blocks"), (257, "the tail")]:
                x, y = distinct(random, n), blank(n)
                args = x, y, np.float32(3), np.int32(n)
                yield part, Launch(-(-n // 256), 256, args)

        def expected(self, launch, x, y, a, n):     # what y holds afterwards
            return 3 * torch.from_numpy(x)

- A mistake explains a wrong answer where its kernel leaves the same in each launch, and
  the tools find faults of the same kinds.
- Outputs are the parameters that are pointers to what is not const. `expected` and a
  Model get copies of the arguments as they are before the launch, and return the one
  output, or {name: array} of several; NumPy or torch. A Model that returns None does
  not show in this case.
- An output is `blank(*shape)`, full of a pattern, or zeros where the kernel adds to it.
- A case is right if every output is (`rtol`, `atol` of the class; or override
  `tolerance`), the inputs and the cells around the arrays are as before, no tool has a
  finding (but of the kinds in `forgiven`), and no count is above `launch.limits`:
  {"sectors": 64} speaks of report.counts["sectors"]. A count too high is a Fault, too:
  Fault("sectors").
- One text may be compiled in several ways: Launch(..., options=("-DOP=exp",)).
- Above `watched` threads or array elements a launch runs with the bounds tool alone,
  and not at all where its part, or the heart, is wrong already (`is_long`).
- `gpu_parts` names the parts that `on_gpu` yields: they count where a GPU is, and are
  "not graded: needs a GPU" elsewhere.
"""

import functools
import math
import random as random_numbers
from typing import NamedTuple

import numpy as np

from cudasim import Limits

from ..isolation.replies import Outcome, Problem
from ..kernels import gpu
from ..kernels.barriers import cured
from ..kernels.runs import by_name, same_arrays
from ..kernels.simulation import Simulator, Text
from . import kernel_messages
from .cases import Tried, stops
from .kernel_judgment import beyond_barriers, same_faults
from .mistakes import Missing, Model
from .old_check import Check, kept

# Of several kinds of faults the worst is shown: the others come of it. What is not
# listed goes before all.
WORST = (
    *("out-of-bounds", "divergent-barrier", "race", "race-warp", "uninitialized"),
    *("writes", "reads", "reads of x", "sectors", "bank_passes", "atomics"),
    *("shared_requests", "reads_per_thread", "writes_per_thread"),
)
BARRIERS = {"race": "__syncthreads();", "race-warp": "__syncwarp();"}
WASTE = 1.3  # sectors for each that would do: more are strided


class Left(NamedTuple):
    """What a mistaken kernel leaves where it is wrong."""

    arrays: dict  # name of an output -> what it holds
    faults: dict  # kind -> count


class KernelCheck(Check):
    """The base of every check of a kernel; see the head of this file."""

    rtol = atol = 0  # of floating-point outputs
    forgiven = ()  # kinds of findings that cost nothing
    watched = 2**17  # threads, and elements of arrays; see above
    options = ()  # the compiler's
    seconds, steps = 10, 10_000  # for one launch; steps: rounds of its loops
    tries = 10  # places where a barrier is added, to see whether it is missing there
    patience = 20  # seconds for all that is done with a text; most take 0.2
    gpu_parts = ()

    def expected(self, launch, *args):
        """What the output, or {name: array} of several, must hold afterwards."""
        raise NotImplementedError

    def on_gpu(self, text):
        """Yield (part, right, message) of what only a GPU can tell. See gpu.py."""
        return ()

    def all_right(self, tried):
        if gpu.available():
            return "all right, in the simulator and on the GPU"
        return "all right in the simulator (on a GPU: not run, there is none)"

    def tolerance(self, got):
        """(rtol, atol) of such an output."""
        return self.rtol, self.atol

    def close(self, got, expected):
        """Are two arrays equal, as this exercise counts it?"""
        return same_arrays(got, expected, *self.tolerance(got))

    def same(self, got, expected, launch):
        """Does a run hold these arrays, {name: array}?"""
        return all(self.close(got.arrays[n], a) for n, a in expected.items())

    def faults(self, got, launch):
        """{kind: count} of the worst that counts against a run, whatever its values."""
        found = {}
        for one in got.report.findings + got.report.notes:
            kind = one.kind.removesuffix("-equal")
            if kind not in self.forgiven:
                found[kind] = found.get(kind, 0) + one.count
        for key, most in launch.limits.items():
            if got.report.counts[key] > most:
                found[key] = got.report.counts[key]
        found |= dict.fromkeys(got.spoilt, 1)
        order = {kind: n for n, kind in enumerate(WORST)}
        return dict(sorted(found.items(), key=lambda f: order.get(f[0], -1))[:1])

    def answer(self, subject, seed):
        """(parts, tried) of the answer: in the simulator, then, if right, on a GPU."""
        code, tried = subject.text(self.exercise.name), self.all_tried(subject, seed)
        if all(case.right for case in tried) and gpu.available():
            tried = self._on_gpu_too(code, tried)
        parts = self.by_parts(tried)
        if all(parts.values()) and gpu.available():
            measured = [self._measured(*shown) for shown in self.on_gpu(code)]
            return self.by_parts(tried + measured), tried + measured
        return parts | dict.fromkeys(self.gpu_parts), tried

    def tried(self, subject, seed):
        """Yield what comes of every launch in the simulator."""
        simulator = subject.simulator or Simulator()
        simulator.left = self.patience
        text, case, wrong = (
            Text(subject.text(self.exercise.name), simulator),
            None,
            set(),
        )
        cases = [*self.cases(random_numbers.Random(seed))]
        for number, (part, launch) in enumerate(cases):
            if wrong & {part, cases[0][0]} and self.is_long(launch):
                continue  # it can earn nothing
            if case and (stops(case.got) or self._refused(case.got)):
                case = case._replace(part=part)
            else:
                got = self._ran(text, number, launch)
                case = self._tried(text, part, number, launch, got)
            wrong |= set() if case.right else {part}
            yield case

    def _refused(self, got):
        return isinstance(got, Problem) and got.kind == "compile"

    def _ran(self, text, number, launch, **how):
        """The Ran, or Problem, of a Text in a case. how: as for `Text.run`."""
        limits = Limits(self.steps, self.seconds)
        tools = "all" if self._is_watched(launch) else ()
        options = *self.options, *launch.options
        given = self.exercise, launch, options, tools, limits
        run = functools.partial(text.launched, *given, **how)
        if number is None or not self._is_small(launch):
            return run()
        key = type(text.simulator), text.code, number, *how
        return kept(key, run)

    def is_long(self, launch):
        """Is a launch left out where its part, or the heart, is wrong already?"""
        return not self._is_small(launch)

    def _is_watched(self, launch):
        return self._is_small(launch) or bool(launch.limits)

    def _is_small(self, launch):
        return max(launch.threads, launch.cells) <= self.watched

    def _on_gpu_too(self, code, tried):
        """The same cases on the GPU."""
        launches = [case.args[0] for case in tried]
        runs = gpu.run(self.exercise, code, launches, self.options)
        pairs = zip(tried, launches, runs, strict=True)
        return [
            self._tried(case.outcome.value, case.part, case.number, launch, got)
            for case, launch, got in pairs
        ]

    def _tried(self, text, part, number, launch, got):
        shown = functools.partial(self._computed, self.expected, launch)
        expected = kept((self, number), shown) if self._is_small(launch) else shown()
        problem = got if isinstance(got, Problem) else None
        right = not problem and not self.faults(got, launch)
        right = bool(right and self.same(got, expected, launch))
        printed = "" if problem else got.report.output
        outcome = Outcome(text, problem, printed)
        return Tried(right, part, (launch,), expected, got, outcome, number)

    def _computed(self, function, launch):
        """What a method says of a launch: {name: array}, a Fault or None."""
        args = (a.copy() if isinstance(a, np.ndarray) else a for a in launch.args)
        return by_name(self.exercise, function(launch, *args))

    def _measured(self, part, right, message):
        problem = Problem("measured", message)
        return Tried(right, part, (), None, problem, Outcome(None, problem, ""))

    def agrees(self, way, case, counted=False):
        """Does this way of a mistake leave what the answer left, and faults like it?"""
        if not case.args:  # what was measured on a GPU
            return case.right
        if not isinstance(way, Model) and way.answer == case.outcome.value.code:
            return True
        small = self._is_small(*case.args)
        left = self.given(way, case) if small else self.gives(way, case)
        got = case.got
        if left is None:  # it does not show
            return case.right
        if isinstance(got, Problem) or isinstance(left, Problem):
            return getattr(got, "kind", "") == getattr(left, "kind", "-")
        alike = same_faults(
            self.faults(got, *case.args), left.faults, *case.args, counted
        )
        return alike and self.same(got, left.arrays, *case.args)

    equals = functools.partialmethod(agrees, counted=True)

    def gives(self, way, case):
        """What a mistaken kernel has Left, or its Problem; None where it is right."""
        (launch,) = case.args
        if isinstance(way, Model):
            arrays = self._computed(functools.partial(way.function, self), launch)
            return arrays and Left(arrays, {})
        here = Text(way.answer, kept("simulator", Simulator))
        got = self._ran(here, case.number, launch)
        if self._refused(got):
            raise ValueError(f"a mistake of {self.exercise.name}: {got.message}")
        return got if isinstance(got, Problem) else Left(
            got.arrays, self.faults(got, launch))  # fmt: skip

    def shows(self, sign, cases):
        if isinstance(sign, Missing):
            return self.cure(cases)[:1] == (sign.statement,)
        wrong = [case for case in cases if not case.right]
        if any(isinstance(case.got, Problem) for case in wrong):
            return False
        watched = [case for case in wrong if self._is_watched(*case.args)]
        return bool(watched) and all(self._sees(sign.kind, c) for c in watched)

    def _sees(self, kind, case):
        """Is a fault seen? A count only where it is all that is wrong."""
        (launch,), counts = case.args, case.got.report.counts
        if kind == "strided":
            far = counts["sectors"] > WASTE * counts["ideal_sectors"]
            return far and self._sees("sectors", case)
        right = kind not in launch.limits or self.same(case.got, case.expected, launch)
        return kind in self.faults(case.got, launch) and right

    def cure(self, cases):
        """(statement, places in words) of the barriers that mend an answer, or ()."""
        wrong = [case for case in cases if not case.right]
        if any(isinstance(case.got, Problem) for case in wrong):
            return ()
        kinds = {kind for c in wrong for kind in self.faults(c.got, *c.args)}
        statement = next((BARRIERS[k] for k in BARRIERS if k in kinds), None)
        if not statement:
            return ()
        key = "cure", cases[0].outcome.value.code
        return kept(key, lambda: self._cured(statement, cases))

    def _cured(self, statement, cases):
        racy = [c for c in cases if BARRIERS.keys() & self.faults(c.got, *c.args)]
        if any(beyond_barriers(c.got.report) for c in racy):
            return ()
        text = racy[0].outcome.value
        worst = max(racy, key=lambda c: self._left(c, text))
        left = functools.partial(self._left, worst)
        found = worst.got.report.findings + worst.got.report.notes
        lines = {line for f in found for line in (f.line, f.other)} - {None}
        text, places = cured(statement, text, left, lines, self.tries)
        mends = places and not any(self._left(c, text) for c in cases if c.args)
        return (statement, places) if mends else ()

    def _left(self, case, text):
        """How much is wrong with a text in a case; 0: it is right."""
        known = text is case.outcome.value
        got = case.got if known else self._ran(text, None, *case.args)
        if isinstance(got, Problem):
            return math.inf
        found = sum(self.faults(got, *case.args).values())
        return found + (not self.same(got, case.expected, *case.args))

    def general(self, case):
        return kernel_messages.cause(self, case)

    def lines(self, case):
        return kernel_messages.lines(self, case)
