"""Planted bugs: kernels, how each is launched, and where each finding must stand.

In the files under bugs/ a case begins with `//: name(launch)` and ends before the next;
its kernel has its name. As it stands, a case is wrong. Its mended twin lacks the lines
with `//-` and has those that begin with `//+`; `twin=dict(...)` changes its launch. A
case without marks is right. `ordered=False`: the order of its results is free.

Marks: `BUG: kind, kind` on the line where a finding of one of these kinds must be.
`OR: kind` on another line that may have it instead: the other side of a race, which is
found on the side that runs later, so it depends on the schedule. `ALSO: kind` on a line
where the bug's consequences may be found. No finding may be anywhere else. Threads of
one warp may race in the same two lines, so race allows race-warp.
"""

import dataclasses
import functools
import pathlib
import re

import cudasim
import numpy as np

HERE = pathlib.Path(__file__).parent / "bugs"
MARK = re.compile(r"\b(BUG|OR|ALSO): ([a-z-]+(?:, [a-z-]+)*)")


@dataclasses.dataclass
class Case:
    """One kernel. marks: line -> {"BUG" or "OR" or "ALSO": kinds}; empty if right."""

    name: str
    source: str
    launch: str
    file: str

    @property
    def marks(self):
        lines = enumerate(map(MARK.findall, self.source.split("\n")), 1)
        return {n: {k: kinds.split(", ") for k, kinds in m} for n, m in lines if m}

    @property
    def mended(self):
        """The text of the twin; every line keeps its number."""
        return "\n".join(map(mended_line, self.source.split("\n")))

    def arguments(self, twin=False):
        """What `run` takes besides the kernel: fresh arrays each time."""
        asked = eval(f"dict{self.launch}", array_makers())
        changed = asked.pop("twin", {})
        asked.pop("ordered", None)
        if twin:
            asked |= changed
        asked["args"] = tuple(map(argument, asked["args"]))
        return asked | {k: triple(asked[k]) for k in ("grid", "block")}

    @property
    def ordered(self):
        """Whether the results do not depend on the order of the threads."""
        return "ordered=False" not in self.launch


def mended_line(line):
    if "//-" in line:
        return ""
    return line.replace("//+ ", "").partition("// ")[0]


def triple(sizes):
    return sizes if isinstance(sizes, tuple) else (sizes,)


def argument(value):
    """A Python number as the type that the kernels have for it."""
    return np.int32(value) if isinstance(value, int) else value


def array_makers():
    """The words with which launches name their arrays; the same numbers every time."""
    chance = np.random.default_rng(0)
    return {
        "np": np,
        "f32": lambda n: chance.standard_normal(n, dtype=np.float32),
        "f16": lambda n: chance.standard_normal(n).astype(np.float16),
        "i32": lambda n, high=1000: chance.integers(high, size=n, dtype=np.int32),
        "i16": lambda n: chance.integers(1000, size=n, dtype=np.int16),
        "u8": lambda n, high=256: chance.integers(high, size=n, dtype=np.uint8),
        "zeros": lambda n: np.zeros(n, np.float32),
        "zeros_i": lambda n: np.zeros(n, np.int32),
        "zeros_u": lambda n: np.zeros(n, np.uint32),
        "empty": lambda n: cudasim.empty(n, np.float32),
    }


@functools.cache
def cases():
    """name -> Case of every file."""
    all_cases = [case for path in sorted(HERE.glob("*.cu")) for case in read(path)]
    assert len({case.name for case in all_cases}) == len(all_cases), (
        "two cases of one name"
    )
    return {case.name: case for case in all_cases}


def read(path):
    """The cases of a file. Each keeps its line numbers: the lines before are blank."""
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    heads = [n for n, line in enumerate(lines) if re.match(r"//: \w+\(", line)]
    for first, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        last = first + 1
        while lines[last].startswith("//:"):
            last += 1
        head = " ".join(line.removeprefix("//:").strip() for line in lines[first:last])
        name = head[: head.index("(")]
        source = "\n" * last + "\n".join(lines[last:end])
        yield Case(name, source, head.removeprefix(name), path.name)


def wrong():
    """The cases with a bug."""
    return [case for case in cases().values() if case.marks]
