"""The instructors' walk-through prints what its page shows."""

import subprocess
import sys

import pytest

pytest.importorskip("nbgrader", reason="not run: grading (nbgrader is not installed)")
pytest.importorskip("torch", reason="not run: grading (PyTorch is not installed)")

from grading.isolation import sandbox  # noqa: E402
from minigrad import course  # noqa: E402


@pytest.mark.slow
@pytest.mark.xdist_group("walkthrough")  # long: it comes early
@pytest.mark.skipif(bool(sandbox.why_not()), reason=f"not run: {sandbox.why_not()}")
def test_the_page_is_what_is_printed():
    script = course.home() / "docs" / "walkthrough.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
