"""Kernels' texts, compiled and launched: in this process, or in one of the box.

A text that a student wrote is data to the grader, which passes it on, compares it, and
quotes it. Whatever reads it is below the line, and runs in the box where this process
grades. What comes from there is examined, and becomes a Ran or a Problem.
"""

import contextlib
import math
import re
import time

import numpy as np

import cudasim
from minigrad.exercises.errors import WrongAnswerType
from minigrad.exercises.registry import find
from minigrad.exercises.sandbox import PATIENCE, TimeUp, time_limit

from ..isolation import codec, replies
from ..isolation.forks import Fork
from ..isolation.replies import LONGEST_TEXT, Problem
from .barriers import repairs
from .runs import Finding, Ran, Report, names, outputs, sent, taken

COMPILE = 5  # seconds for the compiler
LAUNCH = 5  # seconds beyond a launch's limit, which the simulator itself keeps
GRACE = 5  # seconds by the clock, before a process that says nothing is ended
TRIES = 2  # of what ends its process: it may have been ended from outside
MOST_FINDINGS = 200
MOST_KERNELS = 16  # that are kept
LONG = 88  # characters of a source line around the place of an error
LONGEST = 2**20  # bytes of a reply, beside its arrays
NO_DYNAMIC = (
    "the launch gives no dynamic shared memory, so an `extern __shared__` array has no "
    "cells: give it a size, as in __shared__ float cells[256]"
)
ENDED = "its process ended: does the text make the compiler use a lot of memory?"


class Simulator:
    """Compiles and launches texts in this process."""

    left = math.inf  # seconds for all that is asked of an exercise's answer

    def __init__(self):
        self._room = Room()

    def ask(self, request, seconds, longest):
        """What comes of a request: plain values, or a Problem."""
        took, reply = self._replied(request, seconds, longest)
        self.left -= took if type(took) is float and took >= 0 else math.inf
        return reply

    def _replied(self, request, seconds, longest):
        """(how many seconds it took, the reply)"""
        return self._room.reply(request)

    def end(self):
        """End what may be in the middle of anything."""


class BoxedSimulator(Simulator):
    """Has a process of the box do it, which is forked when it's needed."""

    def __init__(self, unsafe):
        self._unsafe, self._fork = unsafe, None

    def end(self):
        if self._fork:
            self._fork.end()
            self._fork = None

    def _replied(self, request, seconds, longest):
        message, late = codec.encode(request), PATIENCE * seconds + GRACE
        for _ in range(TRIES):
            try:
                data = self._answered(message, late, longest)
                took, reply = codec.decode(data, most=longest)
                return took, reply
            except TimeoutError:
                self.end()
                return seconds, Problem("time", f"not done after {late:.0f} s")
            except (OSError, EOFError, ValueError, TypeError):
                self.end()
        return seconds, Problem("gone", ENDED)

    def _answered(self, message, late, longest):
        """The reply to a message, in bytes."""
        if self._fork is None:
            self._fork = Fork(self._unsafe)
            self._fork.line.send(codec.encode(["kernels"]))
        self._fork.line.send(message, late)
        return self._fork.line.receive(late, longest)


class Text:
    """A kernel's text, and what compiles and launches it."""

    def __init__(self, code, simulator):
        self.code, self.simulator = code, simulator

    def launched(self, exercise, launch, tools="all", limits=None, **how):
        """The Ran, or Problem, of an exercise's answer; `how` as for `run`."""
        parameters = names(exercise)
        wanted = [parameters.index(name) for name in outputs(exercise)]
        how |= {"reads": any(key.startswith("reads of") for key in launch.limits)}
        got = self.run(
            exercise.name, launch, wanted, launch.options, tools, limits, True, **how
        )
        if isinstance(got, Problem):
            return got
        return got._replace(arrays={parameters[i]: a for i, a in got.arrays.items()})

    def run(self, name, launch, wanted, options=(), tools="all", limits=None,
            fits=False, unshared=False, reads=False):  # fmt: skip
        """The Ran of a kernel, {place: array} of those of its arguments; or a Problem.

        fits: is it an exercise's answer, whose declaration it has? unshared: without
        shared memory, each thread has arrays of its own. reads: count those of each
        array.
        """
        limits = limits or cudasim.Limits()
        seconds = max(min(limits.seconds, self.simulator.left), 0.01)
        request = [
            "launch", self.code, name, fits, unshared, list(options),
            [launch.grid, launch.block, launch.shared_mem],
            [sent(value) for value in launch.args], wanted, tools, reads,
            limits.steps, seconds,
        ]  # fmt: skip
        most = LONGEST + sum(launch.args[i].nbytes for i in wanted)
        reply = self.simulator.ask(request, seconds + COMPILE + LAUNCH, most)
        return self._examined(ran, reply, launch, wanted)

    def repairs(self, statement, lines, tries):
        """[(line, where on it, Text)] with one more `statement` near these lines."""
        request = ["repairs", self.code, statement, sorted(lines), tries]
        longest = LONGEST + 4 * tries * LONGEST_TEXT
        reply = self.simulator.ask(request, COMPILE, longest)
        repairs = self._examined(changes, reply, tries)
        tried = [] if isinstance(repairs, Problem) else repairs
        return [
            (line, where, Text(code, self.simulator)) for line, where, code in tried
        ]

    def guarded(self, guard):
        """[(statement, Text)] with a guard at (line, column, condition)."""
        longest = LONGEST + 8 * LONGEST_TEXT
        reply = self.simulator.ask(["guards", self.code, *guard], COMPILE, longest)
        texts = self._examined(guards, reply)
        if isinstance(texts, Problem):
            return []
        return [(statement, Text(code, self.simulator)) for statement, code in texts]

    def _examined(self, read, reply, *given):
        """What `read` makes of a reply. After a Problem, its process ends."""
        try:
            value = read(reply, *given)
        except (ValueError, TypeError, LookupError):
            value = Problem("gone", "what the simulator's process says makes no sense")
        if isinstance(value, Problem):
            self.simulator.end()
        return value


# ------------------------------------------------------------ what comes from there


def ran(reply, launch, wanted):
    """A reply as a Ran or a Problem; a ValueError, or the like, for anything else."""
    if isinstance(reply, Problem):
        return reply
    if len(reply) == len(Problem._fields):
        return replies.problem(reply)
    arrays, changed, findings, notes, counts, output = reply
    before = [launch.args[i] for i in wanted]
    for array, old in zip(arrays, before, strict=True):
        fits = isinstance(array, np.ndarray) and array.dtype == old.dtype
        replies.expect(fits and array.shape == old.shape)
    replies.expect(type(changed) is bool and type(counts) is dict)
    replies.expect(len(counts) < MOST_FINDINGS)
    replies.expect(all(type(k) is str and type(n) is int for k, n in counts.items()))
    report = Report(seen(findings), seen(notes), counts, replies.text(output))
    arrays = dict(zip(wanted, arrays, strict=True))
    return Ran(arrays, report, ("changed",) * changed)


def seen(findings):
    """The Findings among plain values."""
    replies.expect(type(findings) is list and len(findings) < MOST_FINDINGS)
    return [finding(*parts) for parts in findings]


def finding(kind, count, line, other, apart, text, guard):
    numbers = [count, line] if other is None else [count, line, other]
    if guard is not None:
        *place, condition = guard
        numbers += place
        guard = [*place, replies.text(condition)]
    replies.expect(all(type(n) is int for n in numbers) and type(apart) is bool)
    kind, text = replies.text(kind), replies.text(text)
    return Finding(kind, count, line, other, apart, text, guard)


def changes(reply, tries):
    """[(line, where, code)] of a reply of `repairs`."""
    if isinstance(reply, Problem):
        return reply
    replies.expect(type(reply) is list and len(reply) <= tries)
    for line, where, code in reply:
        replies.expect(type(line) is int and type(where) is type(code) is str)
    return [(line, replies.text(where), code) for line, where, code in reply]


def guards(reply):
    """[(statement, code)] of a reply of `guards`."""
    if isinstance(reply, Problem):
        return reply
    replies.expect(type(reply) is list and len(reply) <= 2)
    replies.expect(all(type(s) is type(code) is str for s, code in reply))
    return [(replies.text(statement), code) for statement, code in reply]


# ------------------------------------------------------------ what reads a text


def serve(line):
    """In a process of the box: reply to requests, until none comes."""
    room = Room()
    with contextlib.suppress(EOFError):
        while True:
            line.send(
                codec.encode(room.reply(codec.decode(line.receive(), most=codec.ANY)))
            )


def warm():
    """Compile and launch a kernel, so that forks need not fill the tables."""
    code = "__global__ void f(float* y, int n) { if (threadIdx.x < n) y[0] = 1.0f; }"
    kernel = cudasim.RawKernel(code, "f")
    cudasim.run(kernel, 1, 32, (np.zeros(1, np.float32), np.int32(1)))


class Room:
    """The kernels that were compiled here."""

    def __init__(self):
        self._kernels = {}

    def reply(self, request):
        """(seconds that it took, what comes of a request)"""
        begin, (what, *values) = time.thread_time(), request
        try:
            value = SERVED[what](self, *values)
        except MemoryError:
            value = Problem("raised", "it needs too much memory", ("MemoryError",))
        except Exception as error:  # the simulator's own, on a text like no other
            kind = type(error).__name__
            value = Problem("raised", f"the simulator fails: {kind}: {error}", (kind,))
        value = tuple(value) if isinstance(value, Problem) else value
        return time.thread_time() - begin, value

    def repairs(self, code, statement, lines, tries):
        try:
            with time_limit(COMPILE):
                return [list(one) for one in repairs(statement, code, lines, tries)]
        except TimeUp:
            return []

    def guards(self, code, line, column, condition):
        return [list(one) for one in cudasim.guarded(code, line, column, condition)]

    def launch(self, code, name, fits, unshared, options, where, args, wanted, tools,
               reads, steps, seconds):  # fmt: skip
        begin = time.thread_time()
        key = code, name, fits, unshared, tuple(options)
        if key not in self._kernels:
            if len(self._kernels) >= MOST_KERNELS:
                self._kernels.clear()
            self._kernels[key] = self._compiled(seconds, *key)
        kernel = self._kernels[key]
        if isinstance(kernel, Problem):
            return kernel
        *where, shared_mem = where
        if fits and not shared_mem and kernel.module.program.dynamic:
            return Problem("dynamic", NO_DYNAMIC)
        left = max(seconds - (time.thread_time() - begin), 0.01)
        before = [taken(*value) for value in args]
        args = [a.copy() if isinstance(a, np.ndarray) else a for a in before]
        tools = [*cudasim.TOOLS, Reads()] if reads else tools
        how = {"tools": tools, "limits": cudasim.Limits(steps, left), "advise": False}
        report = launched(kernel, (*where, tuple(args), shared_mem), how)
        if isinstance(report, Problem):
            return report
        changed = any(
            not np.array_equal(a, old, equal_nan=a.dtype.kind == "f")
            for i, (a, old) in enumerate(zip(args, before, strict=True))
            if i not in wanted and isinstance(a, np.ndarray)
        )
        counts = {k: int(n) for k, n in report.counts.items() if k != "lines"}
        remarks = [[*map(plain, part)] for part in (report.findings, report.notes)]
        output = report.output[: replies.LONGEST]
        return [[args[i] for i in wanted], changed, *remarks, counts, output]

    def _compiled(self, seconds, code, name, fits, unshared, options):
        seconds = min(seconds, COMPILE)
        try:
            with time_limit(seconds):
                code = without_shared(code) if unshared else code
                return compiled(find(name) if fits else None, name, code, options)
        except TimeUp:
            return Problem("compile", f"the compiler is not done after {seconds:.0f} s")


SERVED = {"launch": Room.launch, "repairs": Room.repairs, "guards": Room.guards}


def compiled(exercise, name, code, options=()):
    """The kernel of a text; a Problem where it is none, or not this exercise's."""
    if len(code) > LONGEST_TEXT:
        most = f"{LONGEST_TEXT:,}"
        return Problem("compile", f"the text is too long: at most {most} characters")
    try:
        if exercise:
            exercise.fits(code)
        module = cudasim.RawModule(code, options, name=f"{name}.cu")
        return cudasim.RawKernel(code, name, options, module=module)
    except (WrongAnswerType, cudasim.CompileError) as error:
        return Problem("compile", around_caret(str(error))[: replies.LONGEST])


def launched(kernel, where, how):
    """The simulator's report of a launch, or a Problem."""
    longest = how["limits"].seconds + LAUNCH
    try:
        with time_limit(longest):
            report = cudasim.run(kernel, *where, **how)
    except TimeUp:
        return Problem("time", f"not done after {longest:.0f} s")
    except cudasim.CompileError as error:
        return Problem("compile", around_caret(str(error))[: replies.LONGEST])
    except (TypeError, ValueError, MemoryError) as error:  # a struct, shared memory
        return Problem("raised", str(error), (type(error).__name__,))
    for finding in report.findings:
        where = f"line {finding.line}: {finding.source_line.strip()[: replies.LONGEST]}"
        if finding.kind == "timeout":
            return Problem("time", finding.message, where=where)
        if finding.kind == "memory":  # too much local memory
            return Problem("raised", finding.message, ("MemoryError",), where=where)
    return report


def plain(finding):
    """A finding of the simulator's as the values of a Finding."""
    other, guard = finding.other or {}, None
    if finding.kind.startswith("race"):  # what would mend it is tried, see barriers.py
        finding.hint = ""
    if finding.guard:  # likewise
        finding.hint = finding.hint.partition("is a guard")[0].rstrip(": ")
        guard = [finding.line, finding.column, finding.guard]
    apart = other.get("block", finding.block) != finding.block
    text = around_caret(str(finding))[: replies.LONGEST]
    numbers = int(finding.count), finding.line, other.get("line")
    return [finding.kind, *numbers, apart, text, guard]


def around_caret(text):
    """A message; of a long source line, the part around its caret."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.strip() == "^" and len(lines[i - 1]) > LONG:
            begin = max(0, len(line) - LONG // 2)
            before, after = lines[i - 1], begin + LONG
            lines[i - 1] = "    ..." * bool(begin) + before[begin:after]
            lines[i] = " " * (len("    ...") * bool(begin)) + line[begin:]
    return "\n".join(lines)


def without_shared(code):
    """A text whose shared arrays are each thread's own; dynamic ones have a size."""
    statements = code.split(";")
    for n, text in enumerate(statements):
        head = re.search(r"\bextern\b", text)
        word = head and re.compile(r"\b__shared__\b").search(text, head.end())
        *_, size = re.finditer(r"\[\s*\]", text[word.end() :]) if word else [None]
        if size:
            begin, end = (word.end() + at for at in size.span())
            before, after = text[head.end() : begin], text[end:]
            statements[n] = f"{text[: head.start()]}{before}[1024]{after}"
    return ";".join(statements).replace("__shared__", "")


class Reads(cudasim.Tool):
    """Counts how often each array is read: counts["reads of x"]."""

    def begin(self, launch):
        self.counts = launch.counts
        self.counts |= {f"reads of {root.name}": 0 for root in launch.roots}

    def access(self, kind, space, root, address, size, mask, site):
        if kind == "read" and space == "global":
            lanes, mask = self.geometry.lanes, True if mask is None else mask
            share = np.count_nonzero(mask) / np.size(mask)
            self.counts[f"reads of {root.name}"] += round(lanes * share)
