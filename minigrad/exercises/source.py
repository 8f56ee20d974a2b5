"""Where an answer comes from: its notebook, its cell, and the cell's text."""

import contextlib
import functools
import inspect
import linecache
import os
import sys
import tokenize
from pathlib import Path
from typing import NamedTuple

from .. import course


class Source(NamedTuple):
    """Where an answer comes from; None where that cannot be known."""

    notebook: str | None  # its path, from the course's folder where it lies there
    cell: str | None  # the cell's id
    text: str  # of the whole cell


_place = None  # (notebook, cell, text) while this library runs a notebook's cells


@contextlib.contextmanager
def running(notebook, cell, text):
    """Say where the answers come from that are given inside this block."""
    global _place
    before, _place = _place, (notebook, cell, text)
    try:
        yield
    finally:
        _place = before


def source_of(answer):
    """The Source of an answer that is given right now."""
    notebook, cell, text = _place or _place_in_jupyter()
    text = _own_text(answer) if text is None else text
    return Source(notebook, cell, text)


def relative(path):
    """The path from the course's folder, with slashes; of other files the full one."""
    path, home = Path(path).resolve(), course.home()
    return (path.relative_to(home) if path.is_relative_to(home) else path).as_posix()


def _place_in_jupyter():
    """The notebook, the cell's id and its text that Jupyter says it is running.

    JupyterLab and VS Code name the notebook; both send the cell's id, Colab does not.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if not hasattr(shell, "get_parent"):
        return None, None, None
    request = shell.get_parent() or {}
    notebook = os.environ.get("JPY_SESSION_NAME")
    notebook = shell.user_ns.get("__vsc_ipynb_file__", notebook)
    return (
        notebook and relative(notebook),
        request.get("metadata", {}).get("cellId"),
        request.get("content", {}).get("code"),
    )


def _own_text(answer):
    """The text of the cell or, in a file, of the function."""
    if isinstance(answer, str):
        return answer
    while isinstance(answer, functools.partial):
        answer = answer.func
    try:
        name = inspect.unwrap(answer).__code__.co_filename
        in_file = os.path.exists(name)
        return (
            inspect.getsource(answer) if in_file else "".join(linecache.getlines(name))
        )
    except (AttributeError, OSError, TypeError, tokenize.TokenError):
        return ""
