"""The report of a launch: findings, counts and output."""

import dataclasses
import html
import json
import textwrap

from .front.errors import caret

WIDEST = 100  # characters of a source line that are shown
MESSAGE = 84  # characters of a line of a message


class Stop(Exception):
    """The kernel ends here: assert, trap, or a limit was reached."""


@dataclasses.dataclass
class Finding:
    """A bug at a line of the kernel, as seen by one thread.

    block, thread: (x, y, z). other: the other side of a conflict, as a dict with line,
    column, and block and thread where they are known. count: how many threads saw it.
    sure: False where another schedule might not show it. guard: of an access that's out
    of bounds, the condition that would keep its index inside, or "".
    """

    kind: str
    line: int
    column: int
    block: tuple
    thread: tuple
    message: str
    kernel: str = ""
    other: dict | None = None
    file: str = "kernel.cu"
    source_line: str = ""
    hint: str = ""
    count: int = 1
    sure: bool = True
    guard: str = ""

    def __str__(self):
        place = f"block {shown(self.block)} thread {shown(self.thread)}"
        others = f", and {self.count - 1:,} more" if self.count > 1 else ""
        lines = [
            f"{self.file}:{self.line}:{self.column}: {self.kind} in {self.kernel}",
            *caret(*excerpt(self.source_line, self.column)),
            *folded(self.message),
            f"  seen at {place}{others}",
            *folded(self.hint),
        ]
        return "\n".join(lines)


def folded(text):
    """Indented lines of at most MESSAGE characters, broken at words; "": none."""
    look = {"break_long_words": False, "break_on_hyphens": False}
    indent = {"initial_indent": "  ", "subsequent_indent": "    "}
    return textwrap.wrap(text, MESSAGE, **look, **indent)


def excerpt(line, column):
    """The part of a line around a column that is shown: (text, column in it)."""
    line = "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line)
    begin = max(0, column - WIDEST // 2) if len(line) > WIDEST else 0
    end = begin + WIDEST
    before, behind = "..." if begin else "", "..." if end < len(line) else ""
    return before + line[begin:end] + behind, column - begin + len(before)


def shown(xyz):
    """(x, y, z) without trailing zeros, as people write it."""
    x, y, z = xyz
    if z:
        return f"({x}, {y}, {z})"
    return f"({x}, {y})" if y else f"{x}"


NOTES = ("race-equal",)


@dataclasses.dataclass
class Report:
    """Everything about one launch.

    findings: Findings, by line, those out of bounds first. warnings: the compiler's.
    notes: what is no mistake on a GPU, but worth a look. counts: what the tools counted
    (sectors, requests, bank_passes, ...; counts["lines"] by (line, column)). output:
    what printf wrote.
    engine: what ran it, "NumPy" or "C".
    """

    findings: list
    counts: dict
    warnings: list
    output: str
    kernel: str
    grid: tuple
    block: tuple
    schedule: str
    notes: list = dataclasses.field(default_factory=list)
    engine: str = "NumPy"

    def __bool__(self):
        """Whether nothing was found."""
        return not self.findings

    def __str__(self):
        return "\n\n".join([self._head(), *self._parts()])

    def _head(self):
        counts = {
            "finding": self.findings, "warning": self.warnings, "note": self.notes
        }  # fmt: skip
        texts = [_many(len(each), what) for what, each in counts.items() if each]
        text = ", ".join(texts if self.findings else ["nothing found", *texts])
        return f"{self.kernel}, grid {self.grid}, block {self.block}: {text}"

    def _parts(self):
        """What is said about the launch: the compiler's warnings may be the cause."""
        return map(str, self.warnings + self.findings + self.notes)

    def _repr_html_(self):
        """For notebooks: what `print` shows, each finding on its own."""
        head, *parts = map(html.escape, [self._head(), *self._parts()])
        body = "".join(f"<pre>{text}</pre>" for text in parts)
        return f"<div><p>{head}</p>{body}</div>"

    def summary(self):
        """What the launch cost, as text: totals, then the lines that cost too much."""
        from .tools import explain  # here, since it imports this module

        return "\n".join([*_sums(self.counts), *explain(self.counts)])

    def json(self):
        """The report as JSON text."""
        body = dataclasses.asdict(self)
        lines = body["counts"].pop("lines", {})
        body["counts"]["lines"] = [
            {"line": line, "column": column, **counts}
            for (line, column), counts in sorted(lines.items())
        ]
        body["warnings"] = [str(w) for w in self.warnings]
        return json.dumps(body, default=_plain)

    def raise_if_any(self):
        """Raise KernelError if something was found."""
        if self.findings:
            raise KernelError(self)


def _sums(counts):
    """The totals of a launch, one line for each kind of memory."""
    requests, shared = counts.get("requests", 0), counts.get("shared_requests", 0)
    if requests:
        sectors = counts["sectors"]
        yield (
            f"global memory: {_many(requests, 'request')} of warps, "
            f"{_many(sectors, 'sector')}, {sectors / requests:.1f} a request"
        )
    if shared:
        passes = counts["bank_passes"]
        yield (
            f"shared memory: {_many(shared, 'request')} of warps, "
            f"{passes / shared:.1f} passes through the banks a request"
        )


def _many(number, what):
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _plain(value):
    return value.item() if hasattr(value, "item") else str(value)


class KernelError(RuntimeError):
    """A launch that did something a GPU does not allow; `report` has the findings."""

    def __init__(self, report):
        super().__init__(str(report))
        self.report = report
