"""What the file of an exercise in `checks/` is written with."""

from .checking.cases import Raises, View
from .checking.mistakes import Differs, Model, Shows, models
from .checking.old_check import Check, checks
from .isolation.replies import Problem
from .kernels.runs import Launch, blank, distinct

__all__ = [
    "Check", "Differs", "Launch", "Model", "Problem", "Raises", "Shows",
    "View", "blank", "checks", "distinct", "models",
]  # fmt: skip
