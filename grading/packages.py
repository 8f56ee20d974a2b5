"""What to do where a package that grading needs is missing."""

import sys

OURS = "", "grading", "minigrad", "cudasim"
OLD = (
    "the Python package {0} is missing: the environment is older than the course. "
    "`make lab` updates the course's .venv. In another environment: "
    "{1} -m pip install -e ./cudasim -e '.[lab,torch,grade]' -c constraints.txt"
)


def advice(error):
    """What to do about a ModuleNotFoundError; "" where the module is our own."""
    package = (error.name or "").partition(".")[0]
    return "" if package in OURS else OLD.format(package, sys.executable)
