"""What the box says of a file: the cells of a notebook, or why it is none."""

import json
import tracemalloc

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")

from altered import solved  # noqa: E402

from grading.classroom import reading  # noqa: E402

pytestmark = pytest.mark.slow
TEXT = json.dumps(solved(), indent=1)
DATA = TEXT.encode()
GERMAN = TEXT.replace("# Lab", "# Übung für Zoë: Lab", 1)


@pytest.fixture
def read(tmp_path):
    """What is read of bytes."""

    def one(data):
        path = tmp_path / "x.ipynb"
        path.write_bytes(data)
        return reading.notebook(path)

    return one


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (DATA[:5000], "the file ends after 5,000 bytes, in the middle of a cell"),
        (DATA[:-2], f"the file ends after {len(DATA) - 2:,} bytes, in the middle of"),
        (b'{"nbformat": 4, "nbf', "the file ends after 20 bytes, before its cells"),
        (GERMAN.encode()[: GERMAN.encode().index("ü".encode()) + 1], "the file ends"),
        (b"", "the file is empty"),
        (bytes(4999), "the file is empty, or has only blanks and zero bytes"),
        (b" \n\t", "the file is empty"),
        (b"[1]", "JSON, but no notebook: it has no list of cells"),
        (b'{"cells": 1}', "no list of cells"),
        (b'{"cells": []}', "the notebook has no cells"),
        (b"[" * 10**6, "nested too deeply"),
        (b"import numpy as np\n", "it begins with `import numpy as np`"),
        (b"<!DOCTYPE html>\n<p>Log in", "the file is a web page"),
        (b"\x89PNG\r\n", "the file is a picture"),
        (b"%PDF-1.7", "the file is a PDF"),
        (b"7z\xbc\xaf\x27\x1c123", "the file is a .7z archive"),
        (b"\x1f\x8b\x08", "the file is a .gz archive"),
        (bytes(range(1, 200)), "the file is binary data"),
        (b'{\n<<<<<<< HEAD\n "cells": []}', "line 2 is a merge marker of Git's"),
        (DATA + DATA, "but the file goes on: `{"),
        (b'{"cells": [}', "isn't valid JSON at line 1, column 12, before `}`"),
        (DATA.replace(b'"metadata": {', b'"metadata": ', 1), "isn't valid JSON"),
        (b'{"cells": [' + b"{}," * 5000 + b"{}]}", "5,001 cells; at most 5,000"),
    ],
)  # fmt: skip
def test_why_a_file_is_no_notebook_is_said_in_words(read, data, why):
    notebook = read(data)
    assert why in notebook.why and not notebook.cells
    assert "b'" not in notebook.why and "\n" not in notebook.why


@pytest.mark.parametrize(
    "data",
    [
        GERMAN.encode("utf-8-sig"), GERMAN.encode("utf-16"), GERMAN.encode("utf-16-le"),
        GERMAN.encode("utf-16-be"), GERMAN.encode("utf-32"), GERMAN.encode("utf-32-be"),
        GERMAN.encode() + bytes(100), json.dumps(json.loads(GERMAN)).encode(),
        GERMAN.replace('"nbformat": 4', '"nbformat": ' + "9" * 5000).encode(),
    ],
)  # fmt: skip
def test_the_same_cells_whatever_the_encoding(read, data):
    assert read(data) == read(GERMAN.encode())
    assert "Übung für Zoë" in read(data).cells[0].source


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_what_is_not_utf8_is_read_as_windows_1252(read, encoding):
    notebook = read(GERMAN.replace("–", "-").encode(encoding, "replace"))
    assert notebook.notes == [
        "the file isn't UTF-8: it's read as Windows-1252, which includes Latin-1"
    ]
    assert "Übung für Zoë" in notebook.cells[0].source and not notebook.why


def test_one_damaged_byte_does_not_change_all_letters(read):
    notebook = read(GERMAN.encode().replace("ü".encode(), b"\xff", 1))
    assert "Übung f\ufffdr Zoë" in notebook.cells[0].source
    assert notebook.notes == ["damaged characters, which aren't UTF-8: 1"]


def test_notebooks_of_version_3_have_their_cells_in_worksheets(read):
    code = {"cell_type": "code", "input": ["@solves(permute)\n", "x"], "metadata": {}}
    nb = {"nbformat": 3, "worksheets": [{"cells": [code]}, {"cells": []}, "odd"]}
    (cell,) = read(json.dumps(nb).encode()).cells
    assert (cell.code, cell.answers) == (True, ["permute"])


@pytest.mark.parametrize(
    "head",
    [
        "@ solves (x)", "@minigrad.solves(x)", "@solves(\n    x,\n)", "@s(layout . x)",
        "%%time\n@solves(x)", "!echo don't\n@solves(x)  # mine",
        "name = course.s(x)(1)", "note = (\n@solves(x)",
    ],
)  # fmt: skip
def test_an_answer_is_recognized_however_it_is_written(read, head):
    texts = "from minigrad import solves as s", f"{head}\ndef x(): ..."
    cells = [{"cell_type": "code", "metadata": {}, "source": text} for text in texts]
    assert [c.answers for c in read(json.dumps({"cells": cells}).encode()).cells] == [
        [], ["x"]
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ['"""\n@solves(x)\n"""', 'f"""\n@solves(x)"""', "# @solves(x)", "unsolves(x)"],
)
def test_a_text_that_only_mentions_it_is_no_answer(read, text):
    cell = {"cell_type": "code", "metadata": {}, "source": text}
    (notebook,) = read(json.dumps({"cells": [cell]}).encode()).cells
    assert notebook.answers == []


def test_what_the_box_says_is_examined():
    good = [True, "a", ["t"], "x = 1", ["x"], "", False, 1.5]
    assert reading._cell(*good).source == "x = 1"
    for place, odd in enumerate([1, 3, "t", b"x", ["x" * 999], None, 0, "1.5"]):
        with pytest.raises(ValueError, match="instead of|characters"):
            reading._cell(*good[:place], odd, *good[place + 1 :])


def with_cells(*texts, kind="code"):
    nb = solved()
    for n, text in enumerate(texts):
        one = {"cell_type": kind, "id": f"n{n}", "metadata": {}, "source": text}
        nb["cells"].append(one)
    return json.dumps(nb).encode()


def test_code_that_is_too_long_is_not_run_and_the_rest_is(read):
    plain = read(DATA).cells
    notebook = read(with_cells("x = 1\n" * 10**6, "y = 2", "z = 3\n" * 50_000))
    assert not notebook.why and notebook.cells[: len(plain)] == plain
    long, other, _ = notebook.cells[len(plain) :]
    assert other.source == "y = 2" and long.code
    said = "it has 6,000,000 characters and is not run; a cell may have 262,144"
    assert long.source == f"# {said}"
    begin = " ".join(["x = 1"] * 10)
    assert notebook.notes == [
        f'the cell that begins "{begin}": {said}',
        "more cells that are too long to run: 1",
    ]
    many = read(with_cells(*["x = 1\n" * 40_000] * 20))
    assert "its code has" in many.why and "at most 4,194,304" in many.why


def test_long_texts_are_cut_off(read):
    notebook = read(with_cells("word " * 10**6, "b" * 5 * 10**6, "c", kind="markdown"))
    first, second, third = notebook.cells[-3:]
    assert first.source == "word " * 10**6 and not third.source
    assert 0 < len(second.source) < 4 * 10**6
    assert notebook.notes == ["the texts are cut off after 8,388,608 characters"]


def test_a_text_that_is_too_long_to_run_does_not_become_code(read):
    text = "@solves(layout.offset_of)\ndef offset_of(): pass\n" + "x = 1\n" * 10**5
    assert read(with_cells(text, kind="markdown")).cells[-1].answers == []
    assert read(with_cells(text[:99], kind="markdown")).cells[-1].answers


@pytest.mark.parametrize("kind", ["code", "markdown"])
def test_a_huge_cell_takes_little_memory_of_the_grader(tmp_path, kind):
    path = tmp_path / "x.ipynb"
    path.write_bytes(with_cells("x = 1\n" * 5 * 10**6, kind=kind))
    reading.notebook(path)
    tracemalloc.start()
    reading.notebook(path.rename(tmp_path / "y.ipynb"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (3 if kind == "code" else 40) * 2**20
