"""What reads the files that students hand in. It runs in the box, a process for each.

A notebook becomes records of its cells, and an archive the files that are in it. No
file costs more than this process may use, and what goes out is plain and of limited
size. `classroom/reading.py` asks, and examines the replies.
"""

import calendar
import contextlib
import gc
import json
import math
import re
import socket
from datetime import datetime

from minigrad.exercises.cells import answers_in

from . import codec, locks
from .archives import Budget, entries, members_of_zip

LIMITS = {"RLIMIT_AS": 3 * 2**29, "RLIMIT_CPU": 30}
TOO_MUCH = f"it takes more than {LIMITS['RLIMIT_AS'] / 2**30:g} GB of memory to read"
CELLS = 5000  # of a notebook; a lab has fewer than two hundred
TEXT = 32 * 2**20  # characters of all its cells
SHOWN = 8 * 2**20  # of these, in all cells that are no code
CODE, ALL_CODE = 2**18, 2**22  # in a code cell that is run, and in all of them
NAME, NAMES = 200, 50  # characters of a name, and how many of a kind
DIGITS = 400  # of an integer
CHECK = re.compile(r"^[ \t]*check\(\s*(?:\w+\.)*(\w+)\s*\)", flags=re.M)
RENAMED = re.compile(
    r"\bsolves\s+as\s+(\w+)|\b(\w+)\s*=\s*(?:\w+\.)*solves\b\s*$", re.M
)
FUTURE = calendar.timegm((2100, 1, 1, 0, 0, 0))  # no notebook has been run after it
TOO_LONG = f"it has {{:,}} characters and is not run; a cell may have {CODE:,}"
DAMAGED = "the file is damaged: only the texts of its cells are read"
WORDS = "true", "false", "null", "NaN", "Infinity", "-Infinity"
MERGE = re.compile(r"^(?:<{7} |>{7} |={7}$)", re.M)
KINDS = {
    b"PK\x03\x04": "a .zip archive",
    b"PK\x05\x06": "an empty .zip archive",
    b"\x1f\x8b": "a .gz archive",
    b"BZh": "a .bz2 archive",
    b"\xfd7zXZ\0": "an .xz archive",
    b"7z\xbc\xaf\x27\x1c": "a .7z archive",
    b"Rar!": "a .rar archive",
    b"\x28\xb5\x2f\xfd": "a .zst archive",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
}


class Unreadable(ValueError):
    """The file is no notebook that can be read: the message says why."""


def warm():
    """Compile the patterns that all tasks need; before a process is forked for one."""
    answers_in("@solves(x)")


def main(line, task, *values):
    """Do a task with the file whose descriptor comes next, then end."""
    locks.limit(LIMITS)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory runs out, this process ends and no other
    gc.disable()  # JSON has no cycles, and looking for them takes most of the time
    _, descriptors, *_ = socket.recv_fds(line.end, 1, 1)
    with open(descriptors[0], "rb") as file:
        file.seek(0)
        TASKS[task](line, file, *values)


def send_notebook(line, file):
    """Send [why it cannot be read, notes, cells]; a cell is the values of a Cell."""
    try:
        nb, notes = parsed(file.read())
        cells, more = read_cells(nb)
        reply = ["", notes + more, cells]
    except Unreadable as error:
        reply = [str(error), [], []]
    except MemoryError:
        reply = [TOO_MUCH, [], []]
    line.send(codec.encode(reply))


def send_entries(line, file, name, members, size):
    """Send what a file is, or all that is packed in it, then None.

    An entry is [path in the archive or "", problem, date, about]; its bytes follow
    where it has a path and no problem.
    """
    try:
        for entry in entries(file.read(), name, Budget(members, size)):
            about = [] if entry.problem else about_file(entry.data)
            line.send(codec.encode([entry.path, entry.problem, entry.date, about]))
            if entry.path and not entry.problem:
                line.send(entry.data)
    except MemoryError:
        line.send(codec.encode(["", TOO_MUCH, 0, []]))
    line.send(codec.encode(None))


def serve_members(line, file, limit):
    """Serve a platform's own archive: a list of its members, then each that is asked.

    An entry of the list is [path, problem, date and time]. A member is its bytes, or
    the reason, as text, why it cannot be read.
    """
    locks.limit({"RLIMIT_CPU": locks.CPU})
    try:
        members = members_of_zip(file)
    except Exception as error:
        line.send(codec.encode(str(error)))
        return
    line.send(codec.encode([[m.path, m.problem(limit), m.date] for m in members]))
    while True:
        try:
            number = codec.decode(line.receive())
        except EOFError:
            return
        try:
            data = members[number].read()
        except Exception as error:
            line.send(codec.encode([f"{error}"]))
        else:
            line.send(codec.encode([]))
            line.send(data)


TASKS = {
    "notebook": send_notebook, "entries": send_entries, "members": serve_members,
}  # fmt: skip


def about_file(data):
    """[chapter, kind, answered exercises] of a notebook, [] of anything else."""
    try:
        nb, _ = parsed(data)
    except (Unreadable, MemoryError):
        return []
    about = _dict(_dict(nb.get("metadata")).get("minigrad"))
    texts = [_source(cell) for cell in _cells(nb)[:CELLS]]
    names = [name for text in texts for name in answers_in(text)[:1]]
    return [_name(about.get("chapter")), _name(about.get("kind")), names[:CELLS]]


def parsed(data):
    """(the notebook that bytes are, notes on how they were read)."""
    text, notes = decoded(data)
    try:
        nb = json.loads(text, parse_int=_integer)
    except RecursionError:
        raise Unreadable("the file is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Unreadable(broken(text, len(data), error)) from None
    if not isinstance(nb, dict) or not (
        isinstance(nb.get("cells"), list) or isinstance(nb.get("worksheets"), list)
    ):
        raise Unreadable("the file is JSON, but no notebook: it has no list of cells")
    return nb, notes


def decoded(data):
    """(the text of a file, notes). Unreadable for what is another kind of file."""
    kind = kind_of(data)
    if kind:
        raise Unreadable(f"the file is {kind}, not a notebook")
    data = data.rstrip(b"\0") if data.count(b"\0") == len(data) else data
    encoding, notes = json.detect_encoding(data), []
    try:
        text = data.decode(encoding, "surrogatepass")
    except UnicodeDecodeError as error:
        text = data.decode(encoding, "replace")
        cut_off = error.start >= len(data) - 3
        if encoding.startswith("utf-8") and not cut_off:
            text, notes = _not_utf8(data, text)
    text = text.strip("\0 \t\r\n\ufeff")
    if not text:
        raise Unreadable("the file is empty, or has only blanks and zero bytes")
    return text, notes


def _not_utf8(data, text):
    """(text, notes) of bytes that are text, but not in UTF-8, or not all of them."""
    bad = text.count("\ufffd")
    if bad < sum(1 for _ in re.finditer(r"[^\0-\x7f\ufffd]", text)):
        return text, [f"damaged characters, which aren't UTF-8: {bad}"]
    return data.decode("cp1252", "replace"), [
        "the file isn't UTF-8: it's read as Windows-1252, which includes Latin-1"
    ]


def kind_of(data):
    """What a file is by its first bytes, where it is no text; else ""."""
    for first, kind in KINDS.items():
        if data.startswith(first):
            return kind
    if data[257:262] == b"ustar":
        return "a .tar archive"
    return "a web page (HTML)" if re.match(rb"(?i)\s*<(!doctype )?html", data) else ""


def broken(text, size, error):
    """Why text is no JSON."""
    rest = text[error.pos :]
    escapes = error.msg.startswith("Invalid \\") and len(rest) < 6
    unterminated = error.msg.startswith("Unterminated")
    cut_off = unterminated or escapes or any(w.startswith(rest) for w in WORDS)
    if cut_off and text.startswith("{"):
        where = "in the middle of a cell" if '"cells"' in text else "before its cells"
        return f"the file ends after {size:,} byte{'s' * (size > 1)}, {where}"
    if merge := MERGE.search(text):
        line = text.count("\n", 0, merge.start()) + 1
        return f"line {line} is a merge marker of Git's: resolve the conflict"
    if re.search(r"[\0-\x08\x0e-\x1f]", text[:200]):
        return "the file is binary data, not a notebook"
    excerpt = "".join(c if c.isprintable() else " " for c in rest[:40]).strip()
    if error.pos == 0:
        return f"the file isn't a notebook: it begins with `{excerpt}`"
    where = f"at line {error.lineno}, column {error.colno}"
    if error.msg == "Extra data":
        return f"the notebook ends {where}, but the file goes on: `{excerpt}`"
    return f"the file isn't valid JSON {where}, before `{excerpt}`: {error.msg}"


def read_cells(nb):
    """(the records of a notebook's cells, notes)."""
    cells = _cells(nb)
    if len(cells) > CELLS:
        raise Unreadable(f"it has {len(cells):,} cells; at most {CELLS:,} are read")
    if not cells:
        raise Unreadable("the notebook has no cells")
    texts = [_source(cell) for cell in cells]
    size = sum(map(len, texts))
    if size > TEXT:
        raise Unreadable(
            f"its cells have {size / 2**20:.0f} million characters of text; "
            f"at most {TEXT / 2**20:.0f} million are read"
        )
    texts, notes = _taken(cells, texts)
    solves = {"solves"}
    for text in texts:
        solves |= {n for groups in RENAMED.findall(text)[:NAMES] for n in groups if n}
    damaged = not all(map(_is_sound, cells))
    records = [_record(c, t, solves) for c, t in zip(cells, texts, strict=True)]
    return records, notes + [DAMAGED] * damaged


def _taken(cells, texts):
    """(what is taken of the texts of cells, notes): the grader copies them often."""
    long, cut, left, total = [], False, SHOWN, 0
    for n, text in enumerate(texts):
        if not _is_code(cells[n]):
            texts[n] = text[:left]
            left -= len(texts[n])
            cut = cut or len(text) > len(texts[n])
        elif len(text) > CODE:
            long.append(text)
            texts[n] = f"# {TOO_LONG.format(len(text))}"
        else:
            total += len(text)
    if total > ALL_CODE:
        raise Unreadable(
            f"its code has {total:,} characters; at most {ALL_CODE:,} are read"
        )
    notes = [f"the texts are cut off after {SHOWN:,} characters"] * cut
    for text in long[:1]:
        begin = " ".join(text[:60].split())
        notes += [f'the cell that begins "{begin}": {TOO_LONG.format(len(text))}']
    notes += [f"more cells that are too long to run: {len(long) - 1}"] * (len(long) > 1)
    return texts, notes


def _record(cell, text, solves):
    """The values of a Cell of `classroom/reading.py`."""
    cell = _dict(cell)
    metadata = _dict(cell.get("metadata"))
    marks = _dict(metadata.get("nbgrader"))
    tags = metadata.get("tags")
    tags = [_name(tag) for tag in tags[:NAMES]] if isinstance(tags, list) else []
    tags = [tag for tag in dict.fromkeys(tags) if tag and "," not in tag]
    code = _is_code(cell)
    check = CHECK.search(text)
    names = [name[:NAME] for name in answers_in(text, sorted(solves))[:NAMES]]
    return [
        code,
        _name(marks.get("grade_id")) or _name(cell.get("id")),
        tags,
        text,
        names if len(text) <= CODE else [],  # then it isn't run, whatever it is
        check[1][:NAME] if check else "",
        code and _only_checks(text),
        _last_run(metadata),
    ]


def _is_code(cell):
    return _dict(cell).get("cell_type") == "code"


def _only_checks(text):
    """Is this nothing but calls of `check`, as in a copied check cell?"""
    lines = [line.split("#")[0].rstrip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    return bool(lines) and all(CHECK.fullmatch(line) for line in lines)


def _last_run(metadata):
    """When a cell last ran, in seconds since 1970; None where nothing says so."""
    try:
        if "executionInfo" in metadata:
            when = float(metadata["executionInfo"]["timestamp"]) / 1000
        else:
            reply = metadata["execution"]["shell.execute_reply"]
            when = datetime.fromisoformat(reply).timestamp()
    except (LookupError, TypeError, ValueError, OverflowError, OSError):
        return None
    return when if math.isfinite(when) and 0 <= when < FUTURE else None


def _cells(nb):
    """The cells of a notebook of any version of the format."""
    if isinstance(nb.get("cells"), list):
        return nb["cells"]
    sheets = [_dict(sheet).get("cells") for sheet in nb["worksheets"]]
    return [cell for cells in sheets if isinstance(cells, list) for cell in cells]


def _source(cell):
    """The text of a cell, whatever the cell is; `input` until version 3."""
    cell = _dict(cell)
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    text = "".join(line for line in lines if isinstance(line, str))
    return text.encode("utf-8", "replace").decode().replace("\r\n", "\n")


def _is_sound(cell):
    """Is a cell, as far as it is read, as the format says?"""
    cell = _dict(cell)
    source = cell.get("source", cell.get("input"))
    lines = source if isinstance(source, list) else [source]
    kinds = "code", "markdown", "raw", "heading"
    return (
        cell.get("cell_type") in kinds
        and isinstance(cell.get("metadata"), dict)
        and all(isinstance(line, str) for line in lines)
    )


def _dict(value):
    return value if isinstance(value, dict) else {}


def _name(value):
    """A short text; "" for anything else."""
    text = value if isinstance(value, str) and len(value) <= NAME else ""
    return text.encode("utf-8", "replace").decode()


def _integer(digits):
    return int(digits) if len(digits) <= DIGITS else None
