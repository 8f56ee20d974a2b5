"""What the file of an exercise in `checks/` is written with."""

from .checking.cases import Raises, View
from .isolation.replies import Problem
from .kernels.runs import Launch, blank, distinct

__all__ = ["Launch", "Problem", "Raises", "View", "blank", "distinct"]
