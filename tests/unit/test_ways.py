"""One piece of work by several libraries: what is timed, tabled, and said of none."""

import numpy as np
import pytest

from minigrad.testing import Ways, frameworks, ways
from minigrad.testing.frameworks import Library

X = np.arange(4, dtype=np.float32)


def test_what_ran_is_compared_timed_and_tabled(capsys):
    tried = Ways(np.add, X, X)
    with tried("numpy") as run:
        run(np.add)
    (row,) = tried.rows.values()
    assert row[:3] == ("NumPy", "the CPU", "ndarray")
    assert row.first > 0 < row.later
    assert "right" in capsys.readouterr().out
    assert "NumPy" in repr(tried.table())
    assert tried.table()._repr_markdown_().count("|\n| ---") == 1
    assert tried.times() == {"NumPy": (row.first, row.later)}


def test_a_wrong_result_is_an_error():
    with (
        pytest.raises(AssertionError, match="NumPy gives"),
        Ways(np.add, X, X + 1)("numpy") as run,
    ):
        run(np.subtract)


def test_the_tables_name_what_did_not_run(monkeypatch, capsys):
    absent = Library("Absent", "pip install absent", "")
    monkeypatch.setitem(frameworks.LIBRARIES, "absent", absent)
    tried = Ways(np.add, X, X)
    with tried("absent") as run:
        import absent

        run(absent.add)
    assert "not run: Absent is not installed" in capsys.readouterr().out
    assert "not run here" in repr(tried.who())
    assert tried.rows == {}


class NoDriver(RuntimeError):
    """An error of a library's own."""


@pytest.mark.parametrize("error", [NoDriver("no driver"), ImportError("libcuda.so.1")])
def test_a_library_that_misses_its_gpu_says_so(monkeypatch, capsys, error):
    monkeypatch.setitem(frameworks.LIBRARIES, "json", Library("Json", "", ""))
    monkeypatch.setattr(ways, "gpu_count", lambda: 0)
    with Ways(np.add, X, X)("json"):
        raise error
    assert f"It says: {type(error).__name__}: {error}" in capsys.readouterr().out


def test_a_mistake_in_the_cell_is_not_taken_for_a_missing_gpu(monkeypatch):
    monkeypatch.setitem(frameworks.LIBRARIES, "json", Library("Json", "", ""))
    monkeypatch.setattr(ways, "gpu_count", lambda: 0)
    with pytest.raises(NameError), Ways(np.add, X, X)("json"):
        raise NameError("name 'cp' is not defined")


def test_with_a_gpu_every_error_is_shown(monkeypatch):
    monkeypatch.setitem(frameworks.LIBRARIES, "json", Library("Json", "", ""))
    monkeypatch.setattr(ways, "gpu_count", lambda: 1)
    with pytest.raises(NoDriver), Ways(np.add, X, X)("json"):
        raise NoDriver


def test_lines_that_say_something_are_counted(tmp_path):
    cell = "with tried('numpy') as run:\n\n    # a comment\n    run(np.add)\n"
    path = tmp_path / "cell.py"
    path.write_text(cell)
    tried = Ways(np.add, X, X)
    exec(compile(cell, str(path), "exec"), {"tried": tried, "np": np})
    assert tried.rows["NumPy"].lines == 2


def test_a_library_that_fails_while_it_is_loaded_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(frameworks.LIBRARIES, "json", Library("Json", "", ""))
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "too_old.py").write_text("import numpy\nnumpy.no_such_name\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(ways, "gpu_count", lambda: 1)
    with Ways(np.add, X, X)("json"):
        import too_old  # noqa: F401
    said = capsys.readouterr().out
    assert "not run: Json cannot be loaded here, beside NumPy" in said
    assert "no_such_name" in said
