"""What this machine cannot grade, because it needs a GPU, graded on another one.

`pack` writes the answers to a file, without the students' names; `judge` makes verdicts
of it, in a clone of the course on the other machine, which needs no course directory;
`unpack` brings these into the gradebook. Between them only that JSON travels.
"""

import json
from pathlib import Path

from ..checking.verdict import NEEDS_GPU, Failure, Verdict
from . import judging
from .course_dir import CourseError, grade_one, open_course, record_of, submissions
from .files import write
from .judging import checks_here
from .lock import alone
from .regrade import replaced


def pack(directory, to):
    """Write what waits for a GPU to the file `to`; return how many submissions."""
    root = Path(directory).resolve()
    work = {}
    with alone(root):
        for student, lab in submissions(root):
            record = record_of(root, student, lab)
            names = _waiting(record)
            if names:
                cells = judging.submitted(root, student, lab)
                one = {"lab": lab, "exercises": names, "cells": cells}
                one["files"] = record.modules()
                work[record.submission] = one
    _write(to, {"checks": checks_here(), "work": work})
    return len(work)


def judge(file, to):
    """Judge what `pack` wrote, here; yield how many are done, and of how many."""
    packed = _read(file)
    if packed["checks"] != checks_here():
        raise CourseError(
            f"{file} was packed with other checks than this clone has: "
            f"have both machines use the same version of the course"
        )
    done = {}
    for n, (submission, one) in enumerate(packed["work"].items(), 1):
        cells = [tuple(cell) for cell in one["cells"]]
        verdicts, warnings = judging.judged(
            one["lab"], cells, one["exercises"], [tuple(f) for f in one["files"]]
        )
        records = [v.to_dict() | {"picture": v.picture} for v in verdicts]
        done[submission] = {"verdicts": records, "warnings": warnings}
        yield n, len(packed["work"])
    _write(to, packed | {"done": done})


def unpack(directory, file):
    """Bring verdicts of another machine into the gradebook; yield the Gradeds.

    They count for the very file that was packed, and for nothing that came later.
    """
    root, judged = Path(directory).resolve(), _read(file)
    if "done" not in judged:
        raise CourseError(f"{file} is not judged yet: python -m grading judge {file} …")
    if judged["checks"] != checks_here():
        raise CourseError(f"the checks have changed since {file} was packed: pack anew")
    api = open_course(root)
    with alone(root):
        for student, lab in submissions(root):
            record = record_of(root, student, lab)
            one = judged["done"].get(record.submission)
            if one and _waiting(record):
                new = [_verdict(values) for values in one["verdicts"]]
                cells = judging.submitted(root, student, lab)
                verdicts = replaced(root, record, new)
                judge = judging.known(cells, (verdicts, one["warnings"]))
                yield grade_one(api, root, record, judge)


def _waiting(record):
    """The exercises of a submission that wait, whole or in part, for a GPU."""
    verdicts = record.current()
    if verdicts.get("state") != "graded":
        return []
    return [e["name"] for e in verdicts["exercises"] if NEEDS_GPU in e["summary"]]


def _verdict(values):
    failures = [Failure(**one) for one in values["failures"]]
    return Verdict(**values | {"failures": failures})


def _write(path, values):
    write(Path(path), json.dumps(values, ensure_ascii=False).encode("utf-8", "replace"))


def _read(path):
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
        return values | {"work": dict(values["work"]), "checks": values["checks"]}
    except (ValueError, TypeError, LookupError):
        raise CourseError(
            f"{path} was not written by `python -m grading pack`"
        ) from None
