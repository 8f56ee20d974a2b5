"""What the simulator found, drawn on the source."""

from cudasim import Finding, KernelError, Report

from .draw.kernel_launch import launch_words, place, sentence
from .draw.page import MARGIN, SourceLine, Text, page
from .draw.text import count

HIGH, WIDE = 0.42, 2.55  # inches: a thread's box


def finding(what):
    """Draw a finding on its line of the kernel: a Finding, or the first of a Report."""
    if isinstance(what, Finding):
        return page(parts_of(what), alt_of(what))
    report = report_of(what)
    if not report.findings:
        return nothing(report)
    return page([heading(report), *parts_of(report.findings[0])],
                 alt_of(report.findings[0]))  # fmt: skip


def report_of(what):
    if isinstance(what, KernelError):
        return what.report
    if isinstance(what, Report):
        return what
    raise TypeError(
        "expected a Report (of cudasim.run or kernel.check) or one of its findings, "
        f"got {type(what).__name__}"
    )


def heading(report):
    launch = launch_words(report.grid, report.block)
    findings = count(len(report.findings), "finding")
    return Text([f"{report.kernel}   {launch}   {findings}"], 11, weight="bold")


def nothing(report):
    launch = launch_words(report.grid, report.block)
    launch = launch.replace("   ", ", ")
    return sentence(f"{report.kernel}, {launch}: the tools found nothing.",
                    "Nothing found.")  # fmt: skip


def parts_of(finding):
    """The parts of the picture of one finding."""
    parts = [Text([f"{finding.kind}: {finding.message}"], weight="bold")]
    other = finding.other or {}
    if other.get("source_line") and other["line"] != finding.line:
        column = other.get("column", 1)
        parts.append(SourceLine(other["line"], other["source_line"], column))
    parts.append(SourceLine(finding.line, finding.source_line, finding.column))
    parts.append(ThreadBoxes(finding))
    if finding.hint:
        parts.append(Text([finding.hint[0].upper() + finding.hint[1:] + "."]))
    return parts


def alt_of(finding):
    """The finding in words."""
    other = finding.other or {}
    text = (
        f"{finding.kind} at line {finding.line}, column {finding.column}, of "
        f"{finding.kernel}: {finding.message}. "
        f"Seen at {who(finding.block, finding.thread)}"
    )
    if "thread" in other:
        there = who(other["block"], other["thread"])
        text += f"; the other access, at line {other['line']}, is by {there}"
    text += f", and {finding.count - 1:,} more" if finding.count > 1 else ""
    return f"{text}. {finding.hint}".strip()


def who(block, thread):
    return f"block {place(block, whole(block))} thread {place(thread, whole(thread))}"


def whole(xyz):
    """The axes to write: up to the last that is not 0."""
    return [2 if any(xyz[i:]) else 1 for i in range(3)]


class ThreadBoxes:
    """The threads of a finding: one, or the two sides of a conflict and an arrow."""

    def __init__(self, finding):
        self.finding, self.other = finding, finding.other or {}
        self.height = HIGH + 0.14

    def draw(self, canvas, y):
        finding, y = self.finding, y + 0.04
        x = MARGIN
        if "thread" in self.other:
            other = self.other
            self.box(canvas, x, y, other["block"], other["thread"], other["line"])
            canvas.line((x + WIDE, y + HIGH / 2), (x + WIDE + 1.1, y + HIGH / 2))
            canvas.write(x + WIDE + 0.55, y + HIGH / 2 - 0.09, "in no order", 8)
            x += WIDE + 1.1
        self.box(canvas, x, y, finding.block, finding.thread, finding.line)
        if finding.count > 1:
            more = f"and {finding.count - 1:,} more like it"
            canvas.write(x + WIDE + 0.14, y + HIGH / 2, more, 8.5, ha="left")

    def box(self, canvas, x, y, block, thread, line):
        canvas.box(x, y, "wrong", WIDE, HIGH)
        text = f"{who(block, thread)}, line {line}"
        canvas.write(x + WIDE / 2, y + HIGH / 2, text, min(9.5, 290 / len(text)))
