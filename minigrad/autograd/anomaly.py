"""What anomaly mode says: which line of the program made a node that fails."""

import traceback
from pathlib import Path

HERE = str(Path(__file__).parent.parent)


def forward_line():
    """The innermost line of the running program that is not of the library."""
    for frame in reversed(traceback.extract_stack()):
        if not frame.filename.startswith(HERE):
            return frame
    return None


def explained(node, problem):
    """The error of a backward, with the line of its forward."""
    frame = node.line
    if frame is None:
        where = "It was recorded before detect_anomaly(): open that around forward too."
    else:
        where = (
            f"Its forward is in {frame.filename}, line {frame.lineno}, in {frame.name}:"
            f"\n    {frame.line}"
        )
    return RuntimeError(f"{problem}\nError detected in {node.name()}. {where}")


def first_nan(gradients):
    """The number of the first gradient that holds NaN, or None."""
    for number, g in enumerate(gradients):
        if g is not None and bool((g != g).any()):
            return number
    return None
