"""What the file of an exercise in `checks/` is written with."""

from .checking.cases import Raises, View
from .checking.check import Check, Limits, call, drive
from .checking.compare import arrays, close, same, values
from .isolation.replies import Problem
from .kernels.runs import Launch, blank, distinct

__all__ = [
    "Check", "Launch", "Limits", "Problem", "Raises", "View", "arrays", "blank", "call",
    "close", "distinct", "drive", "same", "values",
]  # fmt: skip
