"""Whose line it was: the caller's own, outside of minigrad."""

import linecache
import sys
from pathlib import Path

HERE = str(Path(__file__).parent)


def user_line():
    """(file, number) of the line outside of minigrad that is being run, or None."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return frame and (frame.f_code.co_filename, frame.f_lineno)


def shown(line):
    """`line 3: loss.item()`; outside of notebooks with the file's name."""
    file, number = line
    text, notebook = linecache.getline(file, number).strip(), "ipykernel" in file
    place = f"line {number}"
    if not notebook and not file.startswith("<"):
        place = f"{Path(file).name}, {place}"
    return f"{place}: {text}" if text else place
