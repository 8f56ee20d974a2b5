"""A subject in a process of its own: what happens there stays there.

The process is forked from a zygote, which runs in a box (see sandbox.py). Whatever
comes from it is examined before a check sees it.
"""

import collections
import contextlib
import itertools
import select
import time

from minigrad.exercises.answers import exercises_of
from minigrad.exercises.registry import CppExercise, find
from minigrad.exercises.sandbox import PATIENCE

from ..isolation import codec, replies
from ..isolation.connection import LONGEST
from ..isolation.forks import START_SECONDS, Fork
from ..isolation.replies import Outcome, Problem, WireSubject
from ..kernels import cpp
from ..kernels.simulation import BoxedSimulator
from .reference_process import StandingIn

CELL_SECONDS = 20  # of work, for one cell
GRACE = 5  # seconds beyond its own time limit, before a process is ended
EXERCISE_SECONDS = 180  # by the clock, of waiting for all that an exercise is asked
# Scenes of a test and a candidate -> what it is not told.
HIDDEN = {"own_test": {"text": None}, "verified": {"text": None, "name": None}}
EARLY = 2**14  # bytes of what is said of a cell
MOST_ENDINGS = 60  # of the processes of a submission, while cells run
TRIES = 3  # of what ends its process: it may have been ended from outside
LONG = 2**20  # bytes of calls that are sent at once
SUBMISSION_SECONDS = 900


class Gone(Exception):
    """The process has ended, or had to be ended. `kind`: "gone" or "time"."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class ProcessSubject(WireSubject):
    """A notebook's answers, in a process that runs its cells.

    cells: (id, text) of its code cells, in order. A cell that ends the process again
    and again is left out, so it costs no other exercise anything.
    files: (name, text) of the modules beside it. lab: its exercises are the answers'.
    seconds: by the clock, of waiting for all of it.
    After `with`, `problems` says what went wrong in which cell: {id: text}. `ended`:
    did the process end unasked, after all its cells?
    """

    def __init__(
        self, name, cells, lab=None, files=(), unsafe=False, seconds=SUBMISSION_SECONDS
    ):
        super().__init__(self._exchange)
        self.name, self.cells = name, [tuple(cell) for cell in cells]
        self.lab, self.files, self.unsafe = lab, [*map(list, files)], unsafe
        self.simulator = BoxedSimulator(unsafe)
        self.problems, self.ended = {}, False
        self._endings = collections.Counter()  # of processes, by the cell that ran
        self._line = self._fork = None
        self._ready = False  # have the cells run?
        self._ids = set()  # of the cells that it was given
        self.uses = collections.defaultdict(set)  # name -> references that it called
        self._seen = set()  # references that this process has called
        self._needed = {}  # name of a test -> ids of the cells that its process ran
        self._ahead = 0  # replies that will come to calls which it has heard of
        self._judged, self._standing_in = None, StandingIn(unsafe)
        self._seconds = GRACE
        self._of_exercise = self._of_all = seconds  # what is left of them
        self._worked = time.process_time()  # by the grader, so far

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.simulator.end()
        self._standing_in.end()
        if self._fork:
            self._fork.end()

    def call(self, name, args, seconds, own=False):
        if isinstance(find(name), CppExercise):
            return self._built(name, *args[1:])
        if args and isinstance(args[0], dict) and args[0].get("scene") in HIDDEN:
            return self._of_test(name, args[0], seconds)
        return self._called(name, args, seconds, own)

    def ahead(self, name, messages, seconds):
        """Send the next calls, of which the process then makes one after the other.

        Only the first, if all are too long to be sent at once.
        """
        if self._line is None or isinstance(find(name), CppExercise):
            return
        self._seconds = GRACE
        sizes = itertools.accumulate(map(len, messages))
        messages = [m for m, size in zip(messages, sizes, strict=True) if size < LONG]
        if messages:
            with contextlib.suppress(Gone):
                self._tell(codec.encode(["calls", name, messages, seconds]))
                self._ahead = len(messages)

    def _of_test(self, name, scene, seconds):
        """What a test makes of a candidate: both in processes that are new."""
        self._end()
        text, options = scene["text"], scene.get("options", scene.get("name"))
        self._standing_in.candidate = scene.get("of"), text, options
        try:
            self._start(name)
            return self._called(name, [scene | HIDDEN[scene["scene"]]], seconds)
        except Gone as error:
            return Outcome(None, Problem(error.kind, str(error)), "")
        finally:
            self._standing_in.candidate = None
            self._end()

    def _called(self, name, args, seconds, own=False):
        self._seconds = PATIENCE * seconds + GRACE
        try:
            with self._understood():
                if self._ahead:
                    self._ahead -= 1
                    reply = codec.decode(self._exchange(), most=codec.REPLY)
                    outcome = replies.outcome(reply)
                else:
                    outcome = super().call(name, args, seconds, own)
        except Gone as error:
            return Outcome(None, Problem(error.kind, str(error)), "")
        finally:
            self._seconds = GRACE
        if outcome.problem and outcome.problem.is_last:
            self._ahead = 0
            if outcome.problem.kind == "time":
                self._end()  # it may be in the middle of anything
        return outcome

    def about(self, name):
        self._charge()
        if name != self._judged:  # else it is tried again, in the time that is left
            self._of_exercise = EXERCISE_SECONDS
        left_over = self._line and (self._ahead or self._line.is_waiting())
        self.note_uses(name)
        if left_over or name in self._seen:  # it has seen what the answer does
            self._end()
        self._judged = name
        if self._line is None:
            self._seen = set()
            self._start()
            self._served(name)
        with self._understood():
            return super().about(name)

    def text(self, name):
        with self._understood():
            return super().text(name)

    def _built(self, name, cases):
        """What a C++ answer gives, in a box of its own: only its text is taken."""
        try:
            found = cpp.called(name, self.text(name), cases)
            return replies.outcome((found, None, ""))
        except (cpp.BuildFailed, cpp.Crashed) as error:
            types = tuple(c.__name__ for c in type(error).__mro__[:-1])
            return Outcome(None, Problem("raised", str(error), types), "")

    @contextlib.contextmanager
    def _understood(self):
        """End a process that does not keep to the protocol."""
        try:
            yield
        except codec.TooMuch as error:
            self._end()
            raise Gone("gone", f"its process says {error}") from None
        except (ValueError, TypeError, LookupError, ArithmeticError, MemoryError):
            self._end()
            raise Gone(
                "gone",
                "its process cannot be understood: does the code fork, or write to a "
                "file that it did not open?",
            ) from None

    def _exchange(self, request=None):
        """The reply to this, or to a call that was sent ahead.

        Until it comes, what the answer asks is answered, too.
        """
        late = time.monotonic() + self._seconds
        while True:
            if request:
                self._tell(request)
            reply = self._receive(late - time.monotonic())
            if not self.outside or not (question := replies.question(reply)):
                return reply
            request = codec.encode(self._answered(*question))

    def _answered(self, *question):
        """(value, error) of a question."""
        try:
            return self.outside(*question), None
        except RuntimeError as error:
            return None, str(error)

    def note_uses(self, name=None):
        """Add the references that were called to `uses`; `name`'s is shut from now on.

        While the cells run, nothing is judged yet.
        """
        served = self._served(name)
        self._seen |= served
        if self._judged:
            self.uses[self._judged] |= served

    def _served(self, name):
        """The exercises whose references were called since; `name`'s is shut."""
        begun = time.monotonic()
        try:
            return self._standing_in.close([name])
        except (OSError, EOFError, ValueError, TypeError):
            self._end()
            self._standing_in.end()
            self._of_all -= time.monotonic() - begun
            return set()

    def _tell(self, message):
        with self._ends(self._seconds):
            self._line.send(message, self._left(self._seconds))

    def _receive(self, seconds):
        """The next message; after `seconds`, or where none can come, Gone."""
        if self._line and self._line.has_message():  # nothing is waited for
            return self._line.receive(None, LONGEST)
        with self._ends(seconds):
            late = time.monotonic() + self._left(seconds)
            self._connect(late)
            return self._line.receive(late - time.monotonic(), LONGEST)

    def _connect(self, late):
        """Wait for a message; meanwhile connect the references, if they are called."""
        while (channel := self._standing_in.waiting) is not None:
            ends = [self._line.end, channel]
            ready, *_ = select.select(ends, [], [], max(late - time.monotonic(), 0))
            if channel not in ready:
                return
            self._standing_in.connect(self._closed())

    def _closed(self):
        """What is not served: while the cells run, the lab's own exercises."""
        if self._ready:
            return [self._judged]
        return (
            [exercise.name for exercise in exercises_of(self.lab)] if self.lab else []
        )

    @contextlib.contextmanager
    def _ends(self, seconds):
        """End a process that is late, or has ended. Waiting for it counts.

        So does what the grader itself has worked: a reply may give it a lot to do.
        """
        if self._line is None:
            raise Gone("gone", "the process that held the answer has ended")
        self._charge()
        begun, left = time.monotonic(), self._left(seconds)
        try:
            yield
            return
        except TimeoutError:
            kind, text = "time", f"not done after {left:.0f} s"
        except (EOFError, OSError):
            kind, self.ended = "gone", True
            text = "the process ended: does the code exit, or make something huge?"
        finally:
            waited = time.monotonic() - begun
            self._of_exercise -= waited
            self._of_all -= waited
        self._end()
        raise Gone(kind, text)

    def _charge(self):
        """Count what the grader has worked since it was last asked for that."""
        before, self._worked = self._worked, time.process_time()
        self._of_exercise -= self._worked - before
        self._of_all -= self._worked - before

    def _left(self, seconds):
        return max(min(seconds, self._of_exercise, self._of_all), 0.001)

    def _start(self, only=None):
        """Have a process that has run the cells; it may take several tries.

        only: the exercise whose answer has to be there, with what it needs.
        """
        while self._line is None:
            cell, ran = None, set()
            self._launch(only)
            try:
                while True:
                    data = self._receive(self._patience(cell))
                    with self._understood():
                        said, *values = replies.message(codec.decode(data, most=EARLY))
                        if said == "ready":
                            self.ended, self._ready = False, True
                            if only:
                                self._needed.setdefault(only, ran)
                            return
                        cell = self._cell(said, *values)
                        ran.add(cell)
            except Gone as error:
                if cell is None:
                    raise
                self._endings[cell] += 1
                if self._endings.total() > MOST_ENDINGS:
                    raise Gone(
                        "gone", "its cells end the process again and again"
                    ) from None
                if error.kind == "gone" and self._endings[cell] < TRIES:
                    continue
                self.problems[cell] = str(error)
                self.cells = [c for c in self.cells if c[0] != cell]

    def _cell(self, said, id, problem=None):
        """The cell that is running after a message of one that begins or ends."""
        if said not in ("begin", "end") or id not in self._ids:
            raise LookupError(id)
        self.problems.pop(id, None)
        if problem:
            self.problems[id] = replies.text(problem)[:500]
        return id if said == "begin" else None

    def _patience(self, cell):
        return START_SECONDS if cell is None else PATIENCE * CELL_SECONDS + GRACE

    def _launch(self, only):
        try:
            if self._fork:
                self._fork.again()
            else:
                self._fork = Fork(self.unsafe)
        except OSError as error:
            raise Gone("gone", str(error)) from None
        self._line, self._ready = self._fork.line, False
        cells, is_test = self.cells, only is not None
        if only in self._needed:
            cells = [cell for cell in cells if cell[0] in self._needed[only]]
            only = None
        self._ids = {id for id, _ in cells}
        given = self.name, cells, self.files, CELL_SECONDS, only, is_test
        self._tell(codec.encode(["answers", *given]))
        with self._standing_in.channel() as end:
            self._line.send_end(end)

    def _end(self):
        """Let the process go: it's ended at the latest before there is another."""
        self._line, self._ahead = None, 0
