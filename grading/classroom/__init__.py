"""A class: release labs, collect and grade submissions, give feedback and grades.

nbgrader keeps the gradebook. This package adds what nbgrader doesn't have.

Imports processes, notebooks, checking, kernels, isolation.
"""

from .. import notebooks  # noqa: F401  first: see there
