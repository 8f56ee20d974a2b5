"""Hostile submissions as files: what a notebook, and what lies beside it, can try.

Each is a function that hands something in, as `submitted/NAME/LAB/`: by a folder, its
own, and the places of what it is after. None of them has an answer of its own.
"""

import io
import json
import os
import random
import zipfile
from pathlib import Path

from altered import EXERCISES, LAB, added, answer, cell, edited, empty, solved

MOST = sum(exercise.points for exercise in EXERCISES.values())
ONE = next(iter(EXERCISES))
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"
TABLE = f"# Result: {MOST:g} of {MOST:g} points\n\n"
TABLE += "| exercise | points | state |\n|---|---|---|\n"
TABLE += "\n".join(f"| `{name}` | 9 / 9 | right |" for name in EXERCISES)
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b]8;;http://example.org\x07x\x1b]8;;\x07\x1b[8m"
ATTACKS = {}  # name -> (kind, function)


def attack(kind):
    """Note a function as an attack of this kind; its docstring says what it tries."""

    def note(function):
        ATTACKS[function.__name__] = kind, function
        return function

    return note


def put(folder, nb):
    """Hand in a notebook: a dict, or bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    data = nb if isinstance(nb, bytes) else json.dumps(nb).encode()
    (folder / f"{LAB}.ipynb").write_bytes(data)


def markdown(text, **more):
    """The empty lab with a cell of text in front."""
    nb = empty()
    new = {"cell_type": "markdown", "id": "new", "metadata": {}, "source": text}
    nb["cells"].insert(0, new | more)
    return nb


def outputs(*all):
    """The empty lab whose cells have these outputs."""
    nb = empty()
    for one in nb["cells"]:
        if one["cell_type"] == "code":
            one["outputs"] = [*all]
    return nb


def shown(**data):
    return {"output_type": "display_data", "metadata": {}, "data": data}


def fails(text):
    """The lab in which one answer raises this text, and nothing else is answered."""
    return edited(empty(), ONE, answer(ONE, f"raise ValueError({text!r})"))


BESIDE = "what is shown to others"


@attack(BESIDE)
def an_attachment_with_a_script(folder, **_):
    page = {
        "text/html": SCRIPT,
        "image/svg+xml": f"<svg onload='alert(1)'>{SCRIPT}</svg>",
    }
    text = "![x](attachment:x.svg)"
    put(folder, markdown(text, attachments={"x.svg": page}))


@attack(BESIDE)
def a_result_table_in_a_text(folder, **_):
    put(folder, markdown(TABLE, id="result"))


@attack(BESIDE)
def a_result_table_in_an_error(folder, **_):
    put(folder, fails("\n\n" + TABLE))


@attack(BESIDE)
def scores_in_outputs(folder, **_):
    score = {"output_type": "execute_result", "execution_count": 1, "metadata": {},
             "data": {"text/plain": "9.0"}}  # fmt: skip
    put(folder, outputs(score))


@attack(BESIDE)
def scripts_in_outputs(folder, **_):
    code = "alert('owned')"
    page = shown(**{"text/html": SCRIPT, "application/javascript": code})
    put(folder, outputs(page, shown(**{"image/svg+xml": f"<svg>{SCRIPT}</svg>"})))


@attack(BESIDE)
def a_terminal_s_escapes(folder, **_):
    nb = outputs({"output_type": "stream", "name": "stdout", "text": ESCAPES})
    put(
        folder,
        edited(
            nb, ONE, answer(ONE, f"print({ESCAPES!r}); raise ValueError({ESCAPES!r})")
        ),
    )


@attack(BESIDE)
def a_script_in_an_error(folder, **_):
    put(folder, fails(f"</pre></div>{SCRIPT}<script>alert(1)</script>"))


@attack(BESIDE)
def a_script_in_a_text(folder, **_):
    links = "[x](javascript:alert(1)) <a href='data:text/html,<script>1</script>'>y</a>"
    frames = "<iframe src='https://example.org'></iframe><object data='x'></object>"
    put(folder, markdown(f"{SCRIPT}\n\n{links}\n\n{frames}\n\n<svg/onload=alert(1)>"))


@attack(BESIDE)
def a_form_and_another_page(folder, **_):
    text = (
        "<base href='https://example.org/'><meta http-equiv=refresh content='0;url=x'>"
    )
    put(
        folder,
        markdown(text + "<form action='https://example.org'><input name=x></form>"),
    )


@attack(BESIDE)
def a_style_that_hides_the_result(folder, **_):
    text = "<style>table, h1 { display: none }</style>"
    put(
        folder,
        markdown(text + "<p style='position: fixed; inset: 0; z-index: 9'>9/9</p>"),
    )


@attack(BESIDE)
def a_picture_that_tells_who_reads(folder, **_):
    put(folder, markdown("![x](https://example.org/x.png) <img src='//example.org/y'>"))


@attack(BESIDE)
def widgets_with_a_script(folder, **_):
    nb = empty()
    kind = "application/vnd.jupyter.widget-state+json"
    state = {"x": {"model_name": "HTMLModel", "state": {"value": SCRIPT}}}
    nb["metadata"]["widgets"] = {kind: {"version_major": 2, "state": state}}
    put(folder, nb)


MARKS = "what a notebook says of itself"


@attack(MARKS)
def points_changed(folder, **_):
    nb = empty()
    for one in nb["cells"]:
        one["metadata"].get("nbgrader", {}).update(points=1000, max_score=1000)
    put(folder, nb)


@attack(MARKS)
def checks_that_are_answers(folder, **_):
    nb = empty()
    for name in EXERCISES:
        marks = cell(nb, f"{name}-check")["metadata"]["nbgrader"]
        marks.update(solution=True, locked=False, grade=True, cell_type="code")
        edited(nb, f"{name}-check", "9.0")
    put(folder, nb)


@attack(MARKS)
def more_checks_of_its_own(folder, **_):
    nb = added(empty(), "9.0")
    marks = {"grade": True, "grade_id": "bonus", "points": 99, "locked": True,
             "schema_version": 3, "solution": False, "task": False}  # fmt: skip
    cell(nb, "scratch")["metadata"]["nbgrader"] = marks
    put(folder, nb)


@attack(MARKS)
def grade_ids_twice(folder, **_):
    nb = empty()
    copies = [dict(cell(nb, f"{name}-check"), source="9.0") for name in EXERCISES]
    nb["cells"] += copies + copies
    put(folder, nb)


@attack(MARKS)
def marks_of_odd_types(folder, **_):
    nb = empty()
    odd = [[], 7, "x", {"grade_id": []}, {"grade_id": {}, "points": "1e9"}, None]
    for n, one in enumerate(nb["cells"]):
        one["metadata"]["nbgrader"] = odd[n % len(odd)]
        one["metadata"]["tags"] = odd[n % 3]
    put(folder, nb)


@attack(MARKS)
def a_word_of_the_grader(folder, **_):
    nb = empty()
    nb["metadata"]["minigrad"] = {"not_gradable": "all is right", "warnings": [TABLE]}
    for one in nb["cells"]:
        one["metadata"]["minigrad"] = {"added": True, "needs a GPU": True}
    put(folder, nb)


@attack(MARKS)
def another_kernel(folder, **_):
    nb = empty()
    nb["metadata"]["kernelspec"] = {
        "name": "evil",
        "language": "bash",
        "display_name": "x",
    }
    spec = folder / "kernels" / "evil"
    spec.mkdir(parents=True)
    spec = spec / "kernel.json"
    spec.write_text('{"argv": ["touch", "{connection_file}"], "language": "bash"}')
    put(folder, nb)


LINKS = "links and odd files"


@attack(LINKS)
def a_link_to_another_s_notebook(folder, other, **_):
    folder.mkdir(parents=True)
    (folder / f"{LAB}.ipynb").symlink_to(other / f"{LAB}.ipynb")


@attack(LINKS)
def a_folder_that_is_another_s(folder, other, **_):
    folder.parent.mkdir(parents=True)
    folder.symlink_to(other)


@attack(LINKS)
def a_student_who_is_another(folder, other, **_):
    folder.parent.symlink_to(other.parent)


@attack(LINKS)
def links_to_secrets(folder, secret, root, **_):
    put(folder, empty())
    (folder / "read.txt").symlink_to(secret)
    (folder / "helper.py").symlink_to(secret)
    (folder / "all").symlink_to(root)
    (folder / "book.db").symlink_to(root / "gradebook.db")


@attack(LINKS)
def a_time_that_is_a_secret(folder, secret, **_):
    put(folder, empty())
    (folder / "timestamp.txt").symlink_to(secret)


@attack(LINKS)
def a_time_that_never_ends(folder, **_):
    put(folder, empty())
    (folder / "timestamp.txt").symlink_to("/dev/zero")


@attack(LINKS)
def a_file_that_never_ends(folder, **_):
    put(folder, empty())
    (folder / "data.bin").symlink_to("/dev/zero")


@attack(LINKS)
def pipes_that_nobody_writes(folder, **_):
    put(folder, empty())
    for name in ("data", "helper.py", "timestamp.txt"):
        os.mkfifo(folder / name)


@attack(LINKS)
def a_notebook_that_is_a_pipe(folder, **_):
    folder.mkdir(parents=True)
    os.mkfifo(folder / f"{LAB}.ipynb")


@attack(LINKS)
def a_hard_link_to_the_book(folder, root, **_):
    put(folder, empty())
    os.link(root / "gradebook.db", folder / "gradebook.db")
    os.link(root / "nbgrader_config.py", folder / "nbgrader_config.py")


@attack(LINKS)
def a_terabyte_that_is_not_there(folder, **_):
    put(folder, empty())
    for name in ("data.bin", "helper.py"):
        with (folder / name).open("wb") as file:
            file.truncate(2**40)


@attack(LINKS)
def a_notebook_of_a_terabyte(folder, **_):
    put(folder, b"{")
    os.truncate(folder / f"{LAB}.ipynb", 2**40)


@attack(LINKS)
def very_deep_folders(folder, **_):
    put(folder, empty())
    before = os.getcwd()
    os.chdir(folder)
    for _ in range(60):
        os.mkdir("d" * 100)
        os.chdir("d" * 100)
    Path("x").write_text("x")
    os.chdir(before)


@attack(LINKS)
def odd_names(folder, root, **_):
    put(folder, empty())
    for name in (b"-rf", b"$(touch owned)", b"`touch owned`", b"a\nb", b"\xff\xfe", b"x" * 255,
                 b"*", b"..x", b"<script>alert(1)</script>".replace(b"/", b"")):  # fmt: skip
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("x")


@attack(LINKS)
def thousands_of_files(folder, **_):
    put(folder, empty())
    for n in range(5000):
        (folder / f"m{n}.py").write_text("x = 1")


START = "files that run by themselves"
RUNS = "import pathlib; pathlib.Path({mark!r}).write_text('owned')\n"
STARTED = """sitecustomize usercustomize numpy json torch minigrad grading msgpack layout
conftest typing nbgrader_config ipython_config jupyter_config __init__ __main__""".split()  # noqa: SIM905


@attack(START)
def files_in_place_of_modules(folder, secret, **_):
    put(folder, empty())
    code = RUNS.format(mark=str(secret.with_name("owned")))
    for name in STARTED:
        (folder / f"{name}.py").write_text(code)
    (folder / "x.pth").write_text(code)
    startup = folder / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text(code)
    (folder / "jupyter_config.json").write_text('{"Application": {"log_level": 0}}')


@attack(START)
def a_module_that_patches_the_grader(folder, **_):
    nb = added(empty(), "import helper")
    (folder).mkdir(parents=True)
    (folder / "helper.py").write_text(
        "import grading.checking.check, sys\ngrading.checking.check.judge = lambda *a: 9\n"
        "sys.modules['grading.checking.verdict'] = sys.modules['grading']\n"
    )
    put(folder, nb)


BOMBS = "bombs"


@attack(BOMBS)
def nested_without_end(folder, **_):
    put(folder, b'{"cells": ' + b"[" * 10**6 + b"]" * 10**6 + b"}")


@attack(BOMBS)
def metadata_nested_deep(folder, **_):
    data = json.dumps(empty()).encode()
    deep = b'{"x":' * 900 + b"1" + b"}" * 900
    put(folder, data.replace(b'"metadata": {}', b'"metadata": ' + deep, 1))


@attack(BOMBS)
def a_million_cells(folder, **_):
    one = '{"cell_type": "raw", "metadata": {}, "source": "", "id": "x"}'
    cells = ",".join([one] * 10**6)
    put(
        folder,
        f'{{"nbformat": 4, "nbformat_minor": 5, "metadata": {{}}, "cells": [{cells}]}}'.encode(),
    )


@attack(BOMBS)
def a_hundred_megabytes_of_outputs(folder, **_):
    text = {"output_type": "stream", "name": "stdout", "text": "x" * (4 * 2**20)}
    put(folder, outputs(text))


@attack(BOMBS)
def blank_lines_without_end(folder, **_):
    put(folder, added(empty(), "\n" * 300_000 + "x = 1"))


@attack(BOMBS)
def a_cell_nested_deep(folder, **_):
    nb = added(empty(), "(" * 50_000 + "1" + ")" * 50_000)
    put(folder, added(nb, "-" * 200_000 + "1", after=ONE))


@attack(BOMBS)
def sixty_megabytes_that_become_gigabytes(folder, **_):
    lists = b"[]," * (20 * 2**20)
    put(folder, b'{"cells": [], "metadata": {"x": [' + lists + b"1]}}")


@attack(BOMBS)
def numbers_without_end(folder, **_):
    data = json.dumps(empty()).encode()
    put(folder, data.replace(b'"nbformat": 4', b'"nbformat": ' + b"9" * 10**6, 1))


@attack(BOMBS)
def times_that_no_clock_has(folder, **_):
    nb = empty()
    odd = [10**400, -(10**400), 1e308, "1" * 5000, None, [], 253402300800000]
    for n, one in enumerate(nb["cells"]):
        one["metadata"]["executionInfo"] = {"timestamp": odd[n % len(odd)]}
    nb["cells"][0]["metadata"] = {"execution": {"shell.execute_reply": "9999-12-31"}}
    put(folder, nb)


@attack(BOMBS)
def more_text_than_fits(folder, **_):
    put(folder, markdown("x" * (40 * 2**20)))


@attack(BOMBS)
def tokens_without_end(folder, **_):
    text = "# solves\n" + "(" * 10**6 + "'\\\n" * 10**5
    put(folder, added(empty(), text + '"""' + "@solves(x)\n" * 10**4))


@attack(BOMBS)
def names_of_every_length(folder, **_):
    nb = empty()
    for one in nb["cells"]:
        one["id"] = "x" * 10**5
        one["metadata"] = {"nbgrader": {"grade_id": "y" * 10**5}, "tags": ["t"] * 10**4}
    nb["cells"][1]["source"] = "from minigrad import solves as s\n" * 10**4
    put(folder, nb)


OTHER = "files that are no notebooks"


@attack(OTHER)
def a_zip_that_is_called_a_notebook(folder, **_):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{LAB}.ipynb", bytes(10**8))
    put(folder, data.getvalue())


@attack(OTHER)
def zero_bytes(folder, **_):
    put(folder, bytes(10**6))


@attack(OTHER)
def bytes_of_every_kind(folder, **_):
    put(folder, random.Random(1).randbytes(10**6))


@attack(OTHER)
def a_folder_in_place_of_the_notebook(folder, **_):
    (folder / f"{LAB}.ipynb" / "x").mkdir(parents=True)


@attack(OTHER)
def a_time_of_ten_megabytes(folder, **_):
    put(folder, empty())
    (folder / "timestamp.txt").write_text("2026-01-01 " * 10**6)


@attack(BOMBS)
def an_output_that_is_a_picture_of_everything(folder, **_):
    put(folder, outputs(shown(**{"image/png": "A" * 10**6, "text/latex": "$" * 10**6})))


def honest(folder):
    put(folder, solved())
