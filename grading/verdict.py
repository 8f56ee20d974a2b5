"""What a check says: points, and for each failure its cause and a message."""

import html
from dataclasses import asdict, dataclass, field


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
    "timed out", "not run" or "needs a GPU". Only the first two earn points.
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
        return "\n".join([self.summary, *(f.message for f in self.failures[:1])])

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

    def _repr_html_(self):
        share = 100 * self.points / self.max_points if self.max_points else 0
        return (
            '<div style="font: 13px sans-serif; margin-top: 6px">'
            '<div role="img" aria-label="share of the points" style="display: '
            "inline-block; width: 8em; height: .7em; border: 1px solid #888; "
            f'background: linear-gradient(90deg, #0072b2 {share:.0f}%, #fff0 0)">'
            f"</div> &nbsp;<b>{html.escape(self.name)}</b>: {number(self.points)} of "
            f"{plural(self.max_points)}, {html.escape(self.state)}</div>{self.picture}"
        )


def number(points):
    return f"{points:g}"


def plural(points):
    return f"{number(points)} point" + ("" if points == 1 else "s")
