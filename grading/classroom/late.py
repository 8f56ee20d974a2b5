"""A penalty for late work, for nbgrader: it knows "none" and "zero" by itself."""

import math

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float

DAY = 24 * 60 * 60


class PerDay(LateSubmissionPlugin):
    """A share of the points for each day that has begun, up to all of them."""

    share = Float(0.1, min=0, max=1, help="lost for each day").tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score * min(1, self.share * math.ceil(total_seconds_late / DAY))
