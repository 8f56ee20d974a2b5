"""What the file of an exercise in `checks/` is written with."""

from .cases import Raises, View
from .checking import Check, checks
from .kernel_runs import Launch, blank, distinct
from .kernels import KernelCheck
from .mistakes import Differs, Model, Shows, mistake, mistakes, right
from .own_tests import own_test
from .subject import Problem

__all__ = [
    "Check", "Differs", "KernelCheck", "Launch", "Model", "Problem", "Raises", "Shows",
    "View", "blank", "checks", "distinct", "mistake", "mistakes", "own_test", "right",
]  # fmt: skip
