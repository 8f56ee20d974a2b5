"""Which lanes of one warp go which way at a condition?"""

from .draw.kernel_launch import CannotRun, or_sentence
from .draw.page import MARGIN
from .draw.recorders import WarpBranches
from .draw.text import count
from .draw.warp_accesses import (
    PANELS,
    accesses_page,
    of_warp,
    source_line,
    verdict_and_rest,
)

UNIT, HIGH, LEFT, GAP = 0.22, 0.3, 1.1, 0.06  # inches
KEY = [("touched", "a lane that runs in this pass"), ("free", "a lane that waits")]


@or_sentence
def divergence(kernel, grid, block, args, line=None, warp=0, shared_mem=0):
    """Draw which lanes of one warp run in each pass behind a condition.

    There's one panel for each condition in the kernel, or in `line` only. If the warp
    comes to a condition several times, the panel shows the first time. If its lanes
    disagree, the warp makes two passes, each with some of them. warp: counted through
    the grid. The arguments stay as they are.
    """
    ready = of_warp(kernel, grid, block, args, line, warp)
    tool = WarpBranches(warp)
    run = ready.run(shared_mem, ["divergence", tool])
    seen = [b for b in tool.seen.values() if line in (None, b.place[0])]
    if not seen:
        where = "" if line is None else f" in line {line}"
        notes = " ".join(run.notes())
        raise CannotRun(
            f"Warp {warp} of {run.kernel.name} comes to no condition{where}. "
            f"{notes}".strip()
        )
    seen.sort(key=lambda branch: branch.place)
    panels = [Passes(run, one) for one in seen[:PANELS]]
    return accesses_page(run, warp, panels, len(seen), KEY, "conditions")


class Passes:
    """A row of lanes for each pass: those for which a condition is true, or false."""

    def __init__(self, run, branch):
        self.run, self.branch = run, branch
        both = ("true", branch.holds), ("false", branch.active & ~branch.holds)
        self.passes = [(name, lanes) for name, lanes in both if lanes.any()]
        self.height = 0.3 + (HIGH + GAP) * len(self.passes)

    def parts(self):
        words = verdict_and_rest(self.words())
        return [source_line(self.run, self.branch.place), *words, self]

    def words(self):
        """How many passes there are and why, and how it is in the whole launch."""
        here, line = self.branch, self.run.report.counts["lines"][self.branch.place]
        lanes = int(here.active.sum())
        first = f"It's {self.passes[0][0]} for all {count(lanes, 'lane')} here, so the "
        if len(self.passes) == 2:
            holds = int(here.holds.sum())
            first = f"It's true for {holds} of the {lanes} lanes here, so the "
        first += f"warp makes {count(len(self.passes), 'pass')}."
        times = (count(line[k], "time") for k in ("branches", "divergent_branches"))
        rest = "In the whole launch, warps come here {} and disagree {}.".format(*times)
        if here.times > 1:
            rest = f"This is the first of {here.times:,} times. {rest}"
        return [first, rest]

    def alt(self):
        line, column = self.branch.place
        return f"Line {line}, column {column}: {' '.join(self.words())}"

    def draw(self, canvas, y):
        left = MARGIN + LEFT
        canvas.label(left - 0.1, y + 0.14, "lane", 8, ha="right")
        for lane in range(len(self.branch.active)):
            canvas.label(left + UNIT * (lane + 0.5), y + 0.14, str(lane))
        for n, (name, lanes) in enumerate(self.passes):
            top = y + 0.26 + (HIGH + GAP) * n
            label = f"pass {n + 1}: {name}"
            canvas.label(left - 0.1, top + HIGH / 2, label, 8, ha="right")
            corners = [(left + UNIT * lane, top) for lane in range(len(lanes))]
            for kind, wanted in ("touched", True), ("free", False):
                of_kind = [
                    c for c, on in zip(corners, lanes, strict=True) if on == wanted
                ]
                canvas.boxes(of_kind, kind, UNIT, HIGH)
