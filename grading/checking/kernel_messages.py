"""What is said of a kernel that is wrong: where, which pattern, which thread, why."""

import math
import re
import textwrap

import numpy as np

from minigrad.exercises.signature import without_comments

from ..isolation.replies import Problem
from ..kernels.runs import FILL, names, outputs
from . import describe
from .writers import writer

# kind of a finding -> what to think of
FOUND = {
    "out-of-bounds": "A thread goes outside the array. Check the guard and the index.",
    "race": "Two threads use the same cell, at least one writes, and nothing orders "
    "them.",
    "race-warp": "Threads of one warp use the same cell, at least one writes, and no "
    "barrier orders them.",
    "divergent-barrier": "Some of the threads that this barrier waits for don't "
    "reach it.",
    "divergent-shuffle": "Some threads that the mask names don't reach this shuffle.",
    "missing-lane": "A shuffle takes the value of a lane that isn't there. The last "
    "warp of a block may lack lanes, and so do warps in which threads have returned.",
    "uninitialized": "A value is used that no thread has written.",
    "misaligned": "The address must be a multiple of the type's alignment.",
    "divide-by-zero": "An integer is divided by 0.",
    "read-only": "This array is const, so it may only be read.",
    "changed": "An input has changed, but arrays that are const may only be read.",
    "assert": "An assert of the kernel fails.",
    "unshared": "Nothing goes through shared memory: without it, the results are the "
    "same.",
}

WRITTEN_TWICE = (
    "Several threads write the same value to the same cell. Let one thread write it.",
    "Several blocks write the same cells. Let each element be written by one block.",
)

COUNTED = {  # what has a limit
    "reads": "reads of global memory",
    "reads_per_thread": "reads of one thread",
    "writes_per_thread": "writes of one thread",
    "shared_requests": "accesses of shared memory by warps",
    "writes": "writes of global memory",
    "atomics": "atomic operations",
    "sectors": "sectors of 32 bytes",
    "bank_passes": "passes over the banks",
}

OUTSIDE = re.compile(r"^ *(?:index (-?\d+) of (\w+)|(\w+)\[(-?\d+)\] is )", re.M)
RACE = re.compile(r"^ *(writes|reads|updates) (\w+)\[.*, which thread", re.M)
WROTE = re.compile(r"which thread [^:]*? wrote")

SHORT = 6  # elements of an input that are all shown
FEW = 9  # elements: in fewer a pattern may be chance
LONG = 88  # characters of a line that is quoted
WITHOUT_LAUNCH = {"compile": "compiler", "measured": "gpu"}  # kind -> key of its line


def cause(check, case):
    """(name, text) of a mistake that any kernel may have; None for no idea."""
    if isinstance(case.got, Problem):
        return _of_problem(case.got)
    (launch,) = case.args
    wrong = _first_wrong(check, case)
    faults = check.faults(case.got, launch)
    faults = [(kind, _of_fault(kind, case, wrong)) for kind in faults]
    seen = wrong and pattern(launch, case.outcome.value.code, *wrong)
    vague = not seen or seen[0] in ("end", "nothing")  # it says where, and not why
    if wrong:  # what is counted is not why
        faults = [one for one in faults if one[0] not in launch.limits]
    return next(iter(faults), seen or None) if vague else seen


def lines(check, case):
    """(key, text): the explanation of a launch that went wrong."""
    got = case.got
    if isinstance(got, Problem) and got.kind in WITHOUT_LAUNCH:
        return [(WITHOUT_LAUNCH[got.kind], _indented(got.message))]
    (launch,) = case.args
    said = [("call", check.check.describe(check.exercise, launch))]
    if isinstance(got, Problem):
        return [*said, ("got", describe.text(got)), ("where", _cut(got.where))]
    wrong = _first_wrong(check, case)
    if wrong:
        said += [("input", text) for text in _inputs(check, launch, wrong)]
        said += difference(check, launch, *wrong)
    remarks = got.report.findings + got.report.notes
    findings = [f for f in remarks if f.kind not in check.check.allowed]
    seen, counts = [], got.report.counts
    for finding in findings[:1]:
        seen.append(("found", _indented(finding.text)))
    wasted = (k for k, most in launch.limits.items() if counts.get(k, 0) > most)
    seen += [("counted", _counted(key, case)) for key in [*wasted][:1]]
    if not wrong:
        said.append(("got", "the right values" + ", and yet:" * bool(seen)))
    return said + seen


def difference(check, launch, name, before, got, expected, wrong):
    """(key, text) lines: the first element that is wrong, how many are, who does it."""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    element = name + "".join(f"[{i}]" for i in where)
    value = f"{element} = {got[where]}"
    if _bits(got)[where] == _bits(before)[where]:
        left = before[where].tobytes() == bytes([FILL]) * before.itemsize
        left = left and not _added(before, got, expected)
        value = f"{element} was not written" if left else f"{value}, as it was before"
    count, most = int(wrong.sum()), wrong.size
    said = [
        ("expected", f"{element} = {expected[where]}"),
        ("got", value),
        ("wrong", f"{count} of {most} elements of {name}"),
    ]
    who = writer(check, launch, name, int(np.flatnonzero(wrong)[0]))
    if who:
        block, thread = map(_short, who)
        text = f"in the course's solution, thread {thread} of block {block} writes it"
        said.append(("thread", text))
    return said


def _inputs(check, launch, wrong):
    """[values of the inputs at the first element that is wrong, or else their first]"""
    name, *_, mask = wrong
    where = tuple(int(i) for i in np.argwhere(mask)[0])
    values = []
    for other, array in zip(names(check.exercise), launch.args, strict=True):
        if not np.ndim(array) or other in outputs(check.exercise) or not array.size:
            continue
        if (cell := _cell(launch, check, other, where)) is not None:
            array, other = array.reshape(-1)[cell], f"{other}[{cell}]"
        at = where[: array.ndim]
        if array.size > SHORT and array.shape[: mask.ndim] == mask.shape[: array.ndim]:
            array, other = array[at], other + "".join(f"[{i}]" for i in at)
        text = np.array2string(
            np.asarray(array), separator=", ", threshold=SHORT,
            formatter={"float": "{:.5g}".format},
        )  # fmt: skip
        values.append(f"{other} = {' '.join(text.split())}")
    return [", ".join(values)] if values else []


def _cell(launch, check, name, where):
    """The cell that an element reads, by the view of an array; None without one."""
    args = dict(zip(names(check.exercise), launch.args, strict=True))
    views = [v for v in args.values() if isinstance(v, np.void)]
    view = args.get(f"{name}_view", views[0] if len(views) == 1 else None)
    if not isinstance(view, np.void) or "stride" not in (view.dtype.names or ()):
        return None
    dims = int(view["dims"])
    if dims != len(where):
        return None
    cell = sum(
        int(i) * int(s) for i, s in zip(where, view["stride"][:dims], strict=True)
    )
    return cell if 0 <= cell < args[name].size else None


def pattern(launch, text, name, before, got, expected, wrong):
    """(name, text) of what the wrong elements have in common; None for nothing."""
    flat, size = wrong.ravel(), wrong.size
    right = int(np.argmax(flat))  # so many are right before the first wrong one
    if np.array_equal(_bits(got), _bits(before)):
        return "nothing", f"{name} is as it was before."
    if wrong.all() and _added(before, got, expected):
        return "added", (
            f"The results are added to what {name} held before the launch. Don't read "
            "an element before you have written to it with `=`."
        )
    if got.ndim == 2 and np.array_equal(got.ravel(), expected.T.ravel()):
        return "swapped", ("The values are right, but the result is transposed.")
    untouched = np.array_equal(_bits(got)[wrong], _bits(before)[wrong])
    if flat[right:].all() and right and (untouched or size - right > 1):
        uses_blocks = "blockIdx" in without_comments(text)
        return _of_the_end(launch, name, right, got, uses_blocks, untouched)
    for start in (0, 1):
        if size >= FEW and np.array_equal(flat, np.arange(size) % 2 == start):
            return (
                "every_second",
                f"Every second element is wrong, beginning with element {start}.",
            )
    a, b = got.ravel(), expected.ravel()
    beside = len({*b}) > 1 and (
        np.array_equal(a[1:], b[:-1]) or np.array_equal(a[:-1], b[1:])
    )
    if size >= FEW and beside:
        return "shifted", "The values are right, but each is one place beside its own."
    if size >= FEW and np.array_equal(a, b[::-1]):
        return "reversed", "The values are right, but in reverse order."
    return None


def _added(before, got, expected):
    """Is each element what was there, and what belongs there? In floats nearly so."""
    with np.errstate(all="ignore"):
        sums = before + expected.astype(before.dtype)
    digits = 4 * np.finfo(got.dtype).eps if got.dtype.kind == "f" else 0
    return np.allclose(got, sums, digits, 0)


def _of_the_end(launch, name, right, got, uses_blocks, untouched):
    """The same where all elements from number `right` on are wrong, or untouched."""
    per, size = math.prod(launch.block), got.size
    if right == per < launch.threads and not uses_blocks:
        return "first_block", (
            f"Only the first {per} are right, as many as a block has threads. Does the "
            f"index use blockIdx?"
        )
    if got.ndim > 1 and size < FEW:
        return None
    if got.ndim > 1 and right % got[0].size == 0:
        rows = right // got[0].size
        if got.ndim == 2 and rows > 1:
            some = f"The first {rows} of {len(got)} rows are right"
        else:
            some = f"Only {name}[0] is right"
            some = some if rows == 1 else f"{name}[0] to {name}[{rows - 1}] are right"
        return "end", f"{some}, and nothing after that."
    if right == launch.threads:
        return "first_pass", (
            f"Only the first {right} are right, and {_sizes(launch, size)}, so each "
            f"thread must do more than one."
        )
    if untouched and size - right <= per and launch.threads < size + per:
        count = size - right
        last = "the last one is wrong" if count == 1 else f"the last {count} are wrong"
        sizes = _sizes(launch, size)
        return "tail", f"Only {last}, and {sizes}. {_ask(launch, size)}"
    return "end", f"The first {right} are right, and none after them."


def _sizes(launch, size):
    """What a launch has for how many elements."""
    per = math.prod(launch.block)
    blocks, elements = launch.threads // per, "element" if size == 1 else "elements"
    return f"grid * block is {blocks} * {per} = {launch.threads} for {size} {elements}"


def _ask(launch, size):
    """What may leave out the last elements."""
    if launch.threads < size:
        return "Does each thread go on until no element is left?"
    if launch.threads == size:
        return "Each has a thread, so does a guard leave any out?"
    return "Is there a guard, and is it right?"


def _first_wrong(check, case):
    """(name, before, got, expected, mask) of the first wrong output, or None."""
    (launch,) = case.args
    before = dict(zip(names(check.exercise), launch.args, strict=True))
    for name, expected in case.expected.items():
        got = case.got.arrays[name]
        expected = expected.astype(got.dtype).reshape(got.shape)
        if not check.close(got, expected):
            near = check.close.tolerance(got)
            close = np.isclose(got, expected, *near, equal_nan=True)
            wrong = ~close if not close.all() else _bits(got) != _bits(expected)
            return name, before[name], got, expected, wrong
    return None


def _of_problem(got):
    if got.kind == "compile":
        return (
            "compile",
            "This doesn't compile. Begin with the compiler's first message.",
        )
    if got.kind == "time":
        return "endless", describe.ENDLESS
    return got.kind, got.message


def _of_fault(kind, case, wrong):
    (launch,), report = case.args, case.got.report
    if kind in launch.limits:
        return f"It takes {_counted(kind, case)}."
    told = {"out-of-bounds": _of_outside, "race": _of_race, "race-warp": _of_race}
    found = [f for f in report.findings + report.notes if f.kind[:4] == kind[:4]]
    if kind == "race" and all(f.kind == "race-equal" for f in found):
        return WRITTEN_TWICE[all(f.apart for f in found)]
    if kind in told and found:
        return told[kind](found[0], wrong) or FOUND[kind]
    return FOUND.get(kind, f"The simulator reports {kind}.")


def _of_outside(finding, wrong):
    """The sentence about an index that's too large, or negative."""
    if not (match := OUTSIDE.search(finding.text)):
        return ""
    array, at = match[2] or match[3], int(match[1] or match[4])
    said = f"An index into `{array}` is {'below 0' if at < 0 else 'too large'}."
    if not wrong:
        return (
            f"{said} The results are right, so a guard is missing or too wide: an "
            f"`if`, or the condition of a loop."
        )
    name, before, got, _, mask = wrong
    if name == array and (_bits(got)[mask] == _bits(before)[mask]).any():
        return (
            f"{said} Elements inside `{name}` aren't written instead, so look at the "
            f"index before the guard."
        )
    return f"{said} Is it the index, or the guard that lets it through?"


def _of_race(finding, wrong):
    """The sentence about two accesses that nothing orders."""
    if not (match := RACE.search(finding.text)):
        return ""
    now, array = match.groups()
    writes = now == "writes" and WROTE.search(finding.text)
    both = f"write the same element of `{array}`"
    if not writes:
        both = f"use the same element of `{array}`, and at least one writes it"
    if finding.apart:
        return (
            f"Two blocks {both}, and no barrier orders blocks. Let each element belong "
            f"to one block, or use atomic operations."
        )
    if writes and "in the same instruction" in " ".join(finding.text.split()):
        return f"Threads {both} at the same time, so only one of the values stays."
    who = "Threads of one warp" if finding.kind == "race-warp" else "Two threads"
    return f"{who} {both}, and no barrier orders them."


def _counted(key, case):
    (launch,), number = case.args, case.got.report.counts[key]
    most = launch.limits[key]
    return f"{number} {COUNTED.get(key, key)}, but at most {most} are allowed"


def _bits(array):
    return array.view(f"u{array.itemsize}")


def _short(place):
    """(1, 0, 0) as `1`, (1, 2, 0) as `(1, 2)`: as many numbers as are needed."""
    place = list(place)
    while len(place) > 1 and not place[-1]:
        place.pop()
    return str(place[0]) if len(place) == 1 else str(tuple(place))


def _indented(text):
    """A message of several lines."""
    lines = text.split("\n")
    return "\n            ".join(part for line in lines for part in _wrapped(line))


def _wrapped(line):
    margin = " " * min(len(line) - len(line.lstrip()), LONG // 2)
    how = {"subsequent_indent": margin, "max_lines": 3, "placeholder": " ..."}
    return textwrap.wrap(line, LONG, **how) if len(line) > LONG + 7 else [line]


def _cut(line):
    return line if len(line) <= LONG + 7 else f"{line[:LONG]} ..."
