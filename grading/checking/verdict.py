"""What a check says: points, and for each failure its cause and a message."""

import html
import textwrap
from dataclasses import asdict, dataclass, field

# The states of what is not graded here, and does not count.
NEEDS_GPU, NEEDS_COMPILER = "needs a GPU", "needs a C++ compiler"
NOT_GRADED = NEEDS_GPU, NEEDS_COMPILER


@dataclass
class Failure:
    """One case that is wrong. cause: the mistake's short name, or "unknown"."""

    cause: str
    message: str
    part: str = ""
    count: int = 1  # how many cases fail

    def __str__(self):
        return self.message


@dataclass
class Verdict:
    """The result of one check.

    state: "right", "partly right", "wrong", "not answered", "solution", "crashed",
    "timed out", "not run", or one of NOT_GRADED (not graded here, and not counted).
    Only the first two earn points. Of parts that need a GPU none is given or taken.
    """

    name: str
    points: float
    max_points: float
    state: str
    summary: str  # one line
    failures: list = field(default_factory=list)
    picture: str = ""  # SVG

    def __post_init__(self):
        inside = 0 <= self.points <= self.max_points
        if not inside or (self.points and self.state not in ("right", "partly right")):
            raise ValueError(f"{self.points} of {self.max_points} points, {self.state}")

    def __str__(self):
        line = textwrap.fill(self.summary, 88, subsequent_indent="  ")
        return "\n".join([line, *map(str, self.failures[:1])])

    def __repr__(self):
        """The points alone: nbgrader takes the number that a cell shows as score."""
        return repr(float(self.points))

    def __float__(self):
        return float(self.points)

    def to_dict(self):
        """Plain values, for JSON."""
        values = asdict(self)
        del values["picture"]
        return values

    @property
    def counts(self):
        """Do its points, and their maximum, belong to the sum?"""
        return self.state not in NOT_GRADED

    def _repr_html_(self):
        """A bar of the points, the lower edge of the text above, and the picture."""
        earned = earned_of(self.points, self.max_points)
        shown = earned if self.counts else f"not graded: {self.state}"
        share = 100 * self.points / self.max_points if self.max_points else 0
        return (
            f'<div role="img" aria-label="{html.escape(shown)}" style="height: 5px; '
            "max-width: 640px; "
            f'background: linear-gradient(90deg, #0072b2 {share:.0f}%, #8886 0)">'
            f"</div>{self.picture}"
        )


def not_graded(exercises):
    """Which of these dicts of Verdicts are not graded, and why, in words; or ""."""
    said = []
    for state in NOT_GRADED:
        names = [e["name"] for e in exercises if e["state"] == state]
        said += [f"{', '.join(names)}: not graded, {state}"] if names else []
    return "; ".join(said)


def earned_of(points, most):
    """`1.5 of 2 points`"""
    return f"{points:g} of {most:g} point{'' if most == 1 else 's'}"


def number(points):
    return f"{points:g}"


def plural(points):
    return f"{number(points)} point" + ("" if points == 1 else "s")
