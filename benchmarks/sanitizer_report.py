"""What compute-sanitizer prints, read."""

import re
from pathlib import PurePath
from typing import NamedTuple

PREFIX = "========="
SUMMARY = re.compile(r"SUMMARY: (\d+) (?:errors?|hazards? displayed)(?: \(.*\))?$")
PLACE = re.compile(r" in (\S+):(\d+)")
AT = re.compile(
    r"(?:^at|\baccess at|^Device Frame:) *(.+?)(?:\+0x[0-9a-f]+)?(?: in \S+:\d+.*)?$"
)
NAME = re.compile(r"(\w+) *[<(]")
NO_ERROR = re.compile(r"COMPUTE-SANITIZER|.*SUMMARY:|$")


class Found(NamedTuple):
    """One finding. file and line: "" and 0 where the report names none."""

    what: str
    kernel: str
    file: str
    line: int

    def __str__(self):
        where = f", {self.file}:{self.line}" if self.file else ""
        return f"{self.what} in {self.kernel or '?'}{where}"


def read(text):
    """([Found], how many there are), or None in its place without a summary.

    More may be found than are printed, and so than are in the list.
    """
    findings, total = [], None
    for head, details in blocks(text):
        if match := SUMMARY.search(head):
            total = int(match[1])
        elif not NO_ERROR.match(head):
            findings.append(finding(head, details))
    return findings, total


def blocks(text):
    """(headline, the indented lines that belong to it) of each message."""
    at, lines = None, []
    for line in text.splitlines():
        if not line.startswith(PREFIX):
            continue
        line = line.removeprefix(PREFIX)
        if line.startswith("  ") and at is not None:
            lines.append(line.strip())
            continue
        if at is not None:
            yield at, lines
        at, lines = line.strip(), []
    if at is not None:
        yield at, lines


def finding(head, details):
    """A message's Found. Of its frames the last one is the kernel; the place is the
    first one in the kernel's file, so it may be in a function that the kernel calls."""
    lines = [head, *details]
    frames = [match[1] for line in lines if (match := AT.search(line))]
    places = [match for line in lines if (match := PLACE.search(line))]
    file = PurePath(places[-1][1]).name if places else ""
    numbers = [int(m[2]) for m in places if PurePath(m[1]).name == file]
    match = NAME.search(frames[-1]) if frames else None
    kernel = match[1] if match else "".join(frames[-1:])
    what = head.partition(" at ")[0].rstrip(".:")
    return Found(what, kernel, file, numbers[0] if numbers else 0)
