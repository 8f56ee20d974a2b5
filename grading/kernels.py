"""Checks of kernels: launches, an oracle, causes; run in the simulator by the judge.

The answer is CUDA C, so it is data: a check takes its text from the subject, compiles
and runs it here. Where a GPU is, the same launches run there too (gpu.py).

    @checks(scale)                                  # y[i] = a * x[i]
    class Scale(KernelCheck):
        def cases(self, random):                    # launches, by parts of the task
            for n, part in [(512, "whole blocks"), (257, "the tail")]:
                x, y = distinct(random, n), blank(n)
                args = x, y, np.float32(3), np.int32(n)
                yield part, Launch(-(-n // 256), 256, args)

        def expected(self, launch, x, y, a, n):     # what y holds afterwards
            return 3 * torch.from_numpy(x)

        no_guard = mistake(                         # a kernel that has the mistake
            "there is no guard: ...",
            "int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = a * x[i];",
        )

        @cause("the value is copied: ...")          # or what the mistake leaves in y,
        def copied(self, launch, x, y, a, n):       # or which Fault the tools find
            return x

- A mistake explains a wrong answer where the two leave the same, and the tools find
  faults of the same kinds. Its body may also be a whole text, with other functions.
- Outputs are the parameters that are pointers to what is not const. `expected` and a
  @cause get copies of the arguments as they are before the launch, and return the one
  output, or {name: array} of several; NumPy or torch. A cause that returns None does
  not show in this case.
- An output is `blank(*shape)`, full of a pattern, or zeros where the kernel adds to it.
- A case is right if every output is (`rtol`, `atol` of the class; or override
  `close`), the inputs and the cells around the arrays are as before, no tool has a
  finding (but of the kinds in `forgiven`), and no count is above `launch.limits`:
  {"sectors": 64} speaks of report.counts["sectors"]. A count too high is a Fault, too:
  Fault("sectors").
- One text may be compiled in several ways: Launch(..., options=("-DOP=exp",)).
- Above `watched` threads or array elements a launch runs with the bounds tool alone,
  and is not compared with what mistakes do.
- `gpu_parts` names the parts that `on_gpu` yields: they count where a GPU is, and are
  "not graded: needs a GPU" elsewhere.
"""

import functools
import random as random_numbers
import time

import numpy as np

from minigrad.simt import Limits

from . import gpu, kernel_messages
from .cases import Tried, stops
from .checking import Check, cause
from .kernel_runs import (
    Fault,
    Launch,
    Ran,
    blank,
    by_name,
    compiled,
    distinct,
    same_arrays,
    simulate,
    with_body,
)
from .subject import Outcome, Problem

__all__ = ["Fault", "KernelCheck", "Launch", "Ran", "blank", "distinct", "mistake"]


def mistake(text, body):
    """A cause that is told by a kernel: its body, or its whole text."""

    @cause(text)
    def kernel(self, launch, *args):
        return body

    return kernel


class KernelCheck(Check):
    """The base of every check of a kernel; see the head of this file."""

    rtol = atol = 0  # of floating-point outputs
    forgiven = ()  # kinds of findings that cost nothing
    watched = 2**17  # threads, and elements of arrays; see above
    options = ()  # the compiler's
    seconds, steps = 10, 10_000  # for one launch; steps: rounds of its loops
    patience = 20  # seconds for all launches of an answer; most take 0.2
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

    def close(self, got, expected):
        """Are two arrays equal, as this exercise counts it?"""
        return same_arrays(got, expected, self.rtol, self.atol)

    def same(self, got, expected, launch):
        """Does a run hold these arrays, {name: array}?"""
        return all(self.close(got.arrays[n], a) for n, a in expected.items())

    def faults(self, got, launch):
        """{kind: count} of what counts against a run, whatever its values are."""
        found = {}
        for one in got.report.findings:
            if one.kind not in self.forgiven:
                found[one.kind] = found.get(one.kind, 0) + one.count
        for key, most in launch.limits.items():
            if got.report.counts[key] > most:
                found[key] = got.report.counts[key]
        return found | dict.fromkeys(got.spoilt, 1)

    def answer(self, subject, seed):
        """(parts, tried) of the answer: in the simulator, then, if right, on a GPU."""
        text = subject.text(self.hole.name)
        kernel = functools.cache(lambda more: self._compiled(text, more))
        tried, end = [], time.monotonic() + self.patience
        for part, launch in self.cases(random_numbers.Random(seed)):
            if tried and (stops(tried[-1].got) or self._refused(tried[-1].got)):
                tried.append(tried[-1]._replace(part=part))
            else:
                left = end - time.monotonic()
                tried.append(self._run(kernel(launch.options), part, launch, left))
        if all(case.right for case in tried) and gpu.available():
            tried = self._on_gpu_too(text, tried)
        parts = self.by_parts(tried)
        if all(parts.values()) and gpu.available():
            measured = [self._measured(*told) for told in self.on_gpu(text)]
            return self.by_parts(tried + measured), tried + measured
        return parts | dict.fromkeys(self.gpu_parts), tried

    def _compiled(self, text, more):
        return compiled(self.hole, text, (*self.options, *more))

    def _refused(self, got):
        return isinstance(got, Problem) and got.kind == "compile"

    def _run(self, kernel, part, launch, seconds=np.inf):
        watched = self._is_small(launch) or launch.limits
        seconds = max(min(self.seconds, seconds), 0.01)
        tools, limits = "all" if watched else (), Limits(self.steps, seconds)
        got = kernel
        if not isinstance(kernel, Problem):
            got = simulate(kernel, self.hole, launch, tools, limits)
        return self._tried(part, launch, got)

    def _is_small(self, launch):
        return max(launch.threads, launch.cells) <= self.watched

    def _on_gpu_too(self, text, tried):
        """The same cases on the GPU."""
        launches = [case.args[0] for case in tried]
        runs = gpu.run(self.hole, text, launches, self.options)
        pairs = zip(tried, launches, runs, strict=True)
        return [self._tried(case.part, launch, got) for case, launch, got in pairs]

    def _tried(self, part, launch, got):
        expected = self._told(self.expected, launch)
        problem = got if isinstance(got, Problem) else None
        right = not problem and not self.faults(got, launch)
        right = bool(right and self.same(got, expected, launch))
        printed = "" if problem else got.report.output
        outcome = Outcome(None, problem, printed)
        return Tried(right, part, (launch,), expected, got, outcome)

    def _told(self, function, launch):
        """What a method says of a launch: {name: array}, a Fault or None."""
        args = (a.copy() if isinstance(a, np.ndarray) else a for a in launch.args)
        return by_name(self.hole, function(launch, *args))

    def _measured(self, part, right, message):
        problem = Problem("measured", message)
        return Tried(right, part, (), None, problem, Outcome(None, problem, ""))

    def _explains(self, wrong, case):
        """Would this mistake give just what the answer gave? 2: also as many faults."""
        if isinstance(case.got, Problem) or not self._is_small(*case.args):
            return 0
        (launch,) = case.args
        faults = self.faults(case.got, launch)
        told = self._told(wrong, launch)
        if isinstance(told, Fault):
            return told.kind in faults and told.count in (None, faults[told.kind])
        if isinstance(told, str):
            return self._as_bad(
                self._run(self._mistaken(told, launch.options), "", launch),
                case,
                faults,
            )
        if told is None or self.same(case.got, case.expected, launch):
            return 0
        return self.same(case.got, told, launch)

    def _as_bad(self, other, case, faults):
        """Is a case like `other`, which was run with a mistake?"""
        (launch,) = case.args
        if other.right or isinstance(other.got, Problem):
            return 0
        others = self.faults(other.got, launch)
        alike = others.keys() == faults.keys()
        alike = alike and self.same(case.got, other.got.arrays, launch)
        return alike + (alike and others == faults)

    @functools.cache  # noqa: B019  one check of each class lives as long as the program
    def _mistaken(self, body, more):
        kernel = self._compiled(with_body(self.hole, body), more)
        if isinstance(kernel, Problem):
            raise ValueError(f"a mistake of {self.hole.name}: {kernel.message}")
        return kernel

    def general(self, case):
        return kernel_messages.cause(self, case)

    def lines(self, case):
        return kernel_messages.lines(self, case)
