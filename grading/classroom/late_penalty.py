"""What late work costs: as the due date, the settings, and the points are now.

nbgrader computes a penalty once, when it grades. Here it's computed whenever a number
is shown, and `renew` brings nbgrader's own up to date.
"""

import math
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from nbgrader.utils import parse_utc
from traitlets import Float, TraitError

from .files import is_ordinary

DAY = 24 * 60 * 60


class PerDay(LateSubmissionPlugin):
    """A share of the points for each day that has begun, up to all of them."""

    share = Float(0.1, min=0, max=1, help="lost for each day").tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score * min(1, self.share * math.ceil(total_seconds_late / DAY))

    def reason(self, seconds):
        """How long, and what that costs, in words."""
        days = math.ceil(seconds / DAY)
        late = f"{days} day{'s' * (days != 1)} late"
        return f"{late}, {100 * self.share:.4g} % of the points for each"


class PenaltyError(ValueError):
    """The settings' plug-in gives no penalty: the message says what it does."""


class Penalty(NamedTuple):
    """points: what is taken off. why: "" where the submission is not late."""

    points: float = 0.0
    why: str = ""


class Penalties:
    """What the settings of a course say late work costs."""

    def __init__(self, root, config):
        self.root = Path(root)
        try:
            step = AssignLatePenalties(config=config)
            step.init_plugin()
        except (TraitError, ImportError, AttributeError) as error:
            raise PenaltyError(
                f"nbgrader_config.py names no plug-in for late work: {error}"
            ) from None
        self.plugin = step.plugin_inst

    def of(self, submission):
        """The Penalty of one of the gradebook's submissions."""
        seconds = self._seconds_late(submission)
        if seconds <= 0:
            return Penalty()
        points = sum(self._lost(notebook, seconds) for notebook in submission.notebooks)
        return Penalty(points, getattr(self.plugin, "reason", _how_late)(seconds))

    def renew(self, book):
        """Write today's times and penalties into the gradebook, where they differ."""
        for submission in [s for a in book.assignments for s in a.submissions]:
            seconds, handed_in = self._seconds_late(submission), self._time(submission)
            if handed_in != submission.timestamp:
                submission.timestamp = handed_in
            for notebook in submission.notebooks:
                lost = self._lost(notebook, seconds) if seconds > 0 else 0.0
                if lost != (notebook.late_submission_penalty or 0.0):
                    notebook.late_submission_penalty = lost
        book.db.commit()

    def _lost(self, notebook, seconds):
        """The points that a late notebook loses: between 0 and all that it has."""
        student, score = notebook.student.id, notebook.score
        try:
            lost = self.plugin.late_submission_penalty(student, score, seconds)
            lost = float(lost or 0.0)
        except Exception as error:  # whatever a plug-in of the instructor's raises
            raise self._failed(f"{type(error).__name__}: {error}") from error
        if math.isnan(lost):
            raise self._failed("the penalty is NaN")
        return round(max(0.0, min(lost, score)), 6)

    def _seconds_late(self, submission):
        due, handed_in = submission.assignment.duedate, self._time(submission)
        if due is None or handed_in is None:
            return 0
        return (handed_in - due - (submission.extension or timedelta())).total_seconds()

    def _time(self, submission):
        """When it was handed in, as the file says that nbgrader reads, too."""
        names = submission.student.id, submission.assignment.name
        stamp = self.root.joinpath("submitted", *names, "timestamp.txt")
        try:
            text = stamp.read_text("utf-8").strip() if is_ordinary(stamp) else ""
            return parse_utc(text) if text else submission.timestamp
        except (ValueError, OverflowError, OSError):
            return submission.timestamp  # `grade` refuses the file, and says so

    def _failed(self, why):
        name = type(self.plugin).__name__
        return PenaltyError(
            f"the plug-in for late work fails: {name}: {why}. Correct "
            f"AssignLatePenalties.plugin_class in nbgrader_config.py"
        )


def _how_late(seconds):
    days, rest = divmod(math.ceil(seconds / 60), 24 * 60)
    parts = (days, "d"), (rest // 60, "h"), (rest % 60, "min")
    return " ".join(f"{n} {unit}" for n, unit in parts if n) + " late"
